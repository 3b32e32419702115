"""A change of code that was the same when the tests passed."""

from __future__ import annotations

import ast
import re
from itertools import takewhile

from clew.evidence.explain.pointing import PUT_BACK
from clew.evidence.explain.rivals import as_good
from clew.evidence.explain.scene import Scene, code
from clew.evidence.explain.sources import enclosing, functions
from clew.words.facts import Candidate

__all__ = ["stood"]

BEFORE = re.compile(r"\bbefore (\w{7,})")


def stood(scene: Scene, candidates: tuple[Candidate, ...]) -> str:
    """Say that the code of the best change has not changed since its tests passed.

    They did where what a commit changed elsewhere turns them green when it is put back.
    """
    best, *_ = candidates
    if best.parts or best.family in PUT_BACK or best.witness:
        return ""
    for rival in as_good(candidates):
        since = BEFORE.search(rival.description)
        if rival.family in PUT_BACK and since and _unchanged(scene, best, since[1]):
            return (
                f"The tests pass with what stood there before {code(since[1])}, and the code that"
                " is changed here was the same then: what came since may be what is wrong."
            )
    return ""


def _unchanged(scene: Scene, best: Candidate, commit: str) -> bool:
    """Tell whether a change is of a function that a commit, and all newer ones, left as it was."""
    text = scene.sources.get(best.path, "")
    name = enclosing(text, best.line)
    now = functions(text).get(name)
    ages = list(dict.fromkeys(each.commit for each in scene.earlier))
    if now is None or commit not in ages:
        return False
    newer = {*takewhile(lambda age: age != commit, ages), commit}
    older = (e.text for e in scene.earlier if e.path == best.path and e.commit in newer)
    then = (functions(each).get(name) for each in older)
    return all(each is not None and ast.dump(each) == ast.dump(now) for each in then)
