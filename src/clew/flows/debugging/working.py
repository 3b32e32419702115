"""Work on sessions: opened, gone on with, answered, taken back, ended.

Whoever works on a session holds it. What is settled when it is opened holds for its whole life.
"""

from __future__ import annotations

import contextlib
import difflib
import os
import shlex
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace

from clew import agents, runners
from clew.agents import prompts
from clew.analysis.context import counter
from clew.flows.debugging.decisions import ITERATION, START, decide
from clew.flows.debugging.driver import (
    DebugRun,
    drive,
    keep_manual_edits,
    manual_edits_ref,
    settle,
    settled,
    with_later_progress,
)
from clew.flows.debugging.opening import opened
from clew.flows.debugging.sessions import demand_work, edited_since, load_state
from clew.flows.debugging.states import TRANSITIONS, RestorePoint, Stage, State, acceptable
from clew.git.own_folder import own_folder
from clew.git.project import Project, is_ignored
from clew.git.worktrees import path_text
from clew.journal import crashpoints
from clew.journal.store import state_folder
from clew.sandbox import confinement
from clew.sessions import ProjectSessions, Watcher
from clew.words import events as ev
from clew.words.errors import SessionHeld, TransitionRefused, UsageError
from clew.words.facts import Verdict
from clew.words.models import AgentRole
from clew.words.papers import is_paper
from clew.words.records import RunSession
from clew.words.settings import FOR_ONE_RUN, Settings, TestSettings, load
from clew.words.slugs import names_after, slug

GUIDANCE = "guidance"

__all__ = [
    "ChildRequest",
    "answer",
    "check_settings",
    "proven_session",
    "resume",
    "roll_back",
    "start",
    "terminate",
    "work_as_child",
]

NOTHING: Mapping[str, object] = {}
BEFORE_A_ROUND = (
    Stage.OPENED,
    Stage.SNAPPED,
    Stage.BASELINED,
    Stage.TAKEN_UP,
    Stage.RECHECKED,
)
BETWEEN = (Stage.STANDING, Stage.ROUND, Stage.WAITING, Stage.ENDED)


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
            debug_run = _debug_run(sessions, watcher)
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
            debug_run = held.enter_context(_at_work(sessions, session, watcher))
        else:
            held.enter_context(sessions.store.hold(session))
            request = sessions.events.request(parent, number)
            opening = _opened_for(sessions, request, parent, number)
            debug_run = _debug_run(sessions, watcher)
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


def proven_session(
    sessions: ProjectSessions,
    settings: Settings,
    runner_args: tuple[str, ...] = (),
    *,
    only: bool = False,
) -> State | None:
    """Return the newest session if it has mended this very code, as it would be asked to now.

    Its reports, and the knowledge base, are all that may have come to the code since.
    """
    newest = next(iter(sessions.listing()), None)
    if newest is None or newest.status != ev.Status.GREEN:
        return None
    try:
        state = load_state(sessions, newest.session)
    except TransitionRefused:  # by rules that are not known here
        return None
    taken, session = state.snapshot, newest.session
    wish = opened(sessions.project, settings, session, runner_args)
    if taken is None or state.head == taken.base or sessions.repository.recorded(session) is None:
        return None
    if _asked(replace(wish, only=only)) != _asked(state.session):
        return None
    now = sessions.repository.glimpse(session)
    since = sessions.repository.changed(taken.base, now.commit)
    return state if all(is_paper(change.path) for change in since) else None


def _asked(opening: ev.SessionOpened) -> ev.SessionOpened:
    """Return what a person asked for, whoever is asked, and wherever it was written."""
    settings = replace(opening.settings, sources={})
    return replace(opening, clew_version="", unbounded=(), unasked=(), settings=settings, rules=0)


def _known(sessions: ProjectSessions, session: str) -> bool:
    """Whether code or documents of that name are there, perhaps of a journal that is lost."""
    documents = sessions.project.documents / session
    return documents.exists() or sessions.repository.recorded(session) is not None


def resume(
    sessions: ProjectSessions,
    session: str,
    watcher: Watcher,
    flags: Mapping[str, object] = NOTHING,
    *,
    bounds: Mapping[str, object] = NOTHING,
) -> State:
    """Go on with a session; for one that waits this is the answer that it may go on.

    While no run of the tests counts, their settings are read again, with `flags` before all else.
    `bounds` hold for the round that begins next.
    Raises UsageError if it waits for another answer, or for flags that come too late, and nothing
    was done, or for an agent that is gone, and what needs none was done.
    """
    with _at_work(sessions, session, watcher) as debug_run:
        question = debug_run.state.question
        if question and "investigate" not in (o.word for o in question.options):
            raise UsageError(
                f"session {session} waits for an answer: {question.text.splitlines()[0]}",
                hint=" or ".join(o.command for o in question.options),
            )
        budget = _budget(debug_run.state, bounds)
        _read_set_up(debug_run, {name: value for name, value in flags.items() if value is not None})
        if question:
            said = ev.QuestionAnswered(id=question.id, option="investigate", budget=budget)
            debug_run.record(said)
        else:
            _catch_up(debug_run)
        return _go_on(debug_run)


def _read_set_up(debug_run: DebugRun, flags: Mapping[str, object]) -> None:
    """Read the settings of the tests again where they did not run yet, or could not."""
    if _is_unjudged(debug_run.state):
        debug_run.open_worktree()
        settle(debug_run)
    state = debug_run.state
    if not (_is_unjudged(state) and ev.SetUpRead in TRANSITIONS[state.stage]):
        if flags:
            raise _too_late(state)
        return
    project, known = debug_run.project, state.settings.of_tests
    told = {n: s for n, s in known.sources.items() if s in FOR_ONE_RUN and n not in flags}
    typed = {name: getattr(known, name) for name in told}
    read = load((project.root, project.path), os.environ, {**typed, **flags}).of_tests
    read = replace(read, sources=read.sources | told)
    _check_tests(read)
    if replace(read, sources=known.sources) != known:
        debug_run.record(ev.SetUpRead(settings=read))


def _is_unjudged(state: State) -> bool:
    """Whether no run of the tests counts yet in a session that is not over."""
    run = state.baseline
    return not state.ended and (run is None or run.verdict is Verdict.DID_NOT_RUN)


def _too_late(state: State) -> UsageError:
    """Say why a session takes no other settings of its tests, and what may be done instead."""
    session, run = state.session.session_id, state.baseline
    anew = "`clew fix` with these options starts a new session."
    if state.ended:
        return UsageError(f"session {session} has ended: {state.status}", hint=anew)
    if run is not None and run.verdict is not Verdict.DID_NOT_RUN:
        argv = shlex.join(run.command.argv)
        why = f"has run its tests with `{argv}` and keeps that command"
        return UsageError(f"session {session} {why}", hint=anew)
    return UsageError(
        f"session {session} takes no other test command now: it is {state.stage}",
        hint=f"`clew resume {session}` continues without these options.",
    )


def _catch_up(debug_run: DebugRun) -> None:
    """Take a session that was cut off to what the person's tree is now, if they changed it.

    What was under way is brought to a stand first: it was begun on code that is no more. Where that
    ends in the question whether they go on from their own edits, they have answered it.
    """
    if not _edited(debug_run):
        return
    _halt(debug_run, "your files changed while the session was interrupted")
    paths, question = _edited(debug_run), debug_run.state.question
    if paths and ev.SnapshotOutdated in TRANSITIONS[debug_run.state.stage]:
        debug_run.record(ev.SnapshotOutdated(files=paths))
    elif paths and question and "investigate" in (o.word for o in question.options):
        debug_run.record(ev.QuestionAnswered(id=question.id, option="investigate"))


def _edited(debug_run: DebugRun) -> tuple[str, ...]:
    """Return the files of the person's tree that are not as the newest snapshot has them."""
    taken, repository = debug_run.state.snapshot, debug_run.repository
    if (
        taken is None
        or debug_run.state.session.base
        or debug_run.state.ended
        or debug_run.state.stage is Stage.OPENED
    ):
        return ()
    return edited_since(repository, debug_run.id, taken)


def _budget(state: State, bounds: Mapping[str, object]) -> ev.Budget | None:
    """Return what the next round may take, by these bounds and else the session's; None by those.

    Raises UsageError for a bound that is none, and where no round is about to begin.
    """
    if all(value is None for value in bounds.values()):
        return None
    typed, own = load((), {}, bounds), state.settings.budget
    if state.question is None:
        session = state.session.session_id
        raise UsageError(
            f"session {session} is not waiting, and its round keeps the limits it started with",
            hint=f"`clew resume {session}` continues without these options.",
        )
    return ev.Budget(
        seconds=typed.max_seconds or own.seconds,
        tokens=typed.max_tokens or own.tokens,
        usd=typed.max_usd or own.usd,
    )


def answer(
    sessions: ProjectSessions,
    session: str,
    option: str,
    text: str,
    watcher: Watcher,
    *,
    bounds: Mapping[str, object] = NOTHING,
    ladder: object = None,
) -> State:
    """Answer the pending question and go on; free words are guidance.

    `ladder` names other agents for the rounds that begin, as a setting does. Raises UsageError if
    that is no answer, and nothing was done, or for an agent that is gone.
    """
    with _at_work(sessions, session, watcher) as debug_run:
        event = (
            _answer(debug_run.state, option, text)
            if ladder is None
            else _handed_on(debug_run, ladder, text)
        )
        match event.option:
            case "rollback":
                return _go_back(debug_run, event.text, "")
            case "terminate":
                return _end(debug_run, event.text)
        if event.option.startswith(ev.ACCEPT):
            event = replace(event, commit=_accepted_commit(debug_run, event.option))
            _tell_of_edits(debug_run)
        if event.option in (ev.OTHER, ev.VALUE):
            event = settled(debug_run, event)
        anew = event.option in (GUIDANCE, "again", "fault") and _is_edited(debug_run)
        budget = _budget(debug_run.state, bounds)
        debug_run.record(replace(event, edited=anew, budget=budget))
        return _go_on(debug_run)


def _accepted_commit(debug_run: DebugRun, word: str) -> str:
    """Return the accepted fix with what was kept since; empty where that is the fix itself."""
    fixes = (a for a in acceptable(debug_run.state) if a.entry.acceptance == word)
    return next((with_later_progress(debug_run, attempt) for attempt in fixes), "")


def _is_edited(debug_run: DebugRun) -> bool:
    """Whether a person edited anything since the question, in their tree or in the worktree."""
    kept = debug_run.repository.ref(debug_run.id, manual_edits_ref(debug_run.state))
    head = debug_run.state.head
    return bool((kept and debug_run.repository.changed(head, kept)) or _edited(debug_run))


def roll_back(
    sessions: ProjectSessions, session: str, target: str, text: str, watcher: Watcher
) -> State:
    """Go back to a checkpoint, or an iteration by its number, and try otherwise from there.

    Raises UsageError naming the checkpoints if there is none of that name, or for an agent that is
    gone.
    """
    with _at_work(sessions, session, watcher) as debug_run:
        return _go_back(debug_run, target, text)


def _go_back(debug_run: DebugRun, target: str, text: str) -> State:
    mark = _mark(debug_run.state, target)
    _check_ladder(debug_run)
    _halt(debug_run, f"a person returns to {mark.name}")
    _tell_of_edits(debug_run)
    debug_run.record(ev.WentBack(checkpoint=mark.name, text=_words(text)))
    return drive(debug_run)


def _tell_of_edits(debug_run: DebugRun) -> None:
    """Say where what a person did in the worktree is, before it is put back."""
    state, repository, ref = (
        debug_run.state,
        debug_run.repository,
        manual_edits_ref(debug_run.state),
    )
    kept = repository.ref(debug_run.id, ref)
    waits = state.stage in (Stage.WAITING, Stage.ENDED)
    files = repository.changed(state.head, kept) if kept and waits else ()
    if kept and files:
        paths = tuple(path_text(change.path) for change in files)
        debug_run.record(ev.EditsKept(ref=ref, commit=kept, files=paths))


def terminate(sessions: ProjectSessions, session: str, watcher: Watcher) -> State:
    """End a session where it stands; all work is kept. Raises UsageError if it has ended."""
    with _at_work(sessions, session, watcher) as debug_run:
        if debug_run.state.ended:
            raise UsageError(f"session {session} has ended: {debug_run.state.status}")
        return _end(debug_run, "")


def _end(debug_run: DebugRun, text: str) -> State:
    _halt(debug_run, "a person ends it")
    if debug_run.state.stage in BEFORE_A_ROUND:
        debug_run.record(_ended_early(debug_run.state))
    drive(debug_run)
    if debug_run.state.question:
        debug_run.record(_answer(debug_run.state, "terminate", text))
    return drive(debug_run)


def _ended_early(state: State) -> ev.SessionEnded:
    return ev.SessionEnded(
        status=ev.Status.TERMINATED,
        reason=f"a person ended it before iteration {state.overall + 1}",
        known_issues=tuple(red.error for red in state.baseline.red) if state.baseline else (),
    )


def _halt(debug_run: DebugRun, reason: str) -> None:
    """Bring work under way to a stand; what an iteration had begun is rolled back, and on record.

    A change of tests that waits for a person's word has none, and is rejected.
    """
    debug_run.open_worktree()
    debug_run.halting = True
    settle(debug_run)
    asked = debug_run.state.question
    of_a_fix = not debug_run.state.by_hand
    if asked is not None and asked.kind is ev.QuestionKind.TEST_EDIT and of_a_fix:
        debug_run.record(ev.QuestionAnswered(id=asked.id, option="reject"))
    if ev.Halted in TRANSITIONS[debug_run.state.stage]:
        debug_run.record(ev.Halted(kind=ev.HaltKind.PERSON, reason=reason))
    drive(debug_run, until=lambda state: state.stage in (*BEFORE_A_ROUND, *BETWEEN, Stage.CLOSING))
    if debug_run.state.stage is Stage.CLOSING:
        debug_run.record(ev.Interrupted(reason=reason))  # so that no agent is asked for words
        drive(debug_run)


def _go_on(debug_run: DebugRun) -> State:
    """Work on; the first call of an agent is made only if there is one to be called.

    Raises UsageError, and that call is still to be made. Whatever needs no agent is done before.
    """
    drive(debug_run, until=lambda _: _next_call(debug_run) is not None)
    call = _next_call(debug_run)
    if call is None:
        return debug_run.state
    if call.role in (AgentRole.REVIEW, AgentRole.CHALLENGE):
        _check_agent(debug_run, call.agent)
    else:
        _check_ladder(debug_run)
    return drive(debug_run)


def _next_call(debug_run: DebugRun) -> ev.CallAgent | None:
    """Return the call of an agent that comes next, if that is what comes next."""
    actions = decide(debug_run.state, debug_run.clock())
    calls = (each for each in actions if isinstance(each, ev.CallAgent))
    return next((call for call in calls if call.role is not AgentRole.DOCUMENT), None)


def _check_ladder(debug_run: DebugRun) -> None:
    """Raise UsageError if no agent of the ladder is there; one of several is skipped."""
    refused: UsageError | None = None
    for name in debug_run.state.settings.agent:
        try:
            _check_agent(debug_run, name)
        except UsageError as error:
            refused = refused or error
        else:
            return
    if refused is not None:
        raise refused


def _check_agent(debug_run: DebugRun, name: str) -> None:
    try:
        agents.ready(name, debug_run.settings, debug_run.project)
    except UsageError as error:
        hint = f"{error.hint.rstrip('.')}. Then `clew resume`.".lstrip(". ")
        raise UsageError(error.message, hint=hint) from error


@contextlib.contextmanager
def _at_work(sessions: ProjectSessions, session: str, watcher: Watcher) -> Iterator[DebugRun]:
    crashpoints.check()
    with sessions.store.hold(session):
        state = load_state(sessions, session)
        debug_run = _debug_run(sessions, watcher)
        debug_run.state = state
        debug_run.project = _project_of(sessions, state)
        if state.stage in (Stage.WAITING, Stage.ENDED):
            keep_manual_edits(debug_run)
        yield debug_run


def _project_of(sessions: ProjectSessions, state: State) -> Project:
    """Return the project with the folder that the session was opened for."""
    below = Path(state.session.path).relative_to(state.session.root)
    path = sessions.project.root / below
    if not path.is_dir():
        raise UsageError(
            f"{path} is gone, where session {state.session.session_id} runs its tests",
            hint="Put it back, or start a new session with `clew fix`.",
        )
    return replace(sessions.project, path=path)


def _debug_run(sessions: ProjectSessions, watcher: Watcher) -> DebugRun:
    return DebugRun(
        project=sessions.project,
        store=sessions.store,
        journal=sessions.journal(ev.CODEC),
        repository=sessions.repository,
        watcher=watcher,
        clock=lambda: datetime.now(UTC),
    )


def check_settings(settings: Settings, project: Project) -> None:
    """Raise UsageError for what no session could be carried out with."""
    try:
        str(project.path).encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the path {str(project.path)!a} is not UTF-8", hint="Rename that folder."
        ) from error
    confinement.detect()
    crashpoints.check()
    agents.check(settings, project)
    prompts.check(settings.prompts)
    counter(settings.token_counter)
    _check_place(project)
    _check_tests(settings)
    own_folder(project.root)


def _check_tests(settings: TestSettings) -> None:
    if settings.test_command is not None:
        runners.split(settings.test_command)
    if settings.junit is not None:
        runners.pattern(settings.junit)


def _check_place(project: Project) -> None:
    """Keep Clew's own files out of what is mended."""
    folder = state_folder().resolve()
    if folder.is_relative_to(project.root) and not is_ignored(project, folder):
        raise UsageError(
            f"the state folder {folder} lies in the project, and is not ignored there",
            hint="Set CLEW_STATE_HOME to a folder outside, or let git ignore it.",
        )


def mark_of(state: State, target: str) -> RestorePoint:
    """Return a checkpoint by its name, or the number of its iteration. Raises UsageError."""
    demand_work(state)
    name = f"{ITERATION}-{target}" if target.isdecimal() else target or START
    mark = state.mark(name)
    if mark is None and any(
        target == str(e.iteration) and e.result is ev.Result.PASSING for e in state.history
    ):
        raise UsageError(
            f"nothing fails after iteration {target}", hint=f"Checkpoints: {_mark_names(state)}"
        )
    if mark is None:
        raise UsageError(
            f"there is no checkpoint {target!r}", hint=f"Checkpoints: {_mark_names(state)}"
        )
    return mark


def _mark(state: State, target: str) -> RestorePoint:
    mark = mark_of(state, target)
    if mark.kept.verdict is Verdict.PASSED:
        raise UsageError(
            f"nothing fails at the checkpoint {mark.name!r}",
            hint=f"Checkpoints: {_mark_names(state)}",
        )
    return mark


def _mark_names(state: State) -> str:
    return ", ".join(dict.fromkeys(mark.name for mark in state.marks)) or "none yet"


def _names(now: datetime, project: str) -> Iterator[str]:
    """Return ids to try: the day and the topic, then with a number."""
    return names_after(f"{now:%Y-%m-%d}-{slug(f'fix-{project}', most=40)}")


def _answer(state: State, option: str, text: str) -> ev.QuestionAnswered:
    question = state.question
    if question is None:
        raise UsageError(
            f"session {state.session.session_id} asks nothing", hint="`clew status` shows it."
        )
    words = [o.word for o in question.options]
    number = int(option) if option.isdecimal() else 0
    word = words[number - 1] if 0 < number <= len(words) else option
    if word not in words and GUIDANCE in words and " " in word.strip():
        word, text = GUIDANCE, f"{word} {text}"
    if word not in words:
        close = difflib.get_close_matches(word, words, 1)
        raise UsageError(
            f"{option!r} is not an answer to this question" if option else "the answer is missing",
            hint=(f"Did you mean {close[0]!r}? " if close else "")
            + "Answers: "
            + ", ".join(f"{n} {w}" for n, w in enumerate(words, 1)),
        )
    if word == GUIDANCE and not text.strip():
        raise UsageError(
            "the guidance text is missing",
            hint=f'clew answer {state.session.session_id} guidance "what you know"',
        )
    return ev.QuestionAnswered(id=question.id, option=word, text=_words(text).strip())


def _handed_on(debug_run: DebugRun, ladder: object, text: str) -> ev.QuestionAnswered:
    """Return the answer with which other agents go on. Raises UsageError where none can.

    An iteration that was cut off ends here: its question is how to go on.
    """
    named = load((), {}, {"agent": ladder}).agent
    settings = replace(debug_run.settings, agent=named)
    agents.check(settings, debug_run.project)
    for each in named:
        agents.ready(each, settings, debug_run.project)
    unbounded = agents.unconfined_agents(settings, debug_run.project)
    if debug_run.state.question is None and ev.Halted in TRANSITIONS[debug_run.state.stage]:
        _halt(debug_run, "a person hands it to other agents")
        if debug_run.state.stage not in BEFORE_A_ROUND:
            drive(debug_run, until=lambda state: state.question is not None)
    state, session = debug_run.state, debug_run.id
    question = state.question
    if question is None or GUIDANCE not in (option.word for option in question.options):
        raise UsageError(
            f"session {session} takes other agents only where it asks how to go on",
            hint=f"`clew fix --agent {ladder}` begins anew with them."
            if state.ended
            else f"`clew resume {session}` continues with those that it has.",
        )
    return ev.QuestionAnswered(
        id=question.id,
        option=GUIDANCE,
        text=_words(text).strip(),
        agents=named,
        unbounded=unbounded,
    )


def _words(typed: str) -> str:
    """Return what was typed as a journal can hold it: bytes that are no UTF-8 become "?"."""
    return typed.encode("utf-8", "replace").decode()
