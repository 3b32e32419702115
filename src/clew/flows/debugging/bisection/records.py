"""What is asked of a search for the first bad commit, and what it has learned."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from pathlib import Path

import msgspec

from clew.analysis.bisecting import CommitVerdict, FirstBad
from clew.words.facts import Fact, TestCommand

__all__ = ["BisectRequest", "Bisection", "BisectionEnd", "Step", "known", "read"]


class BisectRequest(Fact, frozen=True, kw_only=True):
    """What is asked for; revisions as the person names them."""

    good: str | None = None
    bad: str | None = None
    tests: tuple[str, ...] = ()  # by default all that fail
    runner_args: tuple[str, ...] = ()
    present_tests: bool = False  # put today's test files into each commit


class Step(Fact, frozen=True, kw_only=True):
    """One run of the failing tests, on one commit."""

    commit: str
    answer: CommitVerdict
    red: tuple[str, ...] = ()
    unimported: tuple[str, ...] = ()  # of today's tests: those that import what is not there
    reason: str = ""  # why they did not run
    present_tests: bool = False  # with today's test files
    seconds: float = 0.0


class BisectionEnd(StrEnum):
    """How a search ended."""

    FOUND = "found"
    AMONG = "among"  # all but one of these commits cannot run
    UNCOMMITTED = "uncommitted"  # the fault is not in any commit
    PASSING = "passing"  # nothing fails
    FLAKY = "flaky"  # red, then green on the same code
    NO_GOOD = "no_good"  # no commit was found in which the tests pass
    GOOD_IS_BAD = "good_is_bad"  # they fail in the commit that was named as good
    GOOD_IS_SILENT = "good_is_silent"  # or cannot run there


class Bisection(Fact, frozen=True, kw_only=True):
    """A search, and all that it has learned so far."""

    wish: BisectRequest
    path: str  # the folder that was named, as seen from the root
    head: str
    base: str  # the tree as it is now, as a commit
    bad: str
    good: str | None = None
    dirty: bool = False
    present_tests: bool = False  # as wished, or since the tests themselves are not committed
    command: TestCommand | None = None
    tests: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    end: BisectionEnd | None = None
    first_bad: FirstBad | None = None
    commits: tuple[str, ...] = ()  # that it may be; or the files that are not committed
    oldest: str = ""  # the oldest commit that is known to be bad
    before: str = ""  # the one before it that says nothing
    shallow: bool = False
    updated: datetime | None = None

    @property
    def answers(self) -> dict[str, CommitVerdict]:
        return {step.commit: step.answer for step in self._counted}

    @property
    def runs(self) -> int:
        """How often the failing tests were run."""
        return len(self.steps)

    def step(self, commit: str) -> Step | None:
        return next((step for step in self._counted if step.commit == commit), None)

    @property
    def _counted(self) -> tuple[Step, ...]:
        """The steps that were made with the test files that the search goes by."""
        return tuple(step for step in self.steps if step.present_tests == self.present_tests)


def known(folder: Path) -> tuple[Bisection, ...]:
    """Return the searches of a store's folder that came to an end, newest first."""
    found = [search for path in folder.glob("bisections/*.json") if (search := read(path))]
    ended = [search for search in found if search.end is not None and search.updated is not None]
    return tuple(sorted(ended, key=lambda search: str(search.updated), reverse=True))


def read(path: Path) -> Bisection | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Bisection)
    except (OSError, msgspec.DecodeError):
        return None  # of another version, or nobody's: it is found out anew
