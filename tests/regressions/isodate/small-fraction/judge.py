from datetime import timedelta

import pytest
from isodate import Duration, duration_isoformat, parse_duration

CASES = [
    (timedelta(microseconds=1), "PT0.000001S"), (timedelta(microseconds=10), "PT0.00001S"),
    (timedelta(milliseconds=5), "PT0.005S"), (timedelta(milliseconds=50), "PT0.05S"),
    (timedelta(milliseconds=500), "PT0.5S"), (timedelta(seconds=1, milliseconds=20), "PT1.02S"),
    (timedelta(seconds=10), "PT10S"), (timedelta(seconds=0), "P0D"), (timedelta(seconds=20, microseconds=100), "PT20.0001S"),
    (timedelta(microseconds=123456), "PT0.123456S"), (timedelta(microseconds=100000), "PT0.1S"),
    (timedelta(microseconds=999999), "PT0.999999S"), (timedelta(minutes=1, microseconds=7), "PT1M0.000007S"),
    (timedelta(hours=1), "PT1H"), (timedelta(hours=10, minutes=20, seconds=30), "PT10H20M30S"),
    (timedelta(days=1, seconds=100), "P1DT1M40S"), (timedelta(days=1, microseconds=40), "P1DT0.00004S"),
    (-timedelta(milliseconds=5), "-PT0.005S"), (Duration(years=1, milliseconds=5), "P1YT0.005S"),
    (Duration(months=2, seconds=3, microseconds=30), "P2MT3.00003S"), (Duration(years=10), "P10Y"),
]


@pytest.mark.parametrize(("duration", "text"), CASES)
def test_format(duration, text):
    assert duration_isoformat(duration) == text


@pytest.mark.parametrize("usecs", [1, 9, 10, 99, 100, 101, 999, 1000, 1001, 9999, 10000, 10100, 99999, 100000, 500500])
@pytest.mark.parametrize("seconds", [0, 1, 10, 59])
def test_round_trip(seconds, usecs):
    duration = timedelta(seconds=seconds, microseconds=usecs)
    assert parse_duration(duration_isoformat(duration)) == duration
