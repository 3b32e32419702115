"""What an agent is to Clew: somebody who does what a role asks for.

A back-end is one class and one line in the table of `clew.agents`. It gets a `Call`, in which
everything from outside is data, and answers with records; it raises AgentFailed when it cannot.
It never runs the tests that count and never decides anything. Where it is to go on with a
conversation that was cut off, and finds that it cannot, it raises Forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Generic, Protocol

import msgspec

from clew.agents.filing import Before
from clew.agents.prompts import Brief
from clew.agents.replies import DiagnosisReply, FixReply
from clew.agents.roles import R, Role
from clew.runners import Site
from clew.sandbox.confinement import Limits
from clew.sandbox.limits import AGENTS
from clew.words.facts import (
    Demand,
    Diagnosis,
    EarlierText,
    Edit,
    Reach,
    Suspect,
    TestCommand,
    TestRun,
    Tick,
    Usage,
)

__all__ = ["Agent", "Answer", "Call", "Done", "Failing", "Forgotten", "Report", "Work"]

Report = Callable[[Tick], None]


@dataclass(frozen=True, kw_only=True)
class Failing:
    """The failing tests that a call is about, and what a search for a fix goes by."""

    run: TestRun
    command: TestCommand
    search_seconds: float
    forbidden: frozenset[str] = frozenset()
    refused: tuple[tuple[Edit, ...], ...] = ()  # changes that are not to come in other words
    extra: tuple[str, ...] = ()
    modules: frozenset[str] = frozenset()  # the project's own, by dotted name
    commit: str = ""  # that the code is of; nothing where it may be any
    files: tuple[str, ...] = ()  # the project's, by path
    diagnosis: Diagnosis | None = None  # what the fixer is to carry out
    made: tuple[Edit, ...] = ()  # by earlier attempts, and part of the code
    earlier: tuple[EarlierText, ...] = ()  # of its files, the newest first
    first_bad: str = ""  # the commit that made them fail, where it is known
    demand: Demand | None = None  # what the newest commits say is wanted, if not what these ask
    last: bool = False  # whether no iteration comes after this one
    second: bool = False  # whether a diagnosis with one option is sent back for a second


@dataclass(frozen=True, kw_only=True)
class Call(Generic[R]):
    """One call of an agent in a role; `number` counts the calls of the session from 1."""

    number: int
    place: int = 0  # among those that came to an end, which a recording holds; 0 is its number
    role: Role[R]
    brief: Brief
    failing: Failing | None = None  # where the call is about tests that fail
    site: Site
    limits: Limits = AGENTS
    scratch: Path
    seconds: float
    tokens: int | None = None  # that it may take; None is without a bound
    idle_seconds: float = inf  # of silence, for one that tells what it does
    model: str = ""  # cheap, middle, strong, or a name; none is the agent's own
    sent: Callable[[str], None] = lambda _: None  # is told each prompt when it is sent
    mark: str = ""  # of all processes of this session's agents
    alive: Callable[[], None] = lambda: None  # is told now and then that it works
    tick: Report = lambda _: None  # is shown what it does
    conversation: str = ""  # the name of its conversation, where it lets us choose one
    resuming: bool = False  # whether that one is gone on with
    began: Callable[[str], None] = lambda _: None  # is told the name of its conversation
    before: Before | None = None  # gives a file as it was before this call

    def meanwhile(self, doing: Callable[[], None]) -> Call[R]:
        """Return it with something more that is done now and then while the agent works."""

        def alive() -> None:
            self.alive()
            doing()

        return replace(self, alive=alive)


class Forgotten(Exception):
    """An agent does not remember the conversation that it is to go on with; nothing was asked."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A diagnosis; `proposes` says whether there is something to carry out."""

    diagnosis: Diagnosis
    proposes: bool
    suspects: tuple[Suspect, ...] = ()
    reach: tuple[Reach, ...] = ()  # which tests run which lines, where they were traced
    usage: Usage = Usage()
    prompt: str = ""
    reply: str = ""


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """What a fixer says it did."""

    summary: str
    usage: Usage = Usage()
    prompt: str = ""
    reply: str = ""


@dataclass(frozen=True, kw_only=True)
class Done(Generic[R]):
    """What came of a call: the answer in its form, and the words around it."""

    reply: R
    usage: Usage
    prompt: str = ""
    said: str = ""


class Agent(Protocol):
    """One back-end, ready for a session."""

    name: str
    reads_files: bool  # that its brief shows

    def diagnose(self, call: Call[DiagnosisReply], tick: Report) -> Answer:
        """Find the cause, without changing anything. Raises AgentFailed."""
        ...

    def fix(self, call: Call[FixReply], tick: Report) -> Work:
        """Carry out the recommended option of the diagnosis at hand. Raises AgentFailed."""
        ...

    def do(self, call: Call[R], tick: Report) -> Done[R]:
        """Do what the call's role asks for. Raises AgentFailed, `unsupported` where it cannot."""
        ...
