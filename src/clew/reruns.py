"""What is run again after a fix, in which order, and when that is enough.

A fix that did not help is known by its failing tests alone. They run first; if every one of them
is red as it was, the run ends there, and the rest is left out. That is sound because of what
`compare` calls progress: an error of the kept run is gone, or fewer tests are red. Both are
impossible then, and what the fix may have broken besides does not matter: it is rolled back anyway.

Everything else takes the whole suite: a failing test that is green, or fails in another way.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from clew.facts import Phase, TestRun, Verdict
from clew.failures import stand_of

__all__ = ["LEFT_OUT", "as_before", "gate", "joined", "sorted_as"]

REST = 1.0  # seconds that the other tests take, at least, for it to be worth anything
LEFT_OUT = "every failing test is red as before, so that no other test could make it progress"


def gate(before: TestRun, alone: TestRun | None, flaky: frozenset[str]) -> tuple[str, ...]:
    """Return the failing tests that a run after a fix begins with, and may end with; or none.

    `before` is the run that counts, `alone` an earlier one of failing tests by themselves. Each has
    to have failed alone as it failed in the suite: otherwise running it first says little of it.
    None where a runner cannot choose, where a file did not load, and where the other tests take
    less than a second.
    """
    red = {r.id: r for r in before.red if r.id not in flaky}
    if alone is None or not red or not before.command.runner.python:
        return ()
    stood = {r.id: stand_of(r) for r in alone.red}
    if any(r.phase is Phase.COLLECT or stood.get(r.id) != stand_of(r) for r in red.values()):
        return ()
    rest = sum(r.seconds for r in before.results if r.id not in red)
    return tuple(red) if rest >= REST else ()


def as_before(before: TestRun, after: TestRun, tests: Iterable[str]) -> bool:
    """Tell whether each of these tests is red in both runs, and stands where it stood."""
    then = {r.id: stand_of(r) for r in before.red}
    now = {r.id: stand_of(r) for r in after.red}
    return all(test in then and then[test] == now.get(test) for test in tests)


def joined(first: TestRun, rest: TestRun) -> TestRun:
    """Return two runs of one suite, of which the first ended early, as one."""
    if rest.verdict is Verdict.DID_NOT_RUN:
        return replace(rest, seconds=first.seconds + rest.seconds)
    red = bool(first.red) or rest.verdict is Verdict.FAILED
    return replace(
        rest,
        verdict=Verdict.FAILED if red else Verdict.PASSED,
        results=(*first.results, *rest.results),
        seconds=first.seconds + rest.seconds,
        exit_code=rest.exit_code or first.exit_code,
        output=f"{first.output}\n{rest.output}",
    )


def sorted_as(before: TestRun, run: TestRun) -> TestRun:
    """Return a run with its results in the order of an earlier one; new ones stand last."""
    place = {r.id: n for n, r in enumerate(before.results)}
    results = sorted(run.results, key=lambda r: place.get(r.id, len(place)))
    return replace(run, results=tuple(results))
