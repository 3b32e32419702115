"""The claim that a challenger shows no test that the fix fails.

What an agent says is wrong counts only as a test that is red with the fix, time and again, by what
the code does, and beside words of the project that ask for it. Whether these mean that, a person
says.
"""

from __future__ import annotations

import contextlib
import itertools
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from clew import runners
from clew.analysis import failures
from clew.analysis.counterexamples import (
    asks_the_code,
    imported,
    says_the_same,
    speaks_of_the_code,
)
from clew.analysis.tampering import within
from clew.flows.debugging.driver.proving.case import BY_TEST, Case
from clew.flows.debugging.driver.proving.rows import untested
from clew.git.own_folder import refuse_links
from clew.sandbox.files import write_atomically
from clew.words import events as ev
from clew.words.facts import TestResult
from clew.words.models import AgentRole
from clew.words.printable import one_line, shortened
from clew.words.test_ids import home_of

__all__ = ["challenged"]

LONGEST = 160  # characters of words, and of a failure


class Planted(NamedTuple):
    """A counterexample as a file of tests: from the root, and as the runner names it."""

    told: ev.Counterexample
    path: str
    home: str


def challenged(case: Case, fixed: Path, reverted: Path) -> tuple[ev.ProofRow, ...]:
    """Try what a challenger said of the fix; no claim where nobody is asked to challenge it."""
    state = case.debug_run.state
    name = state.challenger
    if not name or state.by_hand:
        return ()
    if not any(each.commit == case.commit for each in state.challenges):
        return (untested(ev.CHALLENGED, _silence(case)),)
    told = dict.fromkeys(c for each in state.challenges for c in each.counterexamples)
    return (_tried(case, name, tuple(told), fixed, reverted),)


def _tried(
    case: Case, name: str, told: tuple[ev.Counterexample, ...], fixed: Path, reverted: Path
) -> ev.ProofRow:
    """Claim it of counterexamples, those to earlier fixes of the session included."""
    if not told:
        return ev.ProofRow(claim=ev.CHALLENGED, measured=f"{name} found none", holds=True)
    planted = _planted(case, told)
    if not planted:
        return untested(ev.CHALLENGED, "no test can be put beside those of this runner")
    seen = _run(case, fixed, planted)
    twice = tuple(each for each in planted if _counts(case, seen, each))
    again: dict[Planted, TestResult] = {}
    for each in twice:  # alone: what one leaves behind must not make another red
        again |= _run(case, fixed, (each,), reaching=True)
    red = [
        each
        for each in twice
        if _counts(case, again, each) and says_the_same(seen[each], again[each])
    ]
    passed = sum(not result.outcome.red for result in seen.values())
    if not red and not passed:
        said = f"of the {len(planted)} that {name} named none can be run"
        return untested(ev.CHALLENGED, said)
    if not red:
        said = f"{passed} of {len(planted)} that {name} named pass{_before(case)}"
        return ev.ProofRow(claim=ev.CHALLENGED, measured=said, holds=True)
    before = _run(case, reverted, tuple(red))
    shown = "; ".join(
        _said(case, number, each, again[each], before.get(each))
        for number, each in enumerate(red, start=1)
    )
    measured = f"{name} shows {shown}"
    return ev.ProofRow(claim=ev.CHALLENGED, measured=measured, holds=False, doubt=True)


def _before(case: Case) -> str:
    """Say which fixes a challenger had something against: this one may be made to its tests."""
    told = [each for each in case.debug_run.state.challenges if each.counterexamples]
    earlier = dict.fromkeys(str(each.iteration) for each in told if each.commit != case.commit)
    if not earlier:
        return ""
    return f", those against the fix of iteration {' and '.join(earlier)} among them"


def _silence(case: Case) -> str:
    """Say why nobody has looked for what this fix gets wrong."""
    state = case.debug_run.state
    failed = [e for e in state.agent_errors if e.role == AgentRole.CHALLENGE]
    if failed and failed[-1].iteration == state.overall:
        return f"{failed[-1].agent}: {failed[-1].message}"
    return f"{state.challenger} was not asked: a budget or its cap was reached"


def _planted(case: Case, told: tuple[ev.Counterexample, ...]) -> tuple[Planted, ...]:
    """Name a file for each, beside a test that the fix turned green."""
    place = next(iter(case.places(case.turned).items()), None)
    if place is None or case.baseline.command.runner not in BY_TEST:
        return ()
    test, (path, name) = place
    nonce = secrets.token_hex(4)
    found: list[Planted] = []
    for number, each in enumerate(told, start=1):
        stem = f"test_counterexample_{nonce}_{number}"
        file = PurePosixPath(path).with_name(f"{stem}.py")
        if "::" in test:
            home = str(PurePosixPath(home_of(test)).with_name(file.name))
        else:
            package = test.removesuffix(f".{name}").rpartition(".")[0]
            home = f"{package}.{stem}" if package else stem
        found.append(Planted(each, str(file), home))
    return tuple(found)


def _counts(case: Case, found: dict[Planted, TestResult], each: Planted) -> bool:
    if each not in found or not speaks_of_the_code(found[each], each.path):
        return False
    parts = (PurePosixPath(path).with_suffix("").parts for path in case.known)
    own = frozenset(itertools.chain.from_iterable(parts))
    return asks_the_code(found[each], each.path, each.told.test, own)


def _run(
    case: Case, place: Path, planted: tuple[Planted, ...], *, reaching: bool = False
) -> dict[Planted, TestResult]:
    """Run each in a checkout, which is left as it was; return a result of each, a red one first.

    With `reaching` only of those that reach a file that the fix changed. One that ends the
    run takes no other along: what has no result runs once more, alone.
    """
    found: dict[Planted, TestResult] = {}
    if not planted:
        return found
    with _written(place, planted):
        request = runners.Request(only=tuple(each.home for each in planted), trace=reaching)
        report = case.debug_run.report(place, request, extra=case.debug_run.words.kept)
    lines = report.coverage.lines if reaching and case.code and report.coverage else None
    for result in sorted(report.run.results, key=lambda result: not result.outcome.red):
        for each in planted:
            if _is_of(result, each) and (lines is None or _reaches(case, each, lines, result)):
                found.setdefault(each, result)
    for each in planted if len(planted) > 1 else ():
        if not any(_is_of(result, each) for result in report.run.results):
            found |= _run(case, place, (each,), reaching=reaching)
    return found


def _reaches(
    case: Case, each: Planted, lines: Mapping[str, Mapping[str, object]], result: TestResult
) -> bool:
    """Tell whether a test runs a changed file, or reads what such a file makes when it is loaded.

    The body of a class runs before any test does.
    """
    loaded = imported(each.told.test)
    read = any(PurePosixPath(path).stem in loaded for path in case.code)
    return read or not lines.get(result.id, {}).keys().isdisjoint(case.code)


def _is_of(result: TestResult, each: Planted) -> bool:
    return result.id == each.home or within(result.id, each.home)


@contextlib.contextmanager
def _written(place: Path, planted: tuple[Planted, ...]) -> Iterator[None]:
    try:
        for each in planted:
            file = place / each.path
            refuse_links(place, file)
            file.write_text(each.told.test, "utf-8")
        yield
    finally:
        for each in planted:
            (place / each.path).unlink(missing_ok=True)


def _said(
    case: Case, number: int, each: Planted, result: TestResult, before: TestResult | None
) -> str:
    """Say what words ask for, and how the test fails, which is kept with the documents."""
    debug_run = case.debug_run
    name = f"counterexample-{debug_run.state.overall}-{number}.py"
    file = debug_run.documents / name
    refuse_links(debug_run.project.root, file)
    write_atomically(file, each.told.test.encode())
    words = shortened(one_line(each.told.words), LONGEST)
    failure = shortened(failures.error_of(result).removeprefix(f"{result.id}: "), LONGEST)
    kept = file.relative_to(debug_run.project.root)
    why = f" ({shortened(one_line(each.told.why), LONGEST)})" if each.told.why.strip() else ""
    return (
        f'a test for "{words}" ({each.told.file}) that fails: {failure}{why}'
        f"{_without(result, before)}; it is {kept}"
    )


def _without(result: TestResult, before: TestResult | None) -> str:
    """Say how a test goes without the fix, where that tells something."""
    if before is None:
        return ""
    if not before.outcome.red:
        return ", and passes without the fix"
    return ", and alike without the fix" if says_the_same(result, before) else ""
