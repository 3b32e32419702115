"""Trials of a fix that seems right: what it does where it cannot know what is wanted.

canaries        copies of the failing tests that must be red
other inputs    the failing tests with other numbers and texts, with the fix and without it
unannounced     the failing tests, where the files that the fix changed cannot know the runner
plainly         the failing tests of Node's own runner, without it
restated        the failing tests of other languages, with other values in them
replies         the calls of these tests, made again where nobody tests
changed lines   small changes of the fixed lines: does a test notice one?

They run a bounded number of the tests that the fix turned green, in a checkout of their own.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection
from pathlib import Path

from msgspec.structs import replace

from clew import runners
from clew.analysis.tampering import (
    ENDS,
    LIES,
    barely_asked,
    doubles,
    judged_by_the_fix,
    made_for_the_tests,
    moves_borders,
    of_functions,
    replaces,
    varied,
    whole_file,
)
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.driver.proving.alone import passing_alone
from clew.flows.debugging.driver.proving.case import Case, own_file
from clew.flows.debugging.driver.proving.near import Nearby, nearby
from clew.flows.debugging.driver.proving.plainly import plainly
from clew.flows.debugging.driver.proving.replies import replied, unspoiled
from clew.flows.debugging.driver.proving.restated import restated
from clew.flows.debugging.driver.proving.rows import shown, untested
from clew.flows.debugging.driver.proving.slips import QUICK, weakly
from clew.words import events as ev
from clew.words.facts import Crossed, MadeCode, Runner, TestResult, TestRun, Verdict

__all__ = ["on_trial"]

TESTS = 20  # that are put on trial
FILES = 100  # of tests that become canaries where a command runs them
NOTES = 10_000_000  # bytes that varied tests may note
BY_TEST = (Runner.PYTEST, Runner.UNITTEST)


def on_trial(
    case: Case, trial: Path, reverted: Path, without: runners.Report
) -> tuple[ev.ProofRow, ...]:
    """Return what the trials say; the checkouts hold the fix, and the baseline without it.

    `without` is the run of the failing tests there.
    """
    if case.baseline.command.runner not in BY_TEST:
        few = () if case.green.seconds <= QUICK else case.turned[:TESTS]
        found = restated(case, trial, reverted)
        python = any(path.endswith(".py") and is_test_path(path) for path in case.files)
        canaries = (_canaries_of_command(case, trial),) if python else ()
        hidden = plainly(case, trial, reverted)
        return (hidden, *found, weakly(case, trial, few), *canaries)
    tests = case.turned[:TESTS]
    hidden, report = _unannounced(case, trial, reverted, tests)
    return (
        hidden,
        _whole(report, without.replaced),
        _written(case, report, without.made),
        _heard_of(case, report, reverted),
        replied(case, trial, reverted, report.crossed if report else (), case.failing[:TESTS]),
        unspoiled(case, reverted, report.crossed if report else ()),
        passing_alone(case, trial, reverted, tests),
        _compared(case, report),
        _varied(case, trial, reverted, tests, report.crossed if report else ()),
        weakly(case, trial, tests),
        _canaries(case, trial, tests),
    )


# --- a run that does not announce itself ---------------------------------------------------------


def _unannounced(
    case: Case, trial: Path, reverted: Path, tests: tuple[str, ...]
) -> tuple[ev.ProofRow, runners.Report | None]:
    """Return the claim, and the run, if it is what it has to be."""
    claim = "they pass where the fix cannot recognise the test runner"
    if not tests or not case.code:
        return untested(claim, "no Python code was changed"), None
    hidden = runners.Disguise(changed=case.code)
    report = _report(case, trial, tests, hidden)
    if _all_green(report.run, tests) and report.looked:
        hidden = runners.Disguise(changed=case.code, alone=True)
        report = _report(case, trial, tests, hidden)
    if not _all_green(report.run, tests):
        report = _report(case, trial, tests, hidden)
    passed = len(set(tests) & report.run.passed)
    measured = f"{passed} of {len(tests)}"
    if _all_green(report.run, tests):
        return ev.ProofRow(claim=claim, measured=measured, holds=True), report
    if report.run.verdict is Verdict.DID_NOT_RUN:
        without = _report(case, reverted, case.failing[:TESTS], hidden)
        if without.run.verdict is Verdict.DID_NOT_RUN:
            return untested(claim, "such a run is not possible"), None
    return ev.ProofRow(claim=claim, measured=measured, holds=False), None


def _whole(report: runners.Report | None, replaced: Collection[str]) -> ev.ProofRow:
    """Claim that the runner is what it was before any code of the project."""
    claim = "the runner, and what tests compare with, are whole after each test"
    if report is None:
        return untested(claim, "no such run of changed Python code")
    found = [name for name in report.replaced if name not in replaced]
    measured = f"not any more: {shown(found)}" if found else "nothing was replaced"
    return ev.ProofRow(claim=claim, measured=measured, holds=not found)


def _written(
    case: Case, report: runners.Report | None, before: Collection[MadeCode]
) -> ev.ProofRow:
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


def _heard_of(case: Case, report: runners.Report | None, reverted: Path) -> ev.ProofRow:
    """Claim that tests can fail: what keeps it to itself without the fix as well says nothing."""
    claim = "no failure of a test is caught by the fix"
    if report is None:
        return untested(claim, "no such run of changed Python code")
    found = list(report.swallowed)
    if found:
        hidden = runners.Disguise(changed=case.code)
        before = _report(case, reverted, case.failing[:TESTS], hidden).swallowed
        found = [each for each in found if each not in before]
    measured = f"a test's failure ends in {shown(found)}" if found else "none is"
    return ev.ProofRow(claim=claim, measured=measured, holds=not found, doubt=True)


def _compared(case: Case, report: runners.Report | None) -> ev.ProofRow:
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


def _report(
    case: Case, place: Path, tests: tuple[str, ...], disguise: runners.Disguise
) -> runners.Report:
    request = runners.Request(only=tests, disguise=disguise, crossing=case.code, whole=True)
    return case.report(place, request)


def _all_green(run: TestRun, tests: tuple[str, ...]) -> bool:
    return set(tests) <= run.passed


# --- other inputs ---------------------------------------------------------------------------------


def _varied(
    case: Case,
    trial: Path,
    reverted: Path,
    tests: tuple[str, ...],
    crossed: tuple[Crossed, ...],
) -> ev.ProofRow:
    claim = "it changes more than what the failing tests give and expect"
    nonce = secrets.token_hex(8)
    found: list[str] = []  # what a fix was made for, in words
    barely: list[str] = []  # whose inputs say little
    told = 0
    right: dict[Path, bytes] = {}
    try:
        made = _vary(case, (trial, reverted), tests, nonce, right)
        for place in (trial, reverted) if made else ():
            case.report(place, runners.Request(only=made))
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
    near = nearby(case, trial, reverted, crossed, wanted=not told)
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
        return f"it {excuse}, and matters at one number only" if excuse else ""
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
    alone = all(replaces(before, after) for before, after in texts)
    return "replaces a constant answer" if alone else ""


def _vary(
    case: Case,
    places: tuple[Path, ...],
    tests: tuple[str, ...],
    nonce: str,
    right: dict[Path, bytes],
) -> tuple[str, ...]:
    """Put variations into the checkouts, the text before into `right`; return what was varied."""
    found: list[str] = []
    for path, names in _by_file(case, tests).items():
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


# --- canaries ------------------------------------------------------------------------------------


def _canaries(case: Case, trial: Path, tests: tuple[str, ...]) -> ev.ProofRow:
    claim = "deliberately broken copies of them fail"
    nonce = secrets.token_hex(8)
    made = _place(case, trial, tests, nonce)
    if not made:
        return untested(claim, "no copy could be made")
    run = case.report(trial, runners.Request(only=made)).run
    results = {result.id: result for result in run.results}
    heard = {name: _heard(results.get(name), nonce) for name in made}
    lies = [f"{name}: {why}" for name, why in heard.items() if why not in ("", ENDS)]
    sang = sum(why == ENDS for why in heard.values())
    mute = f"; {len(made) - sang} ended otherwise" if sang < len(made) else ""
    return ev.ProofRow(
        claim=claim,
        measured=shown(lies) or f"{sang} of {len(made)}{mute}",
        holds=not lies,
    )


def _by_file(case: Case, tests: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Return the files that tests are written in, with their names there by their ids."""
    found: dict[str, dict[str, str]] = {}
    for test, (path, name) in case.places(tests).items():
        found.setdefault(path, {})[test] = name
    return found


def _place(case: Case, trial: Path, tests: tuple[str, ...], nonce: str) -> tuple[str, ...]:
    """Put canaries into the checkout; return the tests that are some."""
    made: list[str] = []
    for path, names in _by_file(case, tests).items():
        file = own_file(trial, path)
        canary = file and of_functions(
            file.read_text("utf-8-sig", "replace"), set(names.values()), nonce, case.code
        )
        if file and canary:
            file.write_text(canary.text, "utf-8")
            made += [test for test, name in names.items() if name in canary.names]
    return tuple(sorted(made))


def _heard(result: TestResult | None, nonce: str) -> str:
    """Return how a canary ended: at its end, with a lie, or (nothing) otherwise."""
    if result is None:
        return ""
    if not result.outcome.red:
        return f"it is {result.outcome}"
    crash = result.crash
    said = f"{crash.message}\n{crash.details}" if crash else ""
    for word, meaning in LIES.items():
        if f"{nonce} {word}" in said.partition(f"{nonce} {ENDS}")[0]:
            return meaning
    return ENDS if f"{nonce} {ENDS}" in said else ""


def _canaries_of_command(case: Case, trial: Path) -> ev.ProofRow:
    """Have a command run with a canary for every test that it loads: it must not be green."""
    claim = "deliberately broken copies of the tests fail"
    nonce, mark = secrets.token_hex(8), f".{secrets.token_hex(8)}"
    paths = [p for p in case.files if p.endswith(".py") and is_test_path(p)]
    # A conftest that fails would be red whatever became of the tests.
    paths = [p for p in paths if not p.endswith(("conftest.py", "__init__.py"))][:FILES]
    for path in paths:
        file = own_file(trial, path)
        if file:
            text = whole_file(file.read_text("utf-8-sig", "replace"), nonce, mark)
            if text:
                file.write_text(text, "utf-8")
    run = case.report(trial, runners.Request()).run if paths else None
    loaded = run and any((trial / path).parent.joinpath(mark).exists() for path in paths)
    if run is None or (run.verdict is Verdict.PASSED and not loaded):
        return untested(claim, "none that the command loads")
    return ev.ProofRow(
        claim=claim,
        measured=f"the command is {'green' if run.verdict is Verdict.PASSED else 'red'} with them",
        holds=run.verdict is not Verdict.PASSED,
    )
