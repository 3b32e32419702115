"""The claim that fixed tests pass where nothing but Python runs them.

Plain functions are called in a new interpreter, from a module under a name of nobody's. So all
counts that they look at, also what no plain data stand for. A file of which a test that was green
without the fix fails so there as well needs its runner, and says nothing.
"""

from __future__ import annotations

import json
import posixpath
import secrets
from collections.abc import Collection
from pathlib import Path

from clew.analysis.tampering import stand_alone
from clew.flows.debugging.driver.proving.case import Case
from clew.flows.debugging.driver.proving.rows import shown, untested
from clew.words import events as ev

__all__ = ["passing_alone"]

CLAIM = "they pass without a runner"
SECONDS = 20.0  # for all tests
Named = tuple[str, str]  # the file of a test, and its name there


def passing_alone(case: Case, trial: Path, reverted: Path, tests: tuple[str, ...]) -> ev.ProofRow:
    """Return the claim of the tests that the fix turned green."""
    wanted = _standing(case, tests) if case.code else ()
    if not wanted:
        return untested(CLAIM, "no fixed test is a function that needs nothing")
    ends = _ends(case, trial, wanted)
    failed = [each for each in wanted if ends.get(each) == ["failed", "AssertionError"]]
    if failed:
        again = _ends(case, trial, wanted)
        files = {path for path, _ in failed}
        green = _standing(case, tuple(sorted(case.baseline.passed)))
        sound = [each for each in green if each[0] in files]
        before = _ends(case, reverted, sound)
        needy = {each[0] for each in sound if before.get(each) != ["passed"]}
        failed = [each for each in failed if again.get(each) == ends[each]]
        failed = [each for each in failed if each[0] not in needy]
    passed = sum(end == ["passed"] for end in ends.values())
    if failed:
        said = shown([f"{path} {name} fails" for path, name in failed])
        return ev.ProofRow(claim=CLAIM, measured=said, holds=False, doubt=True)
    if not passed:
        return untested(CLAIM, "they need theirs")
    return ev.ProofRow(claim=CLAIM, measured=f"{passed} of {len(wanted)}", holds=True)


def _standing(case: Case, tests: tuple[str, ...]) -> tuple[Named, ...]:
    """Return those of the tests that need no runner."""
    shared = [path for path in case.known if posixpath.basename(path) == "conftest.py"]
    if any("autouse" in case.text(case.base, path) for path in shared):
        return ()
    names: dict[str, set[str]] = {}
    for path, name in case.places(tests).values():
        names.setdefault(path, set()).add(name)
    return tuple(
        (path, name)
        for path, wanted in sorted(names.items())
        for name in stand_alone(case.text(case.base, path), wanted)
    )


def _ends(case: Case, place: Path, tests: Collection[Named]) -> dict[Named, list[str]]:
    """Return how tests end that Python alone calls; those that do not end are left out."""
    below = (
        case.debug_run.site(place).subdir or "."
    )  # where the calls are made; all paths are told from there
    modules = {path: f"m{secrets.token_hex(4)}" for path, _ in tests}
    lines = [
        json.dumps(
            {
                "number": number,
                "as": modules[path],
                "file": posixpath.relpath(path, below),
                "test": name,
                "path": [
                    posixpath.relpath(each, below)
                    for each in (".", posixpath.dirname(path) or ".", "src")
                ],
            }
        )
        for number, (path, name) in enumerate(tests)
    ]
    told = case.answers(place, lines, timeout=SECONDS)
    return {each: json.loads(told[n])["end"] for n, each in enumerate(tests) if n in told}
