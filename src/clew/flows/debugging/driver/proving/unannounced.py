"""Claims of a run that does not announce itself: the fix cannot know that it is tested.

The failing tests run where the files that the fix changed find neither the runner nor a trace of
it. What judges is looked after in the same run, and the calls that the tests make are recorded.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from clew import runners
from clew.analysis.tampering import doubles, judged_by_the_fix
from clew.flows.debugging.driver.proving.case import TESTS, Case
from clew.flows.debugging.driver.proving.rows import shown, untested
from clew.words import events as ev
from clew.words.facts import MadeCode, TestRun, Verdict

__all__ = ["compared", "heard_of", "hidden_run", "unannounced", "whole", "written"]


def unannounced(
    case: Case, trial: Path, reverted: Path, tests: tuple[str, ...]
) -> tuple[ev.ProofRow, runners.Report | None]:
    """Return the claim, and the run, if it is what it has to be."""
    claim = "they pass where the fix cannot recognise the test runner"
    if not tests or not case.code:
        return untested(claim, "no Python code was changed"), None
    hidden = runners.Disguise(changed=case.code)
    report = hidden_run(case, trial, tests, hidden)
    if _all_green(report.run, tests) and report.looked:
        hidden = runners.Disguise(changed=case.code, alone=True)
        report = hidden_run(case, trial, tests, hidden)
    if not _all_green(report.run, tests):
        report = hidden_run(case, trial, tests, hidden)
    passed = len(set(tests) & report.run.passed)
    measured = f"{passed} of {len(tests)}"
    if _all_green(report.run, tests):
        return ev.ProofRow(claim=claim, measured=measured, holds=True), report
    if report.run.verdict is Verdict.DID_NOT_RUN:
        without = hidden_run(case, reverted, case.failing[:TESTS], hidden)
        if without.run.verdict is Verdict.DID_NOT_RUN:
            return untested(claim, "such a run is not possible"), None
    return ev.ProofRow(claim=claim, measured=measured, holds=False), None


def whole(report: runners.Report | None, replaced: Collection[str]) -> ev.ProofRow:
    """Claim that the runner is what it was before any code of the project."""
    claim = "the runner, and what tests compare with, are whole after each test"
    if report is None:
        return untested(claim, "no such run of changed Python code")
    found = [name for name in report.replaced if name not in replaced]
    measured = f"not any more: {shown(found)}" if found else "nothing was replaced"
    return ev.ProofRow(claim=claim, measured=measured, holds=not found)


def written(case: Case, report: runners.Report | None, before: Collection[MadeCode]) -> ev.ProofRow:
    """Claim that all code that runs can be read: what made code without the fix says nothing."""
    claim = "the code that runs is written in the files of the project"
    if report is None:
        return untested(claim, "no such run of changed Python code")
    files, found = frozenset((*case.files, *case.known)), list[str]()
    for each in report.made:
        if each in before:
            continue
        if not each.by and each.path not in files:
            found.append(f"{each.path} is loaded, and made while the tests run")
        elif each.by and each.path in case.code:
            where = "" if each.by == "<module>" else f", `{each.by}`,"
            found.append(f"{each.path}{where} runs code that it makes")
    measured = shown(found) or "no other code ran"
    return ev.ProofRow(claim=claim, measured=measured, holds=not found, doubt=True)


def heard_of(case: Case, report: runners.Report | None, reverted: Path) -> ev.ProofRow:
    """Claim that tests can fail: what keeps it to itself without the fix as well says nothing."""
    claim = "no failure of a test is caught by the fix"
    if report is None:
        return untested(claim, "no such run of changed Python code")
    found = list(report.swallowed)
    if found:
        hidden = runners.Disguise(changed=case.code)
        before = hidden_run(case, reverted, case.failing[:TESTS], hidden).swallowed
        found = [each for each in found if each not in before]
    measured = f"a test's failure ends in {shown(found)}" if found else "none is"
    return ev.ProofRow(claim=claim, measured=measured, holds=not found, doubt=True)


def compared(case: Case, report: runners.Report | None) -> ev.ProofRow:
    """Claim that no value of the changed code is judged by what the fix says of it."""
    claim = "what it gives is compared by its contents"
    if report is None:
        return untested(claim, "no value of the changed files was seen")
    texts = {path: (case.text(case.base, path), case.text(case.commit, path)) for path in case.code}
    paths = {path for path, _ in case.places(case.turned).values()}
    tests = [case.text(case.base, path) for path in sorted(paths)]
    found = (*doubles(texts), *judged_by_the_fix(report.compared, texts, tests))
    measured = shown([*found]) or "no method of the fix compares"
    return ev.ProofRow(claim=claim, measured=measured, holds=not found, doubt=True)


def hidden_run(
    case: Case, place: Path, tests: tuple[str, ...], disguise: runners.Disguise
) -> runners.Report:
    """Run tests where the changed files find no runner, and record the calls into them."""
    request = runners.Request(only=tests, disguise=disguise, crossing=case.code, whole=True)
    return case.report(place, request)


def _all_green(run: TestRun, tests: tuple[str, ...]) -> bool:
    return set(tests) <= run.passed
