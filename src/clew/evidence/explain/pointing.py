"""What a diagnosis points at: the test that it is told by, and the place where the fault lies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from clew.analysis.failures import category_of, expectation, missing_module
from clew.analysis.failures.assertions import carried
from clew.analysis.failures.linting import findings
from clew.evidence.explain.crashes import callee
from clew.evidence.explain.scene import Scene
from clew.evidence.explain.sources import ROOTS, places_in
from clew.evidence.explain.spots import of_candidate
from clew.words.facts import Candidate, Category, Phase, Suspect, TestResult, TestRun

__all__ = [
    "CLEAR",
    "OUTSIDE",
    "PUT_BACK",
    "is_put_back",
    "located",
    "off_the_path",
    "ordered",
    "telling",
]

NEAR = 0.8  # of the best score: as good, where the called function stands
PUT_BACK = ("history", "older code", "way around")  # kinds of change: code of an older commit
LEGIBLE = 120  # characters of two values
CLEAR = frozenset({Category.SYNTAX_ERROR, Category.IMPORT_ERROR})
OUTSIDE: Mapping[Category, str] = {
    Category.MISSING_DEPENDENCY: "no edit of the code installs a package",
    Category.TASK_SPEC_ERROR: "a person has to say which of the tests is right",
}


def off_the_path(scene: Scene) -> str | None:
    """Return the folder of a module that the project has and the tests do not find, if one is."""
    crash = scene.crash
    module = missing_module(crash) if crash and crash.type == "ModuleNotFoundError" else None
    if module is None or module not in scene.modules:
        return None
    roots = (root.rstrip("/") for root in ROOTS)
    return next((root for root in roots if f"{root}.{module}" in scene.modules), ".")


def telling(
    run: TestRun,
    category: Category,
    modules: frozenset[str],
    sources: Mapping[str, str],
    best: Candidate | None,
) -> TestResult | None:
    """Choose the red test that the diagnosis is told by: mended, of the kind, and plain to read."""

    def rank(result: TestResult) -> tuple[bool, bool, bool, int]:
        return (
            bool(best) and result.id not in (best.turns_green if best else ()),
            category_of(result, modules=modules, sources=sources) is not category,
            result.phase is not Phase.COLLECT,
            _obscurity(result),
        )

    return min(run.red, key=rank, default=None)


def _obscurity(result: TestResult) -> int:
    """Say how hard a failed comparison is to read: 0 for short values, told in full."""
    wanted = expectation(result.crash) if result.crash else None
    if wanted is None:
        return 2
    values = wanted.actual + wanted.expected
    return int("…" in values or "..." in values or len(values) > LEGIBLE)


def ordered(suspects: tuple[Suspect, ...], result: TestResult | None) -> tuple[Suspect, ...]:
    """Put first what the told failure points at itself: its own frames, then what it called."""
    crash = result.crash if result else None
    if crash is None:
        return suspects
    order = {(f.path, f.line): at for at, f in enumerate(reversed(crash.frames)) if f.project}
    wanted = expectation(crash)
    called = re.match(r"(?:\w+\.)*(\w+)\(", wanted.call) if wanted else None
    name = called.group(1) if called else ""

    top = max((suspect.score for suspect in suspects), default=0.0)
    home = {s.path for s in suspects if name and name in s.function.split(".")}

    def rank(suspect: Suspect) -> tuple[int, bool, float, bool]:
        own = order.get((suspect.path, suspect.line or 0), len(order))
        near = suspect.path in home and suspect.score >= NEAR * top
        return own, not near, -suspect.score, suspect.function.rpartition(".")[2] != name

    return tuple(sorted(suspects, key=rank))


def located(scene: Scene, best: Candidate | None) -> tuple[str, int | None]:
    """Return the place that the diagnosis points at: patch, definition, suspect or traceback."""
    if best is not None:
        return _changed(best, scene.suspects)
    said = _said_place(scene)
    if said is not None:
        return said
    frames = scene.crash.frames if scene.crash else ()
    frame = next((f for f in reversed(frames) if f.project), None)
    inner = scene.crash is not None and carried(scene.crash) is not None
    plain = scene.wrapped or scene.category in (*CLEAR, *OUTSIDE)
    if frame is not None and plain and not inner:
        return frame.path, frame.line
    if scene.suspects:
        return scene.suspects[0].path, scene.suspects[0].line
    named = list(places_in(scene.said, scene.sources))[::-1]
    code = next((at for at in named if not scene.is_test(at[0])), None)
    return code or ((frame.path, frame.line) if frame else next(iter(named), ("", None)))


def is_put_back(best: Candidate) -> bool:
    """Whether a patch puts several pieces back as they were: not each of them is at fault."""
    return best.family in PUT_BACK and len(of_candidate(best)) > 1


def _changed(best: Candidate, suspects: Sequence[Suspect]) -> tuple[str, int | None]:
    """Return where a patch changes something: at the line that was found, or the first it has.

    Of what is put back in several places it is the most suspicious one.
    """
    places = [(spot.path, spot.line) for spot in of_candidate(best)]
    if is_put_back(best):
        ranked = ((each.path, each.line) for each in suspects)
        return next((at for at in ranked if at in places), places[0])
    found = (best.path, best.line)
    known = [at for at in places if at[1] is not None]
    return found if found in places or not known else known[0]


def _said_place(scene: Scene) -> tuple[str, int | None] | None:
    """Return the place that the failure itself names, better than any trace of what was run."""
    inner = carried(scene.crash) if scene.crash else None
    parsed = next(places_in(inner.details, scene.sources), None) if inner else None
    if parsed is not None:
        return parsed
    complaint = next(findings(scene.said), None)
    if complaint is not None and (scene.category is Category.LINT_FAILURE or scene.plain):
        return complaint.path, complaint.line or None
    called = callee(scene)
    if called is not None and called.path and not _slip(scene):
        return called.path, called.line
    return None


def _slip(scene: Scene) -> bool:
    """Tell whether a single call of the project does not fit: it is odd, not what it calls."""
    message = scene.crash.message if scene.crash else ""
    callers = {
        next(((f.path, f.line) for f in reversed(result.crash.frames) if f.project), None)
        for result in scene.run.red
        if result.crash and result.crash.message == message
    }
    return len(callers) == 1 and not any(caller and scene.is_test(caller[0]) for caller in callers)
