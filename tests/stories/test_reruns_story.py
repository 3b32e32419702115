from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, Said
from projects import commit_all, diagnosis, fix, recording, write

FILES = {
    "pyproject.toml": "[tool.pytest.ini_options]\n",
    "thing.py": "def one():\n    return 2\n\n\ndef two():\n    return 2\n",
    "test_thing.py": (
        "import time\n\nfrom thing import one, two\n\n\n"
        "def test_slow():\n    time.sleep(1.1)\n\n\n"
        "def test_two():\n    assert two() == 2\n\n\n"
        "def test_one():\n    assert one() == 1\n"
    ),
}


def change(current: str, should_be: str) -> dict[str, Any]:
    return {"file": "thing.py", "line": 2, "current": current, "should_be": should_be}


USELESS = change("    return 2\n", "    return 3\n")
RAISES = change("    return 2\n", "    return 1 // 0\n")
HELPFUL = change("    return 2\n", "    return 1\n")


def verified(said: Said) -> list[dict[str, Any]]:
    events = [record["event"] for record in said.events[:-1]]
    return [e for e in events if e["type"] == "TestsRan" and e["purpose"] == "verify"]


@pytest.mark.slow
def test_the_rest_of_the_suite_waits_until_a_failing_test_changes(tmp_path: Path) -> None:
    """A fix that changes nothing is known by the failing test; any other by the whole suite."""
    clew = CommandLine(commit_all(write(tmp_path / "thing", FILES)), tmp_path / "state")
    tried = [
        step
        for each in (USELESS, RAISES, HELPFUL)
        for step in (diagnosis(f"the {each['should_be']} of it", each), fix(each))
    ]
    tried[4:] = [
        diagnosis("one is no fraction", HELPFUL | {"current": RAISES["should_be"]}),
        fix(HELPFUL | {"current": RAISES["should_be"]}),
    ]
    said = clew.run("fix", "--json", "--agent", recording(tmp_path / "r.jsonl", *tried))
    assert (0, 3) == (said.code, said.summary["iterations"]), said
    useless, raises, helpful = verified(said)
    assert (2, 1) == (useless["left_out"], useless["total"])
    assert "every failing test is red as before" in useless["why_left_out"]
    assert ("same_errors", ["test_thing.py::test_one"]) == (
        useless["outcome"],
        [red["id"] for red in useless["red"]],
    )
    for whole in (raises, helpful):
        assert ("left_out" not in whole, 3) == (True, whole["total"])
    assert "2 tests left out: every failing test" in clew.run("log").out


# By itself `test_one` runs before `test_slow`, which it disturbs; in the suite it runs after it.
DISTURBED = FILES | {
    "test_thing.py": (
        "import time\n\nfrom thing import one\n\nLEFT = []\n\n\n"
        "def test_slow():\n    time.sleep(1.1)\n    assert LEFT == []\n\n\n"
        "def test_one():\n    LEFT.append(1)\n    assert one() == 1\n"
    )
}


@pytest.mark.slow
def test_what_the_order_of_that_run_turns_does_not_count(tmp_path: Path) -> None:
    """A test that is red only since another one went first is neither broken nor flaky."""
    clew = CommandLine(commit_all(write(tmp_path / "thing", DISTURBED)), tmp_path / "state")
    told = diagnosis("one is two", HELPFUL), fix(HELPFUL)
    said = clew.run("fix", "--json", "--agent", recording(tmp_path / "r.jsonl", *told))
    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said
    assert [] == said.summary["flaky"]
    assert ["passing"] == [run["outcome"] for run in verified(said)]


# `test_near` imports what is changed, `test_far` does not, and takes its time.
BROKEN = {
    "pyproject.toml": "[tool.pytest.ini_options]\n",
    "thing.py": "def one():\n    return 2\n\n\ndef two():\n    return one()\n",
    "test_far.py": "import time\n\n\ndef test_far():\n    time.sleep(2.1)\n",
    "test_near.py": "from thing import two\n\n\ndef test_two():\n    assert two() == 2\n",
    "test_thing.py": "from thing import one\n\n\ndef test_one():\n    assert one() == 1\n",
}


@pytest.mark.slow
def test_a_fix_that_breaks_a_test_near_it_is_known_before_the_suite_has_run(tmp_path: Path) -> None:
    """What it breaks is red by itself, and green without the change: the rest is left out."""
    clew = CommandLine(commit_all(write(tmp_path / "thing", BROKEN)), tmp_path / "state")
    told = diagnosis("one is two", HELPFUL), fix(HELPFUL)
    said = clew.run(
        "fix", "--json", "--max-iterations", "1", "--agent", recording(tmp_path / "r.jsonl", *told)
    )
    assert 1 == said.code, said
    (run,) = verified(said)
    assert ("regression", ["test_near.py::test_two"]) == (run["outcome"], run["regressions"])
    assert (1, 2) == (run["left_out"], run["total"])
    assert "1 test left out: a test that the change touches" in clew.run("log").out
    assert "passed before and failed after: test_near.py::test_two" in clew.run("show").out


# What both tests of `test_thing` call is told apart by what they run.
TRACED = BROKEN | {
    "thing.py": "def one(text):\n    return text\n\n\ndef two():\n    return one('ab')\n\n\n"
    "def far():\n    return 1\n",
    "test_far.py": "",
    "test_near.py": "",
    "test_thing.py": (
        "import time\n\nfrom thing import far, one, two\n\n\n"
        "def test_one():\n    assert one('abc') == 'c-b-a!'\n\n\n"
        "def test_two():\n    assert two() == 'ab'\n\n\n"
        "def test_far():\n    assert far() == 1\n    time.sleep(2.1)\n"
    ),
}
REVERSED = {
    "file": "thing.py",
    "line": 2,
    "current": "    return text\n",
    "should_be": "    return '-'.join(reversed(text)) + '!'\n",
}


@pytest.mark.slow
def test_what_a_search_has_traced_tells_which_tests_a_change_touches(tmp_path: Path) -> None:
    """The repairer finds nothing; what the next agent changes is tried where tests ran it."""
    clew = CommandLine(commit_all(write(tmp_path / "thing", TRACED)), tmp_path / "state")
    told = diagnosis("it is to be reversed", REVERSED), fix(REVERSED)
    unused = told[0]  # the first call is the repairer's
    agents = f"repair,{recording(tmp_path / 'r.jsonl', unused, *told)}"
    words = ("--max-iterations", "1", "--search-seconds", "6", "--agent", agents)
    said = clew.run("fix", "--json", *words)
    assert 1 == said.code, said
    (run,) = verified(said)
    assert ("regression", ["test_thing.py::test_two"]) == (run["outcome"], run["regressions"])
    assert (1, 2) == (run["left_out"], run["total"])
