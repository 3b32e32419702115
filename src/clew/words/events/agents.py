"""Events of agents: what they were asked, what they answered, and what it cost."""

from __future__ import annotations

from clew.words.events.parts import Skipped
from clew.words.events.words import GitSideEffect, Opinion
from clew.words.facts import Diagnosis, Edit, Suspect, Usage
from clew.words.records import Event, Outcome

__all__ = [
    "AgentErred",
    "ConversationBegan",
    "Diagnosed",
    "FixApplied",
    "Narrated",
    "ReportWritten",
    "Reviewed",
    "RungPassed",
]


class ConversationBegan(Event, frozen=True, kw_only=True):
    """An agent told the name by which it goes on with a call that is cut off."""

    call: int
    agent: str
    conversation: str


class Diagnosed(Outcome, frozen=True, kw_only=True):
    """An agent gave a diagnosis; `proposes` says whether it knows a fix."""

    iteration: int
    agent: str
    diagnosis: Diagnosis
    proposes: bool
    suspects: tuple[Suspect, ...] = ()
    usage: Usage = Usage()
    seconds: float = 0.0
    prompt: str = ""  # blob
    reply: str = ""  # blob
    context: str = ""  # blob: the account of what of the project the prompt shows
    reach: str = ""  # blob: which tests run which lines, where they were traced
    model: str = ""  # that was asked for
    wording: str = ""  # the version of the prompt's template
    strays: tuple[GitSideEffect, ...] = ()  # what it did with git by itself


class AgentErred(Outcome, frozen=True, kw_only=True):
    """An agent failed; the iteration counter does not move."""

    iteration: int
    role: str
    agent: str
    kind: str
    message: str
    seconds: float = 0.0
    prompt: str = ""  # blob
    context: str = ""  # blob, as of a diagnosis
    usage: Usage = Usage()
    after: float = 0.0  # seconds that it asked to be left alone
    model: str = ""  # that was asked for
    wording: str = ""  # as of a diagnosis
    strays: tuple[GitSideEffect, ...] = ()  # as of a diagnosis
    draft: Diagnosed | None = None  # that can be used, if the better one that is asked for lacks
    exact: bool = False  # as of a fix


class RungPassed(Event, frozen=True, kw_only=True):
    """An agent of the ladder is not asked, since its cap is reached; the next one has its turn."""

    iteration: int
    agent: str
    reason: str


class ReportWritten(Outcome, frozen=True, kw_only=True):
    """The report of the iteration stands in the project."""

    iteration: int
    number: int
    path: str
    dispute: str = ""  # how the failing tests contradict each other, or what else is asked


class Reviewed(Outcome, frozen=True, kw_only=True):
    """A second agent has read the report; what it suggests is told to the fixer, as data."""

    iteration: int
    agent: str
    opinion: Opinion
    reason: str
    suggestion: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    prompt: str = ""  # blob
    reply: str = ""  # blob
    context: str = ""  # blob, as of a diagnosis
    model: str = ""  # that was asked for
    wording: str = ""  # as of a diagnosis
    strays: tuple[GitSideEffect, ...] = ()  # as of a diagnosis


class FixApplied(Outcome, frozen=True, kw_only=True):
    """A fix is committed in the worktree; without a commit nothing was changed."""

    iteration: int
    agent: str
    summary: str
    commit: str | None
    files: tuple[str, ...] = ()
    patch: str = ""  # hash of the change, to know a repeat by
    edits: str = ""  # hash of the edits that were recommended
    diff: str = ""  # the beginning of the change, unless it is those edits and nothing else
    beyond: tuple[str, ...] = ()  # of them those that the recommendation does not name
    left_out: tuple[Edit, ...] = ()  # of the recommended edits those that it does not make
    tampering: tuple[str, ...] = ()  # test files and test configuration that it touched
    consult: bool = False  # the diagnosis says that these are wrong: a person is asked
    test_diff: str = ""  # the beginning of what it changed there, as people read it
    usage: Usage = Usage()
    seconds: float = 0.0
    prompt: str = ""  # blob
    reply: str = ""  # blob
    context: str = ""  # blob, as of a diagnosis
    model: str = ""  # that was asked for
    wording: str = ""  # as of a diagnosis
    strays: tuple[GitSideEffect, ...] = ()  # as of a diagnosis
    skipped: tuple[Skipped, ...] = ()  # that the commit does not hold, though it was made
    exact: bool = False  # Clew made the recommended edits itself, and called nobody


class Narrated(Outcome, frozen=True, kw_only=True):
    """An agent has told what happened, and why; the summary says so in its name."""

    iteration: int
    agent: str
    commit: str  # that it tells of
    what_happened: str
    why: str
    usage: Usage = Usage()
    seconds: float = 0.0
    prompt: str = ""  # blob
    reply: str = ""  # blob
    context: str = ""  # blob, as of a diagnosis
    model: str = ""  # that was asked for
    wording: str = ""  # as of a diagnosis
    strays: tuple[GitSideEffect, ...] = ()  # as of a diagnosis
