"""A plan's session put away: its documents and its plan moved to archives beside them.

The moves are journalled before the first one, so that an archive that was cut off is finished by
archiving again. Nothing in an archive is overwritten.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from clew.documents.phases import read
from clew.flows.plan.driver import PlanRun
from clew.flows.plan.driver.documenting import DOCUMENT, document_of
from clew.flows.plan.events import KIND, ArchiveBegun, Archived, ArchiveMove
from clew.flows.plan.working import at_work
from clew.git.own_folder import refuse_links, writable
from clew.sandbox.files import write_atomically
from clew.sessions.plans import PlanFile
from clew.words.errors import ClewError, UsageError
from clew.words.plans import shown

if TYPE_CHECKING:
    from clew.sessions import ProjectSessions, Watcher

__all__ = ["archive"]

ARCHIVE = "archive"


def archive(
    sessions: ProjectSessions, session: str, watcher: Watcher, *, reconciled: bool = False
) -> tuple[ArchiveMove, ...]:
    """Move what an ended plan left to its archive, and return what moved.

    May be called again after it was cut off. Raises UsageError for a plan that has not ended, or
    that has files to be looked at, unless they are `reconciled`; and ClewError where something is
    not where it should be afterwards.
    """
    if sessions.listed(session).kind != KIND:
        raise UsageError(
            f"session {session} is no plan's, and only those are archived: nothing was moved",
            hint=f"It stays where it is: `clew show {session}` says what it did.",
        )
    with at_work(sessions, session, watcher) as run:
        _ensure_over(run, reconciled=reconciled)
        if run.state.archived:
            raise UsageError(
                f"session {session} is archived already: nothing was moved",
                hint=f"`clew show {session}` says how it ended.",
            )
        if not run.state.moves:
            run.record(ArchiveBegun(moves=tuple(_moves(run))))
        for move in run.state.moves:
            _move(sessions.project.root, move)
        _verify(run)
        run.record(Archived())
        return run.state.moves


def _ensure_over(run: PlanRun, *, reconciled: bool) -> None:
    if run.state.ended is None:
        raise UsageError(
            f"plan {run.id} is not finished",
            hint=f"`clew resume {run.id}` goes on with it, `clew terminate {run.id}` ends it.",
        )
    if reconciled:
        return
    for phase in run.state.phases.values():
        if phase.told is not None and phase.told.requires_reconciliation:
            raise UsageError(
                f"the files of phase {shown(phase.id)} are to be looked at:"
                f" {phase.told.reconciliation_reason}",
                hint=f"`clew archive {run.id} --reconciled` archives it once you did.",
            )


def _moves(run: PlanRun) -> Iterator[ArchiveMove]:
    """Yield what lies in the project of a plan and of what it began, and where it goes."""
    project, state = run.sessions.project, run.state
    for session in _with_children(run.sessions, run.id):
        folder = project.documents / session
        if folder.is_dir():
            yield _to(project.root, folder, project.documents.with_name(ARCHIVE) / session)
    if plan := _plan(run):
        yield _to(project.root, plan, plan.parent / ARCHIVE / plan.name)
    if design := _design(run):
        yield _to(project.root, design, design.parent / ARCHIVE / design.name)
    if document := _document(run):
        name = state.imported.record.session_id if state.imported else run.id
        yield _to(project.root, document, document.parent / ARCHIVE / f"{name}.md")


def _document(run: PlanRun) -> Path | None:
    """Return the document outside of Clew's folder; None where somebody else changed it since."""
    root, state = run.project.root, run.state
    if state.session.document:
        document, content = root / state.session.document, document_of(run.store, state)
    elif state.imported is not None:
        document, content = root / state.imported.path, run.store.get(state.imported.document)
    else:
        return None
    return document if _inside(root, document) and _holds(document, content) else None


def _plan(run: PlanRun) -> Path | None:
    """Return the plan's file; None where it is another plan by now, or lies elsewhere."""
    session, project = run.state.session, run.sessions.project
    place = project.path / session.plan_path
    if not session.plan_path or not _inside(project.root, place):
        return None
    try:
        same = PlanFile.at(place).digest == session.plan_hash
    except UsageError:
        return None
    return place if same else None


def _design(run: PlanRun) -> Path | None:
    """Return the design document that the plan names; None where it lies elsewhere."""
    state, project = run.state, run.project
    named = state.plan.design or (state.imported.record.design_document if state.imported else "")
    places = [folder / named for folder in (project.path, project.root)] if named else []
    return next((p for p in places if p.is_file() and _inside(project.root, p)), None)


def _with_children(sessions: ProjectSessions, session: str) -> Iterator[str]:
    yield session
    for child in sessions.children(session):
        yield from _with_children(sessions, child.session)


def _to(root: Path, source: Path, target: Path) -> ArchiveMove:
    """Return a move to a name that nothing has."""
    others = (target.with_stem(f"{target.stem}-{number}") for number in itertools.count(2))
    free = next(path for path in itertools.chain((target,), others) if not os.path.lexists(path))
    return ArchiveMove(source=os.path.relpath(source, root), target=os.path.relpath(free, root))


def _move(root: Path, move: ArchiveMove) -> None:
    """Move one; what is there already was moved before."""
    source, target = root / move.source, root / move.target
    refuse_links(root, source)
    refuse_links(root, target)
    if os.path.lexists(target):
        return
    with writable(target.parent):
        target.parent.mkdir(parents=True, exist_ok=True)
        source.rename(target)


def _verify(run: PlanRun) -> None:
    """See that everything is in the archive and can be read there. Raises ClewError."""
    root, state = run.sessions.project.root, run.state
    imported = state.imported.path if state.imported else ""
    for move in state.moves:
        target = root / move.target
        if not target.exists():
            raise ClewError(f"{move.source} is neither there nor in {move.target}")
        if move.source == imported:
            write_atomically(target, document_of(run.sessions.store, state))
        document = target / DOCUMENT if target.is_dir() else target
        if move.source == imported or (document.name == DOCUMENT and document.exists()):
            read(document.read_bytes())


def _inside(root: Path, path: Path) -> bool:
    return path.resolve().is_relative_to(root.resolve())


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content
