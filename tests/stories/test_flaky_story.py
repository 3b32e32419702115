from __future__ import annotations

import sys
from pathlib import Path

import pytest

from commandline import CommandLine
from projects import commit_all, diagnosis, fix, recording, write

CHANGE = {"file": "thing.py", "line": 2, "current": "return 2", "should_be": "return 1"}
# Of all runs of `test_other` the third one, in the proof, is red.
FILES = {
    "pyproject.toml": "[tool.pytest.ini_options]\n",
    "thing.py": "def one():\n    return 2\n",
    "test_thing.py": (
        "import os, pathlib\n\nfrom thing import one\n\n"
        "SEEN = pathlib.Path(os.environ['SEEN'])\n\n\n"
        "def test_one():\n    assert one() == 1\n\n\n"
        "def test_other():\n    with SEEN.open('a') as file:\n        file.write('x')\n"
        "    assert len(SEEN.read_text()) != 3\n"
    ),
}


@pytest.mark.slow
def test_a_flake_in_the_proof_is_no_failure_of_the_fix(tmp_path: Path) -> None:
    """Red, then green alone and in order, in the same checkout: it is named, the fix accepted."""
    project = commit_all(write(tmp_path / "thing", FILES))
    seen = tmp_path / "seen"
    env = {"SEEN": str(seen), "CLEW_PASS_ENV": "SEEN", "CLEW_SANDBOX": "none"}
    clew = CommandLine(project, tmp_path / "state", env)
    agent = recording(tmp_path / "r.jsonl", diagnosis("one is two here", CHANGE), fix(CHANGE))
    command = f"{sys.executable} -m pytest"
    said = clew.run("fix", "--json", "--agent", agent, "--test-command", command)
    assert (0, 1) == (said.code, said.summary["iterations"]), said
    assert ["test_thing.py::test_other"] == said.summary["flaky"]
    # Five runs of the session; the search for a likelier change has its own.
    assert seen.read_text().startswith("xxxxx")


# `test_other` is green by itself, and red after a test that calls what the fix adds.
DISTURBING = {"file": "thing.py", "line": 2, "current": "    return 2", "should_be": (
    "    CALLS.append(1)\n    return 1"
)}  # fmt: skip
DISTURBED = {
    "pyproject.toml": "[tool.pytest.ini_options]\n",
    "thing.py": "def one():\n    return 2\n\n\nCALLS = []\n",
    "test_thing.py": (
        "from thing import CALLS, one\n\n\n"
        "def test_one():\n    assert one() == 1\n\n\n"
        "def test_other():\n    assert CALLS == []\n"
    ),
}


@pytest.mark.slow
def test_a_fix_that_makes_a_test_depend_on_the_order_breaks_it(tmp_path: Path) -> None:
    """Green alone does not make it a flake: in the suite's order it was green before the fix."""
    project = commit_all(write(tmp_path / "thing", DISTURBED))
    clew = CommandLine(project, tmp_path / "state", {"CLEW_MAX_ITERATIONS": "1"})
    told = diagnosis("one is two here", DISTURBING), fix(DISTURBING)
    said = clew.run("fix", "--json", "--agent", recording(tmp_path / "r.jsonl", *told))
    ended = [e["event"] for e in said.events[:-1] if e["event"]["type"] == "IterationEnded"]
    assert ["Regression, rolled back"] == [e["result"] for e in ended], said
    assert [] == said.summary["flaky"]


# Two tests are red in the baseline and green when run again; then each is as its kind has it.
SUITE = {
    "pyproject.toml": "[tool.pytest.ini_options]\n",
    "thing.py": "def one():\n    return 2\n",
    "test_thing.py": (
        "import os, pathlib, random, time\n\nfrom thing import one\n\n\n"
        "def turned(name, rule):\n"
        "    with open(os.path.join(os.environ['SEEN'], name), 'a+') as file:\n"
        "        file.write('x')\n        file.seek(0)\n        runs = len(file.read())\n"
        "    return runs == 2 or (runs > 2 and rule)\n\n\n"
        "def test_one():\n    assert one() == 1\n\n\n"
        "def test_chance():\n    assert turned('chance', random.random() < 0.5)\n\n\n"
        "def test_clock():\n    assert turned('clock', int(time.time()) % 2)\n"
    ),
}


@pytest.mark.slow
def test_flaky_tests_are_told_apart_and_not_fixed(tmp_path: Path) -> None:
    """Chance and the clock: each is named with what turns it, and the real fault is mended."""
    project = commit_all(write(tmp_path / "thing", SUITE))
    (tmp_path / "seen").mkdir()
    env = {"SEEN": str(tmp_path / "seen"), "CLEW_PASS_ENV": "SEEN", "CLEW_SANDBOX": "none"}
    clew = CommandLine(project, tmp_path / "state", env)
    agent = recording(tmp_path / "r.jsonl", diagnosis("one is two here", CHANGE), fix(CHANGE))
    command = f"{sys.executable} -m pytest"
    said = clew.run("fix", "--json", "--agent", agent, "--test-command", command)
    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said

    names = [f"test_thing.py::test_{name}" for name in ("chance", "clock")]
    assert names == said.summary["flaky"]
    found = {flake["test"]: flake for flake in said.summary["flakes"]}
    assert ["random", "time"] == [found[name]["kind"] for name in names]
    assert "seed" in found[names[0]]["evidence"]
    ended = next(e["event"] for e in said.events if e["event"]["type"] == "IterationEnded")
    assert (1, 0) == (ended["red_before"], ended["red_after"])

    summary = next((project / ".clew" / "sessions").glob("*/summary.md")).read_text()
    assert all(f"`{name}`, {found[name]['kind']}" in summary for name in names)
    past = {one["test"]: one for one in clew.run("flakes", "--json").events}
    assert {name: found[name]["kind"] for name in names} == {n: past[n]["kind"] for n in past}
    assert all(1 <= one["red"] < one["runs"] for one in past.values())
    listed = clew.run("flakes").out  # its own counts are of all runs
    assert all(f"when it was examined: {one['evidence']}\n" in listed for one in past.values())


@pytest.mark.slow
def test_a_suite_that_is_red_by_chance_alone_asks_a_person(tmp_path: Path) -> None:
    """No agent is called, and the question says what turns the test."""
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "test_thing.py": (
            "LEFT = []\n\n\ndef test_leaves():\n    LEFT.append(1)\n\n\n"
            "def test_order():\n    assert LEFT == []\n"
        ),
    }
    clew = CommandLine(commit_all(write(tmp_path / "thing", files)), tmp_path / "state")
    said = clew.run("fix", "--json")
    assert (1, "waiting", 0) == (said.code, said.summary["status"], said.summary["iterations"])
    (asked,) = [e["event"] for e in said.events[:-1] if e["event"]["type"] == "QuestionAsked"]
    assert "flaky" == asked["kind"]
    assert "test_order (order: red after test_thing.py::test_leaves" in asked["text"]


@pytest.mark.slow
def test_what_one_test_leaves_behind_for_another_is_mended_as_a_fault(tmp_path: Path) -> None:
    """A list that all calls share: a person says that it is the code, and the proof runs both."""
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "cart.py": "class Cart:\n    def __init__(self, items=[]):\n        self.items = items\n",
        "test_cart.py": (
            "from cart import Cart\n\n\n"
            "def test_one():\n    cart = Cart()\n    cart.items.append(1)\n"
            "    assert cart.items == [1]\n\n\n"
            "def test_two():\n    cart = Cart()\n    cart.items.append(2)\n"
            "    assert cart.items == [2]\n"
        ),
    }
    clew = CommandLine(commit_all(write(tmp_path / "cart", files)), tmp_path / "state")

    asked = clew.run("fix", "--json")
    mended = clew.run("answer", asked.summary["session_id"], "fault")

    assert (1, "waiting") == (asked.code, asked.summary["status"])
    assert "one test shows after another" in asked.out + asked.err
    assert 0 == mended.code, mended.out + mended.err
    assert "it is the fix that makes them pass: 1 of 1" in mended.out
    assert "items=None" in clew.run("diff").out


# `test_order` is red after `test_leaves` alone, and fails more legibly than the real fault.
BESIDE = {
    "pyproject.toml": "[tool.pytest.ini_options]\n",
    "thing.py": (
        "LEFT = []\n\n\ndef left():\n    return len(LEFT)\n\n\n"
        "def price(amount, percent):\n    return sum([amount, percent], amount)\n"
    ),
    "test_thing.py": (
        "import thing\n\n\n"
        "def test_leaves():\n    thing.LEFT.append(1)\n\n\n"
        "def test_order():\n    assert thing.left() == 0\n\n\n"
        "def test_price():\n    assert thing.price(200, 10) == 'twenty and two hundred'\n"
    ),
}


AGENT = """\
import json, os

change = {"file": "thing.py", "line": 9, "current": "percent], amount", "should_be": "2], 0"}
diagnosis = {
    "failure_classification": "test_failure",
    "root_cause": "`price` sums what it should not",
    "root_cause_location": {"file": "thing.py", "line": 9},
    "fix": {"description": "sum something else", "changes": [change]},
    "options": [{"title": "another way", "pros": ["it differs"]}],
    "confidence": "high",
    "confidence_reason": "it is plain to see",
}
fix = {"changes_made": "summed", "files_modified": ["thing.py"], "changes": [change]}
print(json.dumps(diagnosis if os.environ["CLEW_ROLE"] == "diagnose" else fix))
"""


@pytest.mark.slow
@pytest.mark.parametrize("by", ["repair", "agent"])
def test_a_flaky_test_is_never_diagnosed_while_another_is_red(by: str, tmp_path: Path) -> None:
    """Every report, diagnosis and prompt is about the test that is really red."""
    project = commit_all(write(tmp_path / "thing", BESIDE | {"agent.py": AGENT}))
    env = {"CLEW_SEARCH_SECONDS": "1", "CLEW_MAX_ITERATIONS": "2"}
    clew = CommandLine(project, tmp_path / "state", env)
    agent = "repair" if by == "repair" else f"command:{sys.executable} agent.py"
    said = clew.run("fix", "--json", "--agent", agent)
    assert ["test_thing.py::test_order"] == said.summary["flaky"], said

    told = [e["event"] for e in said.events[:-1] if e["event"]["type"] == "Diagnosed"]
    sent = [next(clew.state.rglob(e["prompt"])).read_text() for e in told if "prompt" in e]
    reports = [path.read_text() for path in (project / "debug").glob("*/0*.md")]
    assert told, said
    assert reports
    assert bool(sent) is (by == "agent")
    for text in [*reports, *(str(event["diagnosis"]) for event in told), *sent]:
        assert "price" in text
        assert "where 1 = " not in text
        lines = [line for line in text.splitlines() if "test_order" in line]
        assert all("flaky" in line.lower() or "def " in line for line in lines), lines


@pytest.mark.slow
def test_no_suite_is_green_in_which_a_test_is_red_that_may_be_a_fault(tmp_path: Path) -> None:
    """What is red behind another test had no say in the fix: it is asked about, and mended."""
    cart = "def add(item, cart=[]):\n    cart.append(item)\n    return cart\n"
    tests = (
        "from cart import add, total\n\n\ndef test_add():\n    assert add('a') == ['a']\n\n\n"
        "def test_other():\n    assert add('b') == ['b']\n\n\n"
        "def test_total():\n    assert [total([1, 2]), total([5]), total([])] == [3, 5, 0]\n"
    )
    cart += "\n\ndef total(prices):\n    return sum(prices) + 1\n"
    project = commit_all(write(tmp_path / "cart", {"cart.py": cart, "test_cart.py": tests}))
    clew = CommandLine(project, tmp_path / "state")
    said = clew.run("fix", "--json")
    assert (1, "waiting", 1) == (said.code, said.summary["status"], said.summary["iterations"])
    (asked,) = [e["event"] for e in said.events[:-1] if e["event"]["type"] == "QuestionAsked"]
    assert asked["text"].startswith("The fix is proven, and the suite is not green. Red still")
    assert "test_cart.py::test_other (order: red after test_cart.py::test_add" in asked["text"]

    mended = clew.run("answer", said.summary["session_id"], "fault")

    assert 0 == mended.code, mended.out + mended.err
    assert "3 pass, 0 red" in mended.out
    diff = clew.run("diff").out
    assert "+    return sum(prices)\n" in diff
    assert "cart=None" in diff


@pytest.mark.slow
@pytest.mark.parametrize("gives", [1, 2])
def test_a_test_that_was_called_flaky_is_not_diagnosed(tmp_path: Path, gives: int) -> None:
    """Of all runs each other one is red; a fault beside it is diagnosed, without that test."""
    turning = FILES["test_thing.py"].replace("!= 3", "% 2 == 0")
    files = {**FILES, "thing.py": "def one():\n    return 1\n", "test_thing.py": turning}
    project = commit_all(write(tmp_path / "thing", files))
    seen = tmp_path / "seen"
    env = {"SEEN": str(seen), "CLEW_PASS_ENV": "SEEN", "CLEW_SANDBOX": "none"}
    env |= {"CLEW_TEST_COMMAND": f"{sys.executable} -m pytest"}
    clew = CommandLine(project, tmp_path / "state", env)
    (project / "thing.py").write_text(f"def one():\n    return {gives}\n")
    clew.run("fix", "--max-iterations", "1")
    assert "test_other" in clew.run("flakes").out

    seen.write_text("")  # so that the next run is red
    said = clew.run("diagnose")

    assert 0 == said.code
    if gives == 1:
        assert "what fails is flaky" in said.out, said
        assert "    flaky    test_thing.py::test_other\n" in said.out
        assert "option 1" not in said.out
    else:
        assert "test_thing.py::test_other is red as well, and called flaky: left out" in said.out
        assert "place    thing.py:2" in said.out
