"""Tasks of a run, each in a process of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from clew.cli.benchmarks import line_of
from clew.evaluation.records import BenchRequest, TaskOutcome, append, machine, open_run
from clew.evaluation.running import choose, run
from clew.evaluation.suites import open_suite
from clew.evaluation.summaries import summarise
from clew.evaluation.tasks import digest
from clew.evaluation.working import used
from clew.flows.debugging.states import State
from clew.journal.store import Store
from clew.sandbox.temporary import passing
from clew.words import events as ev
from clew.words.errors import SessionHeld, UsageError
from clew.words.facts import BUILT_IN
from clew.words.models import AgentRole
from projects import diagnosis, fix, recording, write
from suiteplay import MOST, humanevalpack, json_lines

CHANGE: dict[str, Any] = {"file": "most.py", "line": 4, "current": "<", "should_be": ">"}
ASKED = BenchRequest(
    suites=("x",),
    agents=("repair",),
    settings={},
    timeout=600.0,
    seed=0,
    clew_version="1",
    begun="2026-01-01T00:00:00+00:00",
    machine=machine(),
)


def told(_: TaskOutcome) -> None:
    pass


def mended(tmp_path: Path, change: dict[str, Any]) -> str:
    return recording(tmp_path / "r.jsonl", diagnosis("the wrong way round", change), fix(change))


def one(tmp_path: Path, asked: BenchRequest, **more: object) -> TaskOutcome:
    suite = json_lines(tmp_path / "mine.jsonl", MOST | more)
    found = run(tmp_path / "run", asked, choose([suite]), jobs=1, report=told)
    return found.outcomes[0]


@pytest.mark.slow
def test_a_task_is_worked_on_and_judged(tmp_path: Path) -> None:
    """Green with proof, right by comparison, the true line found, and nothing left behind."""
    outcome = one(tmp_path, replace(ASKED, agents=(mended(tmp_path, CHANGE),)))
    assert ("green", True, True) == (outcome.end, outcome.plausible, outcome.correct), outcome.note
    assert "same program" == outcome.method
    assert (1, 1, 2, 3) == (outcome.iteration, outcome.iterations, outcome.red, outcome.total)
    assert outcome.agent.startswith("replay:")
    assert ("localize", ("most.py:4",), 1) == (outcome.ranking, outcome.truth, outcome.file_rank)
    assert outcome.line_rank is not None
    assert outcome.usage.input is None
    assert "+        if value > best:" in outcome.diff


@pytest.mark.slow
def test_green_is_not_right(tmp_path: Path) -> None:
    """A fix that fits the tests alone is plausible, and shown to be wrong by an input."""
    change = CHANGE | {"current": "value < best", "should_be": "value > best and value != 4"}
    outcome = one(tmp_path, replace(ASKED, agents=(mended(tmp_path, change),)))
    assert (True, False) == (outcome.plausible, outcome.correct), outcome.method
    assert outcome.witness.startswith("most(")


@pytest.mark.slow
def test_a_task_that_nobody_could_mend_is_told(tmp_path: Path) -> None:
    """Its right version fails the tests, too: that is no failure of the agent."""
    tests = MOST["tests"] | {
        "test_most.py": "from most import most\n\n\ndef test_one():\n    assert most([7]) == 8\n"
    }
    outcome = one(tmp_path, replace(ASKED, agents=("command:true",)), tests=tests)
    assert ("waiting", False) == (outcome.end, outcome.plausible), outcome.note
    assert "the right version is red too: test_most.py::test_one" == outcome.flaw
    assert outcome.flaw in line_of(outcome)
    assert 1 == summarise([outcome]).flawed


@pytest.mark.slow
def test_a_fix_is_not_measured_by_a_wrong_right_version(tmp_path: Path) -> None:
    """Where the tests refuse that one, a green fix is neither right nor wrong: the suite is."""
    fixed = {"most.py": "def most(values):\n    return min(values)\n"}
    outcome = one(tmp_path, replace(ASKED, agents=(mended(tmp_path, CHANGE),)), fixed=fixed)
    assert (True, None) == (outcome.plausible, outcome.correct), outcome.note
    assert outcome.flaw.startswith("the right version is red too: test_most.py::")
    assert f"unknown: {outcome.flaw}" == outcome.method


@pytest.mark.slow
def test_a_task_without_a_red_test_is_told(tmp_path: Path) -> None:
    """There is nothing to mend in it: that is no failure of the agent either."""
    outcome = one(tmp_path, ASKED, buggy=MOST["fixed"])
    assert ("nothing_to_do", False) == (outcome.end, outcome.plausible)
    assert "no test is red before the fix" == outcome.flaw


@pytest.mark.slow
def test_time_is_capped(tmp_path: Path) -> None:
    """A session whose time is up ends like one that was interrupted, and counts as it stands."""
    agent = "command:sleep 300"
    outcome = one(tmp_path, replace(ASKED, agents=(agent,), timeout=3.0))
    assert ("timeout", False, False) == (outcome.end, outcome.plausible, outcome.correct)
    assert ("", None) == (outcome.agent, outcome.iteration)
    assert outcome.seconds >= 3.0


def test_nothing_is_known_of_what_a_call_took_that_time_cut_off() -> None:
    """Neither tokens nor money are nothing then; the built-in repairer asks no model."""
    call = ev.CallAgent(role=AgentRole.DIAGNOSE, iteration=1, agent="claude", attempt=1, call=1)
    assert (None, None) == (
        used(State(in_flight={1: call})).input,
        used(State(in_flight={1: call})).usd,
    )
    free = used(State(in_flight={1: replace(call, agent=BUILT_IN)}))
    assert (0, 0.0) == (free.input, free.usd)


def test_a_task_that_cannot_be_worked_on_is_an_outcome(tmp_path: Path) -> None:
    """It says why, and the others go on."""
    outcome = one(tmp_path, replace(ASKED, agents=("nobody",)))
    assert ("error", True) == (outcome.end, "unknown agent 'nobody'" in outcome.note)


def test_tasks_that_are_done_are_not_done_again(tmp_path: Path) -> None:
    """What the results hold is kept; a run of done tasks starts no process."""
    suite = json_lines(tmp_path / "mine.jsonl", MOST)
    done = TaskOutcome(suite="mine", task="most", end="green", note="from before")
    append(open_run(tmp_path / "run", ASKED), done)
    found = run(tmp_path / "run", ASKED, choose([suite]), jobs=1, report=told)
    assert (done,) == found.outcomes


def test_what_a_killed_run_left_is_cleared_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run removes the folders of tasks that nobody works on any more."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    with passing("clew-bench-") as lent:
        left = write(lent.parent / "clew-bench-left", {"project/a.py": ""})
    one(tmp_path, ASKED, folder="gone")
    assert [] == [*left.parent.iterdir()]


def test_a_task_that_cannot_be_read_is_the_suites_fault(tmp_path: Path) -> None:
    """It counts as one that nobody could mend, and what no agent was asked for cost nothing."""
    outcome = one(tmp_path, ASKED, folder="gone")
    assert ("error", "") == (outcome.end, outcome.digest)
    assert "'most' is laid over" in outcome.flaw
    assert 1 == summarise([outcome]).flawed
    assert (0, 0.0) == (outcome.usage.input, outcome.usage.usd)


def test_what_the_machine_lacks_is_not_the_suites_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A task that could be laid out and not worked on tells nothing of the suite."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    outcome = one(tmp_path, ASKED)
    assert ("error", "") == (outcome.end, outcome.flaw)
    assert "git was not found" in outcome.note


def test_a_run_does_not_go_on_with_a_task_that_was_changed(tmp_path: Path) -> None:
    """Its result is of another task: which one is told, and nothing is worked on."""
    suite = json_lines(tmp_path / "mine.jsonl", MOST, MOST | {"id": "more"})
    asked = replace(ASKED, suites=(str(suite),))
    task = open_suite(suite).task("most")
    done = TaskOutcome(suite="mine", task="most", digest=digest(task), end="green")
    append(open_run(tmp_path / "run", asked), done)
    json_lines(suite, MOST | {"tests": {}})
    with pytest.raises(UsageError, match="mine/most as it was: the task has changed since"):
        run(tmp_path / "run", asked, choose([suite]), jobs=1, report=told)
    json_lines(suite, MOST)
    assert (done,) == run(tmp_path / "run", asked, choose([suite]), jobs=1, report=told).outcomes


def test_one_process_at_a_time_writes_results(tmp_path: Path) -> None:
    """Another is told who it is."""
    suite = json_lines(tmp_path / "mine.jsonl", MOST)
    open_run(tmp_path / "run", ASKED)
    with Store(tmp_path / "run").hold("run"), pytest.raises(SessionHeld):
        run(tmp_path / "run", ASKED, choose([suite]), jobs=1, report=told)


def test_tasks_are_chosen_by_pattern_and_number(tmp_path: Path) -> None:
    """A pattern is of an id, with or without the suite's name; the limit is for each suite."""
    mine = json_lines(tmp_path / "mine.jsonl", MOST, MOST | {"id": "more"}, MOST | {"id": "less"})
    pack = humanevalpack(tmp_path / "pack.jsonl")
    both = [mine, pack]
    assert ["mine/most", "pack/Python/0"] == [t.name for t in choose(both, limit=1)]
    assert ["mine/most", "mine/more"] == [t.name for t in choose(both, ["mo*"])]
    assert ["pack/Python/1"] == [t.name for t in choose(both, ["pack/*/1"])]
    with pytest.raises(UsageError, match="no task is chosen"):
        choose(both, ["nothing"])
    with pytest.raises(UsageError, match=r"void\.jsonl holds no task"):
        choose([mine, json_lines(tmp_path / "void.jsonl")])
    with pytest.raises(UsageError, match="two suites are called 'mine'"):
        choose([mine, json_lines(tmp_path / "other" / "mine.jsonl", MOST)])
