import pytest

from shipping import TooHeavy, cost


@pytest.mark.parametrize(
    ("value", "grams", "paid"),
    [(1000, 2000, 499), (1000, 2001, 699), (1000, 2700, 699), (1000, 5000, 699),
     (1000, 31500, 1299), (4999, 100, 499), (5000, 100, 0), (5001, 100, 0)],
)
def test_costs(value, grams, paid):
    assert cost(value, grams) == paid


def test_too_heavy():
    with pytest.raises(TooHeavy):
        cost(1000, 31501)
