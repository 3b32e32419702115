"""Events of agents: what they were asked, what they answered, and what it cost."""

from __future__ import annotations

from clew.words.events.parts import Counterexample, Skipped
from clew.words.events.words import Opinion
from clew.words.facts import Diagnosis, Edit, Suspect
from clew.words.records import AgentFailure, AgentOutcome, ConversationBegan, Event, Outcome

__all__ = [
    "AgentErred",
    "CallOutcome",
    "Challenged",
    "ConversationBegan",
    "Diagnosed",
    "FixApplied",
    "Narrated",
    "ReportWritten",
    "Reviewed",
    "RungPassed",
]


class Diagnosed(AgentOutcome, frozen=True, kw_only=True):
    """An agent gave a diagnosis; `proposes` says whether it knows a fix."""

    iteration: int
    diagnosis: Diagnosis
    proposes: bool
    suspects: tuple[Suspect, ...] = ()
    reach: str = ""  # blob: which tests run which lines, where they were traced


class AgentErred(AgentFailure, frozen=True, kw_only=True, tag=True):
    """An agent failed; the iteration counter does not move."""

    iteration: int
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


class Reviewed(AgentOutcome, frozen=True, kw_only=True):
    """A second agent has read the report; what it suggests is told to the fixer, as data."""

    iteration: int
    opinion: Opinion
    reason: str
    suggestion: str = ""


class FixApplied(AgentOutcome, frozen=True, kw_only=True):
    """A fix is committed in the worktree; without a commit nothing was changed."""

    iteration: int
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
    skipped: tuple[Skipped, ...] = ()  # that the commit does not hold, though it was made
    exact: bool = False  # Clew made the recommended edits itself, and called nobody


class Challenged(AgentOutcome, frozen=True, kw_only=True):
    """An agent has looked for what a fix gets wrong; the proof tries what it says."""

    iteration: int
    commit: str  # the fix
    counterexamples: tuple[Counterexample, ...] = ()


class Narrated(AgentOutcome, frozen=True, kw_only=True):
    """An agent has told what happened, and why; the summary says so in its name."""

    iteration: int
    commit: str  # that it tells of
    what_happened: str
    why: str


CallOutcome = Diagnosed | Reviewed | FixApplied | Challenged | AgentErred | Narrated
