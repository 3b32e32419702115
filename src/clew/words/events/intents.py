"""Intents: what is about to be done, written down before any side effect."""

from __future__ import annotations

from typing import TypeGuard

from clew.words.events.words import Purpose
from clew.words.models import AgentRole
from clew.words.records import AgentCall, Intent

__all__ = [
    "INTENTS",
    "AnyIntent",
    "Bisect",
    "CallAgent",
    "Intent",
    "Prove",
    "RollBack",
    "RunTests",
    "SaveCheckpoint",
    "TakeSnapshot",
    "WriteDocument",
    "WriteReport",
    "calls",
]


class TakeSnapshot(Intent, frozen=True, kw_only=True):
    """Record the person's tree as it is now and open a worktree on it."""

    generation: int


class RunTests(Intent, frozen=True, kw_only=True):
    """Run the tests on a commit; all of them, or `only` these, those of `first` in that order."""

    purpose: Purpose
    commit: str
    only: tuple[str, ...] = ()
    first: tuple[str, ...] = ()


class Bisect(Intent, frozen=True, kw_only=True):
    """Look for the first bad commit."""

    commit: str


class CallAgent(AgentCall, frozen=True, kw_only=True, tag=True):
    """Have an agent find the cause, read what is proposed, carry it out, or tell of it."""

    iteration: int
    investigate: bool = False  # its last diagnosis was of low confidence: evidence comes first
    exact: bool = False  # of a fix: no agent is asked, Clew makes the recommended edits


class WriteReport(Intent, frozen=True, kw_only=True):
    """Create the numbered report of an iteration."""

    iteration: int


class RollBack(Intent, frozen=True, kw_only=True):
    """Put the worktree back to a commit."""

    iteration: int
    commit: str


class Prove(Intent, frozen=True, kw_only=True):
    """Show in a pristine checkout that the fix holds, and that it is the fix."""

    commit: str


class SaveCheckpoint(Intent, frozen=True, kw_only=True):
    """Keep state, events and tree under a name."""

    name: str


class WriteDocument(Intent, frozen=True, kw_only=True):
    """Write the summary, the escalation message, or what a proven fix taught."""

    kind: str


INTENTS: tuple[type[Intent], ...] = (
    TakeSnapshot,
    RunTests,
    Bisect,
    CallAgent,
    WriteReport,
    RollBack,
    Prove,
    SaveCheckpoint,
    WriteDocument,
)

AnyIntent = (
    TakeSnapshot
    | RunTests
    | Bisect
    | CallAgent
    | WriteReport
    | RollBack
    | Prove
    | SaveCheckpoint
    | WriteDocument
)


def calls(intent: object, role: AgentRole) -> TypeGuard[CallAgent]:
    """Whether an intent is to call an agent in a role."""
    return isinstance(intent, CallAgent) and intent.role is role
