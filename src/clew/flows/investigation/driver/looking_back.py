"""The symptom elsewhere: on older commits, and with input that works, its calls side by side."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clew import runners
from clew.analysis.bisecting import (
    Among,
    CommitVerdict,
    FoundCommit,
    Good,
    NoGood,
    TryCommit,
    answer,
    halve,
    look_back,
)
from clew.analysis.partings import FollowedCall, by_value, by_way, same_ways
from clew.analysis.programs import ProgramKind, PythonProgram, python_program
from clew.analysis.testfiles import is_test_path
from clew.flows.investigation.decisions.looking_back import History, HistoryEnd, LookedBack
from clew.flows.investigation.driver.reproducing import checked_out, run_on
from clew.flows.investigation.states import DebugState
from clew.git.worktrees import path_text
from clew.runners.command import program_of
from clew.runners.commands import recognise
from clew.sessions.run import SessionRun
from clew.words.errors import UsageError
from clew.words.facts import CaseOutcome, Runner, TestCommand, TestRun, Tick
from clew.words.oracles import ending_of, shows
from clew.words.papers import is_paper
from clew.words.test_ids import home_of

__all__ = ["ByCommand", "ByTests", "Symptom", "looked_back"]

LONGEST = 4_000  # first parents that are looked back
PYTEST = "pytest"


@dataclass(kw_only=True)
class Symptom(ABC):
    """What shows the symptom, and can be run on any commit."""

    run: SessionRun[DebugState]
    base: str
    shown: str  # in words

    @abstractmethod
    def tried(self, commit: str) -> CommitVerdict:
        """Say whether a commit shows it."""

    @property
    @abstractmethod
    def program(self) -> PythonProgram | None:
        """The program that fails, if it is Python's."""

    @property
    @abstractmethod
    def working(self) -> tuple[str, PythonProgram | None]:
        """The same with input that works: in words, and the program."""

    def calls(self, commit: str, program: PythonProgram | None) -> tuple[FollowedCall, ...]:
        """Follow a program on a commit; nothing of it where it is none of Python's."""
        if program is None:
            return ()
        run, settings, command = self.run, self.run.state.settings, self.command
        seen: tuple[FollowedCall, ...] = ()
        with checked_out(run, commit) as worktree:
            site = runners.site_for(run.project, worktree, command, settings, run.scratch)
            python = command.interpreter or program_of(recognise(command.argv), site)
            if python:
                seen = runners.followed(site, python, program, run.scratch, settings.timeout)
        return tuple(call for call in seen if not is_test_path(call.path))

    @property
    @abstractmethod
    def command(self) -> TestCommand:
        """Return the command whose interpreter runs the program."""


@dataclass(kw_only=True)
class ByCommand(Symptom):
    """A command that shows it each time."""

    argv: tuple[str, ...]

    def tried(self, commit: str) -> CommitVerdict:
        """Run it; an ending of another kind says nothing, as the command may be new."""
        end, state = run_on(self.run, commit, self.argv), self.run.state
        if end.exit_code is None:
            return CommitVerdict.BROKEN
        if not shows(state.symptoms, end.exit_code, end.output):
            return CommitVerdict.BROKEN if end.exit_code else CommitVerdict.GOOD
        seen = state.reproduced
        alike = seen is None or (
            ending_of(seen.tail) == ending_of(end.output)
            and bool(seen.exit_code) == bool(end.exit_code)
        )
        return CommitVerdict.BAD if alike else CommitVerdict.BROKEN

    @property
    def program(self) -> PythonProgram | None:
        return python_program(self.argv)

    @property
    def working(self) -> tuple[str, PythonProgram | None]:
        said = self.run.state.working
        try:
            return f"`{said}`", python_program(runners.split(said)) if said else None
        except UsageError:
            return "", None

    @property
    def command(self) -> TestCommand:
        return TestCommand(runner=Runner.COMMAND, argv=self.argv)


@dataclass(kw_only=True)
class ByTests(Symptom):
    """Tests of the project that fail."""

    seen: TestRun
    tests: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.tests = tuple(result.id for result in self.seen.red)

    def tried(self, commit: str) -> CommitVerdict:
        """Run them, as the commit has them."""
        run, settings, command = self.run, self.run.state.settings, self.command
        request = runners.Request(
            only=self.tests,
            extra=run.state.session.runner_args,
            timeout=settings.timeout,
            test_timeout=settings.test_timeout,
        )
        homes = {home_of(test) for test in self.tests}
        with checked_out(run, commit) as worktree:
            site = runners.site_for(run.project, worktree, command, settings, run.scratch)
            seen = runners.run(site, command, request, run.scratch).run
            places = (worktree / run.project.subdir, worktree)
            present = any((place / home).is_file() for place in places for home in homes)
        return answer(seen, self.tests, present=present)

    @property
    def program(self) -> PythonProgram | None:
        return self._pytest(self.tests[0])

    @property
    def working(self) -> tuple[str, PythonProgram | None]:
        """Return a test of the same file that passes."""
        home = home_of(self.tests[0])
        passed = [each.id for each in self.seen.results if each.outcome is CaseOutcome.PASSED]
        same = next((test for test in passed if home_of(test) == home), "")
        return (f"the test {same}", self._pytest(same)) if same else ("", None)

    def _pytest(self, test: str) -> PythonProgram | None:
        if self.seen.command.runner is not Runner.PYTEST:
            return None
        args = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=", test)
        return PythonProgram(kind=ProgramKind.MODULE, name=PYTEST, args=args)

    @property
    def command(self) -> TestCommand:
        return self.seen.command


def looked_back(symptom: Symptom, seconds: float) -> LookedBack:
    """Search the history for what brought it, and follow its calls; `seconds` for the search."""
    run = symptom.run
    run.watcher.tick(Tick(phase="debug", text="the history is searched"))
    history = _searched(symptom, seconds)
    run.watcher.tick(Tick(phase="debug", text="its calls are followed"))
    values = None
    failing = symptom.calls(symptom.base, symptom.program)
    if history is not None and history.good and failing:
        before = symptom.calls(history.good, symptom.program)
        values = by_value(before, symptom.calls(history.commit, symptom.program))
    words, program = symptom.working
    works = symptom.calls(symptom.base, program) if failing else ()
    return LookedBack(
        history=history,
        values=values,
        ways=by_way(works, failing),
        alike=bool(works) and same_ways(works, failing),
        working=words,
        calls=_raising(failing),
    )


def _raising(calls: Sequence[FollowedCall]) -> tuple[FollowedCall, ...]:
    """Return the calls that the exception went through that ended it, the innermost first."""
    at = len(calls)
    while at and calls[at - 1].raised and calls[at - 1].raised == calls[-1].raised:
        at -= 1
    return tuple(calls[at:])


def _searched(symptom: Symptom, seconds: float) -> History | None:
    """Find the first commit that shows it; None where there is no history."""
    repository, base = symptom.run.repository, symptom.base
    line = repository.first_parents(base, LONGEST)
    if len(line) < 2:  # noqa: PLR2004 - the tree as it is, and a commit before it
        return None
    answers = {base: CommitVerdict.BAD}
    until = time.monotonic() + seconds
    while True:
        match _next(symptom, line, answers):
            case TryCommit(commit=commit) if time.monotonic() < until:
                answers[commit] = symptom.tried(commit)
            case TryCommit():
                oldest = _oldest(line, answers)
                return _history(symptom, HistoryEnd.OUT_OF_TIME, len(answers), oldest)
            case NoGood(oldest=oldest, before=before):
                end = HistoryEnd.AMONG if before else HistoryEnd.ALWAYS
                return _history(symptom, end, len(answers), oldest)
            case Among(commits=commits):
                return _history(symptom, HistoryEnd.AMONG, len(answers), commits[0])
            case FoundCommit(commit=commit):
                return _history(symptom, HistoryEnd.FOUND, len(answers), commit)


def _next(
    symptom: Symptom, line: Sequence[str], answers: Mapping[str, CommitVerdict]
) -> TryCommit | NoGood | FoundCommit | Among:
    looked = look_back(line, answers)
    if not isinstance(looked, Good):
        return looked
    between = symptom.run.repository.between(looked.good, looked.bad)
    return halve(between, looked.bad, answers)


def _oldest(line: Sequence[str], answers: Mapping[str, CommitVerdict]) -> str:
    return [each for each in line if answers.get(each) is CommitVerdict.BAD][-1]


def _history(symptom: Symptom, end: HistoryEnd, tried: int, commit: str) -> History:
    repository = symptom.run.repository
    files: tuple[str, ...] = ()
    good = subject = ""
    if end is HistoryEnd.FOUND:
        said = repository.described(commit)
        subject, good = said.subject, said.parents[0] if said.parents else ""
        paths = (path_text(c.path) for c in repository.changed(repository.before(commit), commit))
        files = tuple(path for path in paths if not is_test_path(path) and not is_paper(path))
    if end is HistoryEnd.FOUND and _is_of_a_fix(symptom):
        end = HistoryEnd.FIXED
    elif end is HistoryEnd.FOUND and commit == symptom.base != symptom.run.state.head:
        end, subject = HistoryEnd.UNCOMMITTED, ""
    return History(
        end=end,
        shown=symptom.shown,
        tried=tried,
        commit=commit,
        good=good,
        subject=subject,
        files=files,
    )


def _is_of_a_fix(symptom: Symptom) -> bool:
    """Whether a fix of this session shows it first: the code that it began with does not."""
    return any(
        symptom.tried(made.before) is CommitVerdict.GOOD
        and symptom.tried(made.commit) is CommitVerdict.BAD
        for made in symptom.run.state.made
    )
