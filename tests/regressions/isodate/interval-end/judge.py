from datetime import datetime, timedelta

import pytest
from isodate import ISO8601Error, parse_interval

END = [
    ("P1D", datetime(2020, 3, 14, 12)), ("PT1H", datetime(2020, 3, 15, 11)), ("P1W", datetime(2020, 3, 8, 12)),
    ("P1M", datetime(2020, 2, 15, 12)), ("P1Y", datetime(2019, 3, 15, 12)), ("P1Y2M3DT4H", datetime(2019, 1, 12, 8)),
    ("PT0.5S", datetime(2020, 3, 15, 11, 59, 59, 500000)), ("P14D", datetime(2020, 3, 1, 12)), ("PT36H", datetime(2020, 3, 14)),
    ("P15M", datetime(2018, 12, 15, 12)), ("P0D", datetime(2020, 3, 15, 12)),
]
START = [
    ("P1D", datetime(2020, 3, 16, 12)), ("PT1H", datetime(2020, 3, 15, 13)), ("P1M", datetime(2020, 4, 15, 12)),
    ("P1Y", datetime(2021, 3, 15, 12)), ("P1Y2M3DT4H", datetime(2021, 5, 18, 16)), ("P0D", datetime(2020, 3, 15, 12)),
]
POINT = datetime(2020, 3, 15, 12)


@pytest.mark.parametrize(("duration", "start"), END)
def test_end(duration, start):
    assert parse_interval(duration + "/2020-03-15T12:00:00") == (start, POINT)


@pytest.mark.parametrize(("duration", "end"), START)
def test_start(duration, end):
    assert parse_interval("2020-03-15T12:00:00/" + duration) == (POINT, end)


def test_clipped():
    assert parse_interval("P1M/2020-03-31T00:00") == (datetime(2020, 2, 29), datetime(2020, 3, 31))
    assert parse_interval("2020-01-31T00:00/P1M") == (datetime(2020, 1, 31), datetime(2020, 2, 29))


def test_both():
    assert parse_interval("2020-03-15T12:00/2020-03-16T12:00") == (POINT, POINT + timedelta(1))


def test_zone():
    start, end = parse_interval("PT2H/2020-03-15T12:00:00Z")
    assert end - start == timedelta(hours=2)
    assert start.utcoffset() == timedelta(0)


@pytest.mark.parametrize("text", ["", "x", "2020-03-15T12:00", "P1D", "P1D/P1D", "a/b", "P1D/x",
                                  "2020-03-15T12:00/P1D/P1D"])
def test_bad(text):
    with pytest.raises(ISO8601Error):
        parse_interval(text)
