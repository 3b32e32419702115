import pytest

from harbour.vessels import Vessel, parse_announcement


def test_announcement_is_read():
    assert parse_announcement("Aurora; 140; 6.8") == Vessel("Aurora", 140.0, 6.8)


def test_cargo_is_read_in_lower_case():
    assert parse_announcement("Petra; 90; 5; FUEL").cargo == "fuel"


@pytest.mark.parametrize("line", ["", "Aurora; 140", "; 140; 6.8", "a; 1; 2; 3; 4"])
def test_anything_else_is_refused(line):
    with pytest.raises(ValueError, match="not an announcement"):
        parse_announcement(line)


def test_fuel_is_hazardous_and_timber_is_not():
    assert Vessel("Petra", 90.0, 5.0, "fuel").hazardous
    assert not Vessel("Oak", 90.0, 5.0, "timber").hazardous
