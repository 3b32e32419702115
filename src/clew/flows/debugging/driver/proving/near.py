"""Calls near those of the tests, with the fix and without it, where nobody tests."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from clew.analysis.tampering import (
    CallsSeen,
    NearCalls,
    changed_elsewhere,
    constants_moved,
    kind_of,
    made_for_calls,
    near_calls,
    only_there,
    refusing,
)
from clew.flows.debugging.driver.proving.case import Case
from clew.words.facts import Crossed

__all__ = ["MadeAgain", "Nearby", "made_again", "nearby"]

SECONDS = 20.0  # for all calls of one interpreter


class MadeAgain(NamedTuple):
    """Calls of the tests and, behind them, calls near those; and what they answer with the fix."""

    lines: tuple[str, ...]
    nears: tuple[NearCalls, ...]
    answers: dict[int, str]


class Nearby(msgspec.Struct, frozen=True):
    """What calls near those of the tests say of a fix."""

    found: tuple[str, ...] = ()  # calls that it was made for
    told: int = 0  # calls that say something
    alone: tuple[str, ...] = ()  # calls that alone the constants of the fix matter to
    sure: bool = False
    refused: int = 0  # calls that only the fix ends with an error
    halfway: tuple[str, ...] = ()  # those of them that leave what they are given changed
    changed: tuple[str, ...] = ()  # a few calls that it changes the answers of


def made_again(case: Case, trial: Path, crossed: tuple[Crossed, ...]) -> MadeAgain:
    """Make the calls of the tests and those near them in a new interpreter."""
    lines, nears = near_calls(crossed)
    return MadeAgain(lines, nears, case.answers(trial, lines, timeout=SECONDS))


def nearby(
    case: Case, made: MadeAgain, trial: Path, reverted: Path, crossed: tuple[Crossed, ...]
) -> Nearby:
    """Make the calls without the fix, and with other constants where it brought some."""
    moved = {
        path: text
        for path in case.code
        if (text := constants_moved(case.text(case.base, path), case.text(case.commit, path)))
        and (trial / path).resolve() == trial.resolve() / path
    }
    lines, nears = made.lines, made.nears
    raised = any(kind_of(each) == "raised" for each in made.answers.values())
    if not raised and not any(each.others or each.mixed for each in nears):
        return Nearby()
    seen = CallsSeen(now=made.answers, before=case.answers(reverted, lines, timeout=SECONDS))
    found, told = made_for_calls(lines, nears, seen)
    tests = tuple(case.text(case.commit, path) for path in case.by_file(case.turned))
    changed = changed_elsewhere(crossed, lines, nears, seen, tests)
    refused, halfway = refusing(lines, seen.now, seen.before)
    common = Nearby(found, told, refused=refused, halfway=halfway, changed=changed)
    if not moved:
        return common
    right = {trial / path: (trial / path).read_bytes() for path in moved}
    try:
        for path, text in moved.items():
            (trial / path).write_text(text, "utf-8")
        elsewhere = case.answers(trial, lines, timeout=SECONDS)
    finally:
        for file, content in right.items():
            file.write_bytes(content)
    texts = "\n".join(case.text(case.commit, path) for path in case.code)
    alone, sure = only_there(lines, nears, seen, elsewhere, texts)
    return msgspec.structs.replace(common, alone=alone, sure=sure)
