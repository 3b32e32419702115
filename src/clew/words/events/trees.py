"""Events of the code: the trees that were recorded, and what tests say of them."""

from __future__ import annotations

from clew.words.events.parts import FailingTest, Flake, ProofRow, Skipped
from clew.words.events.words import Purpose
from clew.words.facts import TestCommand, Unsettled, Verdict
from clew.words.records import Event, Outcome

__all__ = [
    "SHOWN_DIFF",
    "Bisected",
    "EditsKept",
    "Proved",
    "RolledBack",
    "SnapshotOutdated",
    "SnapshotTaken",
    "TestsRan",
]

SHOWN_DIFF = 4_000  # characters of a diff in an event; the commit has all of it


class SnapshotTaken(Outcome, frozen=True, kw_only=True):
    """The person's tree is recorded as `base`, and a worktree stands on it."""

    generation: int
    base: str
    branch: str
    worktree: str
    head: str | None = None
    skipped: tuple[Skipped, ...] = ()
    carried: str | None = None  # on top of `base`: kept progress, and edits in the worktree
    by_hand: tuple[str, ...] = ()  # files that a person changed since the snapshot before
    by_hand_diff: str = ""  # the beginning of that change, as people read it
    left_behind: tuple[str, ...] = ()  # files whose kept progress excludes the person's edits
    left_in: str = ""  # the commit that has these as the person left them in the worktree
    tree: str = ""  # of `base`: the same code has the same one in every session
    unapplied: str = ""  # `base` without the session's own work that `clew apply` has put there
    # Where a baseline is known to fail, the work since is held against it, and these are set:
    tip: str = ""  # the commit to be judged: `base`, kept progress, and edits in the worktree
    touched: tuple[str, ...] = ()  # tests and test configuration that nobody approved as they are
    test_diff: str = ""  # the beginning of what changed there, as people read it
    restored: str = ""  # `tip` with these as the baseline has them
    # Where a person edited their own tree, `tip` is without kept progress, and this is set:
    together: str = ""  # kept progress as well, to be judged where `tip` alone is not green
    together_restored: str = ""  # `together` with the tests as the baseline has them
    as_before: bool = False  # with these tests it is the code that counted before
    held: tuple[int, ...] = ()  # the iterations whose changes `tip` has, and nothing else
    held_of: str = ""  # the other session whose proven fix `tip` has, and nothing else

    @property
    def ground(self) -> str:
        """The commit with a person's own work alone."""
        return self.unapplied or self.base


class SnapshotOutdated(Event, frozen=True, kw_only=True):
    """A person changed these files of theirs while the session was cut off: a snapshot is due."""

    files: tuple[str, ...]


class EditsKept(Event, frozen=True, kw_only=True):
    """Files that a person edited in the worktree meanwhile are kept under a ref."""

    ref: str
    commit: str
    files: tuple[str, ...]


class TestsRan(Outcome, frozen=True, kw_only=True):
    """A run of the tests ended; the run itself is the blob `run`."""

    purpose: Purpose
    commit: str
    verdict: Verdict
    command: TestCommand
    run: str
    selected: bool = False  # only tests that the words after -- choose
    total: int = 0
    passed: int = 0
    red: tuple[FailingTest, ...] = ()
    seconds: float = 0.0
    reason: str = ""
    infrastructure: bool = False
    misused: bool = False  # the words after -- are at fault
    sandbox: str = ""
    outcome: str = ""  # against the last kept run: see `clew.analysis.progress`
    progress: bool = False
    refused: str = ""  # why no proof would accept the change, though it is progress
    doubted: bool = False  # what refuses it is a doubt, which a person may settle
    regressions: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    set_back: tuple[str, ...] = ()  # still red, by an assertion that held before
    taken: tuple[str, ...] = ()  # red tests of the baseline that are gone or muted, and how
    left_out: int = 0  # tests of the last kept run that were not run
    why_left_out: str = ""
    flaky: tuple[str, ...] = ()  # seen red and green on the same tree
    flakes: tuple[Flake, ...] = ()  # what is known of them
    topic: str = ""  # the topic slug that this failure suggests


class Bisected(Outcome, frozen=True, kw_only=True):
    """A search for the first bad commit ended; without a `commit` the `reason` says why."""

    commit: str = ""
    reason: str = ""
    runs: int = 0
    seconds: float = 0.0


class Proved(Outcome, frozen=True, kw_only=True):
    """The proof was attempted; it counts only if every row that decides holds."""

    commit: str
    accepted: bool
    rows: tuple[ProofRow, ...]
    sandbox: str = ""
    seconds: float = 0.0
    did_not_run: str = ""
    flaky: tuple[str, ...] = ()  # seen red and green in the same checkout
    weak: bool = False  # a row that decides nothing does not hold: the tests tell little of the fix
    approved: tuple[str, ...] = ()  # files of the tests that a person let the fix change
    network: str = ""  # "open" where an agent that worked on the fix reached every host
    undecided: tuple[int, ...] = ()  # earlier iterations: another change passes in place of theirs
    undecided_told: tuple[str, ...] = ()  # in words, of each of them
    unsettled: Unsettled | None = None  # of the first of them

    @property
    def vouched(self) -> bool:
        """Whether a person settled a doubt: the fix is right."""
        return any(row.vouched for row in self.rows)

    @property
    def doubtful(self) -> bool:
        """Whether it was refused, and only by claims that a person may settle."""
        against = [row for row in self.rows if row.against]
        return bool(against) and not self.did_not_run and all(row.doubt for row in against)


class RolledBack(Outcome, frozen=True, kw_only=True):
    """The worktree stands on `commit` again."""

    iteration: int
    commit: str
