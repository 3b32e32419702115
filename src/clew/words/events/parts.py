"""The records that stand inside events."""

from __future__ import annotations

from clew.words.events.words import FlakeKind
from clew.words.facts import Fact

__all__ = [
    "CHALLENGED",
    "ELSEWHERE",
    "SETTLED",
    "Approval",
    "Counterexample",
    "FailingTest",
    "Flake",
    "OptionOffered",
    "ProofRow",
    "Skipped",
]

SETTLED = "the tests settle which change is right"  # a claim that a person may have to settle
CHALLENGED = "a challenger shows no test that it fails"
ELSEWHERE = "where no test looks, it changes"  # what a person reads, and nothing decides


class Skipped(Fact, frozen=True, kw_only=True):
    """A file that the snapshot left out, and why."""

    path: str
    reason: str
    bytes: int = 0


class FailingTest(Fact, frozen=True, kw_only=True):
    """A red test in brief: its id, the normalised fingerprint and one line of error, to show."""

    id: str
    fingerprint: str
    error: str
    file: bool = False  # a file of tests that could not be loaded: how many it has is not known


class Flake(Fact, frozen=True, kw_only=True):
    """What is known of a test that was seen red and green on the same code, or perhaps would be."""

    test: str
    kind: FlakeKind
    evidence: str  # under which conditions it was red and green, and how often
    after: str = ""  # the test that makes it red by running before it
    runs: int = 0  # in trials of the examination
    red: int = 0
    counts: bool = False  # red in the suite and alone, time and again: it has its say all the same


class ProofRow(Fact, frozen=True, kw_only=True):
    """One claim of the proof, what was measured, and whether it holds.

    A claim that does not decide may fail: then it says how strong the proof is. One that could not
    be tested stands in nobody's way, and counts for nothing. Where a claim that is a `doubt` fails,
    a right fix may look like that as well: a person may settle it.
    """

    claim: str
    measured: str
    holds: bool
    decides: bool = True
    tested: bool = True
    doubt: bool = False
    vouched: bool = False  # a person settled the doubt: the fix is right

    @property
    def against(self) -> bool:
        """Whether it refuses the fix."""
        return self.decides and not self.holds and not self.vouched

    @property
    def refusal(self) -> str:
        """In words that it does not hold, and what was measured instead."""
        return f'"{self.claim}" does not hold: {self.measured}'


class Counterexample(Fact, frozen=True, kw_only=True):
    """A test that a fix is said to fail, and the words of the project that ask for it."""

    file: str  # that the words stand in
    words: str
    test: str  # a whole file, with one test
    why: str = ""


class Approval(Fact, frozen=True, kw_only=True):
    """A file of the tests that a person lets a fix change: as it is in `commit`."""

    path: str
    commit: str


class OptionOffered(Fact, frozen=True, kw_only=True):
    """An answer to a question: the word to answer with, what it does, the command that does it."""

    word: str
    text: str
    command: str
    available: bool = True
