"""The state of a debug session, as one record."""

from __future__ import annotations

import posixpath
from datetime import datetime
from math import inf

import msgspec

from clew.analysis.failures.pasted import PastedTraceback, read_traceback
from clew.analysis.failures.requests import LoggedRequest, read_requests
from clew.documents.knowledge import Match
from clew.flows.investigation.events import (
    AnyDebugIntent,
    DebugAsked,
    DebugOpened,
    DocumentEdited,
    FiledAway,
    Reproduced,
    TestSeen,
    TestWritten,
    TracebackMapped,
)
from clew.words.debug_sessions import (
    Aim,
    CurrentFocus,
    DebugDocument,
    DebugStatus,
    Eliminated,
    EvidenceEntry,
    Resolution,
    Symptoms,
    command_in,
    working_in,
)
from clew.words.facts import Fact, Usage
from clew.words.investigations import Investigation, RootCause
from clew.words.oracles import ASSERTED, awaited, ending_of, printed
from clew.words.records import AgentFailure, BaseTaken, ChildEnded, Children, Concluded
from clew.words.settings import Settings

__all__ = ["ChildsFix", "DebugState", "MadeFix", "PersonsWords"]


class PersonsWords(Fact, frozen=True, kw_only=True):
    """What a person said, and about what; it is data for whoever reads it."""

    about: str
    text: str


class MadeFix(Fact, frozen=True, kw_only=True):
    """A fix that was made here, whatever was said of it since."""

    before: str  # the commit that it began with
    commit: str


class ChildsFix(Fact, frozen=True, kw_only=True):
    """What a session of its own made of a fix; it is in nobody's tree unless they took it."""

    ended: ChildEnded
    root_cause: str


class DebugState(msgspec.Struct, frozen=True, kw_only=True):
    """Where a debug session stands."""

    seq: int = 0
    opened: DebugOpened | None = None
    began: str = ""  # ISO
    updated: datetime | None = None
    in_flight: dict[int, AnyDebugIntent] = {}
    at_work: Children = Children()
    status: DebugStatus = DebugStatus.GATHERING
    aim: Aim = Aim.FIX
    symptoms: Symptoms = Symptoms()
    base: BaseTaken | None = None
    bases: int = 0  # how often it was taken
    tree: str = ""  # of the newest, also while it is to be taken anew
    began_with: BaseTaken | None = None  # the first, since it began or came back
    known: tuple[Match, ...] | None = None  # None until the knowledge base was asked
    mapped: TracebackMapped | None = None  # None until one that was pasted is looked for
    reproduced: Reproduced | None = None  # on the base
    works: Reproduced | None = None  # the command that works, on the first base that had it
    still_works: Reproduced | None = None  # the same, on what the fix came to
    checked: Reproduced | None = None  # on what the fix came to
    focus: CurrentFocus = CurrentFocus()
    evidence: tuple[EvidenceEntry, ...] = ()
    eliminated: tuple[Eliminated, ...] = ()
    resolution: Resolution = Resolution()
    review: tuple[str, ...] = ()
    cycles: int = 0  # of investigation
    fixes: int = 0  # begun
    unmet: bool = False  # one was not proven: it may be that none meets what is expected
    returns: tuple[Investigation, ...] = ()  # since a person last said something
    unread: Investigation | None = None  # the newest, as long as nothing follows from it
    cause: RootCause | None = None  # that is explained well enough to be fixed
    found_by: str = ""  # the agent that named the newest root cause
    aside: tuple[str, ...] | None = None  # red tests of another matter, as far as that is known
    patch: str = ""  # hash of the edits that it follows from
    refused: tuple[str, ...] = ()  # hashes of edits that are not to be proposed again
    reviewed: bool = False  # a specialist was asked, whatever came of it
    complaint: str = ""  # what the newest lacks
    sent_back: str = ""  # why the newest fix was, until another one is begun
    failures: tuple[AgentFailure, ...] = ()  # of this agent, in a row
    given_up: AgentFailure | None = None  # why the agent before it has no turn any more
    failed_at: datetime | None = None  # the newest of them
    ladder: tuple[str, ...] = ()  # of agents, where a person chose others since it began
    rung: int = 0  # of the ladder of agents
    words: tuple[PersonsWords, ...] = ()  # all that a person said
    taken_over: DebugDocument | None = None  # the document that it began with
    edited: DocumentEdited | None = None  # until the person says whether it holds
    question: DebugAsked | None = None
    asked: int = 0
    choice: str = ""  # of the way to fix it: by a plan, by hand
    stopping: str = ""  # why a person wants it left
    reopened: str = ""  # the status that a person went on from
    calls: int = 0
    conversation: str = ""
    spent: tuple[Usage, ...] = ()
    granted: int = 0  # of what was spent the part that a person let pass
    worked: float = 0.0  # seconds, of agents and of commands
    allowed: float = 0.0  # of these the part that a person let pass
    test: TestWritten | None = None  # the newest that was written for it
    seen: TestSeen | None = None  # how the tests ended that are to be red
    rewrites: int = 0  # of a test that was not red, in a row
    confirmed: bool = False  # a person says that the test is right
    fix: ChildEnded | None = None  # that is proven
    rejected: ChildEnded | None = None  # that is not
    in_part: ChildsFix | None = None  # the newest of these that helped in part
    proven: ChildsFix | None = None  # the newest that was proven, whatever was said of it since
    made: tuple[MadeFix, ...] = ()  # all that were proven, and a person's own
    plan: str = ""  # the path of the plan that fixes it
    filed: FiledAway | None = None
    ended: Concluded | None = None

    @property
    def session(self) -> DebugOpened:
        """How it was opened."""
        if self.opened is None:
            raise ValueError("the debug session has not begun")
        return self.opened

    @property
    def settings(self) -> Settings:
        """The settings that it began with, with the agents that a person chose since."""
        own = self.session.settings
        return msgspec.structs.replace(own, agent=self.ladder) if self.ladder else own

    @property
    def usage(self) -> Usage:
        """What all of it took."""
        return Usage.total(list(self.spent))

    @property
    def spent_since(self) -> Usage:
        """What was taken since a person last let it go on, as far as that is known."""
        since = self.spent[self.granted :]
        return Usage(
            input=sum(each.input or 0 for each in since),
            output=sum(each.output or 0 for each in since),
            usd=sum(each.usd or 0.0 for each in since),
        )

    @property
    def worked_since(self) -> float:
        """Seconds of work since then."""
        return self.worked - self.allowed

    @property
    def seconds_left(self) -> float:
        """Seconds that the next piece of work may take; a moment where none are left."""
        most = self.settings.max_seconds
        return inf if most is None else max(1.0, most - self.worked_since)

    @property
    def doubts(self) -> tuple[str, ...]:
        """What the proof of the fix doubts, and a person settled, in words."""
        return tuple(self.fix.result.get("doubts", ())) if self.fix else ()

    @property
    def weak(self) -> tuple[str, ...]:
        """What the tests leave open of the fix, in words."""
        return tuple(self.fix.result.get("weak", ())) if self.fix else ()

    @property
    def command(self) -> str:
        """The command that shows the symptom, where one is known."""
        return command_in(self.symptoms)

    @property
    def working(self) -> str:
        """The command with input for which all is well, where one is known; never the other."""
        working = working_in(self.symptoms)
        return working if working != self.command else ""

    @property
    def is_steady(self) -> bool:
        """Whether the command shows the symptom each time it is run."""
        seen = self.reproduced
        return seen is not None and 0 < seen.failed == seen.runs

    @property
    def awaited(self) -> str:
        """What the command should print, where that is told, and it is known to print something."""
        seen = self.reproduced
        if seen is None or not seen.failed:
            return ""
        stopped = ending_of(seen.tail) not in ("", ASSERTED)
        return awaited(self.symptoms) if stopped or not seen.exit_code else ""

    def misses(self, output: str) -> bool:
        """Whether an output lacks what is told to be printed."""
        expected = self.expected
        known = expected in (printed(self.symptoms)[1], self.awaited)
        return bool(expected) and known and expected not in output

    @property
    def expected(self) -> str:
        """What is expected, without the quotes around it."""
        return self.symptoms.expected.strip("`'\" ")

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that the fix has to turn green, if any, as their runner is given them."""
        if self.test is not None:
            file = posixpath.join(self.session.root, self.test.file)
            return (f"{posixpath.relpath(file, self.session.path)}::{self.test.name}",)
        return self.cause.failing_tests if self.cause else ()

    @property
    def fix_base(self) -> str:
        """What the fix begins with: the code, with the test that was written for it."""
        if self.test is not None:
            return self.test.commit
        return self.base.commit if self.base else ""

    @property
    def head(self) -> str:
        """The person's HEAD when their tree was recorded; the tree itself where it is clean."""
        return self.base.head if self.base else ""

    @property
    def traceback(self) -> PastedTraceback | None:
        """The traceback that was pasted, if one was."""
        return read_traceback(self.pasted)

    @property
    def requests(self) -> tuple[LoggedRequest, ...]:
        """The requests of a web server's log that were pasted."""
        return read_requests(self.pasted)

    @property
    def pasted(self) -> str:
        """All that the symptoms hold of errors, logs and tracebacks."""
        told = self.symptoms
        parts = (told.errors, told.actual, told.reproduction, self.session.trigger)
        return "\n".join(parts)

    @property
    def agent(self) -> str:
        """Who investigates now; nobody once the ladder ends."""
        ladder = self.settings.agent
        return ladder[self.rung] if self.rung < len(ladder) else ""

    @property
    def commit(self) -> str:
        """What it came to: the fix, or what it began with."""
        if self.fix is not None and self.fix.commit:
            return self.fix.commit
        return self.base.commit if self.base else ""
