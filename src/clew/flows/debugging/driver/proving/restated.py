"""Trials of a fix in any language: the failing tests once more, with other values in them.

A copy in which an assertion is turned has to fail: where none does, something hides failures. And a
copy that gives other values tells whether the fix makes a difference there as well: where it fails
with the fix just as without it, the fix is made for the value of the test.

Only the words of the failures tell what the code answered. Where they tell nothing, nor does this.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from clew import runners
from clew.analysis.mutations import tried_in
from clew.analysis.tampering import (
    CopyEnd,
    OtherValue,
    TriedValue,
    alike,
    is_given,
    is_inline,
    moved_inline,
    new_in,
    other_values,
    told_by,
    turned,
)
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.driver.proving.case import Case, own_file
from clew.flows.debugging.driver.proving.rows import shown, untested
from clew.flows.debugging.driver.steering import judging_code
from clew.flows.debugging.states import require
from clew.words import events as ev
from clew.words.facts import Crash, Frame, Phase, Runner, TestResult, TestRun, Verdict

__all__ = ["restated"]

CANARIES = "deliberately broken copies of them fail"
INPUTS = "it changes more than what the failing tests give and expect"
TESTS = 3  # that are put on trial so
SECONDS = 30.0  # for all of their copies
LEAST = 10.0  # seconds that a run may take
QUICK = 10.0  # a whole suite that takes no longer is run whole for one test
TOOK = re.compile(r"\d+(?:\.\d+)?\s*m?s\b")


class Target(NamedTuple):
    """A failing test: where it is written, and where it failed; no line stands for all of it."""

    test: str
    path: str
    line: int
    raised: bool  # by the code under test, not by an assertion
    said: str  # how it failed
    within: str = ""  # the code before the fix, where it holds the test itself

    def line_in(self, text: str) -> int | None:
        """Return where the line stands in a text of the file."""
        return moved_inline(self.within, self.line, text) if self.within else self.line


class Told(NamedTuple):
    """What the copies of one test told."""

    target: Target
    turned: tuple[CopyEnd, ...]  # with the fix: copies in which an assertion is
    tried: tuple[TriedValue, ...]

    @property
    def broken(self) -> tuple[CopyEnd, ...]:
        """With the fix: the copies of which one has to fail."""
        if any(end.red for end in self.turned):
            return self.turned
        return (*self.turned, *(end for each in self.tried for end in each.fixed))

    @property
    def mute(self) -> bool:
        many = len(self.broken) > 1 and bool(self.turned)
        return many and not any(end.red for end in self.broken)


def restated(case: Case, trial: Path, reverted: Path) -> tuple[ev.ProofRow, ...]:
    """Return the claims about copies of the failing tests, and about other values in them."""
    until = time.monotonic() + SECONDS
    targets = list(_targets(case))[:TESTS]
    told = [_told(case, target, (trial, reverted), until) for target in targets]
    if case.baseline.command.runner is Runner.COMMAND:
        told = _as_one(told)
    return (_canaries(told), _inputs(case, told))


def _as_one(told: Sequence[Told]) -> list[Told]:
    """Join what the files of a command told: it is one test."""
    ends = tuple(end for each in told for end in each.turned)
    tried = tuple(value for each in told for value in each.tried)
    return [Told(told[0].target, ends, tried)] if told else []


def _canaries(told: Sequence[Told]) -> ev.ProofRow:
    mute = [f"none of {len(each.broken)} of {each.target.path}" for each in told if each.mute]
    ends = [end for each in told for end in each.broken]
    red = sum(end.red for end in ends)
    if not mute and not red:
        return untested(CANARIES, "no copy could be made")
    measured = shown(mute) or f"{red} of {len(ends)}"
    return ev.ProofRow(claim=CANARIES, measured=measured, holds=not mute, doubt=True)


def _inputs(case: Case, told: Sequence[Told]) -> ev.ProofRow:
    texts = [(case.text(case.base, path), case.text(case.commit, path)) for path in case.foreign]
    before, after = ("\n".join(each) for each in zip(*texts, strict=True)) if texts else ("", "")
    found: list[str] = []
    barely: list[str] = []
    seen = 0
    for each in told:
        pinned, heedless, wholly = told_by(each.tried)
        seen += sum(any(end.said for end in tried.without) for tried in each.tried)
        for value in pinned:
            sure = new_in(value.was, before, after) and not each.target.raised
            words = f"{value.path}:{value.line} it makes a difference at `{value.was}` alone"
            (found if sure else barely).append(words)
        if wholly or heedless:
            new = any(new_in(value.was, before, after) for value in each.tried)
            words = "gives and expects" if wholly else "gives"
            place = f"{each.target.path}:{each.target.line or each.tried[0].line}"
            said = f"{place} passes whatever it {words}"
            (found if wholly or new else barely).append(said)
    if found:
        return ev.ProofRow(claim=INPUTS, measured=shown(found), holds=False, doubt=True)
    if barely:
        said = f"weakly tested: {shown(barely)}"
        return ev.ProofRow(claim=INPUTS, measured=said, holds=False, decides=False)
    values = sum(is_given(tried) for each in told for tried in each.tried)
    if not values:
        why = "what the tests say when they fail does not tell the answers"
        return untested(INPUTS, why if seen else "no test could be varied")
    return ev.ProofRow(
        claim=INPUTS, measured=f"seen at {values} of their values", holds=True, doubt=True
    )


def _told(case: Case, target: Target, places: tuple[Path, Path], until: float) -> Told:
    """Run copies of a test: those that have to fail till one does, and all with other values."""
    texts = [_text(place, target.path) for place in places]
    lines = [target.line_in(text) for text in texts]
    if None in lines:
        return Told(target, (), ())
    ends: list[CopyEnd] = []
    for copy in turned(target.path, texts[0], require(lines[0])):
        end = _end(case, target, places[0], copy, until)
        ends += [end] if end else []
        if end is None or end.red:
            break
    others = [
        other_values(target.path, text, require(line))
        for text, line in zip(texts, lines, strict=True)
    ]
    found = (
        _tried(case, target, places, each, until)
        for each in zip(*others, strict=False)
        if len({tuple((one.was, one.now) for one in values) for values in each}) == 1
    )
    return Told(target, tuple(ends), tuple(each for each in found if each))


def _tried(
    case: Case,
    target: Target,
    places: tuple[Path, Path],
    copies: tuple[tuple[OtherValue, ...], ...],
    until: float,
) -> TriedValue | None:
    """Try one value; None where a test does not fail, without the fix, as it did before.

    `copies` are of the files in the places.
    """
    first, ends = copies[0], list[tuple[CopyEnd, ...]]()
    for place, others in zip(places, copies, strict=True):
        found = [_end(case, target, place, other, until) for other in others]
        ends.append(tuple(end for end in found if end is not None))
    fixed, without = ends
    whole = len(fixed) == len(without) == len(first)
    if not whole or not all(alike(end.said, target.said) for end in without if end.red):
        return None
    return TriedValue(
        path=target.path,
        line=first[0].line,
        was=first[0].was,
        others=tuple(other.now for other in first),
        fixed=fixed,
        without=without,
    )


def _end(case: Case, target: Target, place: Path, copy: OtherValue, until: float) -> CopyEnd | None:
    """Run a copy of a test; None where it says nothing."""
    file = own_file(place, target.path)
    if file is None or time.monotonic() > until:
        return None
    right = file.read_bytes()
    file.write_text(copy.text, "utf-8", "surrogateescape")
    try:
        whole = case.green.seconds <= QUICK or not target.test
        request = runners.Request(only=() if whole else (target.test,))
        run = case.report(place, request, most=max(LEAST, 3 * case.green.seconds)).run
    finally:
        file.write_bytes(right)
    if run.timed_out or run.verdict is Verdict.DID_NOT_RUN:
        return None
    if run.command.runner is Runner.COMMAND:
        red = run.verdict is Verdict.FAILED
        return CopyEnd(red=red, said=_output(run) if red else "")
    result = next((each for each in run.results if each.id == target.test), None)
    if result is None or result.phase is Phase.COLLECT:
        return None
    return CopyEnd(red=result.outcome.red, said=_said(result.crash) if result.outcome.red else "")


def _output(run: TestRun) -> str:
    return TOOK.sub("", run.output)


def _said(crash: Crash | None) -> str:
    return f"{crash.type}: {crash.message}" if crash else ""


def _targets(case: Case) -> Iterator[Target]:
    """Yield the failing tests whose place is known: where an assertion failed, or the command's."""
    if case.baseline.command.runner is Runner.COMMAND:
        for path in judging_code(case.debug_run, case.base):
            if tried_in(path) and path not in case.readable:
                yield Target("", path, 0, raised=False, said=_output(case.baseline))
        return
    failed = {result.id: result for result in case.baseline.red}
    for test in case.turned:
        if test in failed and (target := _target(case, failed[test])):
            yield target


def _target(case: Case, result: TestResult) -> Target | None:
    frames = [each for each in (result.crash.frames if result.crash else ()) if each.project]
    tests = [each for each in frames if is_test_path(each.path)]
    inline = [each for each in frames if _is_inline(case, each)]
    known = tests or inline or [each for each in frames if each.path not in case.readable]
    if not known:
        return None
    raised = frames[-1].path in case.readable and frames[-1] not in inline
    within = case.text(case.base, known[-1].path) if known[-1] in inline else ""
    return Target(result.id, known[-1].path, known[-1].line, raised, _said(result.crash), within)


def _is_inline(case: Case, frame: Frame) -> bool:
    path = frame.path
    return path in case.readable and is_inline(path, case.text(case.base, path), frame.line)


def _text(place: Path, path: str) -> str:
    file = own_file(place, path)
    return file.read_text("utf-8", "surrogateescape") if file else ""
