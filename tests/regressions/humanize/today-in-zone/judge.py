import datetime as dt

import pytest
from freezegun import freeze_time
from humanize import naturaldate, naturalday

ZONES = [-11, -8, -4, 0, 2, 5.5, 9, 13]


@pytest.mark.parametrize("hours", ZONES)
@pytest.mark.parametrize("clock", ["2023-10-15 00:30", "2023-10-15 12:00", "2023-10-15 23:30"])
@pytest.mark.parametrize(("days", "word"), [(0, "today"), (1, "tomorrow"), (-1, "yesterday")])
def test_zone_of_the_value(hours, clock, days, word):
    zone = dt.timezone(dt.timedelta(hours=hours))
    with freeze_time(clock):
        value = dt.datetime.now(zone) + dt.timedelta(days=days)
        assert naturalday(value) == word
        assert naturaldate(value) == word
        early = value.replace(hour=0, minute=1)
        late = value.replace(hour=23, minute=59)
        assert naturalday(early) == naturalday(late) == word
        assert naturaldate(early) == naturaldate(late) == word


@pytest.mark.parametrize(("days", "word"), [(0, "today"), (1, "tomorrow"), (-1, "yesterday"), (2, "Oct 17")])
@pytest.mark.parametrize("name", ["date", "datetime"])
def test_naive(days, word, name):
    with freeze_time("2023-10-15 12:00"):
        value = getattr(dt, name).today() + dt.timedelta(days=days)
        assert naturalday(value) == word
        assert naturaldate(value) == word


@pytest.mark.parametrize("value", [None, 5, "x", 1.5])
def test_others(value):
    assert naturalday(value) == str(value)
    assert naturaldate(value) == str(value)


def test_dateish():
    class Day:
        year, month, day = 2023, 10, 15

    class Bad:
        year, month, day = 2023, 10, 150

        def __str__(self):
            return "bad"

    with freeze_time("2023-10-15 12:00"):
        assert naturalday(Day()) == naturaldate(Day()) == "today"
    assert naturalday(Bad()) == naturaldate(Bad()) == "bad"


@pytest.mark.parametrize("hours", ZONES)
def test_far_away(hours):
    zone = dt.timezone(dt.timedelta(hours=hours))
    with freeze_time("2023-10-15 12:00"):
        assert naturaldate(dt.datetime(2024, 6, 1, tzinfo=zone)) == "Jun 01 2024"
        assert naturaldate(dt.datetime(2023, 11, 1, tzinfo=zone)) == "Nov 01"
        assert naturalday(dt.datetime(2024, 6, 1, tzinfo=zone), "%Y") == "2024"
