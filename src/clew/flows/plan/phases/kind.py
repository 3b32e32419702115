"""Phases as any face sees them; see `clew.sessions.SessionKind`."""

# ruff: noqa: ARG001 - every kind answers to the same arguments
from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

import msgspec

from clew import __version__
from clew.flows.plan.phases.driver import FLOW, PhaseRun, drive
from clew.flows.plan.phases.events import CODEC, COMPLETED, KIND, PhaseOpened, PhaseRequest
from clew.flows.plan.phases.states import PhaseWork, fold
from clew.sessions import INTERRUPTED, Delivery, ProjectSessions, SessionStatus, Watcher, deliver
from clew.sessions.belongings import belongings, give_back
from clew.sessions.ended import nothing_to_end
from clew.sessions.run import stop_children
from clew.words.errors import UsageError
from clew.words.plans import shown
from clew.words.records import Concluded

__all__ = [
    "FLOW",
    "answer",
    "apply",
    "load_phase",
    "resume",
    "roll_back",
    "standing",
    "status_of",
    "terminate",
    "work",
]

TERMINATED = "terminated"


def standing(sessions: ProjectSessions, session: str) -> SessionStatus:
    """Return how a phase stands."""
    return status_of(load_phase(sessions, session))


def load_phase(sessions: ProjectSessions, session: str) -> PhaseWork:
    """Read a phase's state. Raises JournalDamaged."""
    state = PhaseWork()
    for recorded in sessions.journal(CODEC).read(session):
        state = fold(state, recorded)
    return state


def status_of(state: PhaseWork) -> SessionStatus:
    """Return how a phase stands, in words that any face can show."""
    ended, waits = state.ended, state.at_work.questions
    status = ended.status if ended else "waiting" if waits else "running"
    lines = [error.message.splitlines()[0] for error in state.errors if error.message]
    doing = next((type(i).__name__ for i in state.in_flight.values()), "")
    return SessionStatus(
        session=state.session.session_id,
        kind=KIND,
        status=status,
        stage=doing,
        goal=state.session.goal,
        lines=tuple(lines),
        usage=state.usage,
        exit_code=0 if status == COMPLETED else INTERRUPTED if status == "running" else 1,
        base=state.request.base,
        commit=state.commit,
    )


def work(
    sessions: ProjectSessions, session: str, parent: str, number: int, watcher: Watcher
) -> None:
    """Work on a phase, opened first if need be by event `number` of its plan's stream."""
    with _at_work(sessions, session, watcher) as run:
        if run.state.opened is None:
            asked = sessions.events.request(parent, number)
            request = msgspec.convert(asked.request, PhaseRequest)
            budget = {f"max_{name}": value for name, value in asked.budget.items()}
            settings = msgspec.structs.replace(
                request.settings, **budget, variables=belongings(sessions.store, session)
            )
            run.record(
                PhaseOpened(
                    session_id=session,
                    goal=f"phase {shown(request.phase_id)}: {request.phase.name}",
                    kind=KIND,
                    parent=parent,
                    number=number,
                    clew_version=__version__,
                    root=str(sessions.project.root),
                    path=str(sessions.project.path),
                    request=msgspec.structs.replace(request, settings=settings),
                )
            )
        drive(run)


@contextlib.contextmanager
def _at_work(sessions: ProjectSessions, session: str, watcher: Watcher) -> Iterator[PhaseRun]:
    with sessions.store.hold(session):
        run = PhaseRun(sessions=sessions, id=session, flow=FLOW, watcher=watcher)
        run.catch_up()
        try:
            yield run
        finally:
            if run.state.ended:
                give_back(sessions.store, session)


def resume(
    sessions: ProjectSessions, session: str, watcher: Watcher, options: Mapping[str, object]
) -> SessionStatus:
    """Go on with a phase alone; its plan takes in what it comes to."""
    with _at_work(sessions, session, watcher) as run:
        return status_of(drive(run))


def answer(
    sessions: ProjectSessions, session: str, option: str, text: str, watcher: Watcher
) -> SessionStatus:
    """Raise UsageError: a phase asks through its plan."""
    raise UsageError(
        f"phase {session} asks nothing by itself", hint="`clew status` shows which session does."
    )


def roll_back(
    sessions: ProjectSessions, session: str, target: str, text: str, watcher: Watcher
) -> SessionStatus:
    """Raise UsageError: a plan goes back, and its phases with it."""
    parent = sessions.listed(session).parent
    raise UsageError(
        f"a phase has no checkpoints of its own: {session}",
        hint=f"`clew rollback {parent} phase:ID` goes back in its plan.",
    )


def terminate(sessions: ProjectSessions, session: str, watcher: Watcher) -> SessionStatus:
    """End a phase where it is, and what it began; all work is kept."""
    with _at_work(sessions, session, watcher) as run:
        if run.state.ended:
            raise nothing_to_end(session, run.state.ended.status, back=False)
        stop_children(run)
        run.record(Concluded(status=TERMINATED, reason="a person ended it", usage=run.state.usage))
        return status_of(run.state)


def apply(sessions: ProjectSessions, session: str, *, commit: bool) -> Delivery:
    """Put what has passed its gates so far into the person's tree."""
    return deliver(sessions, standing(sessions, session), commit=commit)
