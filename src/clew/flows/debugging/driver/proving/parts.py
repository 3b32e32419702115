"""What earlier iterations mended, and whether the tests settle by now which change was right.

Of a change that was kept as progress, the repairer knows others that turned the same tests green.
Each is put in its place, with all that was mended since: where the tests pass with it as well, they
do not tell the two apart.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from clew import runners
from clew.agents.filing import carry_out
from clew.analysis.tampering import canonical, ended, kind_of, shown_call, shown_end
from clew.evidence.explain import passes_too
from clew.flows.debugging.driver.proving.case import Case
from clew.flows.debugging.driver.proving.near import SECONDS, MadeAgain
from clew.flows.debugging.driver.proving.rows import answered, shown
from clew.flows.debugging.states import State, acceptable, guesses, on_this
from clew.probe.formulas import same_value
from clew.words import events as ev
from clew.words.declared import CONFIDENCES
from clew.words.edits import EditMisfit, apply, between
from clew.words.encodings import readable
from clew.words.errors import AgentFailed
from clew.words.facts import BUILT_IN, Diagnosis, Edit, Unsettled
from clew.words.printable import one_line

__all__ = [
    "UndecidedPart",
    "asks",
    "has_rivals",
    "parted",
    "settled_rows",
    "texts_at",
    "undecided_parts",
]

CHOSEN = ev.ProofRow(
    claim=ev.SETTLED,
    measured="a person chose this one of two changes that pass",
    holds=False,
    doubt=True,
    vouched=True,
)
CUT = "…"
UNDECIDED = "medium"  # how sure the repairer is of a change with rivals


class UndecidedPart(NamedTuple):
    """A change of an earlier iteration, and another one that passes in its place."""

    iteration: int
    told: str
    other: Unsettled  # as edits of the code that holds the change


def settled_rows(case: Case, parts: tuple[UndecidedPart, ...]) -> tuple[ev.ProofRow, ...]:
    """Claim that the tests decide, where the built-in repairer is less sure than it has to be.

    `parts` are what earlier iterations mended, and the tests leave open. What a person is asked
    about comes first.
    """
    state = case.debug_run.state
    chosen = _chosen(case)
    if state.by_hand and not chosen:
        other = bool(state.answers) and state.answers[-1].option == ev.OTHER
        return (CHOSEN,) if other and case.commit not in state.accepted else ()
    told, least = _told_of(case, chosen), CONFIDENCES.index(state.settings.accept)
    open_ = {part.iteration: part.told for part in parts}
    earlier = _guesses(state, open_) | (open_ if asks(state) else {})
    doubts = [f"iteration {number}: {words}" for number, words in earlier.items()]
    if told is not None and told.agent == BUILT_IN:
        diagnosis = told.diagnosis
        asked = diagnosis.unsettled is not None and diagnosis.unsettled.call
        said = not asked and answered(case)  # by a person, what no test did
        if not said and CONFIDENCES.index(diagnosis.confidence) < least:
            place = 0 if asked else len(doubts)
            doubts.insert(place, diagnosis.confidence_reason)
        before = [] if chosen else [*_doubted_before(state, diagnosis)]
        doubts += before if before and not case.stood_before else []
    if not doubts:
        return ()
    return (ev.ProofRow(claim=ev.SETTLED, measured=shown(doubts), holds=False, doubt=True),)


def _chosen(case: Case) -> int:
    """Return the iteration whose change a person accepted last; 0 where it is none."""
    state = case.debug_run.state
    option = state.answers[-1].option if case.commit in state.accepted and state.answers else ""
    _, _, number = option.partition("-")
    return int(number) if number.isdecimal() else 0


def _told_of(case: Case, chosen: int) -> ev.Diagnosed | None:
    """Return the diagnosis of the fix: of the iteration that a person chose, or the last."""
    state = case.debug_run.state
    if not chosen:
        return state.diagnosed
    return next((told for told in reversed(state.diagnoses) if told.iteration == chosen), None)


def _doubted_before(state: State, diagnosis: Diagnosis) -> Iterator[str]:
    """Yield what passed as well before this, was no less sure, and is only doubted."""
    for attempt in acceptable(state):
        told, entry = attempt.diagnosed, attempt.entry
        passes = on_this(state, attempt) and entry.red_after == 0
        if told is None or not passes or told.agent != BUILT_IN or entry.iteration == state.overall:
            continue
        if CONFIDENCES.index(told.diagnosis.confidence) >= CONFIDENCES.index(diagnosis.confidence):
            which = f"the change of iteration {entry.iteration}"
            yield f"{which} passes as well, and is only doubted: {one_line(entry.fix_attempted)}"


def _guesses(state: State, open_: Collection[int]) -> dict[int, str]:
    """Return the guesses that were kept as progress and that nothing settles.

    One that has rivals is settled where none of them passes by now.
    """
    return {
        number: told.confidence_reason
        for number, told in guesses(state).items()
        if number in open_ or not told.rivals
    }


def asks(state: State) -> bool:
    """Tell whether a person is asked about a change that the tests do not decide for."""
    return CONFIDENCES.index(UNDECIDED) < CONFIDENCES.index(state.settings.accept)


def has_rivals(case: Case) -> bool:
    """Whether there is anything to try."""
    return any(_kept(case))


def undecided_parts(case: Case, place: Path) -> tuple[UndecidedPart, ...]:
    """Return the parts that the tests leave open; `place` holds the fix, and does again after it.

    What the fix turned green decides, and what a person's answers became. Those come first that a
    person can be asked about.
    """
    parts = [
        UndecidedPart(iteration, *found)
        for iteration, told, commit in _kept(case)
        if (found := _passing(case, place, told, commit)) is not None
    ]
    return tuple(sorted(parts, key=lambda part: not part.other.call))


def _kept(case: Case) -> Iterator[tuple[int, Diagnosis, str]]:
    """Yield what was kept as progress, with the commit that made it."""
    state = case.debug_run.state
    last = {told.iteration: told for told in state.diagnoses}
    for entry in state.helpful:
        told = last.get(entry.iteration)
        if told and told.agent == BUILT_IN and told.diagnosis.rivals and entry.commit:
            yield entry.iteration, told.diagnosis, entry.commit


def _passing(case: Case, place: Path, told: Diagnosis, commit: str) -> tuple[str, Unsettled] | None:
    """Return another change that passes in the place of one, if there is any, and tell of it.

    What was told at first is of the first one.
    """
    before = case.debug_run.repository.before(commit)
    for rival in told.rivals:
        paths = {edit.path for edit in (*rival.edits, *told.edits)}
        was, now = texts_at(case, before, paths), texts_at(case, commit, paths)
        try:
            edits = between(now, was | apply(was, rival.edits))
        except EditMisfit:
            continue
        if edits and _passes(case, place, edits):
            words = told.undecided if rival is told.rivals[0] else passes_too(rival)
            return words, replace(rival, edits=edits, undo=between(now, was))
    return None


def parted(
    case: Case, place: Path, parts: tuple[UndecidedPart, ...], again: MadeAgain
) -> tuple[UndecidedPart, ...]:
    """Tell the parts of which no call was known by one that was made again, if they part there.

    `place` holds the fix, and does again after it.
    """
    return tuple(each if each.other.call else _parted(case, place, each, again) for each in parts)


def _parted(case: Case, place: Path, part: UndecidedPart, again: MadeAgain) -> UndecidedPart:
    lines = again.lines
    try:
        with _put_in(place, part.other.edits):
            other = case.answers(place, lines, timeout=SECONDS)
    except AgentFailed:
        return part
    ours = again.answers
    apart = [
        number
        for number in range(len(lines))
        if ended(ours.get(number))
        and ended(other.get(number))
        and canonical(ours[number]) != canonical(other[number])
    ]
    # what answers otherwise each time says nothing
    same = case.answers(place, lines, timeout=SECONDS) if apart else {}
    found = [
        replace(part.other, call=call, gives=gives, other_gives=gave)
        for number in apart
        if number in same and canonical(same[number]) == canonical(ours[number])
        if (call := shown_call(json.loads(lines[number])))
        if (gives := _end(ours[number])) != (gave := _end(other[number]))
        if CUT not in f"{call}{gives}{gave}"
    ]
    # `4` and `4.0` part as well, but no test by value tells them apart
    best = min(found, key=lambda each: same_value(each.gives, each.other_gives), default=None)
    return part._replace(told=passes_too(best), other=best) if best else part


def _end(answer: str) -> str:
    told = shown_end(json.loads(answer))
    return f"raises {told}" if kind_of(answer) == "raised" else told


def texts_at(case: Case, commit: str, paths: set[str]) -> dict[str, str]:
    """Return the files of a commit as text; those that are not there are left out."""
    found = case.debug_run.repository.texts(commit, paths)
    return {path: readable(path, content) for path, content in found.items()}


def _passes(case: Case, place: Path, edits: tuple[Edit, ...]) -> bool:
    """Tell whether the tests that the fix turned green pass with other edits as well."""
    tests = tuple(dict.fromkeys((*case.turned, *answered(case))))
    try:
        with _put_in(place, edits):
            run = case.report(place, runners.Request(only=tests)).run
    except AgentFailed:  # what was mended since is where it would be
        return False
    return set(tests) <= run.passed


@contextlib.contextmanager
def _put_in(place: Path, edits: tuple[Edit, ...]) -> Iterator[None]:
    """Make other edits in a checkout, and take them back. Raises AgentFailed where none fit."""
    files = {place / edit.path for edit in edits}
    right = {file: file.read_bytes() for file in files if file.is_file()}
    try:
        carry_out(place, edits)
        yield
    finally:
        for file, content in right.items():
            file.write_bytes(content)
