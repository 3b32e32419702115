"""A new test run beside the project's, which pass: what it alone runs stands out from theirs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from clew import runners
from clew.agents.filing import carry_out
from clew.flows.investigation.decisions.redness import is_of, leaving_out
from clew.words.facts import Edit, TestCommand, TestRun

__all__ = ["run_beside", "turned_green"]


def run_beside(
    site: runners.Site,
    command: TestCommand,
    asked: runners.Request,
    tests: tuple[str, ...],
    scratch: Path,
    *,
    aside: tuple[str, ...] | None = None,
) -> tuple[TestRun, tuple[str, ...]]:
    """Run new tests beside those that were asked for; return what the runner was given as well.

    Red tests `aside` are left out: others that are red are of the same matter. They are run alone
    where those words leave them out, and where another test is red of which that is not known.
    """
    words = (*asked.extra, *tests) if asked.extra else ()
    words = (*words, *leaving_out(aside or ()))
    seen = runners.run(site, command, replace(asked, extra=words), scratch).run
    known = aside is not None or all(is_of(result.id, tests) for result in seen.red)
    if _has(seen, tests) and known:
        return seen, words
    return runners.run(site, command, replace(asked, extra=tests), scratch).run, tests


def turned_green(
    site: runners.Site,
    command: TestCommand,
    asked: runners.Request,
    edits: Sequence[Edit],
    scratch: Path,
) -> frozenset[str]:
    """Return those of the red tests asked for that pass with edits, which stay in the worktree."""
    if not asked.extra or not edits:
        return frozenset()
    carry_out(site.worktree, edits)
    return runners.run(site, command, asked, scratch).run.passed


def _has(run: TestRun, tests: tuple[str, ...]) -> bool:
    return all(any(is_of(result.id, (test,)) for result in run.results) for test in tests)
