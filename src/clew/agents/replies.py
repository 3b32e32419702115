"""What an agent says, read strictly.

A reply is JSON: the whole text, else a fenced block, else the outermost braces, else the last
balanced ones. Anything else is no answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, TypeVar

import msgspec

from clew.agents.form import Change, DiagnosisReply, UsageReply, Words, as_diagnosis, edits
from clew.words.errors import AgentFailed
from clew.words.events import Opinion

__all__ = [
    "Changing",
    "DiagnosisReply",
    "DocumentReply",
    "FixReply",
    "ImplementReply",
    "Reply",
    "ReviewReply",
    "TestReply",
    "as_diagnosis",
    "edits",
    "parse",
]

T = TypeVar("T")
FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL)


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What every agent may say beside its answer."""

    usage: UsageReply = UsageReply()


class Changing(Reply, frozen=True, kw_only=True):
    """An answer with changes, which are carried out by Clew."""

    changes: tuple[Change, ...] = ()

    @property
    def unready(self) -> str:
        """Why nothing is to be carried out; empty if there is no such reason."""
        return ""


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


class ImplementReply(Changing, frozen=True, kw_only=True):
    """The JSON that an implementer prints."""

    status: Literal["done", "blocked"]
    summary: Words
    files_modified: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    concerns: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()
    downstream_context: dict[str, Any] = msgspec.field(default_factory=dict)

    def __post_init__(self) -> None:
        """Hold the implementer to it: who is blocked says by what."""
        if self.status == "blocked" and not any(map(str.strip, self.blockers)):
            raise ValueError("blocked without a blocker")


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


Short = Annotated[str, msgspec.Meta(min_length=1, max_length=1_500)]


class DocumentReply(Reply, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The JSON that an agent prints that tells of a fix."""

    what_happened: Short
    why: Short

    def __post_init__(self) -> None:
        """Hold the author to saying something."""
        if not (self.what_happened.strip() and self.why.strip()):
            raise ValueError("nothing is said of what happened, or of why")

    def names(self, paths: Iterable[str]) -> bool:
        """Whether it names one of these files: else it tells of something else."""
        said = f"{self.what_happened} {self.why}"
        return any(PurePosixPath(path).name in said for path in paths)


def parse(text: str, kind: type[T]) -> T:
    """Read a reply. Raises AgentFailed (invalid_output) saying what is wrong with it, and where."""
    problem = ""
    for candidate in _candidates(text):
        try:
            return msgspec.json.decode(candidate, type=kind)
        except msgspec.ValidationError as error:
            problem = problem or str(error)  # the widest that is JSON: parts of it are no better
        except (msgspec.DecodeError, RecursionError):
            continue
    problem = problem or "it holds no JSON object"
    raise AgentFailed(f"the reply is not usable: {problem}", kind="invalid_output")


def _candidates(text: str) -> Iterator[str]:
    yield text.strip()
    yield from FENCE.findall(text)
    first, last = text.find("{"), text.rfind("}")
    if 0 <= first < last:
        yield text[first : last + 1]
    yield from _last_balanced(text)


def _last_balanced(text: str) -> Iterator[str]:
    """Yield the last object that stands whole in the text, its strings read as such."""
    decoder, found, at = json.JSONDecoder(), "", text.find("{")
    while at >= 0:
        try:
            end = decoder.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found = text[at:end]
        at = text.find("{", end)
    if found:
        yield found
