"""What happens in a session, as frozen records.

A session is the list of these, in order; nothing else about it is true. Two kinds of record carry
the work: an *intent* (`Started` with what is about to be done) stands before every side effect, an
*outcome* after it. A record is valid once built, knows nothing of time or place, and is never
changed: a new meaning is a new version, and `upcast` leads the old one to it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from clew.errors import JournalDamaged
from clew.facts import Diagnosis, Suspect, TestCommand, Usage, Verdict
from clew.settings import Cap, Price

__all__ = [
    "INTENTS",
    "SCHEMA_VERSION",
    "Abandoned",
    "AgentErred",
    "ApplyFix",
    "Approval",
    "Bisect",
    "Bisected",
    "Budget",
    "CheckpointSaved",
    "ConversationBegan",
    "Diagnose",
    "Diagnosed",
    "DocumentWritten",
    "EditsKept",
    "Event",
    "FixApplied",
    "Flake",
    "FlakeKind",
    "HaltKind",
    "Halted",
    "Intent",
    "Interrupted",
    "IterationBegan",
    "IterationEnded",
    "Opinion",
    "OptionOffered",
    "ProofRow",
    "Prove",
    "Proved",
    "Purpose",
    "QuestionAnswered",
    "QuestionAsked",
    "QuestionKind",
    "Recorded",
    "Red",
    "ReportWritten",
    "Result",
    "Review",
    "Reviewed",
    "RollBack",
    "RolledBack",
    "RoundBegan",
    "RunTests",
    "RungPassed",
    "SaveCheckpoint",
    "SessionEnded",
    "SessionOpened",
    "Skipped",
    "SnapshotTaken",
    "Started",
    "Status",
    "TakeSnapshot",
    "TestsRan",
    "WentBack",
    "WriteDocument",
    "WriteReport",
    "decode",
    "encode",
    "type_of",
]

SCHEMA_VERSION = 2


class _Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    pass


# --- words -------------------------------------------------------------------------------------


class Purpose(StrEnum):
    """Why tests are run."""

    BASELINE = "baseline"
    RECHECK = "recheck"  # the red ones once more, alone: is one of them a flake?
    VERIFY = "verify"
    CARRIED = "carried"  # what a person did by hand, and what was kept before


class Result(StrEnum):
    """How an iteration ended, in the words of the history."""

    PASSING = "Tests passing"
    FAILING = "Still failing"
    FEWER = "Fewer errors"
    DIFFERENT = "Different errors"
    REGRESSION = "Regression, rolled back"
    BROKEN = "Tests could not run, rolled back"
    TAMPERING = "Tests were edited, rolled back"
    UNPROVEN = "Proof refused, rolled back"
    NO_FIX = "No fix proposed"
    AGENT_FAILED = "Agent failed"
    HALTED = "Halted, rolled back"
    REPEATED = "Same change again, not tried"


class Status(StrEnum):
    """How a session stands, for people and programs."""

    RUNNING = "running"
    WAITING = "waiting"  # a question is pending
    GREEN = "green"
    NOTHING_TO_DO = "nothing_to_do"
    SKIPPED = "skipped"
    TERMINATED = "terminated"


class QuestionKind(StrEnum):
    """Why a person is needed."""

    ESCALATION = "escalation"
    INFRASTRUCTURE = "infrastructure"
    FLAKY = "flaky"
    TEST_EDIT = "test_edit"  # a fix changes tests that the diagnosis calls wrong


class FlakeKind(StrEnum):
    """What turns a flaky test, as far as it was shown."""

    ORDER = "order"  # which tests ran before it
    TIME = "time"  # the clock
    RANDOM = "random"  # chance: the seed, or it ends both ways under equal conditions
    UNKNOWN = "unknown"


class Opinion(StrEnum):
    """What a reviewer says of a proposal."""

    LOOKS_GOOD = "LOOKS_GOOD"
    SUGGEST_CHANGE = "SUGGEST_CHANGE"


class HaltKind(StrEnum):
    """Why a round is left before its last iteration."""

    BUDGET = "budget"
    SCOPE = "scope"  # the cause lies where no edit of the code reaches
    PERSON = "person"
    AGENT = "agent"  # no agent can be called before a person has acted
    REPORT = "report"  # no agent gave a diagnosis that can be used


# --- intents: what is about to be done -----------------------------------------------------------


class Intent(_Record, frozen=True, kw_only=True, tag_field="do", tag=True):
    """A side effect, by what identifies it."""


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
)


# --- parts of outcomes ---------------------------------------------------------------------------


class Skipped(_Record, frozen=True, kw_only=True):
    """A file that the snapshot left out, and why."""

    path: str
    reason: str
    bytes: int = 0


class Red(_Record, frozen=True, kw_only=True):
    """A red test in brief: its id, the normalised fingerprint and one line of error."""

    id: str
    fingerprint: str
    error: str


class Flake(_Record, frozen=True, kw_only=True):
    """What an examination found out about a test that was seen red and green on the same code."""

    test: str
    kind: FlakeKind
    evidence: str  # under which conditions it was red and green, and how often
    after: str = ""  # the test that makes it red by running before it
    runs: int = 0  # in trials of the examination
    red: int = 0
    counts: bool = False  # red in the suite and alone, time and again: it has its say all the same


class ProofRow(_Record, frozen=True, kw_only=True):
    """One claim of the proof, what was measured, and whether it holds.

    A claim that does not decide may fail: then it says how strong the proof is.
    """

    claim: str
    measured: str
    holds: bool
    decides: bool = True


class Approval(_Record, frozen=True, kw_only=True):
    """A file of the tests that a person lets a fix change: as it is in `commit`."""

    path: str
    commit: str


class Budget(_Record, frozen=True, kw_only=True):
    """What may be spent until a person is asked; None is without bound."""

    seconds: float | None = None  # of agents, tests and proofs
    tokens: int | None = None  # in and out
    usd: float | None = None


class OptionOffered(_Record, frozen=True, kw_only=True):
    """An answer to a question: the word to answer with, what it does, the command that does it."""

    word: str
    text: str
    command: str
    available: bool = True


# --- events: what happened -----------------------------------------------------------------------


class Event(_Record, frozen=True, kw_only=True, tag_field="type", tag=True):
    """Base of all events."""


class SessionOpened(Event, frozen=True, kw_only=True):
    """A session starts; what is settled here holds for its whole life."""

    session_id: str
    clew_version: str
    root: str
    path: str
    goal: str
    agents: tuple[str, ...]
    cap: int  # iterations in a round
    agent_retries: int
    on_invalid_report: str = "escalate"  # or fail_iteration
    test_command: str | None = None
    junit: str | None = None  # where it writes JUnit's XML
    runner_args: tuple[str, ...] = ()
    timeout: float = 600.0
    test_timeout: float = 60.0
    search_seconds: float = 60.0
    agent_timeout: float = 600.0
    agent_idle_timeout: float = 300.0
    longest_wait: float = 900.0  # seconds that an agent's rate limit is waited for
    retry_wait: float = 0.5  # seconds before a busy agent is called again; they double
    memory: float = 8.0  # GB
    network: bool = False
    pass_env: tuple[str, ...] = ()
    agent_hosts: tuple[str, ...] = ()  # that agents may call beside those of their own
    allow_unenforced: bool = False  # agents may diagnose where nothing keeps them from writing
    commands: dict[str, str] = {}
    prices: dict[str, Price] = {}
    base_urls: dict[str, str] = {}
    budget: Budget = Budget()  # of a round
    iteration_budget: Budget = Budget()
    context_tokens: int = 50_000  # that no prompt exceeds
    token_counter: str = "estimate"  # noqa: S105 - no secret
    bisect: bool = False  # look for the first bad commit before the first diagnosis
    review: str = ""  # the agent that reads a proposal before it is applied
    profile: str = "inherit"  # which models agents are asked to use
    models: dict[str, str] = {}  # by role, before the profile
    ladder: dict[str, Cap] = {}  # by agent
    prompts: dict[str, str] = {}  # a person's own templates, by role
    settings: dict[str, str] = {}  # where each value came from, for people


class Started(Event, frozen=True, kw_only=True):
    """A side effect is about to happen."""

    intent: AnyIntent


class ConversationBegan(Event, frozen=True, kw_only=True):
    """An agent told the name by which it goes on with a call that is cut off."""

    call: int
    agent: str
    conversation: str


class EditsKept(Event, frozen=True, kw_only=True):
    """Files that a person edited in the worktree meanwhile are kept under a ref."""

    ref: str
    commit: str
    files: tuple[str, ...]


class Abandoned(Event, frozen=True, kw_only=True):
    """A side effect that was cut off did not happen, or was undone."""

    intent: AnyIntent
    reason: str
    seconds: float = 0.0  # from its start to the last sign of life


class SnapshotTaken(Event, frozen=True, kw_only=True):
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
    tree: str = ""  # of `base`: the same code has the same one in every session


class TestsRan(Event, frozen=True, kw_only=True):
    """A run of the tests ended; the run itself is the blob `run`."""

    purpose: Purpose
    commit: str
    verdict: Verdict
    command: TestCommand
    run: str
    total: int = 0
    passed: int = 0
    red: tuple[Red, ...] = ()
    seconds: float = 0.0
    reason: str = ""
    infrastructure: bool = False
    sandbox: str = ""
    outcome: str = ""  # against the last kept run: see `clew.progress`
    progress: bool = False
    regressions: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    left_out: int = 0  # tests of the last kept run that were not run
    why_left_out: str = ""
    flaky: tuple[str, ...] = ()  # seen red and green on the same tree
    flakes: tuple[Flake, ...] = ()  # what is known of them
    topic: str = ""  # the topic slug that this failure suggests


class Bisected(Event, frozen=True, kw_only=True):
    """A search for the first bad commit ended; without a `commit` the `reason` says why."""

    commit: str = ""
    reason: str = ""
    runs: int = 0
    seconds: float = 0.0


class RoundBegan(Event, frozen=True, kw_only=True):
    """The debugging loop is entered, at first or by a person's answer after an escalation."""

    number: int
    cap: int
    topic: str


class IterationBegan(Event, frozen=True, kw_only=True):
    """The counter moves: here and nowhere else."""

    number: int  # within the round, from 1
    overall: int  # over all rounds, from 1


class Diagnosed(Event, frozen=True, kw_only=True):
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


class AgentErred(Event, frozen=True, kw_only=True):
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


class RungPassed(Event, frozen=True, kw_only=True):
    """An agent of the ladder is not asked, since its cap is reached; the next one has its turn."""

    iteration: int
    agent: str
    reason: str


class ReportWritten(Event, frozen=True, kw_only=True):
    """The report of the iteration stands in the project."""

    iteration: int
    number: int
    path: str


class Reviewed(Event, frozen=True, kw_only=True):
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


class FixApplied(Event, frozen=True, kw_only=True):
    """A fix is committed in the worktree; without a commit nothing was changed."""

    iteration: int
    agent: str
    summary: str
    commit: str | None
    files: tuple[str, ...] = ()
    patch: str = ""  # hash of the change, to know a repeat by
    edits: str = ""  # hash of the edits that were recommended
    beyond: tuple[str, ...] = ()  # of them those that the recommendation does not name
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


class RolledBack(Event, frozen=True, kw_only=True):
    """The worktree stands on `commit` again."""

    iteration: int
    commit: str


class IterationEnded(Event, frozen=True, kw_only=True):
    """The verdict on an iteration: one entry of the history."""

    iteration: int  # overall
    result: Result
    report: str | None = None
    root_cause: str = ""
    fix_attempted: str = ""
    agent: str = ""
    model: str = ""  # that the agent was asked to use
    commit: str | None = None
    patch: str = ""
    progress: bool = False
    new_errors: tuple[str, ...] = ()
    note: str = ""
    escalation_reason: str = ""
    files: tuple[str, ...] = ()
    seconds: float = 0.0  # of agents and tests
    red_before: int | None = None
    red_after: int | None = None
    total: int | None = None  # tests in the run after the fix

    @property
    def worker(self) -> str:
        """Who worked on it, with the model that was asked for."""
        named = not self.model or self.model in self.agent.split(":")
        return self.agent if named else f"{self.agent} ({self.model})"


class Proved(Event, frozen=True, kw_only=True):
    """The proof was attempted; it counts only if every row that decides holds."""

    commit: str
    accepted: bool
    rows: tuple[ProofRow, ...]
    sandbox: str = ""
    seconds: float = 0.0
    did_not_run: str = ""
    flaky: tuple[str, ...] = ()  # seen red and green in the same checkout
    weak: bool = False  # tests do not notice small changes of the fixed lines
    approved: tuple[str, ...] = ()  # files of the tests that a person let the fix change
    network: str = ""  # "open" where an agent that worked on the fix reached every host


class CheckpointSaved(Event, frozen=True, kw_only=True):
    """State, events so far and tree are kept under `name`."""

    name: str
    commit: str
    path: str


class Halted(Event, frozen=True, kw_only=True):
    """The round is left before its cap; an iteration under way ends unfinished."""

    kind: HaltKind
    reason: str


class WentBack(Event, frozen=True, kw_only=True):
    """A person chose another approach, from a checkpoint on; `text` is their words, and data."""

    checkpoint: str
    text: str = ""


class QuestionAsked(Event, frozen=True, kw_only=True):
    """A person is needed; any face can answer, now or after a restart."""

    id: str
    kind: QuestionKind
    text: str
    options: tuple[OptionOffered, ...]


class QuestionAnswered(Event, frozen=True, kw_only=True):
    """A person's answer; `text` is their words, and data."""

    id: str
    option: str
    text: str = ""


class DocumentWritten(Event, frozen=True, kw_only=True):
    """A document for people stands at `path`."""

    kind: str
    path: str
    anchor: str = ""  # the place in it


class Interrupted(Event, frozen=True, kw_only=True):
    """The process was told to stop; nothing is lost."""

    reason: str


class SessionEnded(Event, frozen=True, kw_only=True):
    """Nothing more is to be done, unless a person reopens the session."""

    status: Status
    reason: str = ""
    known_issues: tuple[str, ...] = ()


AnyEvent = (
    SessionOpened
    | Started
    | ConversationBegan
    | EditsKept
    | Abandoned
    | SnapshotTaken
    | TestsRan
    | Bisected
    | RoundBegan
    | IterationBegan
    | Diagnosed
    | AgentErred
    | RungPassed
    | ReportWritten
    | Reviewed
    | FixApplied
    | RolledBack
    | IterationEnded
    | Proved
    | CheckpointSaved
    | Halted
    | WentBack
    | QuestionAsked
    | QuestionAnswered
    | DocumentWritten
    | Interrupted
    | SessionEnded
)


class Recorded(_Record, frozen=True, kw_only=True):
    """An event in its place: `seq` counts from 1 without gaps, `at` is UTC."""

    session: str
    seq: int
    at: datetime
    event: AnyEvent


# --- on disk -------------------------------------------------------------------------------------

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]

UPCASTERS: dict[tuple[str, int], Upcaster] = {}
"""(type, version it was written with) → a function to the next version's fields."""

_EVENT_TYPES: dict[str, type[Event]] = {cls.__name__: cls for cls in Event.__subclasses__()}
_encoder = msgspec.json.Encoder()
_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


def type_of(event: Event) -> str:
    """Name of the event's type, as it stands in the journal."""
    return type(event).__name__


def encode(event: Event) -> bytes:
    """JSON of an event; `decode` gives it back equal."""
    return _encoder.encode(event)


def decode(body: bytes, version: int, written_by: str = "") -> AnyEvent:
    """Read an event of any version up to this one.

    Raises JournalDamaged for an unknown type or a newer version (naming the Clew that wrote it)
    and for anything that is not an event.
    """
    try:
        if version == SCHEMA_VERSION:
            return _decoder.decode(body)
        fields = msgspec.json.decode(body, type=dict[str, Any])
        if version > SCHEMA_VERSION:
            raise JournalDamaged(
                f"event {fields.get('type', '?')!r} was written by a newer Clew"
                f" ({written_by or f'schema {version}'})",
                hint="Open this session with that version; nothing was changed.",
            )
        for step in range(version, SCHEMA_VERSION):
            upcast = UPCASTERS.get((str(fields.get("type")), step))
            fields = upcast(fields) if upcast else fields
        return msgspec.convert(fields, AnyEvent)  # type: ignore[no-any-return]
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise JournalDamaged(
            f"an event cannot be read: {error}",
            hint="`clew recover` builds the journal anew from its checkpoints.",
        ) from error
