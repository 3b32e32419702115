"""What gates say: whether a result counts, and what it was measured by."""

from __future__ import annotations

from enum import StrEnum

from clew.words.facts import Fact

__all__ = ["GateCommand", "GateFinding", "GateKind", "GateResult", "GateStatus"]


class GateStatus(StrEnum):
    """What a gate says: what did not run is never a pass."""

    PASS = "pass"  # noqa: S105 - no password
    WARN = "warn"
    FAIL = "fail"
    DID_NOT_RUN = "did_not_run"


class GateKind(StrEnum):
    """What a gate asks about."""

    BLOCKED = "blocked"
    CHANGES = "changes"
    DECLARED = "declared"
    SCOPE = "scope"
    CONFIGURATION = "configuration"
    SECRETS = "secrets"
    LINT = "lint"
    TYPES = "types"
    BUILD = "build"
    TESTS = "tests"
    PROJECT = "project"  # a gate of the settings that is none of the others
    CRITERIA = "criteria"


class GateCommand(Fact, frozen=True, kw_only=True):
    """A gate that is a command, as the project or the settings have it."""

    name: str
    kind: GateKind
    argv: tuple[str, ...] = ()
    folder: str = ""  # where it runs, relative to the root
    source: str = ""  # the file that says so; `settings`
    definition: str = ""  # what the source says of it, to be compared
    required: bool = True  # False for one that the project does not ask for in so many words
    unread: str = ""  # why the command is not known, in words for a person


class GateFinding(Fact, frozen=True, kw_only=True):
    """One thing that a gate complains of; without a path it is about the whole."""

    path: str = ""
    line: int = 0  # 0 where it is about the whole file
    text: str = ""

    @property
    def place(self) -> str:
        """The path, with the line where there is one."""
        return f"{self.path}:{self.line}" if self.line else self.path


class GateResult(Fact, frozen=True, kw_only=True):
    """What one gate says of a commit."""

    name: str
    kind: GateKind
    status: GateStatus
    summary: str = ""  # one line for a person; what to do next where it did not run
    command: tuple[str, ...] = ()  # empty where nothing was started
    seconds: float = 0.0
    output: str = ""  # head and tail
    output_key: str = ""  # of all of it, in the store's blobs
    findings: tuple[GateFinding, ...] = ()
    failing: tuple[str, ...] = ()  # tests, by their ids
    required: bool = True  # whether a result counts only once this gate has run
    awaits_person: bool = False  # did not run, since a person decides
