import pytest

from roster import DAYS, Full, Roster


def test_days_are_apart():
    roster = Roster(1)
    assert roster.assign("mon", "ann") and not roster.assign("mon", "ann")
    with pytest.raises(Full):
        roster.assign("mon", "bob")
    assert roster.days_of("ann") == ["mon"]
    roster.fill(["bob"])
    assert roster.days_of("bob") == DAYS[1:]
