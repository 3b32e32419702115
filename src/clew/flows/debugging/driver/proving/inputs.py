"""The claim that a fix changes more than what the failing tests give and expect.

The failing tests run with other numbers and texts, with the fix and without it; where they allow
none, the calls that they make are made again with values near theirs.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from msgspec.structs import replace

from clew import runners
from clew.analysis.tampering import (
    barely_asked,
    made_for_the_tests,
    moves_borders,
    replaces,
    steps,
    valueless,
    varied,
)
from clew.flows.debugging.driver.proving.case import Case, own_file
from clew.flows.debugging.driver.proving.near import Nearby
from clew.flows.debugging.driver.proving.rows import shown, untested
from clew.sandbox.processes import both
from clew.words import events as ev

__all__ = ["other_inputs"]

NOTES = 10_000_000  # bytes that varied tests may note


def other_inputs(
    case: Case, trial: Path, reverted: Path, tests: tuple[str, ...], near: Nearby
) -> tuple[ev.ProofRow, ...]:
    """Return the claim, and what the fix changes where no test looks, for a person to judge."""
    rows = [_other_inputs(case, trial, reverted, tests, near)]
    if near.refused:
        rows.append(_refused(near))
    if near.changed:
        said = "; ".join(near.changed)
        rows.append(ev.ProofRow(claim=ev.ELSEWHERE, measured=said, holds=True, decides=False))
    return tuple(rows)


def _refused(near: Nearby) -> ev.ProofRow:
    """Claim that what the fix refuses is not done by half."""
    claim = "a call that it newly refuses changes nothing"
    if not near.halfway:
        measured = f"{near.refused} of {near.refused}"
        return ev.ProofRow(claim=claim, measured=measured, holds=True, decides=False)
    said = f"weakly tested: {shown([*near.halfway])}, and leaves what it is given changed"
    return ev.ProofRow(claim=claim, measured=said, holds=False, decides=False)


def _other_inputs(
    case: Case, trial: Path, reverted: Path, tests: tuple[str, ...], near: Nearby
) -> ev.ProofRow:
    claim = "it changes more than what the failing tests give and expect"
    nonce = secrets.token_hex(8)
    found: list[str] = []  # what a fix was made for, in words
    barely: list[str] = []  # whose inputs say little
    told = 0
    right: dict[Path, bytes] = {}
    try:
        made = _vary(case, (trial, reverted), tests, nonce, right)
        if made:
            request = runners.Request(only=made)
            both(
                lambda: case.report(trial, request),
                lambda: case.report(reverted, request),
                at_once=case.at_once,
            )
        for path in {path for path, _ in case.places(made).values()}:
            notes = [_notes(_noted(place / path, nonce)) for place in (trial, reverted)]
            pointed, count = made_for_the_tests(*notes)
            found += [replace(made, test=f"{path} {made.test}").words for made in pointed]
            told += count
            barely += [f"{path} {name}" for name in barely_asked(*notes)]
    finally:
        for file, content in right.items():
            file.write_bytes(content)
            _noted(file, nonce).unlink(missing_ok=True)
    what = "tests" if told else "calls"
    if not told:
        found, told = list(near.found), near.told
    only = bool(found) and len(found) == told
    weak = _weak_inputs(case, near, barely, only=only)
    if weak:
        said = f"weakly tested: {weak}"
        return ev.ProofRow(claim=claim, measured=said, holds=False, decides=False)
    if near.alone and not only:
        return ev.ProofRow(claim=claim, measured=_alone(near), holds=False, doubt=True)
    if not told:
        return untested(claim, "other inputs tell nothing" if made else "no test could be varied")
    measured = shown(found) if only else f"in {told - len(found)} of {told} {what}"
    return ev.ProofRow(claim=claim, measured=measured, holds=not only, doubt=True)


def _weak_inputs(case: Case, near: Nearby, barely: list[str], *, only: bool) -> str:
    """Say why other inputs say little of a fix that is not refused for them."""
    excuse = _excused(case) if only or near.alone else ""
    if only:
        return f"it {excuse}, and matters at few inputs only" if excuse else ""
    if near.alone:
        return "" if near.sure and not excuse else _alone(near)
    return f"other inputs say nothing of the fix, in {shown(barely)}" if barely else ""


def _alone(near: Nearby) -> str:
    return f"its constants matter to {shown([*near.alone])}, and to no call near"


def _excused(case: Case) -> str:
    """Say what a fix does that may well matter at one number; nothing if it does more."""
    texts = [(case.text(case.base, path), case.text(case.commit, path)) for path in case.code]
    if {change.path for change in case.changes} != set(case.code):
        return ""
    if all(moves_borders(before, after) for before, after in texts):
        return "moves a limit"
    if all(replaces(before, after) for before, after in texts):
        return "replaces a constant answer"
    if all(steps(before, after) for before, after in texts):
        return "counts one more or one less"
    if all(valueless(before, after) for before, after in texts):
        return "brings no value of its own"
    return ""


def _vary(
    case: Case,
    places: tuple[Path, ...],
    tests: tuple[str, ...],
    nonce: str,
    right: dict[Path, bytes],
) -> tuple[str, ...]:
    """Put variations into the checkouts, the text before into `right`; return what was varied."""
    found: list[str] = []
    for path, names in case.by_file(tests).items():
        files = [file for place in places if (file := own_file(place, path))]
        text = files[0].read_text("utf-8-sig", "replace") if files else ""
        mark = _noted(Path(path), nonce).name
        made = varied(text, set(names.values()), mark) if len(files) == len(places) else None
        if made is None:
            continue
        for file in files:
            right[file] = file.read_bytes()
            file.write_text(made.text, "utf-8")
        found += [test for test, name in names.items() if name in made.names]
    return tuple(sorted(found))


def _noted(file: Path, nonce: str) -> Path:
    """Return where the tests of a file note what they look at."""
    return file.with_name(f".{nonce}-{file.name}")


def _notes(file: Path) -> str:
    """Read what tests noted; they may have put anything in its place."""
    if file.is_symlink() or not file.is_file() or file.stat().st_size > NOTES:
        return ""
    return file.read_text("utf-8", "replace")
