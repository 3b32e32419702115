"""Calls near those of the tests, with the fix and without it, where nobody tests."""

from __future__ import annotations

from pathlib import Path

import msgspec

from clew import runners
from clew.analysis.tampering import (
    CallsSeen,
    changed_elsewhere,
    constants_moved,
    made_for_calls,
    near_calls,
    only_there,
)
from clew.flows.debugging.driver.proving.case import Case
from clew.words.facts import Crossed

__all__ = ["Nearby", "nearby"]

SECONDS = 10.0  # for all calls of one interpreter


class Nearby(msgspec.Struct, frozen=True):
    """What calls near those of the tests say of a fix."""

    found: tuple[str, ...] = ()  # calls that it was made for
    told: int = 0  # calls that say something
    alone: tuple[str, ...] = ()  # calls that alone the constants of the fix matter to
    sure: bool = False
    changed: tuple[str, ...] = ()  # a few calls that it changes the answers of


def nearby(case: Case, trial: Path, reverted: Path, crossed: tuple[Crossed, ...]) -> Nearby:
    """Make the calls, and once more with other constants where the fix brought some."""
    moved = {
        path: text
        for path in case.code
        if (text := constants_moved(case.text(case.base, path), case.text(case.commit, path)))
        and (trial / path).resolve() == trial.resolve() / path
    }
    lines, nears = near_calls(crossed)
    if not any(each.others or each.mixed for each in nears):
        return Nearby()
    seen = CallsSeen(now=_answers(case, trial, lines), before=_answers(case, reverted, lines))
    found, told = made_for_calls(lines, nears, seen)
    changed = changed_elsewhere(crossed, lines, nears, seen)
    if not moved:
        return Nearby(found, told, changed=changed)
    right = {trial / path: (trial / path).read_bytes() for path in moved}
    try:
        for path, text in moved.items():
            (trial / path).write_text(text, "utf-8")
        elsewhere = _answers(case, trial, lines)
    finally:
        for file, content in right.items():
            file.write_bytes(content)
    texts = "\n".join(case.text(case.commit, path) for path in case.code)
    alone, sure = only_there(lines, nears, seen, elsewhere, texts)
    return Nearby(found, told, alone, sure, changed)


def _answers(case: Case, place: Path, lines: tuple[str, ...]) -> dict[int, str]:
    debug_run = case.debug_run
    python = debug_run.command.interpreter
    if python is None:
        return {}
    return runners.answered(
        debug_run.site(place), python, lines, debug_run.scratch, timeout=SECONDS
    )
