"""Debug sessions played by hand: what investigators come back with, and a project with a fault."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec.structs import replace

from clew.agents.replies import InvestigateReply
from clew.flows.investigation.decisions import decide
from clew.flows.investigation.events import (
    DebugOpened,
    FileAway,
    FiledAway,
    Investigated,
    KnowledgeConsulted,
    LookUp,
    PlanWritten,
    SeeRed,
    SpecialistReviewed,
    TestSeen,
    TestWritten,
    WritePlan,
)
from clew.flows.investigation.states import DebugState, fold
from clew.flows.investigation.viewing import document_of
from clew.journal.flow import Record
from clew.words.debug_sessions import Aim, Symptoms, broken_rules
from clew.words.events import Opinion
from clew.words.records import (
    AgentCall,
    AgentFailure,
    Answered,
    BaseTaken,
    ChildEnded,
    Event,
    Intent,
    Outcome,
    Recorded,
    RunSession,
    Started,
    TakeBase,
)
from clew.words.settings import Settings
from debugkit import REASONING

__all__ = [
    "AT",
    "MENDED",
    "SHOP",
    "TEST",
    "DebugPlay",
    "cause",
    "continuing",
    "inconclusive",
    "returns",
    "waiting",
]

TEST = "tests/test_total.py::test_the_total_of_three_lines"
SHOP = {
    "shop/__init__.py": "",
    "shop/total.py": (
        '"""Totals."""\n\n\ndef total(lines):\n    """Sum lines."""\n    return sum(lines) - 1\n'
    ),
    "shop/__main__.py": (
        "import sys\n\nfrom shop.total import total\n\n"
        "got = total([int(word) for word in sys.argv[1:]])\n"
        "print('total', got)\nsys.exit(got != sum(map(int, sys.argv[1:])))\n"
    ),
    "tests/test_total.py": (
        "from shop.total import total\n\n\ndef test_the_total_of_three_lines():\n"
        "    assert total([1, 2, 3]) == 6\n\n\ndef test_no_lines():\n"
        "    assert total([]) < 1\n"
    ),
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
}

MENDED: dict[str, Any] = {
    "file": "shop/total.py",
    "line": 6,
    "current": "sum(lines) - 1",
    "should_be": "sum(lines)",
}


def returns(kind: str, next_action: str = "look at shop/total.py", **more: Any) -> dict[str, Any]:  # noqa: ANN401 -- as JSON has it
    """Return what an investigator prints."""
    focus = {"hypothesis": f"because of {next_action}", "next_action": next_action}
    return {"says": {"returned": kind, "focus": focus} | more}


def cause(*tests: str, lacks: str = "") -> dict[str, Any]:
    """Return the turn of one that found the cause; its reasoning may lack a field."""
    reasoning = msgspec.to_builtins(REASONING)
    reasoning.pop(lacks, None)
    return returns(
        "root_cause_found",
        "have shop/total.py mended",
        evidence=[
            {"checked": "shop/total.py:6", "found": "- 1", "implication": "one is taken off"}
        ],
        eliminated=[{"hypothesis": "a line is lost", "evidence": "all three are summed"}],
        root_cause={
            "root_cause": "total takes one off",
            "files": [{"file": "shop/total.py", "issue": "- 1"}],
            "fix_direction": "take nothing off",
            "specialist_hint": "python",
            "failing_tests": list(tests),
            "reasoning": reasoning,
        },
    )


def continuing(next_action: str = "look further") -> dict[str, Any]:
    return returns("continue_required", next_action)


def waiting(details: str = "which currency is it?") -> dict[str, Any]:
    return returns("checkpoint_reached", checkpoint={"type": "decision", "details": details})


def inconclusive() -> dict[str, Any]:
    told = {"checked": ["shop/total.py"], "remaining": ["the data"], "recommendation": "log lines"}
    return returns("inconclusive", inconclusive=told)


AT = datetime(2026, 3, 14, tzinfo=UTC)


@dataclass
class DebugPlay:
    """A debug session's state, moved by its own decisions and by outcomes that are told."""

    aim: Aim = Aim.FIX
    tdd: bool = False
    symptoms: Symptoms = field(default_factory=lambda: Symptoms(actual="9.99"))
    settings: Settings = field(default_factory=lambda: Settings(agent=("one", "two")))
    state: DebugState = field(default_factory=DebugState)
    events: list[Event] = field(default_factory=list)
    tree: str = "t"  # the person's, as it is now
    holds: str = ""  # the session whose fix is in it
    rules: bool = True  # each step is held to those of the document

    def __post_init__(self) -> None:
        self.record(
            DebugOpened(
                session_id="2026-03-14-off",
                goal="off by a cent",
                kind="investigation",
                clew_version="0",
                root="/r",
                path="/r",
                settings=self.settings,
                slug="off",
                trigger="off by a cent",
                aim=self.aim,
                tdd=self.tdd,
                symptoms=self.symptoms,
                is_told=self.symptoms != Symptoms(),
                document="debug/sessions/off.md",
            )
        )

    def record(self, event: Event) -> None:
        before = document_of(self.state) if self.state.opened else None
        seq = self.state.seq + 1
        at = AT + timedelta(seconds=seq)
        self.events.append(event)
        self.state = fold(self.state, Recorded(session="s", seq=seq, at=at, event=event))
        if before is not None and self.rules:
            assert [] == list(broken_rules(before, document_of(self.state)))

    def step(self) -> bool:
        """Begin what comes next; what needs no agent and no child is done at once."""
        actions = decide(self.state, AT + timedelta(days=1))
        for action in actions:
            if isinstance(action, Record):
                self.record(action.event)
                continue
            assert isinstance(action, Intent)
            self.record(Started(intent=action))
            match action:
                case TakeBase():
                    changed = ("shop/total.py",) if self.holds else ()
                    told = BaseTaken(commit="base", tree=self.tree, changed=changed)
                    self.end(replace(told, holds=self.holds))
                case LookUp():
                    self.end(KnowledgeConsulted())
                case WritePlan():
                    self.end(PlanWritten(path="plans/fix-off.md"))
                case FileAway():
                    self.end(FiledAway(path="debug/sessions/resolved/off.md", entry="off"))
        return bool(actions)

    def run(self) -> DebugPlay:
        """Go on as far as nobody is needed."""
        while self.step():
            pass
        return self

    @property
    def doing(self) -> Intent:
        """The one intent in flight."""
        (intent,) = self.state.in_flight.values()
        return intent

    def end(self, outcome: Outcome) -> None:
        (number,) = self.state.in_flight
        self.record(replace(outcome, of=number))

    def returned(self, turn: dict[str, Any]) -> DebugPlay:
        """Have the investigator that is at work come back."""
        assert isinstance(self.doing, AgentCall)
        told = msgspec.convert(turn["says"], InvestigateReply).told
        self.end(Investigated(agent=self.doing.agent, told=told))
        return self.run()

    def reviewed(self, suggestion: str = "use Decimal") -> DebugPlay:
        """Have the specialist that is at work come back."""
        assert isinstance(self.doing, AgentCall)
        opinion = Opinion.SUGGEST_CHANGE if suggestion else Opinion.LOOKS_GOOD
        told = SpecialistReviewed(
            agent=self.doing.agent, opinion=opinion, reason="it is so", suggestion=suggestion
        )
        self.end(told)
        return self.run()

    def wrote(self, commit: str = "tested", prints: str = "") -> DebugPlay:
        """Have the agent that is at work come back with a test."""
        assert isinstance(self.doing, AgentCall)
        told = TestWritten(
            agent=self.doing.agent,
            file="t.py",
            name="test_it",
            expects="6",
            commit=commit,
            prints=prints,
        )
        self.end(told)
        return self.run()

    def saw(self, why: str = "") -> DebugPlay:
        """Have the tests run that are to be red."""
        assert isinstance(self.doing, SeeRed)
        self.end(TestSeen(tests=self.doing.tests, why=why, output="assert 5 == 6"))
        return self.run()

    def failed(self, kind: str = "invalid_output") -> DebugPlay:
        """Have the agent that is at work fail."""
        assert isinstance(self.doing, AgentCall)
        told = AgentFailure(agent=self.doing.agent, role=self.doing.role, kind=kind, message="odd")
        self.end(told)
        return self.run()

    def answered(self, option: str, text: str = "") -> DebugPlay:
        """Have a person answer."""
        assert self.state.question
        self.record(Answered(id=self.state.question.id, option=option, text=text))
        return self.run()

    def fixed(
        self,
        status: str = "green",
        commit: str = "fixed",
        edits: str = "",
        result: dict[str, Any] | None = None,
    ) -> DebugPlay:
        """Have the session end that makes the fix."""
        assert isinstance(self.doing, RunSession)
        result = {"edits": edits} | (result or {})
        self.end(ChildEnded(child=self.doing.child, status=status, commit=commit, result=result))
        return self.run()

    @property
    def about(self) -> str:
        """What a person is asked about."""
        return str(self.state.question.about) if self.state.question else ""
