"""What comes next in a phase of a plan."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from clew.flows.plan.events import GatesRan, RunGates
from clew.flows.plan.phases.decisions import decide
from clew.flows.plan.phases.events import (
    Implemented,
    PhaseOpened,
    PhaseRequest,
)
from clew.flows.plan.phases.kind import status_of
from clew.flows.plan.phases.states import PhaseWork, fold
from clew.journal.flow import Pause, Record
from clew.words.facts import Usage
from clew.words.gates import GateKind, GateStatus
from clew.words.models import AgentRole
from clew.words.phases import ErrorKind
from clew.words.records import (
    AgentCall,
    AgentFailure,
    ChildEnded,
    Event,
    Intent,
    Recorded,
    RunSession,
    Started,
)
from clew.words.settings import Settings
from planflow import AT, phase


class Play:
    """A phase, moved by its own decisions and by outcomes that are told."""

    def __init__(self, **request: Any) -> None:  # noqa: ANN401 -- as the record has it
        self.state = PhaseWork()
        asked = PhaseRequest(
            **{
                "phase_id": 1,
                "phase": phase(1),
                "base": "base",
                "agent": "builder",
                "settings": Settings(),
                "plan": "plan.md",
                **request,
            }
        )
        opened = PhaseOpened(
            session_id="s-p1",
            goal="phase 1",
            kind="phase",
            clew_version="0",
            root="/r",
            path="/r",
            request=asked,
        )
        self.record(opened)

    def record(self, event: Event) -> int:
        seq = self.state.seq + 1
        at = AT + timedelta(seconds=seq)
        self.state = fold(self.state, Recorded(session="s", seq=seq, at=at, event=event))
        return seq

    def next(self) -> tuple[int, Any]:
        """Begin what comes next; return its number and what it is."""
        (action,) = decide(self.state, AT)
        if isinstance(action, Record):
            return self.record(action.event), action.event
        assert isinstance(action, Intent)
        return self.record(Started(intent=action)), action

    def implement(self, commit: str = "c1", status: str = "done", **told: Any) -> None:  # noqa: ANN401
        number, intent = self.next()
        assert isinstance(intent, AgentCall)
        words = {"agent": "builder", "status": status, "summary": "built"}
        self.record(Implemented(of=number, commit=commit, **(words | told)))

    def gates(self, status: GateStatus, **told: Any) -> None:  # noqa: ANN401
        number, intent = self.next()
        assert isinstance(intent, RunGates)
        self.record(
            GatesRan(
                of=number,
                phase=1,
                commit=intent.commit,
                status=status,
                summary=f"gates: {status}",
                **told,
            )
        )

    def end(self) -> Any:  # noqa: ANN401
        _, ended = self.next()
        return ended


def erred(number: int, **told: Any) -> AgentFailure:  # noqa: ANN401 -- as the record has it
    return AgentFailure(of=number, role=AgentRole.IMPLEMENT, agent="builder", **told)


def test_work_whose_gates_pass_completes_the_phase() -> None:
    """With its commit, and what its plan needs to know of the work."""
    play = Play()
    play.implement(usage=Usage(input=5, output=2), downstream_context={"warnings": ["slow"]})
    play.gates(GateStatus.PASS)
    ended = play.end()
    assert ("completed", "c1") == (ended.status, ended.commit)
    assert {"warnings": ["slow"]} == ended.result["downstream_context"]
    assert (5, 2) == (ended.usage.input, ended.usage.output)


def test_red_tests_go_to_a_debugging_session() -> None:
    """And what that makes of them goes through the gates again."""
    play = Play()
    play.implement()
    play.gates(GateStatus.FAIL, tests_failed=True)
    number, intent = play.next()
    assert isinstance(intent, RunSession)
    assert ("debugging", "c1") == (intent.kind, intent.request["base"])
    play.record(ChildEnded(of=number, child=intent.child, status="green", commit="c2"))
    play.gates(GateStatus.PASS)
    ended = play.end()
    assert ("completed", "c2", 1) == (ended.status, ended.commit, ended.result["retries"])


def test_other_red_gates_go_back_to_the_agent() -> None:
    """On top of its work, told what is wrong with it."""
    play = Play()
    play.implement()
    play.gates(GateStatus.FAIL)
    number, intent = play.next()
    assert isinstance(intent, AgentCall)
    assert ("c1", 2) == (intent.base, intent.attempt)
    assert ["gates: fail"] == [error.message for error in play.state.errors]
    play.record(Implemented(of=number, agent="b", status="done", summary="s", commit="c2"))
    play.gates(GateStatus.PASS)
    assert "c2" == play.end().commit


def test_a_phase_is_given_up_after_its_retries() -> None:
    """Each of them is an error of its own."""
    play = Play(max_retries=2)
    play.implement()
    play.gates(GateStatus.FAIL)
    for _ in range(2):
        play.implement(commit="c2")
        play.gates(GateStatus.FAIL)
    ended = play.end()
    assert ("failed", "", 2) == (ended.status, ended.commit, ended.result["retries"])
    assert 3 == len(ended.result["errors"])


@pytest.mark.parametrize(
    ("kind", "error"), [("timeout", ErrorKind.TIMEOUT), ("crashed", ErrorKind.RUNTIME)]
)
def test_an_agent_that_fails_is_called_again(kind: str, error: ErrorKind) -> None:
    """From the same code: nothing of what it did is kept."""
    play = Play()
    number, _ = play.next()
    play.record(
        AgentFailure(
            role=AgentRole.IMPLEMENT, of=number, agent="builder", kind=kind, message="gone"
        )
    )
    _, again = play.next()
    assert isinstance(again, AgentCall)
    assert ("base", 2) == (again.base, again.attempt)
    assert [error] == [each.type for each in play.state.errors]


def test_work_that_changes_nothing_is_no_work() -> None:
    """Whatever the agent says of it."""
    play = Play()
    play.implement(commit="")
    _, again = play.next()
    assert isinstance(again, AgentCall)


def test_an_agent_that_is_blocked_ends_the_phase() -> None:
    """Its plan decides what becomes of it: another try would find the same."""
    play = Play()
    play.implement(commit="", status="blocked", blockers=("no key for the API",))
    ended = play.end()
    assert ("blocked", "blocked: no key for the API") == (ended.status, ended.reason)


def test_a_module_that_another_phase_creates_ends_the_phase() -> None:
    """No debugging session can bring it; the plan makes the phase wait for the other."""
    play = Play(promised=(("app/reservations.py", "4"),))
    play.implement()
    play.gates(GateStatus.FAIL, tests_failed=True, missing=("app.reservations",))
    ended = play.end()
    assert "blocked" == ended.status
    assert ["dependency"] == [each["type"] for each in ended.result["errors"]]


def test_an_agent_that_asks_to_be_left_alone_is() -> None:
    """For as long as it asked, and no longer."""
    play = Play()
    number, _ = play.next()
    erred = AgentFailure(
        role=AgentRole.IMPLEMENT,
        of=number,
        agent="b",
        kind="rate_limit",
        message="busy",
        after=60.0,
    )
    play.record(erred)
    (pause,) = decide(play.state, AT + timedelta(seconds=10))
    assert isinstance(pause, Pause)
    (again,) = decide(play.state, pause.until)
    assert isinstance(again, AgentCall)


def test_a_phase_calls_nobody_once_its_budget_is_spent() -> None:
    """Its plan hears why, and a person decides."""
    play = Play(settings=Settings(max_tokens=5))
    play.implement(usage=Usage(input=4, output=3))
    play.gates(GateStatus.FAIL)
    ended = play.end()
    assert "failed" == ended.status
    assert "the budget of its plan is spent" in ended.reason
    assert "failed" == Play(settings=Settings(max_usd=0.0)).end().status


def test_work_that_was_paid_for_is_still_judged() -> None:
    """And counts, if its gates pass."""
    play = Play(settings=Settings(max_tokens=5))
    play.implement(usage=Usage(input=4, output=3))
    play.gates(GateStatus.PASS)
    assert "completed" == play.end().status


def test_a_debugging_session_gets_what_is_left_of_the_phase() -> None:
    """Not the whole bound again."""
    play = Play(settings=Settings(max_tokens=1000))
    play.implement(usage=Usage(input=300, output=100))
    play.gates(GateStatus.FAIL, tests_failed=True)
    _, intent = play.next()
    assert {"tokens": 600} == intent.budget


KNOWN: dict[str, Any] = {"known_issues": ["t.py::a: it rounds"], "known_failing": ["t.py::a"]}


def skipped() -> Play:
    """A phase whose debugging session a person went on from."""
    play = Play()
    play.implement()
    play.gates(GateStatus.FAIL, tests_failed=True)
    number, intent = play.next()
    play.record(ChildEnded(of=number, child=intent.child, status="skipped", **KNOWN))
    return play


def test_what_a_person_skips_is_a_known_issue_and_the_phase_goes_on() -> None:
    """Its plan hears of it; a criterion that asks for such a test is no hindrance."""
    play = skipped()
    failed = (GateKind.TESTS, GateKind.CRITERIA)
    play.gates(GateStatus.FAIL, tests_failed=True, failed=failed, failing=("t.py::a",))
    ended = play.end()
    assert ("completed", KNOWN) == (ended.status, {name: ended.result[name] for name in KNOWN})
    assert ["a known issue"] == [error["resolution"] for error in ended.result["errors"]]


@pytest.mark.parametrize(
    ("failed", "failing"),
    [
        ((GateKind.TESTS,), ("t.py::a", "t.py::b")),
        ((GateKind.TESTS, GateKind.LINT), ("t.py::a",)),
        ((GateKind.CRITERIA,), ()),
    ],
)
def test_what_fails_beyond_known_issues_still_fails(
    failed: tuple[GateKind, ...], failing: tuple[str, ...]
) -> None:
    """Another test, or another gate."""
    play = skipped()
    play.gates(GateStatus.FAIL, tests_failed=True, failed=failed, failing=failing)
    assert play.state.failed


def test_a_phase_may_leave_red_what_is_known_of_others_but_misses_no_criterion() -> None:
    """Known issues of others excuse tests alone."""
    play = Play(known=("t.py::a",))
    play.implement()
    told = {"tests_failed": True, "failing": ("t.py::a",)}
    play.gates(GateStatus.FAIL, failed=(GateKind.TESTS,), **told)
    assert "completed" == play.end().status
    other = Play(known=("t.py::a",))
    other.implement()
    other.gates(GateStatus.FAIL, failed=(GateKind.TESTS, GateKind.CRITERIA), **told)
    assert other.state.failed


def test_a_phase_that_nobody_works_on_is_interrupted() -> None:
    """Its exit code is 130, as its plan's, until it has ended."""
    play = Play()
    play.implement()
    assert ("running", 130) == (status_of(play.state).status, status_of(play.state).exit_code)
    play.gates(GateStatus.PASS)
    play.end()
    assert 0 == status_of(play.state).exit_code
