from rates import Converter


def test_each_has_its_own_and_searches_once():
    one, other = Converter({("A", "B"): 2}), Converter({("A", "B"): 3})
    assert (one.rate("A", "B"), other.rate("A", "B")) == (2, 3)
    searched = []
    one._search = lambda *pair: searched.append(pair) or 7
    one.update("A", "B", 5)
    assert [one.rate("A", "B") for _ in range(3)] == [7, 7, 7]
    assert len(searched) == 1


def test_names_of_any_length():
    converter = Converter({("AB", "C"): 2, ("ABC", "D"): 3})
    assert (converter.rate("AB", "C"), converter.rate("ABC", "D")) == (2, 3)
