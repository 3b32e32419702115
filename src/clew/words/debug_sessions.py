"""What a debug session's document holds, and how it may change.

The document alone is enough to go on from. Its rules:

- the trigger and the date of its creation never change;
- symptoms are frozen once they are gathered; a person's correction is an entry of the evidence;
- what was found and what was ruled out is only ever added to;
- the focus and the resolution say how things stand now, and are overwritten;
- the status moves as `MAY_FOLLOW` allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum

import msgspec

from clew.words.errors import UsageError
from clew.words.facts import Fact
from clew.words.slugs import slug

__all__ = [
    "ACTIVE",
    "MAY_FOLLOW",
    "PROMPT",
    "WORKS",
    "Aim",
    "CurrentFocus",
    "DebugBounds",
    "DebugDocument",
    "DebugStatus",
    "Eliminated",
    "EvidenceEntry",
    "PendingQuestion",
    "Reasoning",
    "Resolution",
    "Symptoms",
    "broken_rules",
    "command_in",
    "is_slug",
    "slug_of",
    "working_in",
]

LONGEST, LONGEST_READ = 30, 64  # characters of a slug
PROMPT = "$ "  # what a line of a reproduction begins with that is a command
WORKS = f"works: {PROMPT}"  # one with other input, for which all is well
_SLUG = re.compile(rf"[a-z0-9][a-z0-9-]{{0,{LONGEST_READ - 1}}}")


class Aim(StrEnum):
    """How far a debug session goes."""

    FIND = "find_root_cause_only"
    FIX = "find_and_fix"


class DebugStatus(StrEnum):
    """Where a debug session stands."""

    GATHERING = "gathering"
    INVESTIGATING = "investigating"
    FIXING = "fixing"
    VERIFYING = "verifying"
    AWAITING_HUMAN_VERIFY = "awaiting_human_verify"
    RESOLVED = "resolved"
    DIAGNOSED = "diagnosed"
    ABANDONED = "abandoned"


_S = DebugStatus
MAY_FOLLOW: Mapping[DebugStatus, frozenset[DebugStatus]] = {
    _S.GATHERING: frozenset({_S.INVESTIGATING, _S.ABANDONED}),
    _S.INVESTIGATING: frozenset({_S.FIXING, _S.DIAGNOSED, _S.AWAITING_HUMAN_VERIFY, _S.ABANDONED}),
    _S.FIXING: frozenset({_S.VERIFYING, _S.INVESTIGATING, _S.DIAGNOSED, _S.ABANDONED}),
    _S.VERIFYING: frozenset({_S.AWAITING_HUMAN_VERIFY, _S.INVESTIGATING, _S.ABANDONED}),
    _S.AWAITING_HUMAN_VERIFY: frozenset({_S.RESOLVED, _S.INVESTIGATING, _S.ABANDONED}),
    _S.RESOLVED: frozenset({_S.INVESTIGATING}),  # a person reopens it
    _S.DIAGNOSED: frozenset({_S.INVESTIGATING, _S.FIXING, _S.ABANDONED}),
    _S.ABANDONED: frozenset({_S.INVESTIGATING, _S.GATHERING}),
}
"""What each status may become; anything else is refused, with both named."""

ACTIVE = frozenset(MAY_FOLLOW) - {_S.RESOLVED, _S.DIAGNOSED, _S.ABANDONED}


class Reasoning(Fact, frozen=True, kw_only=True):
    """What has to be said before anything is fixed."""

    hypothesis: str = ""
    confirming_evidence: tuple[str, ...] = ()
    falsification_test: str = ""
    fix_rationale: str = ""
    blind_spots: str = ""
    candidate_causes: tuple[
        str, ...
    ] = ()  # two at least, of code, configuration, environment, data

    @property
    def lacking(self) -> tuple[str, ...]:
        """The fields that say nothing; with one of them nothing is fixed."""
        single = ("hypothesis", "falsification_test", "fix_rationale", "blind_spots")
        empty = [name for name in single if not getattr(self, name).strip()]
        if not any(map(str.strip, self.confirming_evidence)):
            empty.append("confirming_evidence")
        if len({cause.strip() for cause in self.candidate_causes} - {""}) < 2:  # noqa: PLR2004 - one is no choice
            empty.append("candidate_causes")
        return tuple(empty)

    @property
    def lacks(self) -> str:
        """That these say nothing, in words; empty where nothing lacks."""
        return f"says nothing under {' and '.join(self.lacking)}" if self.lacking else ""


class CurrentFocus(Fact, frozen=True, kw_only=True):
    """What is thought and done right now; written before it is done."""

    hypothesis: str = ""
    test: str = ""
    expecting: str = ""
    next_action: str = ""
    reasoning_checkpoint: Reasoning | None = None
    tdd_checkpoint: str = ""
    known_pattern_candidate: str = ""
    bug_class: str = ""


class Symptoms(Fact, frozen=True, kw_only=True):
    """What somebody saw."""

    expected: str = ""
    actual: str = ""
    errors: str = ""
    reproduction: str = ""
    started: str = ""

    def shown_by(self, command: str, working: str = "") -> Symptoms:
        """Return the same with a command that shows it, and one with input that works, if any.

        The first of each is run, so they stand before others that were told.
        """
        shows, works = f"{PROMPT}{command}", f"{WORKS}{working}"
        said = [
            line for line in self.reproduction.split("\n") if line.strip() not in (shows, works)
        ]
        lines = (shows if command else "", works if working else "", *said)
        return msgspec.structs.replace(self, reproduction="\n".join(filter(None, lines)))


class Eliminated(Fact, frozen=True, kw_only=True):
    """A hypothesis that was ruled out."""

    hypothesis: str
    evidence: str
    timestamp: str = ""


class EvidenceEntry(Fact, frozen=True, kw_only=True):
    """One entry of the evidence: what was looked at, what it showed, what follows."""

    checked: str
    found: str
    implication: str
    timestamp: str = ""


class Resolution(Fact, frozen=True, kw_only=True):
    """What it came to so far."""

    root_cause: str = ""
    fix: str = ""
    verification: str = ""
    files_changed: tuple[str, ...] = ()
    oracle_type: str = ""  # what says that it is fixed: a test, a command, a person


class DebugBounds(Fact, frozen=True, kw_only=True):
    """How far a session goes before a person is asked; None is without a bound."""

    max_iterations: int | None = None  # cycles of investigation
    max_seconds: float | None = None
    max_tokens: int | None = None
    max_usd: float | None = None


class PendingQuestion(Fact, frozen=True, kw_only=True):
    """What a person is asked, as the document has it."""

    about: str
    text: str
    answers: tuple[str, ...] = ()


class DebugDocument(Fact, frozen=True, kw_only=True):
    """A debug session, as its document has it; times are ISO texts."""

    status: DebugStatus
    trigger: str  # a person's words, verbatim
    created: str = ""
    updated: str = ""
    session: str = ""  # the id in the journal
    goal: Aim = Aim.FIX
    tdd: bool = False
    cycles: int = 0  # of investigation
    fixes: int = 0  # cycles of fixing
    bounds: DebugBounds = DebugBounds()
    question: PendingQuestion | None = None
    focus: CurrentFocus = CurrentFocus()
    symptoms: Symptoms = Symptoms()
    eliminated: tuple[Eliminated, ...] = ()
    evidence: tuple[EvidenceEntry, ...] = ()
    resolution: Resolution = Resolution()
    review: tuple[str, ...] = ()  # what specialists said, a paragraph each


def broken_rules(before: DebugDocument, after: DebugDocument) -> Iterator[str]:
    """Yield each rule that a change of a document breaks, in words."""
    for name in ("trigger", "created"):
        if getattr(before, name) != getattr(after, name):
            yield f"`{name}` never changes"
    if before.status is not DebugStatus.GATHERING and before.symptoms != after.symptoms:
        yield "symptoms are frozen once they are gathered"
    for name, known, now in (
        ("evidence", before.evidence, after.evidence),
        ("eliminated", before.eliminated, after.eliminated),
        ("specialist review", before.review, after.review),
    ):
        if now[: len(known)] != known:
            yield f"{name} is only added to"
    if after.status not in MAY_FOLLOW[before.status] | {before.status}:
        yield f"{before.status} cannot become {after.status}"


def command_in(symptoms: Symptoms) -> str:
    """Return the command that shows the symptom: a line that begins with `$ `, or none."""
    return _after(PROMPT, symptoms.reproduction)


def working_in(symptoms: Symptoms) -> str:
    """Return the same command with input for which all is well: a line `works: $ …`, or none."""
    return _after(WORKS, symptoms.reproduction)


def _after(begin: str, text: str) -> str:
    lines = (line.strip() for line in text.split("\n"))
    return next((line.removeprefix(begin).strip() for line in lines if line.startswith(begin)), "")


def slug_of(trigger: str) -> str:
    """Return the name that a description gives a debug session. Raises UsageError for no words."""
    if not (name := slug(trigger, most=LONGEST)):
        raise UsageError(
            f"the description {trigger[:40]!r} has no letters or digits to name the session by",
            hint='Say in words what is wrong: clew debug "checkout total is off by a cent"',
        )
    return name


def is_slug(name: str) -> bool:
    """Whether a text may be the name of a debug session: never a path."""
    return _SLUG.fullmatch(name) is not None
