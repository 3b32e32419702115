"""What is written when a session is over: the summary, and the last words of its reports."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Iterator
from datetime import datetime
from pathlib import Path

from clew.documents import report, summary
from clew.documents.views import FileChange, Narrative, SummaryMeta
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.documenting import changes
from clew.flows.debugging.driver.viewing import proof_view, session_view
from clew.flows.debugging.states import KNOWLEDGE, State, attempts, require
from clew.git.own_folder import refuse_links
from clew.git.project import Project
from clew.git.worktrees import path_text
from clew.sandbox.files import write_atomically
from clew.words import events as ev
from clew.words.errors import UsageError
from clew.words.facts import Verdict

__all__ = [
    "close_report",
    "note_applied",
    "note_gone_back",
    "note_taken_back",
    "summary_meta",
    "write_summary",
]


def write_summary(debug_run: DebugRun) -> Path:
    """Write the workflow summary, and close the reports that it links."""
    state = debug_run.state
    path = debug_run.documents / "summary.md"
    folder = debug_run.documents.relative_to(debug_run.project.root).as_posix()
    view = session_view(state, changes(debug_run))
    diff = debug_run.repository.diff(state.start.base, state.head)
    meta = summary_meta(state, diff, debug_run.clock())
    write_atomically(path, summary.render(view, proof_view(state), meta, folder=folder).encode())
    name = path.relative_to(debug_run.project.root).as_posix()
    applied = debug_run.repository.still_applied(debug_run.id) == state.head
    close_reports(debug_run.project, state, debug_run.clock(), name, applied=applied)
    return path


def summary_meta(state: State, diff: str, now: datetime) -> SummaryMeta:
    """Return what a summary says beside the session; `diff` is what its branch changed."""
    written = (d for d in reversed(state.documents) if d.kind == KNOWLEDGE)
    learned = next(written, None) if state.learned == state.head else None
    taken = state.snapshot
    judged = (taken.tip, taken.restored, taken.together, taken.together_restored) if taken else ()
    ran = state.baseline is not None and state.baseline.verdict is not Verdict.DID_NOT_RUN
    return SummaryMeta(
        date=now,
        original_errors=tuple(r.error for r in state.baseline.red) if state.baseline else (),
        left=tuple(r.error for r in state.red),
        red_before=len(state.baseline.red) if state.baseline and ran else None,
        red_after=len(state.red) if state.kept else None,
        passed=state.kept.passed if state.kept else None,
        total=state.kept.total if state.kept else None,
        taken=state.kept.taken if state.kept else (),
        solvers=state.solvers or ((f"session {state.held_of}",) if state.held_of else ()),
        by_hand=_by_hand(state) if state.head in judged else (),
        chosen=state.choice.told.other if state.choice else "",
        in_place=state.in_place,
        artifacts=_artifacts(state),
        knowledge=learned.path if learned else "",
        lesson=learned.anchor if learned else "",
        story=_story(state),
        changes=tuple(_stat(diff, state.beyond)),
        diff=diff,
        seconds=state.spent.seconds,
        lessons=tuple(_lessons(state)),
        doubts=state.doubts,
    )


def _by_hand(state: State) -> tuple[str, ...]:
    """Return the files that a person changed; not what Clew made of their answer."""
    taken = require(state.snapshot)
    if state.held or state.held_of:
        return ()
    answered = set(map(path_text, state.by_answer(taken)))
    return tuple(path for path in taken.by_hand if path not in answered)


def _story(state: State) -> Narrative | None:
    """Return what an agent told of the commit that counts, or why it did not."""
    agent, last = state.settings.document, state.narrations[-1] if state.narrations else None
    if state.closing is not ev.Status.GREEN or not agent:
        return None
    failed = [e for e in state.agent_errors if e.role == "document"]
    if state.told != state.head:
        return Narrative(teller=agent, silence="a budget was spent, or no call would have helped")
    if last and last.commit == state.head:
        teller = f"{agent} ({last.model})" if last.model else agent
        return Narrative(teller=teller, what_happened=last.what_happened, why=last.why)
    return Narrative(teller=agent, silence=failed[-1].message if failed else "it was interrupted")


def _artifacts(state: State) -> tuple[str, ...]:
    kept = dict.fromkeys(checkpoint.name for checkpoint in state.checkpoints)
    made = "the work, as a branch that `clew apply` makes"
    work = (f"`{state.snapshot.branch}`: {made}",) if state.snapshot else ()
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
    choice = state.choice.iteration if state.choice else None
    for attempt in attempts(state):
        entry = attempt.entry
        if entry.iteration in {*state.helped, choice} and entry.root_cause:
            yield f"It was: {entry.root_cause}"
        elif entry.progress and entry.iteration not in state.helped:
            said = f"{_first_line(entry.fix_attempted)} ({entry.result})"
            yield f"Helped, and was undone since: {said}"
        elif attempt.failed:
            yield f"Did not help: {_first_line(entry.fix_attempted)} ({entry.result})"
    yield from dict.fromkeys(
        told[entry.iteration].prevention
        for entry in state.history
        if entry.iteration in {*state.helped, choice}
        and entry.iteration in told
        and told[entry.iteration].prevention
    )
    if turned := state.flaky - state.perhaps:
        yield f"Flaky, to be made reliable: {', '.join(sorted(turned))}"
    if state.mended:
        names = ", ".join(sorted(state.mended))
        yield f"Passing with the fix, and red in each run before it, perhaps by chance: {names}"
    if doubtful := state.perhaps - state.mended:
        names = ", ".join(sorted(doubtful))
        yield f"Perhaps flaky, and not fixed: {names}. The next `clew fix` asks about them"


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


def _stat(diff: str, beyond: Collection[str]) -> Iterator[FileChange]:
    for part in re.split(r"(?m)^diff --git ", diff)[1:]:
        header, _, body = part.partition("\n@@")
        found = re.search(r"(?m)^\+\+\+ b/(.*)$", header) or re.search(r"^a/(\S+)", header)
        lines = body.splitlines()
        path = found[1] if found else header.split("\n", 1)[0]
        yield FileChange(
            path=path,
            deleted="\ndeleted file mode" in header,
            recommended=path not in beyond,
            added=sum(line.startswith("+") for line in lines),
            removed=sum(line.startswith("-") for line in lines),
        )


def close_report(debug_run: DebugRun) -> None:
    """Say in the report of the iteration that has just ended what came of it.

    So is it in those whose change was taken back.
    """
    state = debug_run.state
    last = state.history[-1] if state.history else None
    over = (last,) if last and last.iteration == state.overall else ()
    for entry in dict.fromkeys((*state.set_aside, *over)):
        if entry.report:
            _close(debug_run.project, state, entry, at=debug_run.clock())


def close_reports(
    project: Project, state: State, at: datetime, summary_path: str, *, applied: bool = False
) -> None:
    """Say in each report how it ended, and link the summary."""
    entries = {e.report: e for e in state.history if e.report}
    for written in state.reports:
        if written.path in entries:
            entry = entries[written.path]
            _close(project, state, entry, at=at, summary_path=summary_path, applied=applied)


def note_applied(project: Project, state: State) -> None:
    """Say in the documents of a session that its proven fix is in the person's files now."""
    _note(project, state, summary.applied, applied=True)


def note_taken_back(project: Project, state: State) -> None:
    """Say in the documents of a session that its proven fix is not in the person's files now."""
    _note(project, state, summary.taken_back, applied=False)


def note_gone_back(project: Project, session: str, checkpoint: str) -> None:
    """Say in the summary of a session, if it has one, that it went back to a checkpoint."""
    path = project.documents / session / "summary.md"
    with contextlib.suppress(OSError):  # it goes back, told there or not
        if told := _standing(project, path):
            write_atomically(path, summary.gone_back(told, session, checkpoint).encode())


def _note(
    project: Project, state: State, reworded: Callable[[str, str], str], *, applied: bool
) -> None:
    session = state.session.session_id
    path = project.documents / session / "summary.md"
    with contextlib.suppress(OSError):  # the fix is applied or not, told there or not
        if told := _standing(project, path):
            write_atomically(path, reworded(told, session).encode())
        close_reports(project, state, require(state.updated), "", applied=applied)


def _standing(project: Project, path: Path) -> str | None:
    """Return what a document says; None where it is gone, elsewhere, or saved otherwise."""
    try:
        refuse_links(project.root, path)
        return path.read_text("utf-8") if path.is_file() else None
    except (UnicodeDecodeError, UsageError):
        return None


def _close(
    project: Project,
    state: State,
    entry: ev.IterationEnded,
    *,
    at: datetime,
    summary_path: str = "",
    applied: bool = False,
) -> None:
    name = require(entry.report)
    path = project.root / name
    standing = _standing(project, path)
    if standing is None:
        return
    resolution = _outcome(entry)
    status = "Closed" if state.closing else "Under Investigation"
    green = state.closing is ev.Status.GREEN
    kept = entry.iteration in state.helped and green
    if kept:
        taken = applied or state.in_place
        status = "Fixed" if taken else "Fix Proven"
        resolution += f"; {_taken(state, applied=applied)}"
    elif entry.iteration in state.helped:
        status = "Fix Kept"
        resolution += ", kept as progress"
        resolution += f"; {_taken(state, applied=True)}" if applied else ""
    elif entry.progress:
        resolution += ", undone since"
    elif entry.note:
        resolution += f" ({entry.note})"
    if state.choice and entry.iteration == state.choice.iteration:
        proven = ", and it is proven" if green else ""
        resolution += f"; a person chose another change: {state.choice.told.other}{proven}"
    elif green and state.in_place and entry is state.history[-1]:
        resolution += f"; {_fixed_since(state)}, and proven"
    text = report.close(
        standing,
        path=name,
        status=status,
        resolution=resolution,
        at=at if state.closing else None,
        summary=summary_path,
        weakly_tested=kept and state.proof is not None and state.proof.weak,
    )
    write_atomically(path, text.encode())


def _fixed_since(state: State) -> str:
    """Say who fixed it: a fix of Clew's that a person has in their files is nobody's hand-work."""
    if state.held:
        numbers = ", ".join(map(str, state.held))
        return f"fixed by the change of iteration {numbers} since"
    return f"fixed by session {state.held_of} since" if state.held_of else "fixed by hand since"


def _outcome(entry: ev.IterationEnded) -> str:
    """Say what was tried, if anything was, and how the iteration ended."""
    if entry.fix_attempted:
        return f"{entry.fix_attempted}: {entry.result}"
    none = entry.result is ev.Result.NO_FIX
    return "No fix was proposed" if none else str(entry.result)


def _taken(state: State, *, applied: bool) -> str:
    if applied:
        return "`clew apply` has put it into your files"
    return (
        "your files held it when it was tested"
        if state.in_place
        else "`clew apply` puts it into your tree"
    )
