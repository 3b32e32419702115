"""What history and two runs side by side say of a symptom: entries that are true, and a cause.

A search of the history is a fact of its commits. Where two runs part is a fact of their values;
that the fault lies there follows only where both were given the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from enum import StrEnum

from msgspec.structs import replace

from clew.analysis.partings import FollowedCall, ValueParting, WayParting
from clew.documents.debug_sessions.fields import tidy
from clew.words.debug_sessions import CurrentFocus, Eliminated, EvidenceEntry, Reasoning
from clew.words.facts import Fact
from clew.words.investigations import (
    FileIssue,
    Investigation,
    Returned,
    RootCause,
    hint_of,
)
from clew.words.printable import first_line, shortened

__all__ = ["History", "HistoryEnd", "LookedBack", "entries", "ruled_out", "told_with"]

SHOWN = 300  # characters of a call
FILES = 5
SINCE_FIXED = "It is first seen with the fix of this session, which may only have uncovered it"


class HistoryEnd(StrEnum):
    """How a search for the first bad commit ended."""

    FOUND = "found"
    UNCOMMITTED = "uncommitted"  # it is in no commit
    FIXED = "fixed"  # the fix of this session is the first that shows it: it may have been hidden
    ALWAYS = "always"  # in every commit that could be tried
    AMONG = "among"  # several are left, and none of them can be tried
    OUT_OF_TIME = "out_of_time"


class History(Fact, frozen=True, kw_only=True):
    """What a search of the history found."""

    end: HistoryEnd
    shown: str  # the command, or the tests, that were run
    tried: int
    commit: str = ""  # the first bad one; else the oldest that shows it
    good: str = ""  # the commit before it
    subject: str = ""  # anybody's words
    files: tuple[str, ...] = ()  # that it changed, tests left out

    @property
    def name(self) -> str:
        """The commit, as a person looks it up."""
        if self.end is HistoryEnd.UNCOMMITTED:
            return "your uncommitted changes"
        return f"commit {self.commit[:12]}"

    @property
    def named(self) -> str:
        """The commit with its subject, which is anybody's words."""
        return f"{self.name} ({first_line(self.subject)[:100]})" if self.subject else self.name

    @property
    def is_known(self) -> bool:
        """Whether one change of code brought it."""
        known = self.end in (HistoryEnd.FOUND, HistoryEnd.UNCOMMITTED)
        return known and bool(self.files)


class LookedBack(Fact, frozen=True, kw_only=True):
    """All that was found out by running the symptom elsewhere."""

    history: History | None = None
    values: ValueParting | None = None  # between the commit before the first bad one, and that
    ways: WayParting | None = None  # between input that works and input that fails
    working: str = ""  # the command, or the test, with input that works
    alike: bool = False  # both run the same lines
    calls: tuple[FollowedCall, ...] = ()  # of the failing run, that ended with an exception


def entries(seen: LookedBack) -> Iterator[EvidenceEntry]:
    """Yield an entry for each thing that was found out."""
    if seen.history is not None:
        yield _of_history(seen.history)
    if seen.values is not None:
        works, fails = seen.values.works, seen.values.fails
        yield EvidenceEntry(
            checked="followed the calls of both versions, for the same input",
            found=f"{fails.path}:{fails.line}: {shortened(fails.shown, SHOWN)} {works.outcome}"
            f" before, and {fails.outcome} since",
            implication=f"the values first part in {fails.function}",
        )
    if seen.ways is not None:
        ways = seen.ways
        call = ways.fails
        yield EvidenceEntry(
            checked=f"followed the calls of {seen.working}, which works, and of what fails",
            found=f"in {shortened(call.shown, SHOWN)} both run alike up to {call.path}:{ways.line};"
            f" then what works {_goes(ways.works_to)}, and what fails {_goes(ways.fails_to)}",
            implication=f"the input matters first at {call.path}:{ways.line}",
        )
    if seen.alike:
        yield EvidenceEntry(
            checked=f"followed the calls of {seen.working}, which works, and of what fails",
            found="both run the same lines of the project's functions",
            implication="it depends on a value, and not on which way is gone",
        )
    for call in seen.calls[:1]:
        yield EvidenceEntry(
            checked=f"followed the calls of what fails, to {call.path}:{call.at}",
            found=f"{shortened(call.shown, SHOWN)} {call.outcome}",
            implication=f"it is the innermost function of the project that ends there:"
            f" {call.function}",
        )


def _goes(line: int) -> str:
    return f"goes on at line {line}" if line else "returns"


def _of_history(history: History) -> EvidenceEntry:
    oldest, brought = history.commit[:12], _listed(history.files)
    found, means = {
        HistoryEnd.FOUND: (
            f"{history.named} is the first that shows it, {history.good[:12]} before it does not",
            f"it came with that commit, which changed {brought}",
        ),
        HistoryEnd.UNCOMMITTED: (
            "HEAD does not show it, the tree as it is does",
            f"it came with {history.name}, in {brought}",
        ),
        HistoryEnd.FIXED: (
            "it is first seen with the fix of this session; without that it does not show",
            "that fix brought it, or what it mended had hidden it",
        ),
        HistoryEnd.ALWAYS: (
            f"each that could be run shows it, back to {oldest}",
            "no commit of those brought it",
        ),
        HistoryEnd.AMONG: (
            f"{oldest} shows it; the ones before it cannot be run",
            "which of them brought it is not known",
        ),
        HistoryEnd.OUT_OF_TIME: (
            f"it shows back to {oldest}; then the time for it was over",
            "which commit brought it is not known",
        ),
    }[history.end]
    checked = f"ran {history.shown} on {history.tried} commits"
    return EvidenceEntry(checked=checked, found=found, implication=means)


def _listed(files: tuple[str, ...]) -> str:
    more = f" and {len(files) - FILES} more" if len(files) > FILES else ""
    return (", ".join(files[:FILES]) or "no code") + more


def ruled_out(seen: LookedBack) -> Iterator[Eliminated]:
    """Yield what cannot be the cause any more."""
    history = seen.history
    if history is not None and history.end is HistoryEnd.ALWAYS and history.tried > 1:
        yield Eliminated(
            hypothesis="a recent change of the code brought it",
            evidence=f"{history.shown} shows it on all {history.tried} commits that were tried,"
            f" back to {history.commit[:12]}",
        )
    if history is not None and history.end is HistoryEnd.FOUND:
        yield Eliminated(
            hypothesis="it depends on this machine and its environment, not on the code",
            evidence=f"here, {history.good[:12]} does not show it and {history.commit[:12]} does",
        )


def told_with(
    told: Investigation,
    seen: LookedBack,
    tests: tuple[str, ...] = (),
    out: Collection[str] = (),
) -> Investigation:
    """Return what an investigator tells with what was found out by running the symptom elsewhere.

    Without a root cause of its own it is the change that brought the symptom, if one did, unless
    it is among those that are ruled `out`. `tests` are the project's that fail because of it.
    """
    told = replace(
        told,
        evidence=(*told.evidence, *entries(seen)),
        eliminated=(*told.eliminated, *ruled_out(seen)),
    )
    if told.root_cause is not None:
        return replace(told, root_cause=_dated(told.root_cause, seen.history))
    cause = _blamed(seen, tests)
    if cause is not None and tidy(cause.root_cause) not in out:
        next_action = f"have {cause.files[0].file} made right, as it was before"
        focus = CurrentFocus(
            hypothesis=cause.root_cause,
            test="the same without that change",
            expecting="the symptom is gone",
            next_action=next_action,
        )
        return replace(
            told,
            returned=Returned.ROOT_CAUSE_FOUND,
            focus=focus,
            root_cause=cause,
            inconclusive=None,
            checkpoint=None,
        )
    if told.inconclusive is None:
        return told
    known, places = told.inconclusive, tuple(_places(seen))
    at = {place.partition(" in ")[0] for place in places}
    more = (each for each in known.remaining if each.partition(" in ")[0] not in at)
    remaining = tuple(dict.fromkeys((*places, *more)))
    hypothesis = f"the fault is at or before {places[0]}" if places else told.focus.hypothesis
    return replace(
        told,
        focus=replace(told.focus, hypothesis=hypothesis),
        inconclusive=replace(known, remaining=remaining),
    )


def _dated(cause: RootCause, history: History | None) -> RootCause:
    """Return a root cause that says which change brought it, where that is known."""
    if history is None or not (history.is_known or history.end is HistoryEnd.FIXED):
        return cause
    entry = _of_history(history)
    confirming = (*cause.reasoning.confirming_evidence, f"{entry.checked}: {entry.found}")
    since = f"It came with {history.named}" if history.is_known else SINCE_FIXED
    return replace(
        cause,
        root_cause=f"{cause.root_cause.rstrip('. ')}. {since}.",
        reasoning=replace(cause.reasoning, confirming_evidence=confirming),
    )


def _places(seen: LookedBack) -> Iterator[str]:
    """Yield where to look further, likeliest first."""
    for call in seen.calls[:1]:
        yield f"{call.path}:{call.at} in {call.function}"
    if seen.ways is not None:
        call = seen.ways.fails
        yield f"{call.path}:{seen.ways.line} in {call.function}"


def _blamed(seen: LookedBack, tests: tuple[str, ...]) -> RootCause | None:
    """Return the root cause that follows from history: the change that brought it, if one did."""
    history = seen.history
    if history is None or not history.is_known:
        return None
    values, where = seen.values, ""
    if values is not None:
        call = values.fails
        where = (
            f": since then `{call.function}` in {call.path}:{call.line} {call.outcome} where it"
            f" {values.works.outcome}, given the same: {shortened(call.shown, SHOWN)}"
        )
    told = f"it came with {history.named}{where}"
    place = f"{values.fails.path}:{values.fails.line}" if values else _listed(history.files)
    files = (values.fails.path,) if values else history.files[:FILES]
    found = tuple(f"{each.checked}: {each.found}" for each in entries(seen))
    return RootCause(
        root_cause=told,
        files=tuple(FileIssue(file=each, issue=f"changed by {history.name}") for each in files),
        fix_direction=f"put back what {history.name} changed in {', '.join(files)}, or make it"
        " right there",
        specialist_hint=hint_of(files),
        failing_tests=tests,
        reasoning=Reasoning(
            hypothesis=told,
            confirming_evidence=found,
            falsification_test=f"were it another change, {history.shown} would show it on"
            f" {history.good[:12] or 'HEAD'} as well",
            fix_rationale=f"without that change {history.shown} does not show it",
            blind_spots="which lines of that change matter was not tried one by one; what the"
            " change was meant for is not known",
            candidate_causes=(
                f"code: {place}",
                "environment: ruled out, it is the same for both versions",
            ),
        ),
    )
