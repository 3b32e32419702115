"""The records that documents are rendered from: plain fields, no behaviour.

Times are aware datetimes; paths are relative to the project's root; commits are full names.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from clew.analysis.spending import Tally
from clew.words.events import Flake, ProofRow, QuestionAsked
from clew.words.facts import Edit, Fact
from clew.words.phases import OverallStatus, PhaseRecord

__all__ = [
    "FileChange",
    "HandworkView",
    "IterationView",
    "LogLine",
    "ProofView",
    "ReportMeta",
    "SessionView",
    "SummaryMeta",
]


class IterationView(Fact, frozen=True, kw_only=True):
    """One finished iteration: an entry of the history."""

    number: int  # over all rounds, from 1
    result: str
    report_path: str | None = None
    root_cause: str = ""
    path: str = ""  # that it pointed at; empty for none
    line: int | None = None
    fix_attempted: str = ""
    new_errors: tuple[str, ...] = ()  # that were left after it
    fresh: tuple[str, ...] = ()  # of them those that were not there before it
    progress: bool = False  # its changes helped, and still stand
    taken_back: bool = False  # they helped, and stand no longer
    commit: str | None = None
    agent: str = ""
    seconds: float = 0.0
    red_before: int | None = None
    red_after: int | None = None
    total: int | None = None  # tests in the run after the fix
    files: tuple[str, ...] = ()  # that the fix changed
    ignored: tuple[str, ...] = ()  # that it made, and git ignores
    upstream: str = ""  # what has to be done first, elsewhere
    proposed: str = ""  # the option that was recommended
    edits: tuple[Edit, ...] = ()  # of that option, where known
    carried_out: bool = True  # whether that option was applied
    exhausted: bool = False  # its author would know no more of that place
    open: bool = False  # a person changed something since, or went back from a mere doubt
    made: tuple[Edit, ...] = ()  # of its edits
    diff: str = ""  # the beginning of what was changed, where that is not those edits
    note: str = ""
    round: int = 1
    code: str = ""  # that it was made on, where the code became another one since


class HandworkView(Fact, frozen=True, kw_only=True):
    """What a person changed between two iterations, and what tests said of the code then."""

    after: int  # iterations of the session
    files: tuple[str, ...] = ()
    diff: str = ""  # the beginning of it
    fresh: tuple[str, ...] = ()  # errors since
    green: tuple[str, ...] = ()  # tests that are red no more


class ProofView(Fact, frozen=True, kw_only=True):
    """What was measured before green was claimed."""

    rows: tuple[ProofRow, ...] = ()
    accepted: bool = False
    sandbox: str = ""
    network: str = ""  # of the agents that worked on the fix
    commit: str = ""
    seconds: float = 0.0
    did_not_run: str = ""
    weak: bool = False  # a row that decides nothing does not hold
    approved: tuple[str, ...] = ()  # files of the tests that a person let the fix change

    @property
    def vouched(self) -> bool:
        """Whether a person settled a doubt: the fix is right."""
        return any(row.vouched for row in self.rows)


class LogLine(Fact, frozen=True, kw_only=True):
    """One line of the session's log."""

    at: datetime
    text: str


class SessionView(Fact, frozen=True, kw_only=True):
    """A session as documents show it."""

    session_id: str
    created: datetime
    updated: datetime
    status: OverallStatus
    project: str
    goal: str
    design_document: str | None = None
    implementation_plan: str | None = None
    current_phase: int | str | None = 1
    total_phases: int = 1
    spent: dict[str, Tally] = msgspec.field(default_factory=dict)  # by agent
    phases: tuple[PhaseRecord, ...] = ()
    iteration: int = 0  # of the running round
    cap: int = 3
    topic: str = ""
    iterations: tuple[IterationView, ...] = ()
    reports: tuple[str, ...] = ()
    strays: tuple[str, ...] = ()  # what agents did with git by themselves, one line each
    outcome: str = ""  # green, waiting, skipped, terminated …
    branch: str = ""
    test_command: str = ""
    flaky: tuple[str, ...] = ()
    flakes: tuple[Flake, ...] = ()  # what is known of them
    known_issues: tuple[str, ...] = ()
    question: QuestionAsked | None = None
    ended: str = ""  # the reason, where there is one
    checkpoints: tuple[str, ...] = ()
    proof: ProofView | None = None
    summary: str | None = None  # path of the workflow summary
    log: tuple[LogLine, ...] = ()


class ReportMeta(Fact, frozen=True, kw_only=True):
    """What stands in a report beside the diagnosis."""

    date: datetime
    number: int
    topic: str
    created_by: str  # the agent's name
    workflow: str  # the session's goal
    session_id: str = ""
    failed_phase: str = "1"
    iteration: int = 1  # over all rounds
    cap: int = 3
    round: int = 1
    counter: int = 1  # iterations of the round
    status: str = "Root Cause Identified"
    severity: str = "High"
    resolution: str = "pending"
    resolved: datetime | None = None
    symptoms: tuple[str, ...] = ()  # errors of the run, one line each
    total: int | None = None  # tests in the run
    red: int | None = None
    failed: str = ""  # how the red tests ended, in words
    output: str = ""  # of the failing tests, as the runner printed it
    environment: tuple[str, ...] = ()  # "Python 3.12.1", "pytest 8.3", "sandbox: namespace"
    command: str = ""  # that reproduces the failure
    commit: str = ""
    start: str = ""  # where a person begins from to see it, in words
    cause: str = ""  # the second axis, in words
    facts: tuple[str, ...] = ()  # what was known before anybody was asked
    flaky: tuple[str, ...] = ()
    history: tuple[IterationView, ...] = ()
    related: tuple[str, ...] = ()  # paths of other reports of the round


class FileChange(Fact, frozen=True, kw_only=True):
    """One line of a diff stat."""

    path: str
    added: int
    removed: int
    deleted: bool = False
    recommended: bool = True


class Narrative(Fact, frozen=True, kw_only=True):
    """What happened, in an agent's words; without words, why there are none."""

    teller: str
    what_happened: str = ""
    why: str = ""
    silence: str = ""


class SummaryMeta(Fact, frozen=True, kw_only=True):
    """What stands in a workflow summary beside the session."""

    date: datetime
    number: int = 1
    original_errors: tuple[str, ...] = ()
    left: tuple[str, ...] = ()  # errors on the code that counts at the end
    red_before: int | None = None
    red_after: int | None = None
    passed: int | None = None  # at the end
    total: int | None = None  # tests of the suite, at the end
    taken: tuple[str, ...] = ()  # red tests that are gone or muted
    solvers: tuple[str, ...] = ()  # who made the changes that helped
    by_hand: tuple[str, ...] = ()  # files that a person mended last, before it was proven
    chosen: str = ""  # a change of Clew's that a person took in another's place, in words
    in_place: bool = False  # the person's own files hold all of it
    artifacts: tuple[str, ...] = ()  # what is left of it, and where
    knowledge: str = ""  # path of the knowledge base, if it has an entry of this
    lesson: str = ""  # the entry's name
    story: Narrative | None = None  # if an agent was asked for it
    changes: tuple[FileChange, ...] = ()
    diff: str = ""
    seconds: float = 0.0
    candidates_tried: int | None = None
    lessons: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()  # what the diagnoses of what helped leave open
