from datetime import date, datetime, timedelta

import pytest
from isodate import Duration

CASES = [
    (date(2020, 3, 31), (0, 4), date(2019, 11, 30), date(2020, 7, 31)),
    (date(2020, 3, 31), (1, 0), date(2019, 3, 31), date(2021, 3, 31)),
    (date(2020, 2, 29), (1, 0), date(2019, 2, 28), date(2021, 2, 28)),
    (date(2020, 2, 29), (4, 0), date(2016, 2, 29), date(2024, 2, 29)),
    (date(2020, 5, 31), (0, 1), date(2020, 4, 30), date(2020, 6, 30)),
    (date(2020, 1, 15), (0, 1), date(2019, 12, 15), date(2020, 2, 15)),
    (date(2020, 12, 15), (0, 12), date(2019, 12, 15), date(2021, 12, 15)),
    (date(2020, 12, 15), (0, 25), date(2018, 11, 15), date(2023, 1, 15)),
    (date(2020, 6, 10), (2, 3), date(2018, 3, 10), date(2022, 9, 10)),
    (date(2020, 6, 10), (3, 2), date(2017, 4, 10), date(2023, 8, 10)),
    (date(2020, 6, 10), (1, 1), date(2019, 5, 10), date(2021, 7, 10)),
    (date(2020, 6, 10), (0, 0), date(2020, 6, 10), date(2020, 6, 10)),
    (date(2020, 6, 10), (-1, 2), date(2021, 4, 10), date(2019, 8, 10)),
    (date(2020, 6, 10), (0, -7), date(2021, 1, 10), date(2019, 11, 10)),
    (date(2000, 1, 1), (100, 0), date(1900, 1, 1), date(2100, 1, 1)),
]


@pytest.mark.parametrize(("start", "said", "before", "after"), CASES)
def test_dates(start, said, before, after):
    duration = Duration(years=said[0], months=said[1])
    assert start - duration == before
    assert start + duration == after
    assert duration + start == after
    assert start + -duration == before
    assert start - -duration == after


@pytest.mark.parametrize(("start", "said", "before", "after"), CASES)
def test_datetimes(start, said, before, after):
    moment = datetime(start.year, start.month, start.day, 12, 30)
    duration = Duration(years=said[0], months=said[1], hours=2)
    assert moment - duration == datetime(before.year, before.month, before.day, 10, 30)
    assert moment + duration == datetime(after.year, after.month, after.day, 14, 30)


@pytest.mark.parametrize("duration", [Duration(years=0.5), Duration(months=1.5), Duration(years=1, months=0.1)])
def test_fractions(duration):
    with pytest.raises(ValueError):
        date(2020, 1, 1) + duration
    with pytest.raises(ValueError):
        date(2020, 1, 1) - duration


def test_totimedelta():
    assert Duration(months=1).totimedelta(start=date(2020, 2, 1)) == timedelta(29)
    assert Duration(months=1).totimedelta(end=date(2020, 3, 1)) == timedelta(29)
    assert Duration(years=1).totimedelta(end=date(2021, 1, 1)) == timedelta(366)


def test_other_operands():
    assert timedelta(3) - Duration(days=1) == Duration(days=2)
    assert Duration(days=1) + timedelta(3) == timedelta(4)
    with pytest.raises(TypeError):
        "x" - Duration(days=1)
