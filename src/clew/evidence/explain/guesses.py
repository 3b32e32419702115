"""Changes that are a guess beside others, or while tests that run the same code stay red."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clew.analysis.testfiles import is_test_path
from clew.evidence.explain.rivals import as_good
from clew.evidence.explain.scene import Scene, code
from clew.words.facts import Candidate, Reach

__all__ = ["lost_sum", "turned_around", "turns"]

ADDED = re.compile(r"([\w.]+)\s*[-+*|]=\s")
TURNED = frozenset(
    [
        *(("<", ">"), (">", "<"), ("<=", ">="), (">=", "<="), ("<", ">="), (">=", "<")),
        *((">", "<="), ("<=", ">"), ("==", "!="), ("!=", "=="), ("is", "is not")),
        *(("is not", "is"), ("in", "not in"), ("not in", "in")),
    ]
)
REPLACED = re.compile(r"replace `([^`]+)` by `([^`]+)`")
NEGATED = ("negate `", "drop `not`")


def lost_sum(candidates: tuple[Candidate, ...]) -> str:
    """Say that a change gives up what is added up, where another one only begins it anew."""
    best, *_ = candidates
    found = (ADDED.search(edit.current) for edit in best.edits)
    names = [each[1] for each in found if each and best.description.startswith("assign instead of")]
    for name in names:
        begins = re.compile(rf"(?<![\w.]){re.escape(name)} = ")
        for rival in as_good(candidates):
            if any(
                begins.search(e.should_be) and not begins.search(e.current) for e in rival.edits
            ):
                return (
                    f"With the change nothing is added to {code(name)} any more, and with another"
                    " one it only begins anew: no test was seen that adds to it twice in a row."
                )
    return ""


def turned_around(best: Candidate, scene: Scene) -> str:
    """Say that a condition is turned round for one test, and another stays red in the same code."""
    one, *more = best.turns_green or ("",)
    if best.complete or best.parts or more or not turns(best):
        return ""
    left = next((test for test in best.still_red if _run_the_same(one, test, scene.reach)), "")
    if not left:
        return ""
    return (
        "The change turns a condition round for one failing test, and code that this test runs is"
        f" run by {code(left)} as well, which stays red: the fault of both may lie there."
    )


def turns(change: Candidate) -> bool:
    """Tell a change that turns a condition round."""
    pair = REPLACED.fullmatch(change.description)
    return change.description.startswith(NEGATED) or bool(pair and pair.groups() in TURNED)


def _run_the_same(one: str, other: str, reach: Sequence[Reach]) -> bool:
    """Tell whether two tests run lines of one file together, tests left out."""
    for each in reach:
        if one in each.tests and other in each.tests and not is_test_path(each.path):
            both = {each.tests.index(one), each.tests.index(other)}
            if any(both <= {*tests} for _, tests in each.groups):
                return True
    return False
