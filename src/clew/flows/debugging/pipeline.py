"""What a pipeline keeps of a session: a page to read, the fix as a patch, reports, the result."""

from __future__ import annotations

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from clew.documents import pipeline
from clew.flows.debugging.driver import session_view, summary_meta
from clew.flows.debugging.states import State
from clew.git.own_folder import own_folder
from clew.git.project import Project
from clew.git.worktrees import TreeChange
from clew.runners.dialects import junit
from clew.sandbox.files import write_atomically
from clew.sessions import ProjectSessions
from clew.words import events as ev
from clew.words.errors import UsageError

__all__ = ["EarlierRun", "KeptArtefacts", "clear_artefacts", "keep_artefacts", "read_earlier_run"]

_BETWEEN = re.compile(r"\.py::|::|/")

PAGE, REPORTS, RESULT = "report.md", "reports", "result.json"
PROVEN, PROGRESS = "fix.patch", "progress.patch"


class EarlierRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run before this one, by its report."""

    report: str
    total: int
    red: tuple[str, ...]  # as the report names them

    def not_red(self, state: State) -> tuple[str, ...]:
        """Return those of its red tests that are not red here."""
        found = {_dotted(r.id) for r in state.baseline.red} if state.baseline else set()
        return tuple(name for name in self.red if _dotted(name) not in found)


def read_earlier_run(path: Path) -> EarlierRun:
    """Read the JUnit XML of a run. Raises UsageError."""
    try:
        cases = junit.read(path)
    except junit.ReportRefused as error:
        raise UsageError(
            f"the report {path} cannot be read: {error}",
            hint="--failed takes the JUnit XML of the failed run; pytest writes it with"
            " --junitxml=FILE.",
        ) from error
    red = (f"{c.group}.{c.name}".strip(".") for c in cases if c.outcome.red)
    return EarlierRun(report=str(path), total=len(cases), red=tuple(dict.fromkeys(red)))


def _dotted(name: str) -> str:
    """Spell the id of a test as reports do: `tests/test_a.py::test_b` is `tests.test_a.test_b`."""
    return _BETWEEN.sub(".", name).removesuffix(".py")


class KeptArtefacts(msgspec.Struct, frozen=True, kw_only=True):
    """What was written; `patch` is None where nothing was changed."""

    headline: str
    page: Path
    patch: Path | None


def clear_artefacts(project: Project, folder: Path | None = None) -> Path:
    """Make a folder ready for artefacts, by default .clew/ci in the project; return it.

    What an earlier run left is removed, so that nothing old is taken for new. Raises UsageError.
    """
    folder = folder or own_folder(project.root) / "ci"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in (PAGE, RESULT, PROVEN, PROGRESS):
            (folder / name).unlink(missing_ok=True)
        shutil.rmtree(folder / REPORTS, ignore_errors=True)
    except OSError as error:
        raise UsageError(
            f"artefacts cannot be written to {folder}: {error.strerror}",
            hint="Name another folder with --output.",
        ) from error
    return folder


def keep_artefacts(
    sessions: ProjectSessions,
    state: State,
    folder: Path,
    result: object,
    before: EarlierRun | None = None,
) -> KeptArtefacts:
    """Write the artefacts of a session into a folder that `clear_artefacts` has made ready.

    Tests that were red `before`, and are not red here, are named on the page.
    """
    base = state.snapshot.base if state.snapshot else state.head
    diff, patch = "", None
    changes: tuple[TreeChange, ...] = ()
    if state.head != base:
        diff = sessions.repository.diff(base, state.head)
        changes = sessions.repository.changed(base, state.head)
        patch = folder / (PROVEN if state.status is ev.Status.GREEN else PROGRESS)
        write_atomically(patch, sessions.repository.patch(base, state.head))
    for report in state.reports:
        source = sessions.project.root / report.path
        if source.is_file():
            (folder / REPORTS).mkdir(exist_ok=True)
            shutil.copyfile(source, folder / REPORTS / source.name)
    view = session_view(state, changes)
    meta = summary_meta(state, diff, datetime.now(UTC))
    page = pipeline.render(
        view,
        meta,
        patch=patch.name if patch else "",
        source=before.report if before else "",
        unseen=before.not_red(state) if before else (),
    )
    write_atomically(folder / PAGE, page.encode())
    write_atomically(folder / RESULT, msgspec.json.format(msgspec.json.encode(result)) + b"\n")
    return KeptArtefacts(headline=pipeline.headline(view, meta), page=folder / PAGE, patch=patch)
