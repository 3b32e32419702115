"""What is found when a session is gone on with that nobody worked on for a while.

An agent that outlived the Clew that called it is ended: no two work in one worktree. What a person
edited there meanwhile is kept under a ref. A call that was cut off is gone on with where its agent
can: with its own conversation, in the worktree as it left it.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from clew import agents
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.git.worktrees import ChangeKind, TreeChange, path_text
from clew.sandbox import processes
from clew.words import events as ev
from clew.words.errors import SessionHeld, UsageError
from clew.words.models import AgentRole

__all__ = ["beating", "can_go_on", "ensure_none_works", "keep_edits", "reclaim_login", "worked"]

BEAT = 0.5
MARGIN = 1.5  # seconds between two beats of the pulse, and some
_MEASURING = (ev.RunTests, ev.Bisect, ev.Prove)


def ensure_none_works(debug_run: DebugRun) -> None:
    """End an agent that outlived the Clew that called it. Raises SessionHeld if it cannot be."""
    if not processes.end(debug_run.mark):
        raise SessionHeld(
            f"an agent of an earlier run is still working in {debug_run.worktree} and cannot be"
            " stopped",
            hint="Wait until it has ended, then `clew resume` again.",
        )


@contextlib.contextmanager
def beating(debug_run: DebugRun, action: object) -> Iterator[None]:
    """Give signs of life while tests run: what they change meanwhile is no person's edit."""
    if not isinstance(action, _MEASURING):
        yield
        return
    pulse, over = debug_run.pulse, threading.Event()

    def beat() -> None:
        while not over.wait(BEAT):
            with contextlib.suppress(OSError):  # its folder is being cleared
                pulse.touch()

    thread = threading.Thread(target=beat, daemon=True, name="clew-pulse")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def keep_edits(debug_run: DebugRun) -> None:
    """Keep what a person edited in the worktree, before anything puts the worktree back.

    Edits are theirs that are newer than the last sign of life of this session: an event, or the
    pulse of an agent or of tests at work. New files beside the code may be what tests left late.
    """
    state, repository = debug_run.state, debug_run.repository
    if state.snapshot is None or state.ended or state.question:
        return
    ref = f"found-{state.seq}"
    kept = repository.keep(debug_run.id, ref, "Found in the worktree")
    if kept is None:
        return
    since = _last_sign(debug_run) + MARGIN
    measuring = isinstance(state.doing, _MEASURING)
    debug_run.by_hand = tuple(
        path_text(change.path)
        for change in kept.changes
        if _when(debug_run.worktree, change) > since
        and not (measuring and change.kind is ChangeKind.CREATED)
    )
    if debug_run.by_hand:
        debug_run.record(ev.EditsKept(ref=ref, commit=kept.id, files=debug_run.by_hand))


def _last_sign(debug_run: DebugRun) -> float:
    told = debug_run.state.updated or datetime.fromtimestamp(0, UTC)
    pulse = debug_run.pulse
    return max(told.timestamp(), pulse.stat().st_mtime if pulse.exists() else 0.0)


def worked(debug_run: DebugRun) -> float:
    """Return for how many seconds what is in flight gave signs of life: a call's time at most."""
    state = debug_run.state
    if state.begun is None:
        return 0.0
    passed = _last_sign(debug_run) - state.begun.timestamp()
    return min(max(passed, 0.0), state.settings.agent_timeout)


def _when(worktree: Path, change: TreeChange) -> float:
    """Return when a file was changed; one that is gone went when its folder changed."""
    path = worktree / change.path
    for place in (path, *path.parents):
        if os.path.lexists(place):
            return place.lstat().st_mtime
    return 0.0


def reclaim_login(debug_run: DebugRun, intent: ev.CallAgent) -> None:
    """Put a login back that a call has renewed, and could not: it goes with what the call left."""
    agent = agents.make(intent.agent, debug_run.settings, debug_run.project)
    if isinstance(agent, agents.ExternalAgent):
        agent.reclaim(debug_run.scratch)


def can_go_on(debug_run: DebugRun, intent: ev.CallAgent) -> bool:
    """Tell whether a call that was cut off can be gone on with: not where a person has edited."""
    state = debug_run.state
    declined = intent.role is AgentRole.DOCUMENT and state.told == state.head
    if debug_run.by_hand or debug_run.halting or declined:
        return False
    try:
        agent = agents.ready(intent.agent, debug_run.settings, debug_run.project)
    except UsageError:
        return False
    name = debug_run.state.conversation
    return isinstance(agent, agents.ExternalAgent) and agent.can_resume(debug_run.scratch, name)
