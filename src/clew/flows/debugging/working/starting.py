"""Sessions opened: by a person, or for a parent."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime

import msgspec
from msgspec.structs import replace

from clew import agents
from clew.flows.debugging.driver import drive
from clew.flows.debugging.opening import opened
from clew.flows.debugging.sessions import load_state
from clew.flows.debugging.states import State
from clew.flows.debugging.working.held import at_work, debug_run_of
from clew.sessions import ProjectSessions, Watcher
from clew.words import events as ev
from clew.words.errors import JournalDamaged, SessionHeld, TransitionRefused, UsageError
from clew.words.papers import is_paper
from clew.words.records import DEBUGGING, RunSession
from clew.words.settings import Settings
from clew.words.slugs import names_after, slug

__all__ = ["ChildRequest", "check_rival", "earlier_session", "start", "work_as_child"]


def start(
    sessions: ProjectSessions,
    settings: Settings,
    watcher: Watcher,
    runner_args: tuple[str, ...],
    *,
    only: bool = False,
) -> State:
    """Open a session and work on it until it ends or a person is needed.

    With `only` a fix is proven by the tests alone that `runner_args` choose.
    """
    if only and not runner_args:
        raise UsageError(
            "--only needs arguments after -- that select tests",
            hint="For example `clew fix --only -- -k total`.",
        )
    sessions.repository.check_index()
    now = datetime.now(UTC)
    for session in _names(now, sessions.project.name):
        if _known(sessions, session):
            continue
        opening = opened(sessions.project, settings, session, runner_args)
        opening = replace(
            opening,
            only=only,
            unbounded=agents.unconfined_agents(settings, sessions.project),
            unasked=agents.unused_models(settings),
        )
        with contextlib.ExitStack() as held:
            debug_run = debug_run_of(sessions, watcher)
            try:
                held.enter_context(sessions.store.hold(session))
            except SessionHeld:
                continue  # the name is taken
            try:
                debug_run.record(opening)
            except SessionHeld:
                if session in (listed.session for listed in sessions.listing()):
                    continue
                raise
            return drive(debug_run)
    raise UsageError(f"{sessions.project.root} has too many sessions of one day")


def work_as_child(
    sessions: ProjectSessions, session: str, parent: str, number: int, watcher: Watcher
) -> None:
    """Work on a session for its parent, opened first if need be, as far as no person is needed.

    Event `number` of the parent's stream has the request: what it begins with, and its settings.
    """
    with contextlib.ExitStack() as held:
        if any(listed.session == session for listed in sessions.listing()):
            debug_run = held.enter_context(at_work(sessions, session, watcher))
        else:
            held.enter_context(sessions.store.hold(session))
            request = sessions.events.request(parent, number)
            opening = _opened_for(sessions, request, parent, number)
            debug_run = debug_run_of(sessions, watcher)
            debug_run.record(opening)
        if debug_run.state.question is None:
            drive(debug_run)


def _opened_for(
    sessions: ProjectSessions, request: RunSession, parent: str, number: int
) -> ev.SessionOpened:
    """Return the event that opens a child as its parent asked for it."""
    asked = msgspec.convert(request.request, ChildRequest)
    budget = {f"max_{name}": value for name, value in request.budget.items()}
    settings = replace(asked.settings, **budget)
    opening = opened(sessions.project, settings, request.child, asked.runner_args)
    return replace(
        opening,
        goal=asked.goal or opening.goal,
        parent=parent,
        number=number,
        base=asked.base,
        plan=asked.plan,
        phase=asked.phase,
        guidance=asked.guidance,
        refused=asked.refused,
        teaches=asked.teaches,
        unbounded=agents.unconfined_agents(settings, sessions.project),
    )


class ChildRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a parent asks of a debugging session."""

    base: str  # the commit that fails
    settings: Settings
    goal: str = ""
    runner_args: tuple[str, ...] = ()
    plan: str = ""
    phase: str = ""
    guidance: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    teaches: bool = True


def earlier_session(
    sessions: ProjectSessions,
    settings: Settings,
    runner_args: tuple[str, ...] = (),
    *,
    only: bool = False,
) -> State | None:
    """Return the newest session if it has mended this very code, as it would be asked to now.

    Or if it waits for an answer about it, unless an agent failed, which may be mended by now. So
    may a test set-up, but going on with that session runs the tests again. Its reports, and the
    knowledge base, are all that may have come to the code since.
    """
    newest = next(iter(sessions.listing()), None)
    if newest is None or newest.status not in (ev.Status.GREEN, ev.Status.WAITING):
        return None
    try:
        state = load_state(sessions, newest.session)
    except (JournalDamaged, TransitionRefused):  # not of this version, or by unknown rules
        return None
    taken, session = state.snapshot, newest.session
    wish = opened(sessions.project, settings, session, runner_args)
    if taken is None or sessions.repository.recorded(session) is None:
        return None
    if _was_let_down(state) if state.question else state.head == taken.base:
        return None
    if _asked(replace(wish, only=only)) != _asked(state.session):
        return None
    now = sessions.repository.glimpse(session)
    since = sessions.repository.changed(taken.base, now.commit)
    return state if all(is_paper(change.path) for change in since) else None


def check_rival(sessions: ProjectSessions, runner_args: tuple[str, ...] = ()) -> None:
    """Raise SessionHeld where a process works on these tests of this folder already."""
    for listed in sessions.listing():
        if listed.kind != DEBUGGING or listed.parent or listed.status != ev.Status.RUNNING:
            continue
        holder = sessions.store.holder(listed.session)
        if holder is None:
            continue
        opening = load_state(sessions, listed.session).session
        if (opening.path, opening.runner_args) == (str(sessions.project.path), runner_args):
            name = listed.session
            raise SessionHeld(
                f"session {name} is at work on these tests: process {holder.pid}"
                f" ({holder.command})",
                hint=f"`clew status {name}` shows what it does, and `clew pause {name}` stops it;"
                " `clew fix --again` begins another one beside it.",
            )


def _was_let_down(state: State) -> bool:
    """Whether an agent failed."""
    return any(entry.result is ev.Result.AGENT_FAILED for entry in state.history)


def _asked(opening: ev.SessionOpened) -> ev.SessionOpened:
    """Return what a person asked for, whoever is asked, and wherever it was written."""
    settings = replace(opening.settings, sources={})
    return replace(opening, clew_version="", unbounded=(), unasked=(), settings=settings, rules=0)


def _known(sessions: ProjectSessions, session: str) -> bool:
    """Whether code or documents of that name are there, perhaps of a journal that is lost."""
    documents = sessions.project.documents / session
    return documents.exists() or sessions.repository.recorded(session) is not None


def _names(now: datetime, project: str) -> Iterator[str]:
    """Return ids to try: the day and the topic, then with a number."""
    return names_after(f"{now:%Y-%m-%d}-{slug(f'fix-{project}', most=40)}")
