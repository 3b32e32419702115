"""Which tests stand near a change: those that ran its lines, or that import its files."""

from __future__ import annotations

from clew.analysis import reruns
from clew.analysis.tampering import place_of
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.git.commit_files import CommitFiles
from clew.git.worktrees import path_text
from clew.words.errors import ClewError
from clew.words.facts import Reached, TestRun

__all__ = ["near"]

MANY = 50  # changed files beyond which a change is near to everything
# What reading a project's own files can come to; anything else is a fault of Clew's.
FAILURES = (ClewError, ImportError, LookupError, OSError, RecursionError, ValueError)


def near(
    debug_run: DebugRun, before: TestRun, gate: tuple[str, ...], commit: str
) -> tuple[str, ...]:
    """Return the tests that come after those at the gate, because the change of a commit is near.

    Nothing is run or traced for it, and nothing is read where it could not save anything.
    """
    if not reruns.may_save(before, gate):
        return ()
    try:
        touching = _that_ran(debug_run, commit) or _that_import(debug_run, before, commit)
    except FAILURES:
        return ()  # it is an order, and no more
    return reruns.near(before, gate, touching, debug_run.state.flaky)


def _that_ran(debug_run: DebugRun, commit: str) -> frozenset[str]:
    """Return the tests that ran lines of the change, as far as a search has traced them."""
    told = next((d.reach for d in reversed(debug_run.state.diagnoses) if d.reach), "")
    if not told:
        return frozenset()
    reached = debug_run.store.get_record(told, Reached)
    changed = {
        path: reruns.lines_of(debug_run.repository.diff(reached.commit, commit, (path,)))
        for path in _changed(debug_run, reached.commit, commit)
    }
    return reruns.touching(reached, changed)


def _that_import(debug_run: DebugRun, before: TestRun, commit: str) -> frozenset[str]:
    """Return the tests of the files that import what the change is in."""
    changed = frozenset(_changed(debug_run, debug_run.state.head, commit))
    library = CommitFiles(debug_run.repository, debug_run.state.head, debug_run.store.folder)
    try:
        files = tuple(p for p in library.importing(changed) if is_test_path(p, before.named))
    finally:
        library.close()
    return frozenset(r.id for r in before.results if place_of(r.id, files))


def _changed(debug_run: DebugRun, before: str, after: str) -> tuple[str, ...]:
    changes = debug_run.repository.changed(before, after)
    return tuple(path_text(change.path) for change in changes[:MANY])
