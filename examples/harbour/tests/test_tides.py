import pytest

from harbour.tides import Tide, TideTable, next_high_water


def test_known_waters_are_exact(table):
    assert [table.height_at(minute) for minute in (60, 420, 1160)] == [0.4, 3.6, 3.4]


def test_between_them_the_height_follows_a_straight_line(table):
    assert table.height_at(240) == pytest.approx(2.0)


def test_outside_the_table_nothing_is_guessed(table):
    with pytest.raises(ValueError, match="outside the table"):
        table.height_at(59)


def test_next_high_water_skips_low_waters(table):
    assert next_high_water(table, 421) == Tide(1160, 3.4)


def test_next_high_water_may_be_now(table):
    assert next_high_water(table, 420) == Tide(420, 3.6)


def test_after_the_last_one_there_is_none(table):
    assert next_high_water(table, 1161) is None


def test_a_table_has_two_lines_at_least():
    with pytest.raises(ValueError, match="at least two"):
        TideTable([Tide(0, 1.0)])
