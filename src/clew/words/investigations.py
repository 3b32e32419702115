"""What an investigator of a symptom comes back with: one record a kind of return.

A return is valid once it is built: the record that its kind needs is there, and no other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Annotated

import msgspec

from clew.words.debug_sessions import CurrentFocus, Eliminated, EvidenceEntry, Reasoning
from clew.words.facts import Fact

__all__ = [
    "SKILLS",
    "CheckpointReached",
    "FileIssue",
    "FixClaim",
    "Inconclusive",
    "Investigation",
    "Returned",
    "RootCause",
    "SpecialistHint",
    "WaitsFor",
    "hint_of",
]

_TEST = re.compile(r"[^-\s][^\x00-\x1f]{0,500}")  # a word for the test runner, and no option
Said = Annotated[str, msgspec.Meta(min_length=1)]


class Returned(StrEnum):
    """What an investigator comes back with."""

    ROOT_CAUSE_FOUND = "root_cause_found"
    DEBUG_COMPLETE = "debug_complete"  # it is fixed already: what a person did by hand
    CHECKPOINT_REACHED = "checkpoint_reached"  # only a person can go on
    INCONCLUSIVE = "inconclusive"
    CONTINUE_REQUIRED = "continue_required"  # it ran out of room, and not of ideas


class WaitsFor(StrEnum):
    """What a person is needed for."""

    VERIFY = "human-verify"
    ACTION = "human-action"
    DECISION = "decision"


class SpecialistHint(StrEnum):
    """Which specialist could review a fix, by language or framework."""

    TYPESCRIPT = "typescript"
    REACT = "react"
    SWIFT = "swift"
    SWIFT_CONCURRENCY = "swift_concurrency"
    PYTHON = "python"
    RUST = "rust"
    GO = "go"
    IOS = "ios"
    ANDROID = "android"
    GENERAL = "general"


_BY_SUFFIX: Mapping[str, SpecialistHint] = {
    ".ts": SpecialistHint.TYPESCRIPT,
    ".tsx": SpecialistHint.REACT,
    ".jsx": SpecialistHint.REACT,
    ".swift": SpecialistHint.SWIFT,
    ".py": SpecialistHint.PYTHON,
    ".rs": SpecialistHint.RUST,
    ".go": SpecialistHint.GO,
    ".kt": SpecialistHint.ANDROID,
    ".java": SpecialistHint.ANDROID,
}
_ASYNC = re.compile(r"\b(?:async|await|actor|MainActor|Sendable|concurrency)\b", re.IGNORECASE)


def hint_of(files: Iterable[str], said: str = "") -> SpecialistHint:
    """Return the specialist for most of the files; what is `said` of them may name concurrency."""
    known = Counter(
        hint for file in files if (hint := _BY_SUFFIX.get(PurePosixPath(file).suffix.lower()))
    )
    hint = known.most_common(1)[0][0] if known else SpecialistHint.GENERAL
    if hint is SpecialistHint.SWIFT and _ASYNC.search(said):
        return SpecialistHint.SWIFT_CONCURRENCY
    return hint


SKILLS: Mapping[SpecialistHint, str] = {
    SpecialistHint.TYPESCRIPT: "typescript-expert",
    SpecialistHint.REACT: "typescript-expert",
    SpecialistHint.SWIFT: "swift-agent-team",
    SpecialistHint.SWIFT_CONCURRENCY: "swift-concurrency",
    SpecialistHint.PYTHON: "python-expert-best-practices-code-review",
    SpecialistHint.IOS: "ios-debugger-agent",
    SpecialistHint.GENERAL: "engineering:debug",
}
"""The skill that a specialist is asked to use, by hint; none for the others."""


class FileIssue(Fact, frozen=True, kw_only=True):
    """A file that the cause involves, and what is wrong there."""

    file: Said
    issue: str = ""


class RootCause(Fact, frozen=True, kw_only=True):
    """Why the symptom comes about, and which way a fix lies."""

    root_cause: Said
    files: tuple[FileIssue, ...] = ()
    fix_direction: Said
    specialist_hint: SpecialistHint = SpecialistHint.GENERAL
    failing_tests: tuple[str, ...] = ()  # that show it, as the runner names them
    reasoning: Reasoning = Reasoning()  # one that lacks something sends it back to investigating

    @property
    def specialist(self) -> SpecialistHint:
        """The specialist for it: as the hint says; where that is general, by its files."""
        if self.specialist_hint is not SpecialistHint.GENERAL:
            return self.specialist_hint
        return hint_of(
            [each.file for each in self.files], f"{self.root_cause} {self.fix_direction}"
        )


class FixClaim(Fact, frozen=True, kw_only=True):
    """The symptom is gone, and why: a claim, which a person confirms."""

    root_cause: Said
    fix: Said
    verification: Said
    files_changed: tuple[str, ...] = ()
    commit: str = ""


class CheckpointReached(Fact, frozen=True, kw_only=True):
    """What only a person can do, see or decide."""

    type: WaitsFor
    details: Said
    progress: str = ""
    awaiting: str = ""


class Inconclusive(Fact, frozen=True, kw_only=True):
    """No cause was found: what was looked at, and what is left."""

    checked: Annotated[tuple[Said, ...], msgspec.Meta(min_length=1)]
    remaining: tuple[str, ...] = ()
    recommendation: str = ""


_NEEDED: Mapping[Returned, str] = {
    Returned.ROOT_CAUSE_FOUND: "root_cause",
    Returned.DEBUG_COMPLETE: "completed",
    Returned.CHECKPOINT_REACHED: "checkpoint",
    Returned.INCONCLUSIVE: "inconclusive",
}


class Investigation(Fact, frozen=True, kw_only=True):
    """One return: what was found and ruled out on the way, what is thought now, and the outcome."""

    returned: Returned
    focus: CurrentFocus
    evidence: tuple[EvidenceEntry, ...] = ()
    eliminated: tuple[Eliminated, ...] = ()
    root_cause: RootCause | None = None
    completed: FixClaim | None = None
    checkpoint: CheckpointReached | None = None
    inconclusive: Inconclusive | None = None

    def __post_init__(self) -> None:
        """Hold the investigator to its form."""
        if problem := next(self._problems(), ""):
            raise ValueError(problem)

    def _problems(self) -> Iterator[str]:
        needed = _NEEDED.get(self.returned)
        for name in _NEEDED.values():
            given = getattr(self, name) is not None
            if given != (name == needed):
                how = "without" if name == needed else "with"
                yield f"`returned` is {self.returned}, {how} `{name}`"
        if not self.focus.next_action.strip():
            yield "`focus.next_action` says nothing: name the next step"
        for test in self.root_cause.failing_tests if self.root_cause else ():
            if not _TEST.fullmatch(test):
                yield f"{test[:60]!r} under `failing_tests` names no test"
        for entry in self.evidence:
            if not (entry.checked.strip() and entry.found.strip() and entry.implication.strip()):
                yield "an entry of `evidence` without `checked`, `found` or `implication`"
        for each in self.eliminated:
            if not (each.hypothesis.strip() and each.evidence.strip()):
                yield "an entry of `eliminated` without `hypothesis` or `evidence`"
