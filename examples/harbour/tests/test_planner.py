import pytest

from harbour.berths import Stay
from harbour.planner import NoBerthError, Planner


@pytest.fixture
def planner(berths, table):
    return Planner(berths, table)


def test_the_shortest_berth_that_fits_is_taken(planner, tern):
    assert planner.book(tern, 400, 120).berth.name == "inner"


def test_a_taken_berth_is_left_alone(planner, tern):
    planner.book(tern, 400, 120)
    assert planner.book(tern, 450, 120).berth.name == "fuel"


def test_a_stay_inside_another_needs_its_own_berth(planner, tern):
    planner.book(tern, 400, 300)
    assert [berth.name for berth in planner.free(Stay(450, 500))] == ["fuel", "north"]


def test_a_long_ship_waits_for_the_only_berth(planner, aurora):
    planner.book(aurora, 420, 300)
    with pytest.raises(NoBerthError, match="no berth for Aurora"):
        planner.book(aurora, 700, 60)


def test_a_deep_ship_is_refused_at_low_water(planner, aurora):
    with pytest.raises(NoBerthError):
        planner.book(aurora, 60, 60)


def test_a_deep_ship_comes_in_on_the_tide(planner, aurora):
    assert planner.book_on_the_tide(aurora, 500, 60).stay == Stay(1160, 1220)


def test_no_tide_left_is_said(planner, aurora):
    with pytest.raises(NoBerthError, match="no high water left"):
        planner.book_on_the_tide(aurora, 1161, 60)


def test_one_ship_may_come_as_another_leaves(planner, tern):
    planner.book(tern, 400, 120)
    assert planner.book(tern, 520, 60).berth.name == "inner"


def test_a_berth_is_free_from_the_minute_it_is_left(planner, aurora):
    planner.book(aurora, 420, 300)
    assert "north" in [berth.name for berth in planner.free(Stay(720, 780))]


def test_a_berth_is_free_until_the_next_ship_comes(planner, tern):
    planner.book(tern, 520, 60)
    assert planner.book(tern, 400, 120).berth.name == "inner"
