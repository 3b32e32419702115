"""Where candidates part that lie outside of functions: each is loaded anew and asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from searchplay import Answer, DebugRun

TICKETS = """OPEN = {"nwe", "open"}


def is_open(status):
    return status in OPEN
"""
BEFORE = TICKETS.replace('{"nwe", "open"}', '{"new", "open", "held"}')
TEST_TICKETS = """from tickets import is_open


def test_new():
    assert is_open("new")


def test_closed():
    assert not is_open("closed")
"""
SHIPPING = """FREE_FROM = 100


def shipping(total):
    if total > FREE_FROM:
        return 0
    return 5
"""
FREE_FROM_50 = SHIPPING.replace("100", "50").replace(">", ">=")
TEST_SHIPPING = """from shipping import shipping


def test_small():
    assert shipping(30) == 5


def test_free():
    assert shipping(100) == 0
"""


@pytest.fixture(scope="module")
def tickets(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    run = DebugRun(tmp_path_factory.mktemp("tickets"))
    run.write({"tickets.py": TICKETS, "test_tickets.py": TEST_TICKETS})
    earlier = [("tickets.py", "a1b2c3", BEFORE)]
    return run.search("test_tickets.py::test_new", earlier=earlier, keep=20)


@pytest.mark.slow
def test_constants_of_a_module_part_on_a_text_that_one_of_them_has(tickets: Answer) -> None:
    found = {each["description"]: each["parting"] for each in tickets.candidates}

    assert ["is_open('held')", "True", "False", "tickets", "False"] == found[
        'put back a part of `OPEN = {"new", "open", "held"}` as it was before a1b2c3'
    ]


def test_what_leaves_the_file_with_the_same_text_is_one_change(tickets: Answer) -> None:
    """The only line that differs, and the file as it was."""
    back = [each["description"] for each in tickets.candidates if each["family"] == "history"]

    part = 'put back a part of `OPEN = {"new", "open", "held"}` as it was before a1b2c3'
    assert [tickets.first["description"], part] == back
    assert "put back `OPEN` as it was before a1b2c3" == tickets.first["description"]


@pytest.mark.slow
def test_a_function_and_what_it_reads_put_back_part_on_a_constant(tmp_path: Path) -> None:
    """Older code says nothing: with today's constant it gives what it never gave."""
    run = DebugRun(tmp_path)
    run.write({"shipping.py": SHIPPING, "test_shipping.py": TEST_SHIPPING})

    earlier = [("shipping.py", "a1b2c3", FREE_FROM_50)]
    told = run.search("test_shipping.py::test_free", earlier=earlier, keep=20)

    assert "put back `shipping` as it was before a1b2c3" == told.first["description"]
    pair = "`FREE_FROM` and `shipping`"
    both = next(each for each in told.candidates if pair in each["description"])
    assert ["shipping(50)", "5", "0", "shipping", "5"] == both["parting"]
    assert {""} == {each["witness"] for each in told.candidates}


def test_a_file_that_is_no_program_yet_has_rivals_as_well(tmp_path: Path) -> None:
    """Two changes make it one; they are asked in the same way, and do the same."""
    run = DebugRun(tmp_path)
    calc = "def mul(a, b) -> int\n    return a * b\n"
    test = "from calc import mul\n\n\ndef test_mul():\n    assert mul(2, 3) == 6\n"
    run.write({"calc.py": calc, "test_calc.py": test})

    told = run.search("test_calc.py", keep=20)

    complete = [each for each in told.candidates if each["complete"]]
    assert len(complete) > 1
    assert "line 1: add `:`" == complete[0]["description"]
    assert {None} == {each["parting"] for each in complete}


QUEUES = """def served(waiting, wanted):
    places = {}
    for place, name in enumerate(waiting):
        places.setdefault(name, []).append(place)
    for name in wanted:
        key = name
        places[key].pop(0)
        if len(places[key]) == 0:
        places.pop(key)
    return sorted(places)
"""
TEST_QUEUES = """from queues import served


def test_served():
    assert served("aab", "ab") == ["a"]
    assert served("ab", "b") == ["a"]
"""


def test_a_file_that_is_no_program_is_mended_by_what_reads_no_unset_variable(
    tmp_path: Path,
) -> None:
    """The condition was taken out of its loop: without a name no `key` is set."""
    run = DebugRun(tmp_path)
    run.write({"queues.py": QUEUES, "test_queues.py": TEST_QUEUES})

    told = run.search("test_queues.py", keep=20)

    assert "line 9: indent by 12" == told.first["description"]
    out = next(each for each in told.candidates if each["description"] == "line 8: indent by 4")
    assert out["score"] < told.first["score"]
    assert out["against"].startswith("a variable is read before it has a value: `served(")
