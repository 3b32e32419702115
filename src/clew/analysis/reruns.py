"""What is run again after a fix, in which order, and when that is enough.

A fix that did not help is known by its failing tests alone. They run first; if every one of them
is red as it was, the run ends there, and the rest is left out. That is sound because of what
`compare` calls progress: an error of the kept run is gone, or fewer tests are red. Both are
impossible then, and what the fix may have broken besides does not matter: it is rolled back anyway.

Where that does not end it, the tests follow that the change touches. If one of them passed and is
red now, by itself too, and by itself green without the change, the run ends there: a fix that
breaks a test is rolled back, whatever others say.

Everything else takes the whole suite: a claim that a fix helps above all.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from msgspec.structs import replace

from clew.analysis.failures import stand_of
from clew.words.facts import CaseOutcome, Phase, Reached, TestRun, Verdict

__all__ = [
    "BROKEN",
    "LEFT_OUT",
    "as_before",
    "gate",
    "joined",
    "lines_of",
    "may_save",
    "near",
    "sorted_as",
    "touching",
]

REST = 1.0  # seconds that the other tests take, at least, for it to be worth anything
FAR = 2.0  # the same, where it takes a further start of the runner to be certain
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")
BROKEN = "a test that the change touches is broken by it, so that no other test could make it count"
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


def may_save(before: TestRun, first: Iterable[str]) -> bool:
    """Tell whether the tests beside some take long enough for it to pay to end without them."""
    chosen = frozenset(first)
    return bool(chosen) and sum(r.seconds for r in before.results if r.id not in chosen) >= FAR


def near(
    before: TestRun, gate: tuple[str, ...], touching: Collection[str], flaky: frozenset[str]
) -> tuple[str, ...]:
    """Return the tests that run after those at the gate, since the change touches them.

    They are those that passed, in the order of the suite; none where what is left would not be
    worth it to end without it.
    """
    silent = flaky.union(gate)
    found = tuple(
        r.id
        for r in before.results
        if r.outcome is CaseOutcome.PASSED and r.id in touching and r.id not in silent
    )
    return found if gate and may_save(before, (*gate, *found)) else ()


def touching(reached: Reached, changed: Mapping[str, frozenset[int]]) -> frozenset[str]:
    """Return the tests that ran a changed line, by path and lines of the traced commit.

    Of a file of which they ran none of those, but others, it is every test that ran any: what
    changed there has its effect when the file is imported, or was added.
    """
    found = set[str]()
    for reach in reached.files:
        lines = changed.get(reach.path, frozenset())
        hit = [places for run, places in reach.groups if not lines.isdisjoint(run)]
        if lines and not hit:
            hit = [tuple(range(len(reach.tests)))]
        found.update(reach.tests[p] for places in hit for p in places if p < len(reach.tests))
    return frozenset(found)


def lines_of(diff: str) -> frozenset[int]:
    """Return the lines that a diff of one file changes or removes, by their old numbers.

    What is only added counts as a change of the line before it.
    """
    found = set[int]()
    number = left = 0
    for line in diff.split("\n"):
        if hunk := HUNK.match(line):
            number, left = int(hunk[1]), int(hunk[2] or 1)
        elif number and line.startswith("+"):
            found.add(max(1, number - 1))
        elif left:
            if line.startswith("-"):
                found.add(number)
            number, left = number + 1, left - 1
    return frozenset(found)


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
