"""What is written when a session is over: the summary, and the last words of its reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from clew import events as ev
from clew.debugging.documenting import changes, time_taken
from clew.debugging.viewing import proof_view, session_view
from clew.debugging.workshop import Workshop
from clew.documents import report, summary
from clew.documents.views import FileChange, Story, SummaryMeta
from clew.facts import Verdict
from clew.states import KNOWLEDGE, State, given
from clew.store import write_atomically

__all__ = ["summary_meta", "write_summary"]


def write_summary(workshop: Workshop) -> Path:
    """Write the workflow summary, and close the reports that it links."""
    state = workshop.state
    path = workshop.documents / "summary.md"
    folder = workshop.documents.relative_to(workshop.project.root).as_posix()
    view = session_view(state, changes(workshop))
    diff = workshop.repository.diff(given(state.snapshot).base, state.head)
    meta = summary_meta(state, diff, workshop.clock())
    write_atomically(path, summary.render(view, proof_view(state), meta, folder=folder).encode())
    _close_reports(workshop, path.relative_to(workshop.project.root).as_posix())
    return path


def summary_meta(state: State, diff: str, now: datetime) -> SummaryMeta:
    """Return what a summary says beside the session; `diff` is what its branch changed."""
    written = (d for d in reversed(state.documents) if d.kind == KNOWLEDGE)
    learned = next(written, None) if state.learned == state.head else None
    ran = state.baseline is not None and state.baseline.verdict is not Verdict.DID_NOT_RUN
    return SummaryMeta(
        date=now,
        original_errors=tuple(r.error for r in state.baseline.red) if state.baseline else (),
        red_before=len(state.baseline.red) if state.baseline and ran else None,
        red_after=len(state.red) if state.kept else None,
        passed=state.kept.passed if state.kept else None,
        total=state.kept.total if state.kept else None,
        solvers=state.solvers,
        artifacts=_artifacts(state),
        knowledge=learned.path if learned else "",
        lesson=learned.anchor if learned else "",
        story=_story(state),
        changes=tuple(_stat(diff)),
        diff=diff,
        seconds=time_taken(state, now),
        lessons=tuple(_lessons(state)),
    )


def _story(state: State) -> Story | None:
    """Return what an agent told of the commit that counts, or why it did not."""
    agent, last = state.session.document, state.narrations[-1] if state.narrations else None
    if state.closing is not ev.Status.GREEN or not agent:
        return None
    failed = [e for e in state.agent_errors if e.role == "document"]
    if state.told != state.head:
        return Story(teller=agent, silence="a budget was spent, or no call would have helped")
    if last and last.commit == state.head:
        teller = f"{agent} ({last.model})" if last.model else agent
        return Story(teller=teller, what_happened=last.what_happened, why=last.why)
    return Story(teller=agent, silence=failed[-1].message if failed else "it was interrupted")


def _artifacts(state: State) -> tuple[str, ...]:
    kept = dict.fromkeys(checkpoint.name for checkpoint in state.checkpoints)
    work = (f"`{state.snapshot.branch}`: the work, as a branch",) if state.snapshot else ()
    return (
        *work,
        "`session.md`, beside this summary: the session, kept up to date",
        *(
            f"`{written.path}`: report of iteration {written.iteration}"
            for written in state.reports
        ),
        *((f"checkpoints: {', '.join(kept)}",) if kept else ()),
    )


def _lessons(state: State) -> Iterator[str]:
    """Yield what the next one who meets such a failure would want to know."""
    told = {event.iteration: event.diagnosis for event in state.diagnoses}
    for entry in state.history:
        if entry.iteration in state.helped and entry.root_cause:
            yield f"It was: {entry.root_cause}"
        elif entry.root_cause and not entry.progress:
            yield f"It was not: {entry.root_cause} ({entry.result})"
    yield from dict.fromkeys(
        told[entry.iteration].prevention
        for entry in state.helpful
        if entry.iteration in told and told[entry.iteration].prevention
    )
    if state.flaky:
        yield f"Flaky, and to be made steady: {', '.join(sorted(state.flaky))}"


def _stat(diff: str) -> Iterator[FileChange]:
    for part in re.split(r"(?m)^diff --git ", diff)[1:]:
        header, _, body = part.partition("\n@@")
        found = re.search(r"(?m)^\+\+\+ b/(.*)$", header) or re.search(r"^a/(\S+)", header)
        lines = body.splitlines()
        yield FileChange(
            path=found[1] if found else header.split("\n", 1)[0],
            added=sum(line.startswith("+") for line in lines),
            removed=sum(line.startswith("-") for line in lines),
        )


def _close_reports(workshop: Workshop, summary_path: str) -> None:
    state = workshop.state
    results = {e.report: e for e in state.history if e.report}
    for written in state.reports:
        path = workshop.project.root / written.path
        entry = results.get(written.path)
        if entry is None or not path.is_file():
            continue
        try:
            standing = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue  # a person has saved it otherwise: it is theirs
        fixed = entry.iteration in state.helped and state.closing is ev.Status.GREEN
        text = report.close(
            standing,
            path=written.path,
            status="Fixed" if fixed else "Closed",
            resolution=f"{entry.fix_attempted or 'no fix'}: {entry.result}",
            at=workshop.clock(),
            summary=summary_path,
        )
        write_atomically(path, text.encode())
