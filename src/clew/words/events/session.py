"""Events of a session as a whole: its start and end, and the work begun and given up in it."""

from __future__ import annotations

from clew.words.events.words import Status
from clew.words.records import Abandoned, Ended, Event, Interrupted, Outcome, ProjectOpened, Started
from clew.words.settings import TestSettings

__all__ = [
    "RULES",
    "Abandoned",
    "DocumentWritten",
    "Event",
    "Interrupted",
    "SessionEnded",
    "SessionOpened",
    "SetUpRead",
    "Started",
]

RULES = 4
"""What counts as a repeat, as carried out and as disputed. Other moves for the same events are new
rules: sessions that were opened before keep theirs, since their journals hold what followed."""


class SessionOpened(ProjectOpened, frozen=True, kw_only=True):
    """A session of debugging starts."""

    runner_args: tuple[str, ...] = ()
    base: str = ""  # the commit that a child begins with; else it is the person's tree
    plan: str = ""  # the plan that it works for, and the phase of it
    phase: str = ""
    only: bool = False  # the proof, too, runs no more tests than these words choose
    unbounded: tuple[str, ...] = ()  # agents that may call every host
    unasked: tuple[str, ...] = ()  # models that are named for a role, and that nobody there takes
    guidance: tuple[str, ...] = ()  # what its parent wants its agents to know
    refused: tuple[str, ...] = ()  # hashes of edits that its parent does not want
    teaches: bool = True  # its fix is written into the knowledge base; else its parent sees to that
    rules: int = 1  # that it is judged by to its end: those of the day when it was opened


class SetUpRead(Event, frozen=True, kw_only=True):
    """The settings of the tests are read again, since no run of them counts yet."""

    settings: TestSettings


class DocumentWritten(Outcome, frozen=True, kw_only=True):
    """A document for people stands at `path`."""

    kind: str
    path: str
    anchor: str = ""  # the place in it


class SessionEnded(Ended, frozen=True, kw_only=True):
    """Nothing more is to be done, unless a person reopens the session."""

    status: Status
    known_issues: tuple[str, ...] = ()
    known_failing: tuple[str, ...] = ()  # tests that a person lets fail, by their ids
