"""Answers about a fix: made, reviewed, tested, challenged, told."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Annotated

import msgspec

from clew.agents.form import Words
from clew.agents.replies.base import Changing, Reply
from clew.words.events import Counterexample, Opinion

__all__ = ["ChallengeReply", "DocumentReply", "FixReply", "ReviewReply", "TestReply"]


MOST = 5  # counterexamples of one answer


class FixReply(Changing, frozen=True, kw_only=True):
    """The JSON that a fixing agent prints."""

    changes_made: str | tuple[str, ...]
    files_modified: tuple[str, ...] = ()
    ready_for_testing: bool = True

    @property
    def summary(self) -> str:
        made = self.changes_made
        return made if isinstance(made, str) else "; ".join(made)

    @property
    def unready(self) -> str:
        return "" if self.ready_for_testing else f"it is not ready for testing: {self.summary}"


class ReviewReply(Reply, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The JSON that a reviewer prints."""

    verdict: Opinion
    reason: Words
    suggestion: str = ""

    def __post_init__(self) -> None:
        """Hold the reviewer to it: who objects says what to do instead, and only who objects."""
        objects = self.verdict is Opinion.SUGGEST_CHANGE
        if objects and not self.suggestion.strip():
            raise ValueError("SUGGEST_CHANGE without a suggestion")
        if not self.reason.strip():
            raise ValueError("a verdict without a reason")


class TestReply(Changing, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The JSON that an agent prints that wrote a test."""

    __test__ = False

    test_file: Words
    test_name: Words
    expects: Words


class ChallengeReply(Reply, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The JSON that an agent prints that looked for what a fix gets wrong."""

    counterexamples: tuple[Counterexample, ...] = ()

    def __post_init__(self) -> None:
        """Hold the challenger to say what they rest on, of one at least."""
        if self.counterexamples and not self.usable:
            raise ValueError("a counterexample without `file`, `words` or `test`")

    @property
    def usable(self) -> tuple[Counterexample, ...]:
        """The first few of those that say all that it takes."""
        whole = (e for e in self.counterexamples if all(map(str.strip, (e.file, e.words, e.test))))
        return tuple(itertools.islice(whole, MOST))


Short = Annotated[str, msgspec.Meta(min_length=1, max_length=1_500)]


class DocumentReply(Reply, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The JSON that an agent prints that tells of a fix."""

    what_happened: Short
    why: Short

    def __post_init__(self) -> None:
        """Hold the author to saying something."""
        if not (self.what_happened.strip() and self.why.strip()):
            raise ValueError("what happened, or why, is missing")

    def names(self, paths: Iterable[str]) -> bool:
        """Whether it names one of these files: else it tells of something else."""
        said = f"{self.what_happened} {self.why}"
        return any(PurePosixPath(path).name in said for path in paths)
