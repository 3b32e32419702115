from harbour.berths import Berth, Stay
from harbour.dues import dues, started_hours
from harbour.planner import Booking
from harbour.vessels import Vessel

FUEL_BERTH = Berth("fuel", 120.0, 6.0, takes_hazardous=True)


def test_every_started_hour_counts():
    assert [started_hours(minutes) for minutes in (1, 60, 61, 120)] == [1, 1, 2, 2]


def test_dues_follow_length_and_time():
    oak = Vessel("Oak", 50.0, 3.0, "timber")
    assert dues(Booking(oak, FUEL_BERTH, Stay(0, 90))) == 1200


def test_hazardous_cargo_pays_half_as_much_again():
    petra = Vessel("Petra", 50.0, 3.0, "fuel")
    assert dues(Booking(petra, FUEL_BERTH, Stay(0, 90))) == 1800
