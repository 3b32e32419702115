"""Looking on while a session is worked on that is none of debugging: plain lines, or JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import click

from clew import api
from clew.api import (
    AskPlanner,
    AskSupervisor,
    GatesRan,
    PairFound,
    PhaseMerged,
    PlanAsked,
    PlanChanged,
    PlanProposed,
    Supervised,
)
from clew.cli.streams import json_line, say
from clew.cli.tree import show_asked, show_waiting
from clew.cli.watching import heard
from clew.words.facts import Tick
from clew.words.plans import shown
from clew.words.printable import one_line
from clew.words.records import (
    AgentFailure,
    ChildAsked,
    ChildEnded,
    ChildStalled,
    Event,
    Interrupted,
    Recorded,
    RunSession,
    Started,
)

__all__ = ["plan_line", "show_plan_end", "watching_plan"]

LONGEST = 300  # characters of a line


class PlanLines:
    """A line for what begins, what ends, what is merged, what is asked."""

    def __init__(self, out: IO[str], line: Callable[[Event], str]) -> None:
        self._out = out
        self._line = line

    def saw(self, recorded: Recorded[Any], _: object) -> None:
        """Print a line for an event that means something to who looks on."""
        if line := self._line(recorded.event) or _interrupted(recorded):
            at = recorded.at.astimezone().strftime("%H:%M:%S")
            with heard():
                print(f"  {at}  {one_line(line)[:LONGEST]}", file=self._out, flush=True)

    def tick(self, tick: Tick) -> None:
        """Print what is said of the session itself."""
        if tick.phase in ("plan", "debug"):
            with heard():
                print(f"  {one_line(tick.text)[:LONGEST]}", file=self._out, flush=True)


class PlanJson:
    """Every event as one JSON object a line."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def saw(self, recorded: Recorded[Any], _: object) -> None:
        """Print an event."""
        with heard():
            click.echo(json_line(recorded), file=self._out)

    def tick(self, _: Tick) -> None:
        """Take no note."""


@contextmanager
def watching_plan(
    line: Callable[[Event], str] | None = None, *, json: bool
) -> Iterator[PlanLines | PlanJson]:
    """Look on while a plan is carried out, or what else `line` has words for."""
    yield PlanJson(sys.stdout) if json else PlanLines(sys.stderr, line or plan_line)


def plan_line(event: Event) -> str:
    """Say what an event of a plan means, in a line; some mean nothing to who looks on."""
    say = _LINES.get(type(event))
    return say(event) if say else ""


def _started(event: Started[Any]) -> str:
    begun = event.intent
    if isinstance(begun, AskSupervisor):
        return f"{begun.agent} is asked about phase {shown(begun.phase)}"
    if isinstance(begun, AskPlanner):
        return f"{begun.agent} is asked to revise the plan for phase {shown(begun.phase)}"
    if not isinstance(begun, RunSession):
        return ""
    work = "is carried out" if begun.kind == "phase" else "is repaired"
    return f"phase {begun.request['phase_id']} {work} in {begun.child}"


def _ended(event: ChildEnded) -> str:
    return f"{event.child} ended {event.status}" + (f": {event.reason}" if event.reason else "")


def _merged(event: PhaseMerged) -> str:
    if event.conflicts:
        return f"phase {event.phase} does not fit: {', '.join(event.conflicts)}"
    return f"phase {event.phase} is merged"


def _gates(event: GatesRan) -> str:
    first = event.summary.strip().partition("\n")[0]
    return f"phase {event.phase} against the gates: {event.status}" + (
        f" ({first})" if first else ""
    )


def _interrupted(recorded: Recorded[Any]) -> str:
    """Say how to go on with a session of whatever kind."""
    stopped = isinstance(recorded.event, Interrupted)
    return f"interrupted; `clew resume {recorded.session}` continues" if stopped else ""


_LINES: dict[type[Event], Callable[[Any], str]] = {
    Started: _started,
    ChildEnded: _ended,
    ChildAsked: lambda event: f"a person is needed: {event.text}",
    PlanAsked: lambda event: f"a person is needed: {event.text}",
    ChildStalled: lambda event: f"a session stands still: {event.reason}" if event.reason else "",
    Supervised: lambda event: (
        f"{event.agent} says of phase {shown(event.phase)}: {event.diagnosis}"
    ),
    AgentFailure: lambda event: f"{event.agent} failed to {event.role}: {event.message}",
    PlanProposed: lambda event: f"{event.agent} proposes another plan: {event.plan.notes}",
    PlanChanged: lambda event: "; ".join(
        [f"the plan is changed by {event.by}: {event.reason}", *map(str, event.revisions)]
    ),
    PhaseMerged: _merged,
    PairFound: lambda event: (
        f"phases {shown(event.other)} and {shown(event.phase)} are green alone, red together"
    ),
    GatesRan: _gates,
}


def show_plan_end(sessions: api.ProjectSessions, status: api.SessionStatus, *, json: bool) -> int:
    """Say what a plan came to, and what to type next; return the exit code."""
    if json:
        click.echo(json_line(status))
        return status.exit_code
    say()
    say(f"{status.session}  {status.status}, {status.stage}")
    for line in status.lines:
        say(f"  {line}")
    if status.question:
        show_asked(status.question)
    elif status.status == "waiting":
        say()
        show_waiting(sessions, status.session)
    elif status.exit_code == 0:
        say()
        say(f"see it:   clew diff {status.session}")
        say(f"take it:  clew apply {status.session}")
    return status.exit_code
