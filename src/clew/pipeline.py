"""What a pipeline keeps of a session: a page to read, the fix as a patch, reports, the result."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from clew import events as ev
from clew.debugging import session_view, summary_meta
from clew.documents import pipeline
from clew.errors import UsageError
from clew.sessions import Desk
from clew.states import State
from clew.store import write_atomically
from clew.worktrees import Change

__all__ = ["Kept", "clear", "keep"]

PAGE, REPORTS, RESULT = "report.md", "reports", "result.json"
PROVEN, PROGRESS = "fix.patch", "progress.patch"


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What was written; `patch` is None where nothing was changed."""

    headline: str
    page: Path
    patch: Path | None


def clear(folder: Path) -> None:
    """Remove what an earlier run left, so that nothing old is taken for new. Raises UsageError."""
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


def keep(desk: Desk, state: State, folder: Path, result: dict[str, object]) -> Kept:
    """Write the artefacts of a session into a folder that `clear` has made ready."""
    base = state.snapshot.base if state.snapshot else state.head
    diff, patch = "", None
    changes: tuple[Change, ...] = ()
    if state.head != base:
        diff = desk.repository.diff(base, state.head)
        changes = desk.repository.changed(base, state.head)
        patch = folder / (PROVEN if state.status is ev.Status.GREEN else PROGRESS)
        write_atomically(patch, desk.repository.patch(base, state.head))
    for report in state.reports:
        source = desk.project.root / report.path
        if source.is_file():
            (folder / REPORTS).mkdir(exist_ok=True)
            shutil.copyfile(source, folder / REPORTS / source.name)
    view = session_view(state, changes)
    meta = summary_meta(state, diff, datetime.now(UTC))
    page = pipeline.render(view, meta, patch=patch.name if patch else "")
    write_atomically(folder / PAGE, page.encode())
    write_atomically(folder / RESULT, msgspec.json.format(msgspec.json.encode(result)) + b"\n")
    return Kept(headline=pipeline.headline(view, meta), page=folder / PAGE, patch=patch)
