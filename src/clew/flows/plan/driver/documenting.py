"""What people read of a plan: its document, rendered at every change, and the final summary."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

from msgspec.structs import replace

from clew.documents.phases import DocumentUnreadable, read, render, save, summary_text
from clew.flows.plan.decisions.learning import taught
from clew.flows.plan.states import PlanState, fold
from clew.flows.plan.viewing import changes, issues, session_record, undone
from clew.git.own_folder import own_folder, refuse_links, writable
from clew.git.project import Project
from clew.git.worktrees import ChangeKind
from clew.journal.store import Store
from clew.sandbox.files import write_atomically
from clew.sessions import lessons_file
from clew.sessions.run import SessionRun
from clew.words.facts import Tick
from clew.words.phases import OverallStatus

__all__ = ["document_of", "document_path", "write_document", "write_summary"]

DOCUMENT = "session.md"


def write_document(run: SessionRun[PlanState]) -> None:
    """Render the plan's document as it is now; one that was edited by hand is kept beside it."""
    if run.state.opened is None:
        return
    run.export()
    content = document_of(run.store, run.state)
    path = document_path(run.project, run.state)
    _keep_edited(run, path, content)
    _write(run, path, content)
    run.written = content


def document_path(project: Project, state: PlanState) -> Path:
    """Return where a plan's document lies while it is active."""
    own = project.documents / state.session.session_id / DOCUMENT
    return project.root / state.session.document if state.session.document else own


def document_of(store: Store, state: PlanState) -> bytes:
    """Return a plan's document; of one that was imported what did not change keeps its bytes."""
    record = session_record(state)
    if state.imported is None:
        return render(record)
    return save(store.get(state.imported.document), record)


def _keep_edited(run: SessionRun[PlanState], path: Path, content: bytes) -> None:
    try:
        standing = path.read_bytes()
    except FileNotFoundError:
        return
    if standing in (run.written, content) or not (run.written or _is_edited(run, standing)):
        return
    others = (path.with_name(f"{path.stem}.edited-{number}.md") for number in itertools.count(2))
    names = itertools.chain((path.with_name(f"{path.stem}.edited.md"),), others)
    kept = next(name for name in names if not name.exists())
    path.replace(kept)
    told = f"{path.name} was edited by hand: it is kept as {kept}, and the plan goes on as it was"
    run.watcher.tick(Tick(phase="plan", text=told))


def _is_edited(run: SessionRun[PlanState], standing: bytes) -> bool:
    """Whether a document is not as an earlier process wrote it, at the time that it says."""
    try:
        at = read(standing).updated
    except DocumentUnreadable:
        return True
    if run.state.imported and standing == run.store.get(run.state.imported.document):
        return False
    state = PlanState()
    for recorded in run.journal.read(run.id):
        state = fold(state, recorded)
        told = at is not None and recorded.at.replace(microsecond=0) == at
        if told and document_of(run.store, state) == standing:
            return False
    return True


def write_summary(run: SessionRun[PlanState]) -> str:
    """Write the final summary; return its path, relative to the project."""
    done = all(phase.status.done for phase in run.state.phases.values())
    steps = (f"`clew diff {run.id}` shows the change", f"`clew apply {run.id}` puts it into yours")
    others = (*undone(run.state), *changes(run.state), *issues(run.state))
    record = session_record(run.state)
    if done:
        record = replace(record, status=OverallStatus.COMPLETED)  # which it is from the next event
    text = summary_text(record, steps if done else (), others, counted=_counted(run))
    if run.state.settings.learnings:
        lessons_file.add(run.sessions.project.root, run.id, taught(run.state))
    path = run.project.documents / run.id / "summary.md"
    _write(run, path, text.encode())
    return path.relative_to(run.project.root).as_posix()


def _counted(run: SessionRun[PlanState]) -> str:
    """Return what all phases together changed, as git says it."""
    state = run.state
    base = state.base.commit if state.base else ""
    if base in ("", state.head):
        return "nothing was changed"
    kinds = Counter(change.kind for change in run.repository.changed(base, state.head))
    more, less = run.repository.counted(base, state.head)
    files = ", ".join(f"{kinds[kind]} files {kind}" for kind in ChangeKind)
    return f"{files}; {more} lines more, {less} less; {len(state.merges)} commits"


def _write(run: SessionRun[PlanState], path: Path, content: bytes) -> None:
    root = run.project.root
    own_folder(root)
    refuse_links(root, path)
    with writable(path.parent):
        write_atomically(path, content)
