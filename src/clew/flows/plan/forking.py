"""Another way tried beside the first: a plan's session that begins at a checkpoint of another."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from msgspec.structs import replace

from clew import __version__
from clew.flows.plan.driver import FLOW, PlanRun, drive
from clew.flows.plan.driver.gating import with_gates_of_now
from clew.flows.plan.events import KIND, ForkedPhase, PlanForked
from clew.flows.plan.states import PlanState
from clew.flows.plan.states.folding import back_to, checkpoint_named, fold
from clew.flows.plan.working import ensure_agents, load_plan, no_checkpoint, own_settings
from clew.words.errors import SessionHeld, UsageError
from clew.words.records import Recorded

if TYPE_CHECKING:
    from clew.sessions import ProjectSessions, Watcher
    from clew.words.settings import Settings

from clew.words.slugs import names_after

__all__ = ["at_checkpoint", "fork", "forked"]


def fork(
    sessions: ProjectSessions,
    session: str,
    target: str,
    watcher: Watcher,
    *,
    text: str = "",
    settings: Settings | None = None,
) -> PlanState:
    """Open a session at a checkpoint of another one, which stays as it is, and work on it.

    `text` is guidance for the phases that are left. Raises UsageError.
    """
    if sessions.listed(session).kind != KIND:
        raise UsageError(f"session {session} is no plan's", hint="Plans are forked.")
    source = load_plan(sessions, session)
    if source.base is None:
        raise UsageError(f"plan {session} has not begun", hint=f"`clew resume {session}` begins.")
    wanted = checkpoint_named(source, target)
    if not wanted:
        raise no_checkpoint(source, target)
    there = at_checkpoint(source, wanted, text)
    settings = settings or with_gates_of_now(sessions.project, source.settings)
    ensure_agents(settings, source.plan)
    for name in names_after(f"{session}-fork"):
        if sessions.repository.recorded(name) is not None:
            continue
        with contextlib.ExitStack() as held:
            run = PlanRun(sessions=sessions, id=name, flow=FLOW, watcher=watcher)
            opening = replace(
                source.session,
                session_id=name,
                clew_version=__version__,
                plan=source.plan,
                settings=own_settings(sessions, name, settings),
                continues=True,
                document="",
            )
            try:
                held.enter_context(sessions.store.hold(name))
                run.record(opening)
            except SessionHeld:
                continue  # the name is taken
            sessions.repository.begin_at(name, source.base.commit)
            sessions.repository.ref(name, "fork", there.head)
            run.record(forked(there, session, wanted, text))
            return drive(run)
    raise UsageError(f"plan {session} has too many forks")


def at_checkpoint(source: PlanState, checkpoint: str, text: str) -> PlanState:
    """Return where a plan would stand, had it gone back."""
    at = source.updated or source.began
    if at is None:
        raise UsageError(f"plan {source.session.session_id} has not begun")
    back = back_to(source, checkpoint, text)
    return fold(
        source,
        Recorded(session=source.session.session_id, seq=source.seq + 1, at=at, event=back),
    )


def forked(there: PlanState, source: str, checkpoint: str, text: str) -> PlanForked:
    """Return what a session begins with that goes on from there."""
    commits = dict(there.merges)
    phases = tuple(
        ForkedPhase(
            phase=phase.id,
            status=phase.status,
            commit=commits.get(phase.id, ""),
            created=phase.created,
            modified=phase.modified,
            deleted=phase.deleted,
            started=phase.started,
            completed=phase.completed,
            result=phase.result,
            gates=phase.gates,
            skipped_after=phase.skipped_after,
        )
        for phase in there.phases.values()
        if phase.status.done
    )
    order = [id_ for id_, _ in there.merges]
    phases = tuple(sorted(phases, key=lambda p: order.index(p.phase) if p.phase in order else -1))
    if there.base is None:
        raise UsageError(f"plan {source} has not begun")
    return PlanForked(
        source=source, checkpoint=checkpoint, base=there.base, phases=phases, text=text
    )
