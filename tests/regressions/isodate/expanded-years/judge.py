from datetime import date

import pytest
from isodate import ISO8601Error, parse_date, parse_datetime

FORMS = [
    ("2020-05-06", date(2020, 5, 6)), ("20200506", date(2020, 5, 6)), ("2020-W19-3", date(2020, 5, 6)), ("2020W193", date(2020, 5, 6)),
    ("2020-127", date(2020, 5, 6)), ("2020127", date(2020, 5, 6)), ("2020-05", date(2020, 5, 1)), ("2020", date(2020, 1, 1)), ("2020-W19", date(2020, 5, 4)),
]


@pytest.mark.parametrize(("text", "wanted"), FORMS)
@pytest.mark.parametrize("first", [True, False])
def test_four_digits(text, wanted, first):
    for expanded in (first, not first, first):
        if expanded:
            assert parse_date("+" + text, expanded=True) == wanted
            with pytest.raises(ISO8601Error):
                parse_date(text[:4] + "-05-06", expanded=True)
        else:
            assert parse_date(text) == wanted
            with pytest.raises(ISO8601Error):
                parse_date("+" + text[:4] + "-05-06")


@pytest.mark.parametrize(("text", "wanted"), FORMS)
@pytest.mark.parametrize("expanded", [True, False])
def test_six_digits(text, wanted, expanded):
    assert parse_date("+00" + text, yeardigits=6, expanded=expanded) == wanted
    with pytest.raises(ISO8601Error):
        parse_date("00" + text[:4] + "-05-06", yeardigits=6, expanded=expanded)


def test_century():
    assert parse_date("20") == date(2001, 1, 1)
    assert parse_date("+20", expanded=True) == date(2001, 1, 1)
    assert parse_date("+0020", yeardigits=6) == date(2001, 1, 1)
    assert parse_date("19") == date(1901, 1, 1)


def test_moments():
    assert parse_date("+2020-05-06", expanded=True) == date(2020, 5, 6)
    assert parse_datetime("2020-05-06T10:00").date() == date(2020, 5, 6)


def test_negative_years():
    with pytest.raises(ValueError):
        parse_date("-2020-05-06", expanded=True)
