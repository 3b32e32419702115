import pytest

from harbour.berths import Berth, Stay
from harbour.vessels import Vessel


def test_a_berth_admits_what_fits(berths, aurora):
    assert [berth.admits(aurora) for berth in berths] == [True, False, False]


def test_hazardous_cargo_goes_to_its_own_berth(berths):
    petra = Vessel("Petra", 50.0, 2.0, "fuel")
    assert [berth.admits(petra) for berth in berths] == [False, True, False]


def test_half_a_metre_under_the_keel_is_just_enough():
    berth = Berth("inner", 60.0, 3.0)
    assert berth.afloat(Vessel("Tern", 55.0, 3.0), tide=0.5)
    assert not berth.afloat(Vessel("Tern", 55.0, 3.25), tide=0.5)


def test_stays_that_share_an_hour_overlap():
    assert Stay(600, 720).overlaps(Stay(660, 780))
    assert Stay(660, 780).overlaps(Stay(600, 720))


def test_stays_hours_apart_do_not_overlap():
    assert not Stay(600, 720).overlaps(Stay(780, 900))
    assert not Stay(780, 900).overlaps(Stay(600, 720))


def test_a_stay_ends_after_it_starts():
    with pytest.raises(ValueError, match="after it starts"):
        Stay(600, 600)
