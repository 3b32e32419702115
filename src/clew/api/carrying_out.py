"""A plan proposed by an agent, and carried out."""

from __future__ import annotations

from pathlib import Path

from clew.flows.plan import drafting, forking, working
from clew.flows.plan.drafting import PlanDraft
from clew.flows.plan.events import KIND
from clew.flows.plan.kind import here
from clew.sessions import UNWATCHED, ProjectSessions, SessionStatus, Watcher
from clew.words.errors import UsageError
from clew.words.facts import Fact
from clew.words.settings import Settings

__all__ = [
    "PlanCheckpoint",
    "draft_plan",
    "fork_plan",
    "plan_checkpoints",
    "revise_plan",
    "run_plan",
]


class PlanCheckpoint(Fact, frozen=True, kw_only=True):
    """A place that a plan may go back to: its start, or where a phase was merged."""

    name: str
    commit: str
    here: bool  # the plan stands there


def plan_checkpoints(sessions: ProjectSessions, name: str) -> tuple[PlanCheckpoint, ...]:
    """Return where a plan may go back to, the oldest first; none before it has begun.

    Raises UsageError and JournalDamaged.
    """
    state = working.load_plan(sessions, sessions.find(name))
    return tuple(
        PlanCheckpoint(name=place, commit=commit, here=commit == state.head)
        for place, commit in working.checkpoints_of(state)
    )


def draft_plan(
    sessions: ProjectSessions,
    settings: Settings,
    goal: str,
    watcher: Watcher = UNWATCHED,
    *,
    path: Path | None = None,
) -> PlanDraft:
    """Have an agent propose a plan, and its design; write both as drafts, which nothing runs.

    It is the agent that `plan_agents` names for `plan`, else the first of the ladder that is not
    built in. Without a `path` the plan goes to `plans`, under its title. A plan that breaks a rule
    goes back to the agent, as often as `agent_retries` says. Raises UsageError where the file is
    there already and where nobody can write a plan, and AgentFailed.
    """
    return drafting.draft(sessions, settings, goal, watcher, path=path)


def run_plan(
    sessions: ProjectSessions,
    settings: Settings,
    plan: Path,
    watcher: Watcher = UNWATCHED,
    *,
    parallel: int = 3,
    review: bool = False,
) -> SessionStatus:
    """Open a session that carries out a plan, as many phases side by side, and work on it.

    `plan` is its file, or a folder of task files; whoever runs it approves it, unless it is a
    draft or was edited since it was approved. With `review` a
    person is asked before each phase is merged. Raises UsageError, PlanInvalid with all that is
    wrong with it, and SessionHeld.
    """
    state = working.start(sessions, settings, plan, watcher, parallel=parallel, review=review)
    return here(sessions, state)


def revise_plan(
    sessions: ProjectSessions,
    name: str | None,
    path: Path | None = None,
    watcher: Watcher = UNWATCHED,
) -> SessionStatus:
    """Go on with a plan's session by the plan in a file, which that approves.

    A process that works on it takes the plan and goes on; this returns then.

    Without a `path` the newest change of the plan is taken back, whoever made it. Phases that have
    begun stay as they are, unless they failed. Raises UsageError where that cannot be, PlanInvalid,
    SessionHeld, JournalDamaged.
    """
    session = sessions.find(name, unfinished=True)
    if sessions.listed(session).kind != KIND:
        raise UsageError(f"session {session} is no plan's", hint="Plans are revised.")
    return here(sessions, working.revise(sessions, session, path, watcher))


def fork_plan(
    sessions: ProjectSessions,
    name: str | None,
    checkpoint: str,
    watcher: Watcher = UNWATCHED,
    *,
    guidance: str = "",
    settings: Settings | None = None,
) -> SessionStatus:
    """Open a session at a checkpoint of a plan's session, which stays as it is, and work on it.

    `checkpoint` is `start`, or a phase as in `phase:2`. `guidance` is for the agents of the phases
    that are left; without `settings` they are those of the first session. Raises UsageError for
    another kind of session, and naming the checkpoints; SessionHeld; JournalDamaged.
    """
    told = forking.fork(
        sessions, sessions.find(name), checkpoint, watcher, text=guidance, settings=settings
    )
    return here(sessions, told)
