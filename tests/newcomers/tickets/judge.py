import pytest

from tickets import Desk, new_ticket, note, watch


def test_tickets_are_apart():
    one, other = new_ticket(1, "a"), new_ticket(2, "b")
    note(one, "ann", "x")
    watch(one, "bob")
    watch(one, "eve", "staff")
    assert other["history"] == [] and other["watchers"] == {"staff": [], "customers": []}


def test_fields():
    desk = Desk()
    assert desk.open("a", priority="high")["priority"] == "high"
    assert desk.open("b")["priority"] == "normal"
    with pytest.raises(TypeError):
        desk.open("c", colour="red")
