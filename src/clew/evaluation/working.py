"""One task: laid out, worked on by the driver behind `clew fix`, judged.

Runs in a process of its own, so that a cap on time is an interruption like any other: the session
notes it, its children are ended, and what it had found by then still counts.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

import msgspec

from clew import agents
from clew.analysis.spending import by_agent, tally, total
from clew.analysis.testfiles import is_test_path
from clew.evaluation.judging import Judgement, Mended, flaw, judge
from clew.evaluation.records import TaskOutcome
from clew.evaluation.suites import open_suite
from clew.evaluation.tasks import Task, Version, digest, lay, surroundings
from clew.evaluation.truth import rank, touched
from clew.flows.debugging import working
from clew.flows.debugging.localizing import localize
from clew.flows.debugging.sessions import load_state
from clew.flows.debugging.states import State
from clew.git.project import locate
from clew.journal.store import Store
from clew.sandbox.temporary import remove
from clew.sessions import ProjectSessions
from clew.words import events as ev
from clew.words import settings as settings_
from clew.words.declared import CONFIDENCES
from clew.words.errors import ClewError
from clew.words.facts import BUILT_IN, Suspect, TestCommand, Tick, Usage

__all__ = ["TaskJob", "main", "work"]

TIMEOUT, ERROR = "timeout", "error"
RANKING = 60.0  # seconds for a ranking that the session did not make


class TaskJob(msgspec.Struct, frozen=True, kw_only=True):
    """What the process is asked: a task by its suite and id, and how to work on it."""

    suite: str
    task: str
    label: str  # the suite's name in the results
    settings: dict[str, object]
    timeout: float
    seed: int
    scratch: str  # an empty folder of its own
    result: str  # where the outcome is to be written


class SessionTimeUp(KeyboardInterrupt):
    """The session's time is up."""


class Quiet:
    """Nobody looks on."""

    def saw(self, recorded: ev.Recorded, state: State) -> None:
        pass

    def tick(self, tick: Tick) -> None:
        pass


def main(path: str) -> int:
    """Carry out the job in a file; end, with all children, when whoever asked is gone."""
    job = msgspec.json.decode(Path(path).read_bytes(), type=TaskJob)
    signal.signal(signal.SIGTERM, _stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever asked
    threading.Thread(target=_follow_parent, daemon=True).start()
    try:
        outcome = work(job)
    except KeyboardInterrupt:
        with contextlib.suppress(OSError):
            remove(Path(job.scratch))
        return 130
    Path(job.result).write_bytes(msgspec.json.encode(outcome))
    return 0


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt("asked to stop")


def _follow_parent() -> None:
    """Wait for the end of standard input, which comes when the process that holds it is gone."""
    while os.read(0, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def work(job: TaskJob) -> TaskOutcome:
    """Work on one task. What goes wrong with it is its outcome, never an exception.

    A task that cannot be laid out is the suite's flaw; all else is not.
    """
    began = time.monotonic()
    try:
        task = open_suite(Path(job.suite)).task(job.task)
        root = lay(task, Version.BUGGY, Path(job.scratch) / "project")
    except ClewError as error:
        return _failed(job, error, began, flaw=error.message)
    try:
        return TaskBench(job, task, root).outcome()
    except ClewError as error:
        return _failed(job, error, began)


def _failed(job: TaskJob, error: ClewError, began: float, flaw: str = "") -> TaskOutcome:
    return TaskOutcome(
        suite=job.label,
        task=job.task,
        end=ERROR,
        note=error.whole,
        flaw=flaw,
        seconds=time.monotonic() - began,
        usage=used(State()),
    )


class TaskBench:
    """One task on its workbench."""

    def __init__(self, job: TaskJob, task: Task, root: Path) -> None:
        self.job = job
        self.task = task
        self.scratch = Path(job.scratch)
        self.root = root
        self.sessions = ProjectSessions(locate(self.root), Store(self.scratch / "state"))
        given = {"test_command": task.test_command} if task.test_command else {}
        self.settings = settings_.load((self.root,), {}, {**given, **job.settings})
        self.note = ""

    def outcome(self) -> TaskOutcome:
        """Have the session, then judge what it leaves."""
        task = self.task
        with surroundings(task, self.root):
            began = time.monotonic()
            state, end = self.session()
            seconds = time.monotonic() - began
            plausible = end == ev.Status.GREEN and state.proof is not None and state.proof.accepted
            judgement = Judgement(correct=False, method="tests are not green with proof")
            found = ""
            if plausible:
                judgement = self.judge(state)
            if end == ev.Status.NOTHING_TO_DO:
                found = "no test is red before the fix"
            elif judgement.correct is not True and state.baseline is not None:
                found = self.flaw(state.baseline.command)
            if plausible and found:  # what the right version does is no measure then
                judgement = Judgement(correct=None, method=f"unknown: {found}")
            suspects, ranking = self.suspects(state)
        truth = touched(
            {p: t for p, t in task.buggy.items() if not is_test_path(p)},
            {p: t for p, t in task.fixed.items() if not is_test_path(p)},
        )
        line_rank, file_rank = rank(suspects or (), truth)
        last = state.history[-1] if state.history else None
        return TaskOutcome(
            suite=self.job.label,
            task=task.id,
            digest=digest(task),
            kind=task.kind,
            end=end,
            note=self.note or ("" if plausible else last.note if last else question(state)),
            flaw=found,
            plausible=plausible,
            correct=judgement.correct,
            method=judgement.method,
            witness=judgement.witness,
            iteration=state.overall if plausible else None,
            iterations=state.overall,
            agent=last.agent if last and plausible else "",
            confidence=confidence(state) if plausible else "",
            red=len(state.baseline.red) if state.baseline else None,
            total=state.baseline.total if state.baseline else None,
            line_rank=line_rank,
            file_rank=file_rank,
            suspects=None if suspects is None else len(suspects),
            ranking=ranking,
            truth=tuple(f"{p}:{n}" for p in sorted(truth) for n in sorted(truth[p])),
            seconds=round(seconds, 3),
            judged=round(time.monotonic() - began - seconds, 3),
            usage=used(state),
            diff=self.diff(state),
            sandbox=state.baseline.sandbox if state.baseline else "",
        )

    def session(self) -> tuple[State, str]:
        """Have one session, as `clew fix` does; return where it stands, and how it ended."""
        agents.check(self.settings, self.sessions.project)
        end = ""
        try:
            with _alarm(self.job.timeout):
                words = self.task.runner_args  # of a task these are the suite
                state = working.start(
                    self.sessions, self.settings, Quiet(), words, only=bool(words)
                )
                return state, state.status.value
        except SessionTimeUp:
            end, self.note = TIMEOUT, f"the session's {self.job.timeout:g} s were up"
        except ClewError as error:
            end, self.note = ERROR, error.whole
        known = self.sessions.listing()
        return (load_state(self.sessions, known[0].session) if known else State()), end

    def judge(self, state: State) -> Judgement:
        """Compare the session's fix with the right version."""
        session, base = state.session.session_id, given_base(state)
        changed = {c.path for c in self.sessions.repository.changed(base, state.head)}
        texts = {
            path: self.text(state.head, path)
            for path in sorted(changed | self.task.buggy.keys() | self.task.fixed.keys())
        }
        run = state.baseline
        if run is None:
            return Judgement(correct=None, method="unknown: no test run")
        mended = Mended(
            project=self.sessions.project,
            tree=self.sessions.repository.pristine(session, "judged", state.head),
            texts=texts,
            command=run.command,
        )
        scratch = self.scratch / "judging"
        scratch.mkdir()
        return judge(self.task, mended, scratch=scratch, seed=self.job.seed)

    def flaw(self, command: TestCommand) -> str:
        """Say what is wrong with the task itself, if something is."""
        scratch = self.scratch / "right"
        scratch.mkdir()
        try:
            return flaw(self.task, self.sessions.project, command, scratch=scratch)
        except ClewError as error:
            return f"the right version cannot be tested: {error}"

    def text(self, commit: str, path: str) -> str | None:
        content = self.sessions.repository.show(commit, path)
        return None if content is None else content.decode("utf-8", "surrogateescape")

    def suspects(self, state: State) -> tuple[Sequence[Suspect] | None, str]:
        """Return the first ranking of the session, else one of our own; None if there is none."""
        for diagnosed in state.diagnoses:
            if diagnosed.suspects:
                return diagnosed.suspects, "session"
        try:
            with _alarm(min(self.job.timeout, RANKING)):
                return localize(self.sessions, self.settings, self.task.runner_args)[1], "localize"
        except (ClewError, SessionTimeUp) as error:
            self.note = self.note or f"no ranking: {error}"
            return None, ""

    def diff(self, state: State) -> str:
        if state.snapshot is None or state.head == state.snapshot.base:
            return ""
        return self.sessions.repository.diff(state.snapshot.base, state.head)


def given_base(state: State) -> str:
    """Return the commit that the session began with."""
    if state.snapshot is None:
        raise ClewError("a session that ended green has no snapshot")
    return state.snapshot.base


def question(state: State) -> str:
    """Return what a person is asked, or why nobody is; nothing if that is plain."""
    if state.question is None:
        return state.ended.reason if state.ended else ""
    return state.question.text


def confidence(state: State) -> str:
    """Return how sure the diagnoses are that a fix stands on: the least counts."""
    last = {told.iteration: told.diagnosis.confidence for told in state.diagnoses}
    found = [last[n] for n in last if n in state.helped]
    return min(found, key=CONFIDENCES.index, default="")


def used(state: State) -> Usage:
    """Add up tokens and money of all calls; a sum with an unknown part is unknown.

    The built-in repairer asks no model: its calls are free. Nothing is known of a call that was
    under way when the time was up.
    """
    calls = [*by_agent(state.usages).values()]
    if getattr(state.doing, "agent", BUILT_IN) != BUILT_IN:
        calls.append(tally(Usage()))
    taken = total(calls)
    return Usage(
        input=None if taken.untold else taken.input,
        output=None if taken.untold else taken.output,
        cached=None if taken.untold else taken.cached,
        usd=None if taken.unpriced else taken.usd,
    )


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Interrupt the block when its time is up, as Ctrl-C would. Raises TimeUp."""

    def ring(_number: int, _frame: FrameType | None) -> NoReturn:
        raise SessionTimeUp("time is up")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
