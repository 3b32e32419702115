"""How sure a diagnosis is, why, and what to do where it is not."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain

from clew.analysis.tampering import checks
from clew.documents.views import IterationView
from clew.evidence.explain.guesses import lost_sum, turned_around, turns
from clew.evidence.explain.pointing import CLEAR, OUTSIDE, off_the_path
from clew.evidence.explain.rivals import as_good, undecided
from clew.evidence.explain.scene import Scene, code, listed, place
from clew.words.facts import Candidate, Category, Findings
from clew.words.test_ids import parted

__all__ = ["confidence_of", "left_unused", "not_kept", "taken_away"]

# Kinds of change that often fit a few tests and do not mend the cause.
BY_CHANCE = frozenset(
    [
        *("case", "comes around", "delete", "early return", "expression", "extend condition"),
        *("extend expression", "filter", "finished condition", "flag", "guard", "insert", "loop"),
        *("makeshift", "move", "new condition", "older code", "one way", "return", "two edits"),
        *("variable wrapped", "wrap"),
    ]
)
MAKESHIFT = "makeshift"  # two changes, one of which is odd and makes do with the other
ONE_WAY = "one way"  # the tests take a condition one way with it, and took both before
HISTORY = "history"  # what an older commit had, and stood its tests
OLDER = "older code"  # what is put back has not what came since
AROUND = "way around"  # what is put back calls a function no more that others call
PAST = (
    "What is put back goes around a function that others still call: the fault may lie there, and"
    " stays for them."
)
SINCE = (
    "Older code that is put back has not what came since, and no change was found that keeps it:"
    " see whether anybody wants what the change takes away."
)
MADE_UP = (
    "Two changes pass only together: one of them breaks a test and the other mends that, and one"
    " of them is odd by itself. Only one failing test speaks for them."
)
DECIDES_NOTHING = (
    "The tests took the condition both ways, and with the change they all take it the same way:"
    " it may only go around what is wrong."
)
KEEPS_MORE = (
    "Another change passes as well and keeps more of what came since the code that is put back: the"
    " tests do not say whether somebody wants that."
)
BETWEEN = ", of all sizes between those of the tests: "  # in what speaks against a change
AND_NOW = "today's code and the code before "  # the same, at its beginning
BREAKS = (
    "The change breaks a call that gives the same today as before the commit that broke the tests,"
    " and no better change was found."
)
RAISES = (
    "With the change a call raises an error that gave a value, though the tests give smaller and"
    " larger ones, and no better change was found."
)
GUESSES = {OLDER: SINCE, AROUND: PAST, ONE_WAY: DECIDES_NOTHING}
FEW = 2  # checks of the only failing test, up to which it hardly decides
# The score from which a change is plain, natural and at a suspicious line. What fitted one test by
# chance, in small projects by strangers, had 1.09 to 1.17.
PLAIN = 1.2
PLAIN_TOGETHER = 1.05  # the same for several changes, which rank behind one
LIKELIER = 0.01  # of a score: by how much one change is at least, if it is likelier than another
SHARE = 0.5  # of a score: what part of the red tests the change turns green
SHOWN = 3  # of the names that are gone


def confidence_of(
    scene: Scene, candidates: tuple[Candidate, ...], besides: str = ""
) -> tuple[str, str]:
    """Return low, medium or high, and the reason in a sentence.

    `besides` says which others passed that are no candidates, after "No other change … passes".
    """
    if not candidates:
        none = "No change is known that turns a red test green and can be kept"
        return "low", f"{none}{_unable(scene)}. Next: {_next(scene)}"
    best = candidates[0]
    alone = f"No other change was found that passes{besides}"
    lost = (taken_away(best), left_unused(best, scene.sources))
    told = " ".join(filter(None, (*lost, undecided(candidates), *_spoken(best))))
    guess = _guessed(best) or lost_sum(candidates) or turned_around(best, scene)
    if guess := guess or _undoes_more(candidates) or _hardly_asked(scene, candidates):
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


def _guessed(best: Candidate) -> str:
    """Say why a change is a guess, where its kind is one; empty otherwise."""
    if best.family in GUESSES:
        return GUESSES[best.family]
    if BETWEEN in best.against:
        return RAISES
    if best.against.startswith(AND_NOW):
        return BREAKS
    return MADE_UP if best.family == MAKESHIFT and best.asked_by == 1 else ""


def _undoes_more(candidates: tuple[Candidate, ...]) -> str:
    """Say that a put-back changes more than it must, where what changes less acts otherwise.

    That is one that puts less back, or a plain change of today's code.
    """
    best, *_ = candidates
    if best.family != HISTORY:
        return ""
    changed = _changed(best)
    less = any(
        rival.parting is not None
        and not rival.against
        and (rival.family == HISTORY or _is_plain(rival))
        and _changed(rival) < changed
        for rival in as_good(candidates)
    )
    return KEEPS_MORE if less else ""


def _changed(candidate: Candidate) -> Counter[str]:
    """Return the words of today's code that a change takes away or brings, and how many."""
    was, becomes = (
        Counter(name for text in texts for name in re.findall(r"\w+", text))
        for texts in (
            [edit.current for edit in candidate.edits],
            [edit.should_be for edit in candidate.edits],
        )
    )
    return (was - becomes) + (becomes - was)


def _is_plain(candidate: Candidate) -> bool:
    return candidate.family not in BY_CHANCE and candidate.score >= PLAIN


def _hardly_asked(scene: Scene, candidates: tuple[Candidate, ...]) -> str:
    """Say that one short test is all that speaks for a change, where more than one would do.

    Code that was there before has stood its own tests, what is plain speaks for itself, if no
    other change is as plain, and for some changes something else than a test does. What mends a
    part, or several faults at once, has a test for each: it is a guess where such a thing is seldom
    written at all.
    """
    best, *_ = candidates
    if best.asked_by != 1 or best.family == HISTORY or best.witness:
        return ""
    others, turned = as_good(candidates), turns(best) and not best.parts
    by_chance = turned or best.family in BY_CHANCE
    if part := _hardly_asked_part(scene, best):
        return part
    if best.parts:
        guessed = bool(others) and _plainness(best) < PLAIN_TOGETHER
    else:
        rivals = best.complete and not all(rival.family in BY_CHANCE for rival in others)
        plain = not turned and _plainness(best) >= PLAIN and not _as_likely(best, others)
        guessed = (by_chance or rivals) and not plain
    made = _checks_of(scene, best) if guessed and scene.category not in CLEAR else None
    if made is None or made > FEW:
        return ""
    what = f"{'a part of ' if best.parts else ''}the change"
    kind = "turned condition" if turned else best.family
    return _only_one(made, what, kind if by_chance else "")


def _as_likely(best: Candidate, others: list[Candidate]) -> bool:
    """Tell whether another change that behaves otherwise is as plain, so that neither speaks."""
    return any(
        each.parting and each.family not in BY_CHANCE and each.score > best.score - LIKELIER
        for each in others
    )


def _hardly_asked_part(scene: Scene, best: Candidate) -> str:
    """Say which of several changes one would ask about alone: beside others it is no likelier."""
    for part in best.parts:
        guessed = part.family in BY_CHANCE and 0 < part.score < PLAIN
        if guessed and len(part.turns_green) == 1 and scene.category not in CLEAR:
            made = _fewest(scene, {part.turns_green[0]})
            if made is not None and made <= FEW:
                what = f"one of the changes ({part.description}, {place(part.path, part.line)})"
                return _only_one(made, what, part.family)
    return ""


def _only_one(checks_made: int, what: str, family: str) -> str:
    count = {0: "no check", 1: "one check"}.get(checks_made, "two checks")
    kind = f", and a change of this kind ({family}) often passes by chance" if family else ""
    return (
        f"Only one failing test, with {count}, speaks for {what}{kind}: it may fit that test alone."
    )


def _plainness(candidate: Candidate) -> float:
    """Return the score as if the change turned all red tests green: the rest is another fault."""
    left = len(candidate.still_red) / max(1, len(candidate.turns_green + candidate.still_red))
    return candidate.score + SHARE * left


def _checks_of(scene: Scene, candidate: Candidate) -> int | None:
    """Return how many checks a test has that alone asks for a change or a part; None if unknown."""
    parts = [part.turns_green for part in candidate.parts] or [candidate.turns_green]
    return _fewest(scene, {tests[0] for tests in parts if len(tests) == 1})


def _fewest(scene: Scene, asking: set[str]) -> int | None:
    """Return the fewest checks that one of some tests has; None where none of them is known."""
    made = [
        checks(scene.sources.get(test.home, ""), parted(test.id)[1])
        for test in scene.run.red
        if test.id in asking
    ]
    return min((count for count in made if count is not None), default=None)


def _spoken(best: Candidate) -> Iterator[str]:
    for words, way in ((best.witness, "for"), (best.against, "against")):
        if words:
            yield f"Besides the tests, this speaks {way} the change: {words}."


def _fixes_a_part(candidate: Candidate) -> str:
    left = len(candidate.still_red)
    stay = f"{left} red {'test stays' if left == 1 else 'tests stay'} red"
    return f"The change fixes part of it: {stay}, which may be a second fault."


def taken_away(candidate: Candidate) -> str:
    """Say which functions and classes are gone with a change: somebody may want them."""
    gone = [_defined(edit.current) for edit in candidate.edits]
    left = [_defined(edit.should_be) for edit in candidate.edits]
    names = dict.fromkeys(name for names in gone for name in names if name not in {*chain(*left)})
    if not names:
        return ""
    many = "it" if len(names) == 1 else "them"
    said = " and ".join(map(code, [*names][:SHOWN]))
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"The change takes {said}{more} away: see that nobody wants {many} any more."


def left_unused(candidate: Candidate, sources: Mapping[str, str]) -> str:
    """Say what nothing in its file asks for any more with a change: the fault may lie there."""
    found: dict[str, None] = {}
    for edit in candidate.edits:
        text = sources.get(edit.path, "")
        found |= dict.fromkeys(
            name
            for name in _names(edit.current)
            if name not in (*_names(edit.should_be), *_defined(edit.current))
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
