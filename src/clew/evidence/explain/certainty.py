"""How sure a diagnosis is, why, and what to do where it is not."""

from __future__ import annotations

import shlex

from clew.evidence.explain.pointing import CLEAR, OUTSIDE, off_the_path
from clew.evidence.explain.scene import Scene, code, place
from clew.words.facts import Candidate, Category

__all__ = ["confidence_of"]


def confidence_of(scene: Scene, candidates: tuple[Candidate, ...]) -> tuple[str, str]:
    """Return low, medium or high, and the reason in a sentence."""
    if not candidates:
        return (
            "low",
            f"No known change turns a red test green{_unable(scene)}. Next: {_next(scene)}",
        )
    best = candidates[0]
    if not best.complete:
        left = len(best.still_red)
        return "medium", (
            f"The change fixes part of it: {left} red {'test stays' if left == 1 else 'tests stay'}"
            " red, which may be a second fault."
        )
    rivals = sum(c.complete for c in candidates) - 1
    if rivals:
        one = rivals == 1
        return "medium", (
            f"{rivals} other {'change turns' if one else 'changes turn'} the same tests green and"
            f" {'behaves' if one else 'behave'} differently elsewhere; a test that tells them apart"
            " would settle it."
        )
    if len(best.turns_green) == 1 and scene.category not in CLEAR:
        return "medium", (
            "Only one failing test speaks for the change. No other change was found that passes."
        )
    green = len(best.turns_green)
    speaks = "the failing test asks" if green == 1 else f"{green} failing tests ask"
    return "high", f"No other change was found that passes, and {speaks} for this one."


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
