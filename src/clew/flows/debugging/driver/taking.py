"""Which red tests of the baseline a commit has taken away."""

from __future__ import annotations

from clew.analysis.tampering import Taken, Texts, taken_away
from clew.flows.debugging.driver.workshop import Workshop
from clew.flows.debugging.states import given
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


def taken(workshop: Workshop, run: TestRun, commit: str, *, narrowed: bool) -> tuple[Taken, ...]:
    """Return the red tests of the baseline that a run on a commit does not run any more.

    A run is `narrowed` that words after -- chose the tests of.
    """
    state, repository = workshop.state, workshop.repository
    first, base = workshop.run_of(given(state.baseline)), given(state.origin).base
    failing = frozenset(r.id for r in first.red) - state.flaky
    if failing <= run.passed | {r.id for r in run.red}:
        return ()
    texts = Texts(
        files=repository.files(base),
        changed=tuple(change.path for change in repository.changed(base, commit)),
        edited=tuple(each.path for each in state.approved),
        before=lambda path: repository.show(base, path),
        after=lambda path: repository.show(commit, path),
        selective=narrowed or _selective(workshop, first, base),
    )
    return taken_away(first, run, failing, texts)


def _selective(workshop: Workshop, first: TestRun, base: str) -> bool:
    """Tell whether words or settings may choose among the tests of a file."""
    settings = workshop.repository.texts(base, SETTINGS).values()
    argv = (*first.command.argv, *workshop.all_tests)
    said = [*argv, *(text.decode("utf-8", "replace") for text in settings)]
    return any(word in text for word in SELECTING for text in said)
