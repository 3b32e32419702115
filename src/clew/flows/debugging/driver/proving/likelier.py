"""A likelier change than the fix: where one passes the tests as well, they do not decide.

Of a change that the built-in repairer makes, its own search tells that. Every other fix is put
beside what such a search finds in its place. A fix that an agent bends to what the tests ask, where
a plain slip is mended by changing one name, is seen by that.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from clew.agents.repair import search
from clew.evidence.explain import choice, passes_too
from clew.flows.debugging.driver.proving.case import BY_TEST, Case
from clew.flows.debugging.driver.proving.parts import UndecidedPart, asks, texts_at
from clew.flows.debugging.driver.proving.rows import untested
from clew.flows.debugging.states import State
from clew.words import events as ev
from clew.words.edits import EditMisfit, apply, between
from clew.words.errors import AgentFailed
from clew.words.facts import BUILT_IN, Candidate, Findings, Unsettled

__all__ = ["Likelier", "likelier"]

SECONDS = 12.0
GIVEN = "given"  # the family of a change that the search was told of
ALONE = "only one failing test asks for the change; no likelier one was found that passes"
NO_OTHER = Unsettled(call="", gives="", other="", other_gives="", edits=())


class Likelier(NamedTuple):
    """The claim that no likelier change passes, and the one that does."""

    rows: tuple[ev.ProofRow, ...] = ()
    parts: tuple[UndecidedPart, ...] = ()


def likelier(case: Case, place: Path) -> Likelier:
    """Search in the place of a fix; `place` holds the baseline without it.

    Nothing is claimed of what the built-in repairer recommended, a person made, or is no Python.
    """
    state = case.debug_run.state
    python = case.code and case.baseline.command.runner in BY_TEST
    if _told(state) or state.by_hand or not python:
        return Likelier()
    try:
        findings = _searched(case, place)
    except AgentFailed as error:
        return Likelier((untested(ev.SETTLED, error.message),))
    if not _is_first(findings):
        return Likelier((untested(ev.SETTLED, "the fix cannot be put beside other changes"),))
    asked = asks(state)
    fix, *others = findings.candidates
    other = next((each for each in others if each.parting), None)
    words, told = ALONE, NO_OTHER
    if other is not None:
        words, told = passes_too(choice(other, fix)), _on_head(case, other, fix)
    open_ = other is not None or len(_turned(case)) == 1
    parts = (UndecidedPart(state.overall, words, told),) if open_ else ()
    if other is None and not (parts and asked):
        tried = f"none of {findings.tried} other changes that were tried is likelier"
        return Likelier((ev.ProofRow(claim=ev.SETTLED, measured=tried, holds=True),), parts)
    row = ev.ProofRow(claim=ev.SETTLED, measured=words, holds=False, decides=asked, doubt=asked)
    return Likelier((row,), parts)


def _turned(case: Case) -> tuple[str, ...]:
    """Return the failing tests that the fix turned green."""
    return tuple(test for test in case.turned if test in case.failing)


def _told(state: State) -> bool:
    """Tell whether the fix is what the built-in repairer recommends: it searched already."""
    told = state.diagnosed
    own = told is not None and told.agent == BUILT_IN and bool(told.diagnosis.edits)
    return own and state.fix is not None and not state.fix.diff


def _searched(case: Case, place: Path) -> Findings:
    """Search among changes of the code without the fix, which is put beside them. May raise."""
    debug_run = case.debug_run
    return search(
        debug_run.site(place),
        debug_run.command,
        _turned(case),
        seconds=SECONDS,
        scratch=debug_run.scratch,
        given=[(path, case.text(case.commit, path)) for path in case.code],
        named=case.green.named,
        extra=debug_run.all_tests,
    )


def _is_first(findings: Findings) -> bool:
    """Tell whether the fix did in the search what it does: all others are told against it."""
    return any(each.family == GIVEN and each.complete for each in findings.candidates[:1])


def _on_head(case: Case, other: Candidate, fix: Candidate) -> Unsettled:
    """Return the other change than a fix as one of the code that earlier progress left."""
    told = choice(other, fix)
    paths = {edit.path for edit in other.edits}
    was, now = (texts_at(case, commit, paths) for commit in (case.base, case.debug_run.state.head))
    try:
        return replace(told, edits=between(now, was | apply(was, other.edits)))
    except EditMisfit:
        return replace(told, call="")
