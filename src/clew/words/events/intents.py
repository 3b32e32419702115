"""Intents: what is about to be done, written down before any side effect."""

from __future__ import annotations

from clew.words.events.words import Purpose
from clew.words.records import Intent

__all__ = [
    "INTENTS",
    "AnyIntent",
    "ApplyFix",
    "Bisect",
    "Diagnose",
    "Intent",
    "Narrate",
    "Prove",
    "Review",
    "RollBack",
    "RunTests",
    "SaveCheckpoint",
    "TakeSnapshot",
    "WriteDocument",
    "WriteReport",
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


class Diagnose(Intent, frozen=True, kw_only=True):
    """Have an agent find the cause; `call` numbers the calls of the session from 1."""

    iteration: int
    agent: str
    attempt: int
    call: int
    base: str = ""  # the commit that it reads
    conversation: str = ""  # the name of it, for an agent that lets us choose one
    investigate: bool = False  # its last diagnosis was of low confidence: evidence comes first
    model: str = ""  # cheap, middle, strong, or a name; none is the agent's own


class WriteReport(Intent, frozen=True, kw_only=True):
    """Create the numbered report of an iteration."""

    iteration: int


class Review(Intent, frozen=True, kw_only=True):
    """Have a second agent read the report of an iteration before its fix is applied."""

    iteration: int
    agent: str
    attempt: int
    call: int
    base: str = ""  # as for a diagnosis
    conversation: str = ""  # as for a diagnosis
    model: str = ""  # as for a diagnosis


class ApplyFix(Intent, frozen=True, kw_only=True):
    """Have an agent carry out the recommended option, on top of `base`."""

    iteration: int
    agent: str
    attempt: int
    call: int
    base: str
    model: str = ""  # as for a diagnosis
    conversation: str = ""  # as of a diagnosis
    exact: bool = False  # no agent is asked: Clew makes the recommended edits


class Narrate(Intent, frozen=True, kw_only=True):
    """Have an agent tell what happened, and why, once the fix is proven: for the summary."""

    iteration: int
    agent: str
    attempt: int
    call: int
    base: str
    model: str = ""  # as for a diagnosis
    conversation: str = ""  # as of a diagnosis


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
    Diagnose,
    WriteReport,
    Review,
    ApplyFix,
    RollBack,
    Prove,
    SaveCheckpoint,
    WriteDocument,
    Narrate,
)

AnyIntent = (
    TakeSnapshot
    | RunTests
    | Bisect
    | Diagnose
    | WriteReport
    | Review
    | ApplyFix
    | RollBack
    | Prove
    | SaveCheckpoint
    | WriteDocument
    | Narrate
)
