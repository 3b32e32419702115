"""Whether a test is red for the right reason: by what the code does, not by how it is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from clew.words.facts import Phase, TestResult

__all__ = ["begin_of", "first_lines", "is_of", "leaving_out", "why_not"]

ASSERTED = frozenset({"AssertionError", "Failed"})  # an assertion, and pytest's own way to say so
MOST = 10  # lines of output
LONGEST = 60  # lines of a test that was written


def why_not(results: Sequence[TestResult], tests: Collection[str], symptom: str) -> str:
    """Say why these tests do not show the symptom; nothing where each is red for the right reason.

    That is an assertion, or an exception that the symptom names; never an import, a fixture or a
    name that lacks.
    """
    seen = {result.id: result for result in results}
    for test in tests:
        result = seen.get(test) or next((r for r in results if is_of(r.id, (test,))), None)
        if result is None:
            broken = next((r for r in results if r.phase is Phase.COLLECT and r.outcome.red), None)
            if broken is not None:
                return f"{test} could not be loaded: {_named(broken)}"
            return f"there is no test {test}"
        if not result.outcome.red:
            return f"{test} is not red: it is {result.outcome.value}"
        if result.phase is not Phase.CALL:
            return f"{test} fails in its {result.phase.value}, before it asks anything of the code"
        name = _named(result)
        if name not in ASSERTED and name not in symptom:
            return f"{test} is red by {name}, which is no assertion, and nothing that was seen"
    return "" if tests else "no test was named"


def is_of(result: str, tests: Collection[str]) -> bool:
    """Whether a result is of these tests, or of a parameter of one.

    Its id may begin further up: with a folder of the settings of the tests.
    """
    return any(
        result == test or result.endswith(f"/{test}") or f"/{test}[" in f"/{result}"
        for test in tests
    )


def leaving_out(tests: Iterable[str]) -> tuple[str, ...]:
    """Return the words that leave red tests out of a run of pytest, and files that do not load."""
    return tuple(f"--{'deselect' if '::' in test else 'ignore'}={test}" for test in tests)


def _named(result: TestResult) -> str:
    """Return the bare name of the exception that ended a test."""
    return result.crash.type.rpartition(".")[2] if result.crash else result.outcome.value


def first_lines(results: Sequence[TestResult]) -> str:
    """Return the first lines of what failing tests say; later ones where these lack the reason.

    How many are left out is said.
    """
    red = next((result for result in results if result.outcome.red), None)
    if red is None:
        return ""
    text = red.crash.details or red.crash.message if red.crash else red.output
    lines = [line for line in text.splitlines() if line.strip()]
    reason = next((n for n, line in enumerate(lines) if line.startswith("E ")), 0)
    begin = 0 if reason < MOST else min(reason, len(lines) - MOST)
    before = f"… {begin} lines before\n" if begin else ""
    return before + begin_of(lines[begin:], MOST)


def begin_of(lines: Sequence[str], most: int = LONGEST) -> str:
    """Return the first lines of a text, and how many more there are."""
    left = len(lines) - most
    more = [f"… {left} more {'line' if left == 1 else 'lines'}"] if left > 0 else []
    return "\n".join([*lines[:most], *more])
