from datetime import datetime, timedelta

import pytest
from isodate import ISO8601Error, datetime_isoformat, parse_datetime, parse_time, parse_tzinfo

OFFSETS = [
    ("+01:00", 60), ("-01:00", -60), ("+0530", 330), ("-0430", -270), ("-03:30", -210), ("+05:45", 345), ("-00:30", -30),
    ("+00:30", 30), ("-0015", -15), ("-00", 0), ("+00", 0), ("-09", -540), ("+14:00", 840), ("-09:30", -570), ("-11:59", -719),
    ("Z", 0), ("+00:00", 0), ("-00:00", 0), ("-00:01", -1),
]


@pytest.mark.parametrize(("text", "minutes"), OFFSETS)
def test_offsets(text, minutes):
    wanted = timedelta(minutes=minutes)
    assert parse_tzinfo(text).utcoffset(None) == wanted
    assert parse_time("12:30:15" + text).utcoffset() == wanted
    assert parse_time("1230" + text).utcoffset() == wanted
    moment = parse_datetime("2020-05-06T12:30:15" + text)
    assert moment.utcoffset() == wanted
    assert moment.replace(tzinfo=None) == datetime(2020, 5, 6, 12, 30, 15)


@pytest.mark.parametrize("text", ["+01:00", "-03:30", "-00:30", "+05:45", "-09:30", "-11:00"])
def test_round_trip(text):
    assert datetime_isoformat(parse_datetime("2020-05-06T12:30:15" + text)) == "2020-05-06T12:30:15" + text
    assert parse_tzinfo(text).tzname(None) == text


def test_none():
    assert parse_tzinfo("") is None
    assert parse_time("12:30").tzinfo is None


@pytest.mark.parametrize("text", ["12:30+1", "12:30-", "12:30z", "25"])
def test_bad(text):
    with pytest.raises((ISO8601Error, ValueError)):
        parse_time(text)


def test_moment_order():
    assert parse_datetime("2020-01-01T00:00:00-03:30") - parse_datetime("2020-01-01T00:00:00Z") == timedelta(hours=3.5)
