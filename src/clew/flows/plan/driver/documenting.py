"""What people read of a plan: its document, rendered at every change, and the final summary."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

from clew.documents.phases import DocumentUnreadable, read, render, save, summary_text
from clew.flows.plan.decisions.learning import taught
from clew.flows.plan.states import PlanState
from clew.flows.plan.viewing import changes, session_record, undone
from clew.git.own_folder import own_folder, refuse_links, writable
from clew.git.worktrees import ChangeKind
from clew.journal.store import Store
from clew.sandbox.files import write_atomically
from clew.sessions import lessons_file
from clew.sessions.run import SessionRun
from clew.words.facts import Tick

__all__ = ["document_of", "is_edited", "write_document", "write_summary"]

DOCUMENT = "session.md"


def write_document(run: SessionRun[PlanState]) -> None:
    """Render the plan's document as it is now; one that was edited by hand is kept beside it."""
    if run.state.opened is None:
        return
    run.export()
    content = document_of(run.sessions.store, run.state)
    _keep_edited(run, run.sessions.project.documents / run.id / DOCUMENT, content)
    _write(run, DOCUMENT, content)
    run.written = content


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
    known = run.state.imported is not None and not run.written  # its own form: nobody can tell
    if known or standing in (run.written, content) or not (run.written or is_edited(standing)):
        return
    others = (path.with_name(f"session.edited-{number}.md") for number in itertools.count(2))
    names = itertools.chain((path.with_name("session.edited.md"),), others)
    kept = next(name for name in names if not name.exists())
    path.replace(kept)
    told = f"{path.name} was edited by hand: it is kept as {kept}, and the plan goes on as it was"
    run.watcher.tick(Tick(phase="plan", text=told))


def is_edited(document: bytes) -> bool:
    """Whether a document is not what its own record is rendered to."""
    try:
        return render(read(document)) != document
    except DocumentUnreadable:
        return True


def write_summary(run: SessionRun[PlanState]) -> str:
    """Write the final summary; return its path, relative to the project."""
    done = all(phase.status.done for phase in run.state.phases.values())
    steps = (f"`clew diff {run.id}` shows the change", f"`clew apply {run.id}` puts it into yours")
    others = (*undone(run.state), *changes(run.state))
    text = summary_text(
        session_record(run.state), steps if done else (), others, counted=_counted(run)
    )
    if run.state.settings.learnings:
        lessons_file.add(run.sessions.project.root, run.id, taught(run.state))
    path = _write(run, "summary.md", text.encode())
    return path.relative_to(run.sessions.project.root).as_posix()


def _counted(run: SessionRun[PlanState]) -> str:
    """Return what all phases together changed, as git says it."""
    state = run.state
    base = state.base.commit if state.base else ""
    if base in ("", state.head):
        return "nothing was changed"
    kinds = Counter(change.kind for change in run.repository.changed(base, state.head))
    lines = Counter(line[:1] for line in run.repository.diff(base, state.head).splitlines())
    files = ", ".join(f"{kinds[kind]} files {kind}" for kind in ChangeKind)
    return f"{files}; about {lines['+']} lines more, {lines['-']} less; {len(state.merges)} commits"


def _write(run: SessionRun[PlanState], name: str, content: bytes) -> Path:
    root = run.sessions.project.root
    own_folder(root)
    path = run.sessions.project.documents / run.id / name
    refuse_links(root, path)
    with writable(path.parent):
        write_atomically(path, content)
    return path
