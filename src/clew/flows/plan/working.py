"""Work on plans: opened, gone on with, answered, taken back, ended."""

from __future__ import annotations

import contextlib
import functools
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clew import __version__, agents
from clew.documents.phases import DocumentUnreadable
from clew.documents.phases import read as record_in
from clew.documents.plans import examine
from clew.flows.plan.conflicts import changed_since
from clew.flows.plan.decisions.naming import agent_of, agents_of
from clew.flows.plan.driver import FLOW, PlanRun, drive
from clew.flows.plan.driver.gating import gates_of_now, read_gates
from clew.flows.plan.driver.hearing import PlanRequest, ask_holder, wanted
from clew.flows.plan.events import CODEC, KIND, TERMINATED, PlanAnswered, PlanBounded, PlanOpened
from clew.flows.plan.states import PlanState, fold
from clew.flows.plan.states.folding import START, back_to, checkpoint_named, checkpoint_of
from clew.sessions import lessons_file
from clew.sessions.answers import chosen, no_answer
from clew.sessions.belongings import belongings
from clew.sessions.ended import nothing_to_end
from clew.sessions.layouts import ProjectLayout
from clew.sessions.plans import PlanApprovals, PlanFile
from clew.sessions.run import stop_children
from clew.words.errors import PlanInvalid, SessionHeld, UsageError
from clew.words.facts import BUILT_IN, Tick
from clew.words.records import Concluded
from clew.words.slugs import names_after

if TYPE_CHECKING:
    from clew.sessions import ProjectSessions, Watcher
    from clew.words.lessons import Lesson
    from clew.words.plans import Plan
    from clew.words.settings import Settings

__all__ = [
    "answer",
    "at_work",
    "checkpoints_of",
    "load_plan",
    "no_checkpoint",
    "own_settings",
    "read",
    "resume",
    "revise",
    "roll_back",
    "start",
    "terminate",
]


def read(path: Path, settings: Settings) -> tuple[Plan, PlanFile]:
    """Read a plan that may run. Raises UsageError, and PlanInvalid with all that is wrong."""
    file = PlanFile.at(path)
    plan, findings = examine(file.texts, settings.plan_agents)
    if errors := [finding for finding in findings if finding.is_error]:
        raise PlanInvalid(str(path), errors)
    return plan, file


def start(
    sessions: ProjectSessions,
    settings: Settings,
    path: Path,
    watcher: Watcher,
    *,
    parallel: int,
    review: bool = False,
) -> PlanState:
    """Open a plan and work on it until it ends or a person is needed.

    With `review` a person is asked before each phase is merged.
    """
    plan, file = read(path, settings)
    _ensure_ready(sessions, settings, plan)
    approvals = PlanApprovals(sessions.project, sessions.store)
    _ensure_approved(plan, file, approvals)
    sessions.repository.check_index()
    approvals.approve(file)  # by whoever runs it
    now = datetime.now(UTC)
    layout = ProjectLayout(sessions.project.root, settings.layout)
    for session in _names(now, plan.title or path.stem):
        document = layout.session(session)
        if layout.layout.has_one:
            _ensure_none_active(sessions.project.root / document)
        if sessions.repository.recorded(session) is not None:
            continue
        if document and os.path.lexists(sessions.project.root / document):
            continue
        with contextlib.ExitStack() as held:
            run = PlanRun(sessions=sessions, id=session, flow=FLOW, watcher=watcher)
            try:
                held.enter_context(sessions.store.hold(session))
                run.record(
                    PlanOpened(
                        session_id=session,
                        goal=plan.title or plan.goal or path.stem,
                        kind=KIND,
                        clew_version=__version__,
                        root=str(sessions.project.root),
                        path=str(sessions.project.path),
                        plan=plan.bare,
                        plan_hash=file.digest,
                        plan_path=str(path),
                        settings=own_settings(sessions, session, settings),
                        learned=_learned(sessions, settings),
                        parallel=parallel,
                        review=review,
                        document=document,
                    )
                )
            except SessionHeld:
                continue  # the name is taken
            return drive(run)
    raise UsageError(f"{sessions.project.root} has too many plans of one day")


def _ensure_none_active(document: Path) -> None:
    """Raise UsageError where a layout has one document for the active session, and it is taken."""
    if not os.path.lexists(document):
        return
    try:
        active = record_in(document.read_bytes()).session_id
    except (OSError, DocumentUnreadable):
        active = "a session that cannot be read"
    raise UsageError(
        f"{document} is active: {active}",
        hint=f"`clew archive {active}` puts it away; `clew import {document}` opens it, where"
        " Clew does not know it yet, and `clew resume` continues it.",
    )


def _learned(sessions: ProjectSessions, settings: Settings) -> tuple[Lesson, ...]:
    return lessons_file.read(sessions.project.root) if settings.learnings else ()


def own_settings(sessions: ProjectSessions, session: str, settings: Settings) -> Settings:
    """Return settings with what is a plan's own, for what it runs beside its phases."""
    return msgspec.structs.replace(settings, variables=belongings(sessions.store, session))


def _ensure_approved(plan: Plan, file: PlanFile, approvals: PlanApprovals) -> None:
    """Raise UsageError for a draft, and for what was edited since a person approved it."""
    if approvals.of(file):
        return
    before = approvals.before(file)
    if plan.is_draft or before:
        why = (
            f"was edited since it was approved, {before.at:%Y-%m-%d %H:%M} UTC"
            if before
            else "is a draft, and nobody has approved it"
        )
        raise UsageError(
            f"{file.path} {why}",
            hint=f"Read it; `clew plan approve {file.path}` approves it as it is now.",
        )


def ensure_agents(settings: Settings, plan: Plan) -> None:
    """Raise UsageError where nobody can carry out a phase: the built-in repairer only mends."""
    if any(agent_of(phase, settings) == BUILT_IN for phase in plan.phases):
        raise UsageError(
            f"no agent can carry out the phases of {plan.title or 'this plan'}: the built-in"
            " repairer only mends tests",
            hint="Name one at the beginning: `--agent claude` (`clew agents` lists those here).",
        )


def _ensure_ready(sessions: ProjectSessions, settings: Settings, plan: Plan) -> None:
    """Raise UsageError for an agent that is needed and cannot be called here."""
    ensure_agents(settings, plan)
    for name in agents_of(plan, settings):
        agents.ready(name, settings, sessions.project)


def load_plan(sessions: ProjectSessions, session: str) -> PlanState:
    """Read a plan's state. Raises JournalDamaged."""
    state = PlanState()
    for recorded in sessions.journal(CODEC).read(session):
        state = fold(state, recorded)
    return state


def resume(
    sessions: ProjectSessions, session: str, watcher: Watcher, options: Mapping[str, object]
) -> PlanState:
    """Go on with a plan; guidance or other bounds answer its question. Raises UsageError.

    A process that works on it takes gates that were put right.
    """
    if not options and sessions.store.holder(session):
        state = load_plan(sessions, session)
        gates = gates_of_now(sessions.project, state)
        if gates is not None and gates.judged_anew:
            load = functools.partial(load_plan, sessions, session)
            return ask_holder(sessions.store, session, PlanRequest(gates=gates), load)
    with at_work(sessions, session, watcher) as run:
        if run.state.ended:
            raise UsageError(f"plan {session} has ended: {run.state.ended.status}")
        if run.state.is_cut_off:
            raise UsageError(
                f"session {session} was cut off as it was made", hint="Import or fork again."
            )
        if not run.state.phases:
            raise UsageError(f"session {session} has no phases to go on with")
        _ensure_ready(sessions, run.state.settings, run.state.plan)
        for line in changed_since(run):
            run.watcher.tick(Tick(phase="plan", text=line))
        bounds = {name: options[name] for name in ("max_tokens", "max_usd") if name in options}
        words = str(options.get("guidance", ""))
        if bounds:
            run.record(msgspec.convert(bounds, PlanBounded))
        if words:
            guided = _guided(run.state, words)
            read_gates(run, run.state.question)
            run.record(guided)
        else:
            read_gates(run)
        question = run.state.question
        if bounds and question is not None and question.phase not in run.state.queue:
            run.record(PlanAnswered(id=question.id, option="retry"))
        return drive(run)


def _guided(state: PlanState, words: str) -> PlanAnswered:
    if state.question is None:
        raise UsageError(
            f"plan {state.session.session_id} asks nothing",
            hint="Guidance answers the question of a phase.",
        )
    return PlanAnswered(id=state.question.id, option="retry", text=words)


def answer(
    sessions: ProjectSessions, session: str, option: str, text: str, watcher: Watcher
) -> PlanState:
    """Answer the question that a plan waits with, and go on; free words are guidance.

    A process that works on the plan takes the answer, and goes on; but only once none does, a
    person ends the plan.
    """
    if sessions.store.holder(session):
        answered = _answer(load_plan(sessions, session), option, text)
        if answered.option != "abort":
            request = PlanRequest(answer=answered)
            load = functools.partial(load_plan, sessions, session)
            return ask_holder(sessions.store, session, request, load)
    with at_work(sessions, session, watcher) as run:
        answered = _answer(run.state, option, text)
        read_gates(run, run.state.question)
        run.record(answered)
        if run.state.aborting:
            stop_children(run)
        return drive(run)


def _answer(state: PlanState, option: str, text: str) -> PlanAnswered:
    question, session = state.question, state.session.session_id
    if question is None:
        raise UsageError(
            f"plan {session} asks nothing", hint=f"`clew status {session}` shows who does."
        )
    words = [each.word for each in question.options]
    word = chosen(option, words)
    if word not in words and " " in word.strip() and question.phase not in state.queue:
        word, text = "retry", f"{word} {text}".strip()
    if word not in words:
        raise no_answer(option, words)
    return PlanAnswered(id=question.id, option=word, text=text)


def revise(
    sessions: ProjectSessions, session: str, path: Path | None, watcher: Watcher
) -> PlanState:
    """Go on by the plan in a file, or without a path as it was before its newest change.

    Only what has not begun, or failed, may be another one. A process that works on the plan takes
    it, and goes on. Raises UsageError, PlanInvalid.
    """
    state = load_plan(sessions, session)
    if state.ended:
        raise UsageError(f"plan {session} has ended: {state.ended.status}")
    request = PlanRequest()
    if path is not None:
        plan, file = read(path, state.settings)
        _ensure_ready(sessions, state.settings, plan)
        request = PlanRequest(plan=plan.bare, digest=file.digest)
        wanted(state, request)
        PlanApprovals(sessions.project, sessions.store).approve(file)  # by whoever names it
    if sessions.store.holder(session):
        return ask_holder(sessions.store, session, request, lambda: load_plan(sessions, session))
    with at_work(sessions, session, watcher) as run:
        drive(run, until=lambda _: True)  # what was cut off is found again
        run.record(wanted(run.state, request))
        read_gates(run)
        return drive(run)


def roll_back(
    sessions: ProjectSessions, session: str, target: str, text: str, watcher: Watcher
) -> PlanState:
    """Go back to where a phase was completed, or to the start, and go on from there."""
    with at_work(sessions, session, watcher) as run:
        if run.state.moves:
            raise UsageError(f"plan {session} is archived, and nothing goes on with it")
        wanted = checkpoint_named(run.state, target)
        if not wanted:
            raise no_checkpoint(run.state, target)
        stop_children(run)
        run.record(back_to(run.state, wanted, text))
        return drive(run)


def checkpoints_of(state: PlanState) -> tuple[tuple[str, str], ...]:
    """Return where a plan may go back to, oldest first: the name, and the commit."""
    base = ((START, state.base.commit),) if state.base else ()
    return (*base, *((checkpoint_of(id_), commit) for id_, commit in state.merges))


def no_checkpoint(state: PlanState, target: str) -> UsageError:
    """Return what is said of a checkpoint that a plan has not."""
    names = [START, *(checkpoint_of(id_) for id_, _ in state.merges)]
    return UsageError(f"there is no checkpoint {target!r}", hint=f"Checkpoints: {', '.join(names)}")


def terminate(sessions: ProjectSessions, session: str, watcher: Watcher) -> PlanState:
    """End a plan where it is, its children too; all work is kept."""
    with at_work(sessions, session, watcher) as run:
        if run.state.ended:
            back = not run.state.archived
            raise nothing_to_end(session, run.state.ended.status, back=back)
        stop_children(run)
        ended = Concluded(
            status=TERMINATED,
            reason="a person ended it",
            commit=run.state.head,
            usage=run.state.usage,
        )
        run.record(ended)
        return drive(run)


@contextlib.contextmanager
def at_work(sessions: ProjectSessions, session: str, watcher: Watcher) -> Iterator[PlanRun]:
    """Hold a plan, as it stands, while it is worked on. Raises SessionHeld."""
    with sessions.store.hold(session):
        run = PlanRun(sessions=sessions, id=session, flow=FLOW, watcher=watcher)
        run.catch_up()
        yield run


def _names(now: datetime, title: str) -> Iterator[str]:
    """Yield ids to try: the day and the topic, then with a number."""
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].rstrip("-") or "plan"
    return names_after(f"{now:%Y-%m-%d}-{slug}")
