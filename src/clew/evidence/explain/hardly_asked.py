"""One short test that is all that speaks for a change, where more than one change would do."""

from __future__ import annotations

from clew.analysis.tampering import checks
from clew.evidence.explain.guesses import BY_CHANCE, HISTORY, PLAIN, as_likely, turns
from clew.evidence.explain.pointing import CLEAR
from clew.evidence.explain.prose import named
from clew.evidence.explain.rivals import as_good
from clew.evidence.explain.scene import Scene, place
from clew.words.facts import Candidate
from clew.words.test_ids import parted

__all__ = ["hardly_asked"]

FEW = 2  # checks of the only failing test, up to which it hardly decides
FEW_BY_CHANCE = 5  # the same for a kind of change that often passes by chance
PLAIN_TOGETHER = 1.05  # the same for several changes, which rank behind one
SHARE = 0.5  # of a score: what part of the red tests the change turns green


def hardly_asked(scene: Scene, candidates: tuple[Candidate, ...]) -> str:
    """Say that one short test is all that speaks for a change, where more than one would do.

    Code that was there before has stood its own tests, what is plain speaks for itself, if no
    other change is as plain, and for some changes something else than a test does. What mends a
    part, or several faults at once, has a test for each: it is a guess where such a thing is seldom
    written at all.
    """
    best, *_ = candidates
    if best.asked_by != 1 or best.family == HISTORY or best.witness or named(best, scene.sources):
        return ""
    others, turned = as_good(candidates), turns(best) and not best.parts
    by_chance = turned or best.family in BY_CHANCE
    if part := _hardly_asked_part(scene, best):
        return part
    if best.parts:
        guessed = bool(others) and _plainness(best) < PLAIN_TOGETHER
    else:
        rivals = best.complete and not all(rival.family in BY_CHANCE for rival in others)
        plain = not turned and _plainness(best) >= PLAIN and not as_likely(candidates)
        guessed = (by_chance or rivals) and not plain
    made = _checks_of(scene, best) if guessed and scene.category not in CLEAR else None
    if made is None or made > (FEW_BY_CHANCE if best.family in BY_CHANCE else FEW):
        return ""
    what = f"{'a part of ' if best.parts else ''}the change"
    kind = "turned condition" if turned else best.family
    return _only_one(made, what, kind if by_chance else "")


def _hardly_asked_part(scene: Scene, best: Candidate) -> str:
    """Say which of several changes one would ask about alone: beside others it is no likelier."""
    for part in best.parts:
        guessed = part.family in BY_CHANCE and 0 < part.score < PLAIN
        if guessed and len(part.turns_green) == 1 and scene.category not in CLEAR:
            made = _fewest(scene, {part.turns_green[0]})
            if made is not None and made <= FEW_BY_CHANCE:
                what = f"one of the changes ({part.description}, {place(part.path, part.line)})"
                return _only_one(made, what, part.family)
    return ""


def _only_one(checks_made: int, what: str, family: str) -> str:
    count = {0: "no check", 1: "one check"}.get(checks_made, f"{checks_made} checks")
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
