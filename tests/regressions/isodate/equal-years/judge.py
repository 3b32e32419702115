from datetime import timedelta

import pytest
from isodate import Duration, parse_duration

EQUAL = [
    (dict(months=12), dict(years=1)), (dict(months=24), dict(years=2)), (dict(months=18), dict(years=1, months=6)),
    (dict(months=6), dict(years=0.5)), (dict(months=-12), dict(years=-1)), (dict(months=0), dict(years=0)),
    (dict(years=1, months=-12), dict()), (dict(years=2, months=3), dict(months=27)), (dict(months=1), dict(months=1)),
    (dict(years=1, days=1), dict(months=12, hours=24)), (dict(days=7), dict(weeks=1)),
    (dict(years=1, months=12), dict(years=2)), (dict(minutes=60), dict(hours=1)),
]
UNEQUAL = [
    (dict(months=12), dict(years=2)), (dict(months=1), dict(years=1)), (dict(years=1), dict(days=365)),
    (dict(months=12, days=1), dict(years=1)), (dict(months=11), dict(years=1)), (dict(months=1), dict(days=30)),
    (dict(months=12), dict(years=-1)), (dict(days=1), dict(days=2)),
]


@pytest.mark.parametrize(("one", "two"), EQUAL)
def test_equal(one, two):
    assert Duration(**one) == Duration(**two)
    assert Duration(**two) == Duration(**one)
    assert not (Duration(**one) != Duration(**two))
    assert -Duration(**one) == -Duration(**two)


@pytest.mark.parametrize(("one", "two"), UNEQUAL)
def test_unequal(one, two):
    assert Duration(**one) != Duration(**two)
    assert Duration(**two) != Duration(**one)
    assert not (Duration(**one) == Duration(**two))


@pytest.mark.parametrize(("duration", "delta", "same"), [
    (dict(days=1), timedelta(1), True), (dict(hours=24), timedelta(1), True), (dict(), timedelta(0), True),
    (dict(days=1), timedelta(2), False), (dict(months=1), timedelta(30), False), (dict(years=1), timedelta(365), False),
])
def test_timedelta(duration, delta, same):
    assert (Duration(**duration) == delta) is same
    assert (Duration(**duration) != delta) is not same


@pytest.mark.parametrize("other", [None, "x", 5, object()])
def test_others(other):
    assert Duration(years=1) != other
    assert Duration(days=1) != other
    assert not (Duration(years=1) == other)


@pytest.mark.parametrize(("one", "two"), [("P1Y", "P12M"), ("P2Y6M", "P30M"), ("P1Y1D", "P12MT24H")])
def test_parsed(one, two):
    assert parse_duration(one) == parse_duration(two)


def test_hash_is_stable():
    assert hash(Duration(years=1, days=2)) == hash(Duration(years=1, days=2))
    assert len({Duration(years=1), Duration(years=1), Duration(years=2)}) == 2
