from harbour.board import board, clock
from harbour.planner import Planner


def test_minutes_are_shown_as_on_a_clock():
    assert [clock(minute) for minute in (0, 61, 1439)] == ["00:00", "01:01", "23:59"]


def test_an_empty_day_has_an_empty_board(berths, table):
    assert board(Planner(berths, table)) == ""


def test_the_board_lists_a_handover_at_one_berth(berths, table, tern):
    planner = Planner(berths, table)
    planner.book(tern, 480, 60)
    planner.book(tern, 420, 60)
    planner.book(tern, 540, 90)
    assert board(planner).splitlines() == [
        "07:00–08:00  inner Tern            6.60",
        "08:00–09:00  inner Tern            6.60",
        "09:00–10:30  inner Tern           13.20",
    ]
