"""How sure a diagnosis is, why, and what to do where it is not."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from itertools import chain

from clew.documents.views import IterationView
from clew.evidence.explain.demands import NEWER, WHICH, meant
from clew.evidence.explain.fitted import made_up
from clew.evidence.explain.guesses import BY_CHANCE, HISTORY, MUCH, guessed, one_of_two, taken_back
from clew.evidence.explain.hardly_asked import hardly_asked
from clew.evidence.explain.pointing import CLEAR, OUTSIDE, off_the_path
from clew.evidence.explain.prose import named
from clew.evidence.explain.rivals import undecided
from clew.evidence.explain.scene import Scene, code, listed, place
from clew.evidence.explain.sources import enclosing
from clew.words.facts import Candidate, Category, Findings

__all__ = ["confidence_of", "left_unused", "not_kept", "taken_away"]

OWN = re.compile(r"(?<![\w.])(?:(?:self|cls)\.)?([^\W\d]\w*)")  # not a part of another object
SHOWN = 3  # of the names that are gone
TAKES_BACK = (
    "What is put back takes code away that came since, and no test says whether anybody wants it."
)


def confidence_of(
    scene: Scene, candidates: tuple[Candidate, ...], besides: str = ""
) -> tuple[str, str]:
    """Return low, medium or high, and the reason in a sentence.

    `besides` says which others passed that are no candidates, after "No other change … passes".
    """
    if not candidates:
        none = "No change is known that turns a red test green and can be kept"
        step = WHICH if scene.demand else _next(scene)
        return "low", f"{none}{_unable(scene)}. Next: {step}"
    best = candidates[0]
    alone = f"No other change that behaves otherwise was found that passes{besides}"
    lost = (taken_away(best), left_unused(best, scene.sources), made_up(best, scene.sources))
    spoken = _spoken(best, scene.sources)
    on_purpose = meant(scene.demand)
    newer = NEWER if scene.demand and not on_purpose else ""
    told = " ".join(filter(None, (newer, *lost, undecided(candidates), *spoken)))
    guess = guessed(scene, candidates) or hardly_asked(scene, candidates) or one_of_two(candidates)
    if guess := on_purpose or guess:
        return "low", f"{guess} {told}".strip()
    if not best.complete:
        told = f"{_fixes_a_part(best)} {told}".strip()
    if told:
        return "medium", told
    if best.asked_by == 1 and scene.category not in CLEAR:
        return "medium", (
            f"Only one failing test speaks for {'a part of ' if best.parts else ''}the change."
            f" {alone}."
        )
    if best.family in BY_CHANCE:
        return "medium", (
            f"{alone}{';' if besides else ', but'} one of this kind"
            f" ({best.family}) may pass without mending the cause."
        )
    green = best.asked_by
    speaks = "the failing test asks" if green == 1 else f"{green} failing tests ask"
    alike = f" and does otherwise on {best.inputs} other inputs" if best.inputs else ""
    each = "each part of " if best.parts else ""
    return "high", f"{alone}{alike}, and {speaks} for {each}this one."


def not_kept(best: Candidate, findings: Findings | None, history: tuple[IterationView, ...]) -> str:
    """Say which other changes are known to pass, or to have passed, that are no candidates."""
    passed = [
        str(each.number)
        for each in history
        if each.red_after == 0 and not each.progress and best.edits not in (each.edits, each.made)
    ]
    if passed:
        many, was = ("iteration", "was") if len(passed) == 1 else ("iterations", "were")
        that = "that" if len(passed) == 1 else "those"
        return f" but {that} of {many} {listed(passed)}, which {was} not kept"
    return " and can be kept" if findings and findings.refused else ""


def _spoken(best: Candidate, sources: Mapping[str, str]) -> Iterator[str]:
    prose = named(best, sources) if best.asked_by == 1 else ""
    for words, way in ((best.witness, "for"), (prose, "for"), (best.against, "against")):
        if words:
            yield f"Besides the tests, this speaks {way} the change: {words}."


def _fixes_a_part(candidate: Candidate) -> str:
    left = len(candidate.still_red)
    stay = f"{left} red {'test stays' if left == 1 else 'tests stay'} red"
    return f"The change fixes part of it: {stay}, which may be a second fault."


def taken_away(candidate: Candidate) -> str:
    """Say what is gone with a change, and somebody may want: functions, classes, newer code."""
    gone = [_defined(edit.current) for edit in candidate.edits]
    left = [_defined(edit.should_be) for edit in candidate.edits]
    names = dict.fromkeys(name for names in gone for name in names if name not in {*chain(*left)})
    if not names:
        return TAKES_BACK if candidate.family == HISTORY and taken_back(candidate) >= MUCH else ""
    many = "it" if len(names) == 1 else "them"
    said = " and ".join(map(code, [*names][:SHOWN]))
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"The change takes {said}{more} away: see that nobody wants {many} any more."


def left_unused(candidate: Candidate, sources: Mapping[str, str]) -> str:
    """Say what nothing in its file asks for any more with a change: the fault may lie there."""
    found: dict[str, None] = {}
    for edit in candidate.edits:
        text = sources.get(edit.path, "")
        inside = enclosing(text, edit.line).rpartition(".")[2]
        found |= dict.fromkeys(
            name
            for name in OWN.findall(edit.current)
            if name not in (*_names(edit.should_be), *_defined(edit.current), inside)
            and name in _defined(text)
            and _names(text).count(name) - _names(edit.current).count(name) == 1
        )
    names = " and ".join(map(code, [*found][:SHOWN]))
    stays = "stays as it is" if len(found) == 1 else "stay as they are"
    return f"Nothing else in its file asks for {names}, which {stays}." if found else ""


def _names(text: str) -> list[str]:
    return re.findall(r"[^\W\d]\w*", text)


def _defined(text: str) -> list[str]:
    return re.findall(r"^\s*(?:async\s+def|def|class)\s+(\w+)", text, re.MULTILINE)


def _unable(scene: Scene) -> str:
    """Say who could make one, where the built-in repairer cannot."""
    if scene.run.command.runner.python:
        return ""
    return ": the built-in repairer fixes only Python, so it takes an agent, or a person"


def _next(scene: Scene) -> str:
    if scene.category in OUTSIDE:
        return f"settle it outside the code, since {OUTSIDE[scene.category]}."
    if scene.category is Category.SYNTAX_ERROR and scene.path:
        return f"read {place(scene.path, scene.line)} and the line before it."
    if off_the_path(scene) is not None:
        return "install the project where the tests run, or put its folder on the import path."
    if scene.category is Category.IMPORT_ERROR and scene.path:
        where = place(scene.path, scene.line)
        return (
            f"settle whether {where} asks for the wrong thing, or the thing is yet to be written."
        )
    if scene.path and scene.line:
        return (
            f"stop at {place(scene.path, scene.line)} while {code(scene.test_name)} runs, and"
            " compare what is there with what should be."
        )
    return f"run {code(shlex.join(scene.run.command.argv))} by hand and read its first error."
