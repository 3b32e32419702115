"""A new test run beside the project's, which pass: what it alone runs stands out from theirs."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from msgspec.structs import replace

from clew import runners
from clew.words.facts import TestCommand, TestRun

__all__ = ["run_beside"]


def run_beside(
    site: runners.Site,
    command: TestCommand,
    asked: runners.Request,
    tests: tuple[str, ...],
    scratch: Path,
) -> tuple[TestRun, tuple[str, ...]]:
    """Run new tests beside those that were asked for; return what the runner was given as well.

    They are run alone where those words leave them out, and where another test is red.
    """
    words = (*asked.extra, *tests) if asked.extra else ()
    seen = runners.run(site, command, replace(asked, extra=words), scratch).run
    if _has(seen, tests) and all(_is_of(result.id, tests) for result in seen.red):
        return seen, words
    return runners.run(site, command, replace(asked, extra=tests), scratch).run, tests


def _has(run: TestRun, tests: tuple[str, ...]) -> bool:
    return all(any(_is_of(result.id, (test,)) for result in run.results) for test in tests)


def _is_of(result: str, tests: Collection[str]) -> bool:
    """Whether a result is of these tests, or of a parameter of one."""
    return any(result == test or result.startswith(f"{test}[") for test in tests)
