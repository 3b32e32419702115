"""What happens in a session, as frozen records.

A session is the list of these, in order; nothing else about it is true. Two kinds of record carry
the work: an *intent* (`Started` with what is about to be done) stands before every side effect, an
*outcome* after it. A record is valid once built, knows nothing of time or place, and is never
changed: a new meaning is a new version, and `upcast` leads the old one to it.
"""

from clew.events.agents import (
    AgentErred,
    ConversationBegan,
    Diagnosed,
    FixApplied,
    Narrated,
    ReportWritten,
    Reviewed,
    RungPassed,
)
from clew.events.intents import (
    INTENTS,
    AnyIntent,
    ApplyFix,
    Bisect,
    Diagnose,
    Intent,
    Narrate,
    Prove,
    Review,
    RollBack,
    RunTests,
    SaveCheckpoint,
    TakeSnapshot,
    WriteDocument,
    WriteReport,
)
from clew.events.parts import Approval, Budget, Flake, OptionOffered, ProofRow, Red, Skipped
from clew.events.persons import QuestionAnswered, QuestionAsked, WentBack
from clew.events.rounds import CheckpointSaved, Halted, IterationBegan, IterationEnded, RoundBegan
from clew.events.session import (
    Abandoned,
    DocumentWritten,
    Event,
    Interrupted,
    SessionEnded,
    SessionOpened,
    Started,
)
from clew.events.trees import Bisected, EditsKept, Proved, RolledBack, SnapshotTaken, TestsRan
from clew.events.wire import SCHEMA_VERSION, AnyEvent, Recorded, decode, encode, type_of
from clew.events.words import FlakeKind, HaltKind, Opinion, Purpose, QuestionKind, Result, Status

__all__ = [
    "INTENTS",
    "SCHEMA_VERSION",
    "Abandoned",
    "AgentErred",
    "AnyEvent",
    "AnyIntent",
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
    "Narrate",
    "Narrated",
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
