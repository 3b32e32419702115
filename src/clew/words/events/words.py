"""The words of events: each a closed choice, spelled as it stands in the journal."""

from __future__ import annotations

from enum import StrEnum

from clew.words.facts import GitSideEffect

__all__ = [
    "ACCEPT",
    "OTHER",
    "VALUE",
    "FlakeKind",
    "GitSideEffect",
    "HaltKind",
    "Opinion",
    "Purpose",
    "QuestionKind",
    "Result",
    "Status",
]


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
    NOT_DONE = "Proposed, not carried out"
    AGENT_FAILED = "Agent failed"
    HALTED = "Halted, rolled back"
    REPEATED = "Same change again, not tried"


ACCEPT = "accept"  # the word of the answer that settles a doubt; `accept-2` names an iteration
OTHER, VALUE = "other", "value"  # answers to which of two changes is right: that one, or by a test


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
    TEST_EDIT = "test_edit"  # a fix changes tests that the diagnosis calls wrong, or a person did
    UNPROVEN = "unproven"  # what a person did by hand turns the tests green, and is not proven


class FlakeKind(StrEnum):
    """What turns a flaky test, as far as it was shown."""

    ORDER = "order"  # which tests ran before it
    TIME = "time"  # the clock
    RANDOM = "random"  # chance: the seed, or it ends both ways under equal conditions
    UNKNOWN = "unknown"
    PERHAPS = "perhaps"  # red each time, and not often enough to rule out that it is flaky


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
    EXHAUSTED = "exhausted"  # the agent that is left would know no more if it were asked again
