"""What people read of a plan: its document, rendered at every change, and the final summary."""

from __future__ import annotations

from pathlib import Path

from clew.documents.phases import render, summary_text
from clew.flows.plan.states import PlanState
from clew.flows.plan.viewing import session_record, undone
from clew.git.own_folder import own_folder, refuse_links, writable
from clew.sandbox.files import write_atomically
from clew.sessions.run import SessionRun

__all__ = ["write_document", "write_summary"]


def write_document(run: SessionRun[PlanState]) -> None:
    """Render the plan's document as it is now."""
    if run.state.opened is not None:
        _write(run, "session.md", render(session_record(run.state)))


def write_summary(run: SessionRun[PlanState]) -> str:
    """Write the final summary; return its path, relative to the project."""
    done = all(phase.status.done for phase in run.state.phases.values())
    steps = (f"`clew diff {run.id}` shows the change", f"`clew apply {run.id}` puts it into yours")
    text = summary_text(session_record(run.state), steps if done else (), tuple(undone(run.state)))
    path = _write(run, "summary.md", text.encode())
    return path.relative_to(run.sessions.project.root).as_posix()


def _write(run: SessionRun[PlanState], name: str, content: bytes) -> Path:
    root = run.sessions.project.root
    own_folder(root)
    path = run.sessions.project.documents / run.id / name
    refuse_links(root, path)
    with writable(path.parent):
        write_atomically(path, content)
    return path
