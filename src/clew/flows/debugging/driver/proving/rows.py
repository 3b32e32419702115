"""The claims of a proof that follow from its runs, and from what the fix changed."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

from msgspec.structs import replace

from clew.analysis.tampering import (
    Counts,
    belongs,
    counts,
    file_of,
    within,
    written,
)
from clew.flows.debugging.driver.proving.case import Case
from clew.words import events as ev
from clew.words.facts import CaseOutcome, Phase, TestRun, Verdict
from clew.words.test_ids import bare_name, home_of, parted

__all__ = [
    "answer_rows",
    "answered",
    "as_it_stood",
    "count",
    "green_rows",
    "loaded_rows",
    "no_skip_more",
    "red_rows",
    "shown",
    "taken_rows",
    "unread",
    "untested",
    "untouched",
]

SHOWN = 5
MUTED = (CaseOutcome.SKIPPED, CaseOutcome.XFAILED)


def as_it_stood(case: Case, rows: Iterable[ev.ProofRow]) -> list[ev.ProofRow]:
    """Hold nothing against a fix that only puts back what stood there: it is made for no test."""
    return [
        replace(row, holds=True, measured=f"{row.measured}; it stood there before {commit}")
        if row.against and row.doubt and (commit := case.stood_before)
        else row
        for row in rows
    ]


def green_rows(case: Case) -> tuple[ev.ProofRow, ...]:
    """Claim that all tests are there and pass."""
    baseline, green = case.baseline, case.green
    wanted = {r.id for r in baseline.results if r.phase is not Phase.COLLECT} - case.flaky
    found = {r.id for r in green.results}
    gone = wanted - found
    wanted -= {name for name in gone if any(belongs(name, path) for path in case.approved)}
    # A test that the baseline skipped, or expected to fail, may go on doing so.
    muted = {r.id for r in baseline.results if not r.outcome.red} - baseline.passed
    passing = green.passed | (muted & found - {r.id for r in green.red})
    able = wanted - case.red_before
    return (
        count("tests of the baseline are collected again", len(wanted & found), len(wanted)),
        count("of them pass in a pristine checkout", len(able & passing), len(able)),
        _none_red(case),
    )


def _none_red(case: Case) -> ev.ProofRow:
    green, words = case.green, case.debug_run.words
    red = {r.id for r in green.red}
    still_red = sorted(red - case.excused)
    before = len(red & case.excused - case.flaky)
    flaky = sorted(red & case.flaky)
    others = f"{len(flaky)} red and called flaky: {shown(flaky)}" if flaky else "0 red"
    measured = f"{len(green.passed)} pass, {others}"
    if before:
        said = shlex.join(words.choosing)
        measured = f"{len(green.passed)} pass; {before} red as before, not asked for by `{said}`"
    elif not words.known:
        measured += f", with `{shlex.join(words.kept)}`"
    selected = case.debug_run.state.session.only and bool(words.choosing)
    if selected:
        of = f" of {case.total}" if case.total else ""
        measured = f"only the selected {len(green.results)}{of} were run"
    return ev.ProofRow(
        claim="no selected test is red" if selected else "no test of the whole suite is red",
        measured=shown(still_red) or measured,
        holds=(not still_red and green.verdict is Verdict.PASSED)
        or _only_excused(green, case.excused),
    )


def answer_rows(case: Case) -> tuple[ev.ProofRow, ...]:
    """Claim of each test that a person's answer became that it passes, and how it was before.

    What they did by hand where that test is not is not held against it; and of a test that went
    when they went back behind the answer, nothing is claimed.
    """
    state = case.debug_run.state
    failed = {parted(red.id)[1] for left in state.departures for red in left.now or ()}
    passed = {parted(test)[1] for test in case.green.passed}
    claim = "the test that your answer became passes"
    rows = []
    taken_back = {each.test for each in state.answers[: state.answers_before]}
    for test in _answered(case):
        name, there = bare_name(test), _is_there(case, test)
        if not there and test in taken_back:
            continue
        before = f"{'red' if _named(name, failed) else 'green'} before the fix"
        rows.append(
            ev.ProofRow(
                claim=claim,
                measured=f"{name}, {before}" if there else f"{name} is not in these files",
                holds=_named(name, passed) or not there,
                tested=there,
            )
        )
    return tuple(rows)


def answered(case: Case) -> tuple[str, ...]:
    """Return the tests that a person's answers became, as far as they are there."""
    return tuple(test for test in _answered(case) if _is_there(case, test))


def _answered(case: Case) -> tuple[str, ...]:
    return tuple(each.test for each in case.debug_run.state.answers if each.test)


def _is_there(case: Case, test: str) -> bool:
    text = case.debug_run.repository.show(case.commit, home_of(test)) or b""
    return f"def {bare_name(test)}(".encode() in text


def _named(name: str, tests: set[str]) -> bool:
    return any(test == name or test.endswith(f".{name}") for test in tests)


def loaded_rows(case: Case) -> tuple[ev.ProofRow, ...]:
    """Claim that the tests of files that could not be loaded exist now."""
    if not case.unloaded:
        return ()
    ids = {r.id for r in case.green.results if r.phase is not Phase.COLLECT}
    lost = [str(each) for each in case.taken if each.file in case.unloaded]
    paths = [file_of(file, case.known) for file in case.unloaded]
    number = sum(len(written(case.debug_run.repository.show(case.base, path))) for path in paths)
    return (
        ev.ProofRow(
            claim="the tests of files that could not be loaded exist",
            measured=shown(lost) or f"{number} tests that are written out, {len(ids)} in all",
            holds=not lost,
        ),
    )


def taken_rows(case: Case) -> tuple[ev.ProofRow, ...]:
    """Refuse where a red test is gone, or muted: no fix, whoever let tests be edited."""
    lost = [str(each) for each in case.taken if each.file not in case.unloaded]
    claim = "no failing test was removed"
    return (ev.ProofRow(claim=claim, measured=shown(lost), holds=False),) if lost else ()


def red_rows(case: Case, red: TestRun) -> tuple[ev.ProofRow, ...]:
    """Claim that it is the fix that makes the tests pass; `red` is their run without it."""
    failing = case.failing
    again = len(set(failing) & {r.id for r in red.red})
    before = _some("the failing tests failed before", len(failing), len(failing))
    if case.unloaded:
        before = replace(before, measured=f"{before.measured}: {_files(case)}")
    return (
        before,
        _some("and fail again with the fix reverted", again, len(failing)),
    )


def _files(case: Case) -> str:
    """Say of what could not be loaded how many tests it comes to."""
    number = len(case.unloaded)
    tests = sum(any(within(name, file) for file in case.unloaded) for name in case.turned)
    files = "a file" if number == 1 else f"{number} files"
    beside = len(case.failing) - number
    more = f" beside {beside} {'test' if beside == 1 else 'tests'}" if beside else ""
    return f"{files} that could not be loaded, with {tests} tests{more}"


def _only_excused(run: TestRun, excused: frozenset[str]) -> bool:
    return bool(run.red) and {r.id for r in run.red} <= excused


def untested(claim: str, why: str) -> ev.ProofRow:
    """Say that a claim could not be measured: it neither holds nor fails."""
    return ev.ProofRow(claim=claim, measured=why, holds=True, tested=False)


def count(claim: str, measured: int, of: int) -> ev.ProofRow:
    """Claim that all of a number are."""
    return ev.ProofRow(claim=claim, measured=f"{measured} of {of}", holds=measured == of)


def _some(claim: str, measured: int, of: int) -> ev.ProofRow:
    """Count as `count` does; where there was nothing to turn green, nothing is shown."""
    return ev.ProofRow(claim=claim, measured=f"{measured} of {of}", holds=measured == of > 0)


def unread(case: Case) -> ev.ProofRow:
    """Claim that the product looks nothing up where only tests did without the fix."""
    return ev.ProofRow(
        claim="the fix reads no data that only the tests read before",
        measured=shown([*case.looked_up]) or "none",
        holds=not case.looked_up,
        doubt=True,
    )


def untouched(case: Case) -> ev.ProofRow:
    """Claim that nothing that steers the tests was edited, but what a person approved."""
    parts = [
        f"{path} (approved by a person)" if path in case.approved else path for path in case.touched
    ]
    late = sorted(set(case.late) - set(case.touched))
    python = case.green.command.runner.python
    readers = "only tests or their runner read" if python else "the run reads, and no code names"
    parts += [f"{path}, which {readers}" for path in late]
    unseen = not python and case.baseline.opened is None
    none = "none was edited that is known by its name" if unseen else "none was edited"
    kept = set(case.touched) <= case.approved
    return ev.ProofRow(
        claim="test files and test configuration are the baseline's",
        measured=shown(parts) or none,
        holds=kept and not late,
        doubt=kept and not python,
    )


def no_skip_more(case: Case) -> ev.ProofRow:
    """Claim that no test or assertion is lost and none is muted, by the files and by the runs."""
    before, after = Counts(), Counts()
    for path in case.touched:
        if path not in case.approved:
            before = before.plus(counts(case.debug_run.repository.show(case.base, path)))
            after = after.plus(counts(case.debug_run.repository.show(case.commit, path)))
    lost = list(after.weaker(before))
    then = {r.id for r in case.baseline.results if r.outcome in MUTED}
    known = {r.id for r in case.baseline.results} - case.flaky
    muted = {r.id for r in case.green.results if r.outcome in MUTED}
    lost += [f"{name} is muted" for name in sorted(muted & known - then)][:SHOWN]
    was = f"{len(then)} muted before" if then or muted else "none before"
    return ev.ProofRow(
        claim="tests and assertions are no fewer, skips and expected failures no more",
        measured=shown(lost) or f"{len(case.green.results)} tests, {len(muted)} muted, {was}",
        holds=not lost,
    )


def shown(parts: list[str]) -> str:
    """Return the first few, and how many more there are."""
    more = f" and {len(parts) - SHOWN} more" if len(parts) > SHOWN else ""
    return "; ".join(parts[:SHOWN]) + more
