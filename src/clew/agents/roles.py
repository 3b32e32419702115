"""What agents are asked to do: one line a role.

A role says what may be written, and in which form the answer comes. What may be written is a
request to the agent, a fact for the sandbox (nothing, or the worktree), and checked afterwards by
what git says was changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

from clew.agents.form import UsageReply
from clew.agents.replies import (
    DiagnosisReply,
    DocumentReply,
    FixReply,
    ImplementReply,
    ReviewReply,
    TestReply,
)
from clew.analysis.testfiles import is_test_config, is_test_path

__all__ = [
    "DIAGNOSE",
    "DOCUMENT",
    "FIX",
    "IMPLEMENT",
    "REVIEW",
    "ROLES",
    "WRITE_TEST",
    "R",
    "Role",
    "Writes",
]


class Telling(Protocol):
    """An answer in any role: it may tell what the call took."""

    @property
    def usage(self) -> UsageReply: ...


R = TypeVar("R", bound=Telling)


class Writes(StrEnum):
    """What a role may change."""

    NOTHING = "nothing"
    ANYTHING = "anything"  # the proof judges it, and a person where tests are changed
    TESTS = "tests"


@dataclass(frozen=True)
class Role(Generic[R]):
    """One task: its name, which is its prompt's as well, what it may change, how it answers."""

    name: str
    writes: Writes
    reply: type[R]

    @property
    def edits(self) -> bool:
        """Whether the worktree is writable, and tools that edit are offered."""
        return self.writes is not Writes.NOTHING

    def beyond(self, changed: Iterable[str]) -> tuple[str, ...]:
        """Return the changed files, by path, that the role may not change."""
        return tuple(path for path in changed if not _may(self.writes, path))


def _may(writes: Writes, path: str) -> bool:
    match writes:
        case Writes.NOTHING:
            return False
        case Writes.ANYTHING:
            return True
        case Writes.TESTS:
            return is_test_path(path) and not is_test_config(path)


DIAGNOSE = Role("diagnose", Writes.NOTHING, DiagnosisReply)
FIX = Role("fix", Writes.ANYTHING, FixReply)
REVIEW = Role("review", Writes.NOTHING, ReviewReply)
WRITE_TEST = Role("write-test", Writes.TESTS, TestReply)
DOCUMENT = Role("document", Writes.NOTHING, DocumentReply)

IMPLEMENT = Role("implement", Writes.ANYTHING, ImplementReply)

ROLES: dict[str, Role[Any]] = {
    role.name: role for role in (DIAGNOSE, FIX, REVIEW, WRITE_TEST, DOCUMENT, IMPLEMENT)
}
