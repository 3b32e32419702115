"""Sessions of agents that hand off to each other: chains, looked at, begun and stopped."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import msgspec

from clew.handoff.agents import AGENTS
from clew.handoff.collect import facts
from clew.handoff.config import Config, load
from clew.handoff.courier import Courier, Failed, command_line
from clew.handoff.deciding import decide
from clew.handoff.markers import MARKER, MarkerCommand, find
from clew.handoff.orders import Order, new_chain
from clew.handoff.questions import pending
from clew.handoff.records import Chain, HandoffStore, digest, project_of
from clew.handoff.table import NextWorkflow, PlanningState, following
from clew.words.errors import ClewError, UsageError

__all__ = [
    "ChainBegun",
    "ChainStatus",
    "HandOffRefused",
    "chain_log",
    "chain_status",
    "next_workflow",
    "start_chain",
    "stop_chains",
]


class HandOffRefused(ClewError):
    """The next session may not be started now, or could not be."""

    page = "hand-off-refused"


class ChainStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Whether sessions hand off in a folder, and how the newest chain stands; None without one."""

    config: Config
    questions: tuple[str, ...]  # that wait for a person
    sessions: tuple[str, ...]  # that were not seen to end
    newest: Chain | None

    @property
    def minutes(self) -> float:
        """The age of the newest chain."""
        begun = self.newest.begun if self.newest else 0
        return round((time.time() - (begun or time.time())) / 60, 1)


class ChainBegun(msgspec.Struct, frozen=True, kw_only=True):
    """A chain that was started, or with a dry run would be; then its `name` is empty."""

    name: str
    command: str
    words: tuple[str, ...]  # the command line of its first session
    windowed: bool  # in a new tmux window
    folder: str


def chain_status(folder: Path) -> ChainStatus:
    """Return how the chains of a folder stand. Raises UsageError where there is no folder."""
    desk = _desk(folder)
    names = desk.chains()
    return ChainStatus(
        config=load(desk.project),
        questions=tuple(pending(desk.project)),
        sessions=tuple(sorted(desk.sessions())),
        newest=desk.chain(names[-1]) if names else None,
    )


def chain_log(folder: Path, name: str | None = None) -> tuple[tuple[str, Chain], ...]:
    """Return a chain with all its steps, by its name; without one, all chains, the newest last.

    Raises UsageError for a name that is none.
    """
    desk = _desk(folder)
    names = desk.chains()
    if name is not None and name not in names:
        raise UsageError(f"there is no chain {name!r}", hint=f"Known: {', '.join(names[-5:])}")
    return tuple((each, desk.chain(each)) for each in ([name] if name else names))


def stop_chains(folder: Path) -> dict[str, dict[str, Any]]:
    """Let no chain go on that has begun by now; return the sessions that were not seen to end.

    They are left alone. Raises UsageError where there is no folder.
    """
    desk = _desk(folder)
    desk.stop("clew chain stop")
    return {session: dict(known) for session, known in desk.sessions().items()}


def start_chain(
    folder: Path, command: str | None = None, agent: str = "claude", *, dry_run: bool = False
) -> ChainBegun:
    """Start a chain with a command, or with what comes next; in tmux in a new window.

    Raises HandOffRefused where nothing says what comes next, where a rule forbids it, and where it
    could not be started.
    """
    desk = _desk(folder)
    command = command or _command_of(desk)
    asked = find(f"{MARKER} {command}") or MarkerCommand(command, "it is not a command")
    config, now = load(desk.project), time.time()
    name = new_chain()
    verdict = decide(asked, config, facts(desk, "", name, now, started=now))
    if not verdict.goes_on:
        raise HandOffRefused(
            f"{command} is not started: {verdict.why}",
            hint="docs/guides/hand-off.md explains how to set each rule.",
        )
    pane = os.environ.get("TMUX_PANE", "") if os.environ.get("TMUX") else ""
    windowed = bool(pane) and config.backend != "process"
    try:
        words = command_line(AGENTS[agent], config, command, headless=not windowed)
    except Failed as failed:
        hint = "`clew hooks verify` shows what is missing."
        raise HandOffRefused(str(failed), hint=hint) from None
    stays = dry_run or config.dry_run
    if not stays:
        tmux = os.environ.get("TMUX", "") if pane else ""
        _begin(
            desk,
            Order(
                agent=agent,
                chain=name,
                command=command,
                folder=desk.project,
                pane=pane,
                tmux=tmux,
                ended=True,
            ),
        )
    return ChainBegun(
        name="" if stays else name,
        command=command,
        words=tuple(words),
        windowed=windowed,
        folder=desk.project,
    )


def _command_of(desk: HandoffStore) -> str:
    coming = _next(desk)
    if coming is None:
        raise HandOffRefused(
            f"nothing in {desk.project} says what comes next", hint="Name a command."
        )
    return coming.command


def _begin(desk: HandoffStore, order: Order) -> None:
    token = digest(order.chain, order.command)
    desk.claim(token, order.record())
    desk.note(order.chain, "asked", token=token, session="", command=order.command)
    Courier(desk, token, order).run()
    ended = desk.chain(order.chain).lines[-1]
    if ended.get("event") in ("failed", "refused"):
        hint = f"`clew chain log {order.chain}` has every step."
        raise HandOffRefused(str(ended.get("why")), hint=hint)


def next_workflow(folder: Path) -> NextWorkflow | None:
    """Return what comes next for a project as it stands; None where no milestone is under way.

    Raises UsageError where there is no folder.
    """
    return _next(_desk(folder))


def _next(desk: HandoffStore) -> NextWorkflow | None:
    planning = Path(desk.project) / ".planning"
    paths = (path.relative_to(planning).as_posix() for path in planning.rglob("*.md"))
    roadmap = planning / "ROADMAP.md"
    words = roadmap.read_text("utf-8", "replace") if roadmap.is_file() else ""
    return following(PlanningState(frozenset(paths), words))


def _desk(folder: Path) -> HandoffStore:
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", hint="Name the project's folder.")
    return HandoffStore(project_of(str(folder)))
