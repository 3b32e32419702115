"""Which red tests of the baseline a commit has taken away."""

from __future__ import annotations

from clew.analysis.tampering import Taken, Texts, taken_away
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.states import require
from clew.words.facts import TestRun

__all__ = ["taken"]

SETTINGS = (".pytest.ini", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini")
SELECTING = (
    "-k",
    "-m ",
    "--deselect",
    "--ignore",
    "python_classes",
    "python_functions",
    "load_tests",
)


def taken(debug_run: DebugRun, run: TestRun, commit: str, *, narrowed: bool) -> tuple[Taken, ...]:
    """Return the red tests of the baseline that a run on a commit does not run any more.

    A run is `narrowed` that words after -- chose the tests of.
    """
    state, repository = debug_run.state, debug_run.repository
    first, base = debug_run.run_of(require(state.baseline)), require(state.origin).base
    failing = frozenset(r.id for r in first.red) - state.flaky
    if failing <= run.passed | {r.id for r in run.red}:
        return ()
    texts = Texts(
        files=repository.files(base),
        changed=tuple(change.path for change in repository.changed(base, commit)),
        edited=tuple(each.path for each in state.approved),
        before=lambda path: repository.show(base, path),
        after=lambda path: repository.show(commit, path),
        selective=narrowed or _selective(debug_run, first, base),
    )
    return taken_away(first, run, failing, texts)


def _selective(debug_run: DebugRun, first: TestRun, base: str) -> bool:
    """Tell whether words or settings may choose among the tests of a file."""
    settings = debug_run.repository.texts(base, SETTINGS).values()
    argv = (*first.command.argv, *debug_run.all_tests)
    said = [*argv, *(text.decode("utf-8", "replace") for text in settings)]
    return any(word in text for word in SELECTING for text in said)
