"""The documents of a session on disk: rendered from its state, written whole."""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec

from clew.documents import checkpoint, escalation, report, session
from clew.documents.front_matter import DocumentUnreadable
from clew.documents.markdown import code
from clew.documents.views import ReportMeta
from clew.evidence import facts
from clew.flows.debugging.driver.briefing import evidence_of
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.escalating import escalated
from clew.flows.debugging.driver.viewing import iteration_views, session_view
from clew.flows.debugging.states import State, require
from clew.git.own_folder import own_folder, refuse_links, writable
from clew.git.worktrees import TreeChange, path_text
from clew.sandbox.files import create_exclusively, locked, write_atomically
from clew.words import events as ev
from clew.words.facts import Crash, TestRun

__all__ = [
    "changes",
    "find_report",
    "problems",
    "shown_output",
    "write_checkpoint",
    "write_escalation",
    "write_report",
    "write_session_document",
]

SOME = 5  # files that are named
_NUMBERED = re.compile(r"(\d{3,})_.*\.md")


# --- the session document ------------------------------------------------------------------------


def write_session_document(debug_run: DebugRun) -> None:
    """Bring the session document up to date; what a person added to it stays."""
    if debug_run.state.opened is None:
        return
    own_folder(debug_run.project.root)
    refuse_links(debug_run.project.root, debug_run.documents)
    path = debug_run.documents / "session.md"
    view = session_view(debug_run.state, changes(debug_run))
    text = rendered = session.render(view)
    try:
        standing = path.read_text("utf-8")
        if standing != debug_run.rendered:  # to read YAML takes longer than all else of a step
            text = session.update(standing, view)
    except FileNotFoundError:
        pass
    except (DocumentUnreadable, UnicodeDecodeError):
        path.replace(path.with_suffix(".unreadable.md"))
    write_atomically(path, text.encode())
    debug_run.rendered = rendered


def changes(debug_run: DebugRun) -> tuple[TreeChange, ...]:
    """Return what the session changed, as git says it."""
    state = debug_run.state
    if state.snapshot is None or state.head == state.start.base:
        return ()
    return debug_run.repository.changed(state.start.base, state.head)


# --- reports -------------------------------------------------------------------------------------


def write_report(debug_run: DebugRun, iteration: int) -> tuple[int, str]:
    """Create the next report of the topic; return its number, and its path in the project.

    Numbers have no gaps and no twins, even when two loops write at once; the number of a report
    that a person deleted is not given again.
    """
    root, state = debug_run.project.root, debug_run.state
    folder = root / report.folder(state.topic)
    refuse_links(root, folder)
    diagnosed = require(state.diagnosed)
    with _numbering(root) as given_before, writable(folder):
        there = max((n for n, _ in _reports(folder)), default=0)
        number = max(there, given_before.get(state.topic, 0)) + 1
        path = folder / report.file_name(number, diagnosed.diagnosis.title)
        meta = _report_meta(debug_run, diagnosed, iteration, number)
        create_exclusively(path, report.render(diagnosed.diagnosis, meta).encode())
        given_before[state.topic] = number
    return number, path.relative_to(root).as_posix()


def problems(debug_run: DebugRun, iteration: int, diagnosed: ev.Diagnosed) -> tuple[str, ...]:
    """Return what a report of this diagnosis would lack, in words for its author."""

    def lines(path: str) -> int | None:
        content = debug_run.repository.show(debug_run.state.head, path)
        return None if content is None else content.count(b"\n") + 1

    meta = _report_meta(debug_run, diagnosed, iteration, 1)
    found = diagnosed.diagnosis
    return report.problems(report.render(found, meta), lines, (found.path, found.line))


def find_report(debug_run: DebugRun, iteration: int) -> tuple[int, str] | None:
    """Find a report that says it is of this session and iteration."""
    root = debug_run.project.root
    for number, path in _reports(root / report.folder(debug_run.state.topic)):
        try:
            metadata = report.parse(path.read_text("utf-8")).metadata
        except (OSError, UnicodeDecodeError):
            continue
        if (
            metadata.get("session") == debug_run.id
            and _number(metadata.get("iteration")) == iteration
        ):
            return number, path.relative_to(root).as_posix()
    return None


def _number(text: str | None) -> int | None:
    found = re.match(r"\d+", text or "")
    return int(found[0]) if found else None


def _reports(folder: Path) -> Iterator[tuple[int, Path]]:
    for path in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        found = _NUMBERED.fullmatch(path.name)
        if found:
            yield int(found[1]), path


@contextlib.contextmanager
def _numbering(root: Path) -> Iterator[dict[str, int]]:
    """Hold the numbers of reports: topic to the last that was given. It may be changed."""
    path = own_folder(root) / "reports.json"
    lock = path.with_suffix(".lock")
    refuse_links(root, lock)
    with locked(lock):
        try:
            numbers = msgspec.json.decode(path.read_bytes(), type=dict[str, int])
        except (FileNotFoundError, msgspec.DecodeError):
            numbers = {}  # the reports themselves are counted as well
        yield numbers
        write_atomically(path, msgspec.json.encode(numbers))


def _report_meta(
    debug_run: DebugRun, diagnosed: ev.Diagnosed, iteration: int, number: int
) -> ReportMeta:
    state = debug_run.state
    kept = require(state.kept)
    run = debug_run.standing
    known = evidence_of(debug_run, run)
    cause = require(known.cause)
    return ReportMeta(
        date=debug_run.clock(),
        number=number,
        topic=state.topic,
        created_by=diagnosed.agent,
        workflow=state.session.goal,
        session_id=debug_run.id,
        iteration=iteration,
        cap=state.cap,
        round=state.round,
        counter=state.counter,
        severity=report.severity(run),
        symptoms=tuple(r.error for r in state.red),
        total=kept.total,
        red=len(state.red),
        failed=report.what_failed(run),
        output=shown_output(run),
        environment=_environment(kept),
        command=shlex.join(kept.command.argv),
        start=_start(debug_run, kept.commit),
        cause=": ".join(filter(None, (cause.cause_class, cause.subclass, cause.evidence))),
        facts=facts(known),
        flaky=tuple(sorted(state.flaky)),
        history=iteration_views(state),
        related=tuple(r.path for r in state.reports),
    )


def _start(debug_run: DebugRun, commit: str) -> str:
    """Say where a person's own git finds the code of a commit, which it does not know itself."""
    taken = require(debug_run.state.snapshot)
    changed = debug_run.repository.changed
    if taken.head is None:
        parts = ["Start from the files as they were when the session began"]
    else:
        parts = [f"Start from commit {code(taken.head[:12])}"]
        if loose := [code(path_text(c.path)) for c in changed(taken.head, taken.base)]:
            more = f" and {len(loose) - SOME} more files" if len(loose) > SOME else ""
            parts.append(f"with what was not committed then: {', '.join(loose[:SOME])}{more}")
    if commit != taken.base:
        parts.append(f"with what helped before it: {code(f'clew diff {debug_run.id}')} shows it")
    return "; ".join(parts) + "."


def shown_output(run: TestRun) -> str:
    """Return what the first red tests said: tracebacks and what they printed."""
    return "\n\n".join(
        f"{r.id}\n{_traceback(r.crash) if r.crash else ''}\n{r.output}".strip() for r in run.red[:5]
    )


def _traceback(crash: Crash) -> str:
    """Return what the runner said of an exception; where that is nothing, as Python would."""
    if crash.details or not crash.frames:
        return crash.details
    lines = ["Traceback (most recent call last):"]
    for frame in crash.frames:
        lines.append(f'  File "{frame.path}", line {frame.line}, in {frame.function}')
        lines += [f"    {frame.code.strip()}"] if frame.code.strip() else []
    return "\n".join([*lines, f"{crash.type}: {crash.message}"])


def _environment(run: ev.TestsRan) -> tuple[str, ...]:
    python = (f"interpreter {run.command.interpreter}",) if run.command.interpreter else ()
    return (*python, f"runner {run.command.runner}", f"sandbox {run.sandbox}")


# --- the end: escalation, checkpoints ------------------------------------------------------------


def write_escalation(debug_run: DebugRun, options: tuple[ev.OptionOffered, ...]) -> Path:
    """Write the message that hands over to a person."""
    state = debug_run.state
    view, message = escalated(state, debug_run.standing, options, changes(debug_run))
    path = debug_run.documents / f"{message.checkpoint}.md"
    write_atomically(path, escalation.render(view, message).encode())
    return path


def write_checkpoint(debug_run: DebugRun, name: str) -> Path:
    """Keep state and events of this moment, so that a damaged journal loses little."""
    state = debug_run.state
    folder = debug_run.store.checkpoint(debug_run.id, name)
    events = b"\n".join(ev.to_line(r) for r in debug_run.journal.read(debug_run.id))
    write_atomically(folder / "events.jsonl", events + b"\n")
    path = folder / "checkpoint.json"
    write_atomically(path, checkpoint.to_json(_checkpoint(state, name)).encode())
    return path


def _error_history(state: State) -> Iterator[dict[str, object]]:
    """Yield what each iteration began with, and what came of it; nothing is left out."""
    red = state.baseline.red if state.baseline else ()
    issue = tuple(r.error for r in red if r.id not in state.flaky)
    for entry in state.history:
        yield {
            "phase": 1,
            "iteration": entry.iteration,
            "issue": issue,
            "debug_reports": [entry.report] if entry.report else [],
            "fix_applied": entry.fix_attempted,
            "resolution": str(entry.result),
            "errors_after": entry.new_errors,
        }
        issue = entry.new_errors if entry.progress else issue


def _checkpoint(state: State, name: str) -> checkpoint.Checkpoint:
    passing = state.closing is ev.Status.GREEN
    left = () if passing else tuple(r.error for r in state.red)
    causes = tuple(e.root_cause for e in state.helpful)
    reports = tuple(r.path for r in state.reports)
    return checkpoint.Checkpoint(
        checkpoint_id=name,
        project_name=Path(state.session.root).name,
        workflow_description=state.session.goal,
        created_at=require(state.created),
        updated_at=require(state.updated),
        status="completed" if passing else "in_progress",
        completed_phases=(1,) if passing else (),
        workflow_state={
            "debug_iteration": state.counter,
            "debug_topic_slug": state.topic,
            "debug_reports": reports,
            "debug_history": msgspec.to_builtins(state.history),
            "error_history": list(_error_history(state)),
            "debug_status": "resolved" if passing else "escalated",
            "commit": state.head,
            "seq": state.seq,
        },
        last_error=left[0] if left else None,
        tests_passing=passing,
        debug_report_path=reports[-1] if reports else None,
        debug_iteration_count=state.counter,
        completion_time=state.updated,
        outputs=checkpoint.Outputs(
            tests_passing=passing,
            debug_iterations=state.overall,
            debug_reports=reports,
            issues_resolved=causes,
            unresolved_issues=left,
            status="success" if passing else "escalated",
        ),
        next_phase="documentation" if passing else "manual_intervention",
        performance={
            "debugging_time": state.spent.seconds,
            "iterations_needed": state.overall,
        },
        user_options=()
        if passing
        else ("investigate", "guidance", "rollback", "skip", "terminate"),
        debug_summary="; ".join(f"{e.iteration}: {e.result}" for e in state.history),
    )
