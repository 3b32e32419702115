"""How sure a diagnosis is, why, and what to do where it is not."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from itertools import chain, zip_longest

from clew.analysis.tampering import checks
from clew.documents.views import IterationView
from clew.evidence.explain.pointing import CLEAR, OUTSIDE, off_the_path
from clew.evidence.explain.scene import Scene, code, listed, place, whole
from clew.probe.formulas import same_value
from clew.words.facts import Candidate, Category, Findings, Unsettled
from clew.words.test_ids import parted

__all__ = [
    "apart",
    "choice",
    "confidence_of",
    "left_unused",
    "not_kept",
    "passes_too",
    "rivals",
    "taken_away",
    "undecided",
    "unsettled",
]

RAISES = "raises "
# Kinds of change that often fit a few tests and do not mend the cause.
BY_CHANCE = frozenset(
    [
        *("case", "delete", "early return", "expression", "extend condition"),
        *("extend expression", "filter", "finished condition", "flag", "guard", "insert", "loop"),
        *("makeshift", "move", "new condition", "older code", "one way", "return", "two edits"),
        *("variable wrapped", "wrap"),
    ]
)
MAKESHIFT = "makeshift"  # two changes, one of which is odd and makes do with the other
ONE_WAY = "one way"  # the tests take a condition one way with it, and took both before
HISTORY = "history"  # what an older commit had, and stood its tests
OLDER = "older code"  # what is put back has not what came since
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
FEW = 2  # checks of the only failing test, up to which it hardly decides
SETTLES = "a test that tells them apart would settle it"
CUT = "…"
BEFORE = 20  # characters that are shown before two values part
SHOWN = 3  # of the names that are gone
KEPT = 3  # other changes that are kept, of one that mends a part


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
    told = " ".join(filter(None, (*lost, undecided(candidates))))
    if guess := _guessed(best) or _hardly_asked(scene, candidates):
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
    if best.family in (OLDER, ONE_WAY):
        return SINCE if best.family == OLDER else DECIDES_NOTHING
    return MADE_UP if best.family == MAKESHIFT and best.asked_by == 1 else ""


def _hardly_asked(scene: Scene, candidates: tuple[Candidate, ...]) -> str:
    """Say that one short test is all that speaks for a change, where more than one would do.

    Code that was there before has stood its own tests, and one fault of several has its own.
    """
    best, *_ = candidates
    if best.asked_by != 1 or best.parts or not best.complete or best.family == HISTORY:
        return ""
    by_chance = best.family in BY_CHANCE
    if not by_chance and all(rival.family in BY_CHANCE for rival in _rivals(candidates)):
        return ""
    test = next((r for r in scene.run.red if r.id in best.turns_green), None)
    if test is None or scene.category in CLEAR:
        return ""
    made = checks(scene.sources.get(test.home, ""), parted(test.id)[1])
    if made is None or made > FEW:
        return ""
    count = {0: "no check", 1: "one check"}.get(made, "two checks")
    kind = f", and a change of this kind ({best.family}) often passes by chance"
    return (
        f"Only one failing test, with {count}, speaks for the change"
        f"{kind if by_chance else ''}: it may fit that test alone."
    )


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


def undecided(candidates: tuple[Candidate, ...]) -> str:
    """Say how many other changes turn the same tests green; nothing where none does."""
    rivals = _rivals(candidates)
    if not rivals:
        return ""
    one, rival = len(rivals) == 1, _rival(candidates) or rivals[0]
    return (
        f"{len(rivals)} other {'change turns' if one else 'changes turn'} the same tests green"
        f" and {'behaves' if one else 'behave'} differently elsewhere"
        f"{_to_settle(choice(rival, candidates[0]), '' if one else ', such as')}"
    )


def passes_too(other: Unsettled) -> str:
    """Say that another change passes in the place of one."""
    return (
        f"another change passes in its place and behaves differently elsewhere{_to_settle(other)}"
    )


def _to_settle(other: Unsettled, such: str = "") -> str:
    """Show where another change parts, and say what would settle which one is right.

    `such` says that it is one of several, where no call is known that shows it.
    """
    if not other.call:
        return f"{such}: {other.other}; {SETTLES}."
    shown = _shown(other.call, other.gives, other.other_gives, other.other, other.before)
    can = "A test of that call would settle it." if CUT not in other.call else f"{SETTLES}."
    can = can[0].upper() + can[1:]
    if other.gives == other.other_gives or same_value(other.gives, other.other_gives):
        can = "A test by value cannot tell these apart."
    return f": {shown}. {can}"


def apart(candidate: Candidate, candidates: tuple[Candidate, ...]) -> str:
    """Show the smallest input on which a change parts from another one; nothing if unknown."""
    best = candidates[0]
    is_best = candidate is best
    other = (_rival(candidates) or best) if is_best else best
    parting = other.parting if is_best else candidate.parting
    if parting is None:
        return ""
    pair = (parting.best, parting.this) if is_best else (parting.this, parting.best)
    return _shown(parting.call, *pair, _told_from(candidate, other), parting.before)


def _shown(call: str, ours: str, theirs: str, other: str, before: str) -> str:
    gave = f"gave {code(before)} before, " if before and before != ours else ""
    ours, theirs = _from_where_they_part(ours, theirs)
    return f"{whole(call)} {gave}{_does(ours)} with this change, and {_does(theirs)} with: {other}"


def _from_where_they_part(one: str, other: str) -> tuple[str, str]:
    """Leave out what two values begin with, where they part only behind what is shown of them."""
    if one == other or code(one) != code(other):
        return one, other
    pairs = enumerate(zip_longest(one, other))
    start = max(0, next(at for at, (a, b) in pairs if a != b) - BEFORE)
    return f"…{one[start:]}", f"…{other[start:]}"


def unsettled(candidates: tuple[Candidate, ...]) -> Unsettled | None:
    """Return what a person is asked where the best change and another one pass, and part."""
    rival = _rival(candidates) if candidates and candidates[0].complete else None
    return choice(rival, candidates[0]) if rival and rival.parting else None


def rivals(candidates: tuple[Candidate, ...]) -> tuple[Unsettled, ...]:
    """Return other changes that mend the same part as the best one; none of one that mends all."""
    if not candidates or candidates[0].complete:
        return ()
    best, others = candidates[0], sorted(_rivals(candidates), key=_hard)
    return tuple(choice(each, best) for each in others[:KEPT])


def choice(rival: Candidate, best: Candidate) -> Unsettled:
    """Return another change than the best as what a person may take, and where the two part."""
    parting = rival.parting
    return Unsettled(
        call=parting.call if parting else "",
        module=parting.module if parting else "",
        gives=parting.best if parting else "",
        other=_told_from(best, rival),
        other_gives=parting.this if parting else "",
        before=parting.before if parting else "",
        edits=rival.edits,
    )


def _told_from(known: Candidate, other: Candidate) -> str:
    """Name a change with its place, where that is another one; else with its code, if need be."""
    if (other.path, other.line) != (known.path, known.line) and not other.parts:
        return f"{other.description} at {place(other.path, other.line)}"
    if other.description != known.description:
        return other.description
    edit = next((each for each in other.edits if each not in known.edits), None)
    becomes = f", which makes it {code(edit.should_be.strip())}" if edit else ""
    return f"{other.description}{becomes}"


def _rival(candidates: tuple[Candidate, ...]) -> Candidate | None:
    """Return the one that parts from the best where it is easiest to say which is right."""
    return min((c for c in _rivals(candidates) if c.parting), key=_hard, default=None)


def _rivals(candidates: tuple[Candidate, ...]) -> list[Candidate]:
    """Return the others that turn all tests green which the best one turns."""
    wanted = set(candidates[0].turns_green)
    return [c for c in candidates[1:] if wanted.issubset(c.turns_green)]


def _hard(rival: Candidate) -> tuple[bool, bool, bool]:
    parting = rival.parting
    if parting is None:
        return True, True, True
    raises = any(e.startswith(RAISES) for e in (parting.best, parting.this))
    return same_value(parting.best, parting.this), raises, not parting.module


def _does(what: str) -> str:
    """Say what a call came to: a value, or an exception that it raises."""
    return what if what.startswith(RAISES) else f"gives {code(what)}"


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
