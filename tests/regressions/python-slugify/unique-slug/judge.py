import pytest
from slugify.slugify import unique_slug

CASES = [
    ("One", [], "one"), ("One", ["two"], "one"), ("One", ["one"], "one-2"), ("One", ["one", "one-2"], "one-3"),
    ("One", ["one", "one-2", "one-4"], "one-3"), ("One", ["one", "one-2", "one-3"], "one-4"), ("One", ["one-2"], "one"),
    ("One", ["one", "one-3"], "one-2"), ("one 2", ["one-2"], "one-2-2"), ("one 2", ["one-2", "one-2-2"], "one-2-3"),
    ("One", ["one", "one-2", "one-2-3"], "one-3"), ("A b", ["a-b", "a-b-2", "a-b-3", "a-b-4"], "a-b-5"), (b"One", ["one", "one-2"], "one-3"),
]


@pytest.mark.parametrize(("text", "taken", "wanted"), CASES)
@pytest.mark.parametrize("make", [list, set, tuple, iter])
def test_cases(text, taken, wanted, make):
    assert unique_slug(text, make(taken)) == wanted


@pytest.mark.parametrize("separator", ["_", "::", "-"])
@pytest.mark.parametrize("many", [1, 2, 3, 10])
def test_many(separator, many):
    taken = []
    for _ in range(many):
        taken.append(unique_slug("My Page", taken, separator))
    first = f"my{separator}page"
    assert taken == [first, *(f"{first}{separator}{n}" for n in range(2, many + 1))]


def test_taken_is_not_changed():
    taken = ["one"]
    unique_slug("one", taken)
    assert taken == ["one"]
