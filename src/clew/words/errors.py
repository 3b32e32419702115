"""Errors that a person meets.

    ClewError                   exit  whose fault
    ├── UsageError               2    the words on the command line, or a setting
    ├── PlanInvalid              2    a plan: it cannot be carried out as it is written
    ├── TestsDidNotRun           3    the project's test infrastructure
    │   └── NoTestsFound         3    nobody: the project has none, or none that is known
    ├── SessionHeld              4    another process that is still alive
    ├── CommandNotFound          1    the machine, or the words: no such program, or not executable
    ├── AgentFailed              1    an agent: it crashed, timed out, or spoke nonsense
    ├── TransitionRefused        1    Clew: an event that the state does not admit
    ├── JournalDamaged           1    the disk, or somebody who edited the journal
    ├── GitFailed                1    git, or a repository it cannot read
    └── SandboxUnavailable       1    the machine: the kernel offers no such confinement

Every one names the thing, says what to do next, and has a page in `docs/errors/`.
"""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clew.words.facts import Usage
    from clew.words.plans import PlanFinding

__all__ = [
    "AgentFailed",
    "ClewError",
    "CommandNotFound",
    "GitFailed",
    "JournalDamaged",
    "NoTestsFound",
    "PlanInvalid",
    "SandboxUnavailable",
    "SessionHeld",
    "TestsDidNotRun",
    "TransitionRefused",
    "UsageError",
]


class ClewError(Exception):
    """Base of all: `message` names the thing, `hint` the next step."""

    exit_code: ClassVar[int] = 1
    page: ClassVar[str] = "clew-error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def whole(self) -> str:
        """What happened and what to do next, in one line."""
        join = "; " if self.hint[:1].islower() else ". "
        return f"{self.message}{join}{self.hint}" if self.hint else self.message


class UsageError(ClewError):
    """The command line or a setting cannot be carried out as written."""

    exit_code = 2
    page = "usage"


class PlanInvalid(ClewError):
    """A plan cannot be carried out as it is written; `findings` say why, each with its line."""

    exit_code = 2
    page = "plan-invalid"

    def __init__(self, name: str, findings: Sequence[PlanFinding]) -> None:
        most = 5
        told = [str(finding) for finding in findings[:most]]
        told += [f"and {len(findings) - most} more"] if len(findings) > most else []
        super().__init__(
            "\n".join([f"the plan {name} cannot be carried out:", *told]),
            hint=f"`clew plan check {quote(name)}` lists all that is wrong.",
        )
        self.findings = tuple(findings)


class TestsDidNotRun(ClewError):
    """The tests could not be run at all, so nothing is known about the code."""

    exit_code = 3
    page = "tests-did-not-run"
    __test__ = False


class NoTestsFound(TestsDidNotRun):
    """Nothing in the project says how it is tested, and no tests were found."""

    page = "no-tests-found"


class SessionHeld(ClewError):
    """A living process holds the session."""

    exit_code = 4
    page = "session-held"


class CommandNotFound(ClewError):
    """A program could not be started; `command` is its name as it was asked for."""

    page = "command-not-found"

    def __init__(self, message: str, *, command: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.command = command


class AgentFailed(ClewError):
    """An agent gave no usable answer.

    `kind` is one of those in `clew.words.retry_policy`; `after` are the seconds that it asks to be
    left alone, `usage` what the call took all the same, where that is known. `answer` is one that
    can be used, if the better one that is asked for cannot be had.
    """

    page = "agent-failed"

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        hint: str = "",
        after: float = 0.0,
        usage: Usage | None = None,
        answer: object = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.after = after
        self.usage = usage
        self.answer = answer


class TransitionRefused(ClewError):
    """The state does not admit the event; both are named."""

    page = "transition-refused"


class JournalDamaged(ClewError):
    """The journal holds something that cannot be read back."""

    page = "journal-damaged"


class GitFailed(ClewError):
    """A git command failed."""

    page = "git-failed"


class SandboxUnavailable(ClewError):
    """The machine cannot confine a process as asked."""

    page = "sandbox-unavailable"
