"""The hands: one function an intent, from the intent to its outcome."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec

from clew.flows.debugging import bisection
from clew.flows.debugging.collect import disputed
from clew.flows.debugging.decisions import ESCALATION, options
from clew.flows.debugging.driver import asking, closing, documenting, learning, proving
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.holding import fix_held
from clew.flows.debugging.driver.measuring import run_tests
from clew.flows.debugging.driver.steering import approved, touched
from clew.flows.debugging.states import KNOWLEDGE, Attempt, State, on_this
from clew.git.worktrees import Carried, path_text
from clew.words import events as ev
from clew.words.errors import ClewError, UsageError
from clew.words.facts import Tick
from clew.words.papers import is_paper, without_papers
from clew.words.records import Outcome
from clew.words.redaction import redacted

__all__ = ["PERFORM", "keep_manual_edits", "manual_edits_ref", "with_later_progress"]


def take_snapshot(debug_run: DebugRun, intent: ev.TakeSnapshot) -> ev.SnapshotTaken:
    """Record the person's tree and open the worktree on it."""
    repository, session, before = debug_run.repository, debug_run.id, debug_run.state.snapshot
    name = "base" if intent.generation == 1 else f"base-{intent.generation}"
    given = debug_run.state.session.base
    snapshot = repository.begin_at(session, given) if given else repository.snapshot(session, name)
    worktree = repository.add_worktree(session, snapshot.commit)
    taken = ev.SnapshotTaken(
        generation=intent.generation,
        base=snapshot.commit,
        tree=snapshot.tree,
        branch=f"clew/{debug_run.id}",
        worktree=str(worktree),
        head=snapshot.head,
        skipped=tuple(
            ev.Skipped(path=path_text(s.path), reason=s.reason, bytes=s.bytes)
            for s in snapshot.skipped
        ),
    )
    if before is not None:
        own = repository.without_applied(session, snapshot.commit)
        taken = msgspec.structs.replace(taken, unapplied=own if own != taken.base else "")
        taken = _held_against_baseline(debug_run, _taken_along(debug_run, before, taken))
        held, of = fix_held(debug_run, taken.tip)
        taken = msgspec.structs.replace(taken, held=held, held_of=of)
    repository.reset(session, taken.tip or taken.base)
    return taken


def _taken_along(
    debug_run: DebugRun, before: ev.SnapshotTaken, taken: ev.SnapshotTaken
) -> ev.SnapshotTaken:
    """Bring kept progress, and what a person did in the worktree, on to the newer snapshot.

    What they edited in their own tree is to be judged without kept progress first.
    """
    repository, session, state = debug_run.repository, debug_run.id, debug_run.state
    head = state.head
    answered = state.answered_at == taken.generation
    tip = (repository.ref(session, manual_edits_ref(state)) if answered else None) or head
    in_tree, in_worktree = (
        repository.changed(before.ground, taken.ground),
        repository.changed(head, tip),
    )
    kept = (before.ground, state.spare or state.carrying or head)
    both = _carried(debug_run, taken.base, kept, (head, tip))
    alone = both
    if state.measure and (state.spare or any(not is_paper(c.path) for c in in_tree)):
        earlier = (before.ground, head if state.spare else before.ground)
        alone = _carried(debug_run, taken.base, earlier, (head, tip))
    own = repository.diff(before.ground, taken.ground) + repository.diff(head, tip)
    changed = {c.path for c in (*in_tree, *in_worktree) if not is_paper(c.path)}
    taken = msgspec.structs.replace(
        taken,
        left_behind=tuple(path_text(path) for path in both.left),
        left_in=tip if {change.path for change in in_worktree} & set(both.left) else "",
        by_hand=tuple(sorted(map(path_text, changed))),
        by_hand_diff=without_papers(own)[: ev.SHOWN_DIFF],
    )
    without, together = (made.commit or taken.base for made in (alone, both))
    if alone.left or not repository.changed(without, together):
        return msgspec.structs.replace(taken, carried=both.commit)
    if both.left:
        return msgspec.structs.replace(taken, tip=without)
    return msgspec.structs.replace(taken, carried=both.commit, tip=without, together=together)


def _carried(debug_run: DebugRun, onto: str, *changes: tuple[str, str]) -> Carried:
    """Make changes anew on a commit, one after the other."""
    base, left = onto, list[str]()
    for start, end in changes:
        told = "Work taken along"
        made = debug_run.repository.carry(debug_run.id, start, end, onto=onto, message=told)
        onto, left = made.commit or onto, [*left, *made.left]
    return Carried(commit=None if onto == base else onto, left=tuple(left))


def with_later_progress(debug_run: DebugRun, attempt: Attempt) -> str:
    """Make a fix anew on the code that counts; empty where it was made on that.

    Raises UsageError where what was kept since excludes it.
    """
    state, repository, made = debug_run.state, debug_run.repository, attempt.entry.commit
    if on_this(state, attempt) or made is None:
        return ""
    base = repository.before(made)
    carried = _carried(debug_run, state.head, (base, made))
    if carried.left or carried.commit is None:
        entry, files = attempt.entry, ", ".join(map(path_text, carried.left))
        raise UsageError(
            f"the fix of iteration {entry.iteration} does not go together with the progress that"
            f" was kept since{f': both change {files}' if files else ''}",
            hint=f"`clew diff {debug_run.id} --iteration {entry.iteration}` shows it; make it by"
            f" hand in your own tree, then `clew resume {debug_run.id}`.",
        )
    return carried.commit


def _held_against_baseline(debug_run: DebugRun, taken: ev.SnapshotTaken) -> ev.SnapshotTaken:
    """Say what a person's work is to be judged by: the baseline's tests, where they fail."""
    repository, state = debug_run.repository, debug_run.state
    measure = state.measure
    if measure is None:
        return taken
    tip = taken.tip or taken.carried or taken.base
    found = touched(debug_run, measure.base, tip)
    may = approved(debug_run, tip, found)
    paths = tuple(path for path in found if path not in may)

    def restored(commit: str) -> str:
        told = "Tests as they were"
        if not commit or not paths:
            return ""
        return repository.restore(debug_run.id, commit, measure.base, paths, message=told)

    alone, together = restored(tip), restored(taken.together)
    differing = repository.changed(state.head, together or alone) if paths else ()
    return msgspec.structs.replace(
        taken,
        tip=tip,
        touched=tuple(path_text(path) for path in paths),
        test_diff=repository.diff(measure.base, tip, paths)[: ev.SHOWN_DIFF] if paths else "",
        restored=alone,
        together_restored=together,
        as_before=bool(paths) and all(is_paper(change.path) for change in differing),
    )


def manual_edits_ref(state: State) -> str:
    """Name the ref under which edits by hand are kept that were made while a question waited."""
    return f"by-hand-{state.asked}"


def keep_manual_edits(debug_run: DebugRun) -> None:
    """Keep what a person did in the worktree under a ref, before anything puts the worktree back.

    May be called again; the worktree stays as it is.
    """
    state, repository = debug_run.state, debug_run.repository
    if state.snapshot is None or not repository.worktree(debug_run.id).is_dir():
        return
    asked = state.question
    of_tests = asked is not None and asked.kind is ev.QuestionKind.TEST_EDIT and not state.by_hand
    onto = state.fix.commit if of_tests and state.fix and state.fix.commit else state.head
    made = repository.commit(debug_run.id, "Work by hand", onto=onto)
    repository.ref(debug_run.id, manual_edits_ref(state), made.id if made else onto)


def bisect(debug_run: DebugRun, _: ev.Bisect) -> ev.Bisected:
    """Look for the first bad commit; where there is none to be found, that is no failure."""
    started = time.monotonic()
    wish = bisection.BisectRequest(runner_args=debug_run.state.session.runner_args)

    def tell(search: bisection.Bisection, _: object) -> None:
        debug_run.watcher.tick(Tick(phase="bisect", text=f"{search.runs} commits tried"))

    try:
        found = bisection.bisect(debug_run, debug_run.settings, wish, tell)
    except ClewError as error:
        return ev.Bisected(reason=error.message, seconds=time.monotonic() - started)
    first = found.first_bad
    return ev.Bisected(
        commit=first.commit if first else "",
        reason="" if first else str(found.end),
        runs=found.runs,
        seconds=time.monotonic() - started,
    )


def write_report(debug_run: DebugRun, intent: ev.WriteReport) -> ev.ReportWritten:
    """Create the report of the iteration."""
    number, path = documenting.write_report(debug_run, intent.iteration)
    return report_written(debug_run, intent, number, path)


def report_written(
    debug_run: DebugRun, intent: ev.WriteReport, number: int, path: str
) -> ev.ReportWritten:
    """Return what is told of a report, with what a person has to settle about the tests."""
    state = debug_run.state
    dispute = disputed(debug_run.repository, state.head, debug_run.standing)
    return ev.ReportWritten(
        iteration=intent.iteration, number=number, path=path, dispute=redacted(dispute)
    )


def roll_back(debug_run: DebugRun, intent: ev.RollBack) -> ev.RolledBack:
    """Put the worktree back."""
    debug_run.repository.reset(debug_run.id, intent.commit)
    return ev.RolledBack(iteration=intent.iteration, commit=intent.commit)


def prove(debug_run: DebugRun, intent: ev.Prove) -> ev.Proved:
    """Prove the fix in pristine checkouts."""
    debug_run.watcher.tick(Tick(phase="proof"))
    return proving.prove(debug_run, intent.commit)


def save_checkpoint(debug_run: DebugRun, intent: ev.SaveCheckpoint) -> ev.CheckpointSaved:
    """Keep the tree by a hidden ref, and state and events beside it."""
    commit = debug_run.state.head
    debug_run.repository.reset(debug_run.id, commit)
    debug_run.repository.ref(debug_run.id, intent.name, commit)
    path = documenting.write_checkpoint(debug_run, intent.name)
    closing.close_report(debug_run)
    return ev.CheckpointSaved(name=intent.name, commit=commit, path=str(path))


def write_document(debug_run: DebugRun, intent: ev.WriteDocument) -> ev.DocumentWritten:
    """Write the summary, the escalation message, or what a proven fix taught."""
    anchor = ""
    if intent.kind == KNOWLEDGE:
        path, anchor = learning.learn(debug_run)
    elif intent.kind == ESCALATION:
        offered = options(debug_run.state, ev.QuestionKind.ESCALATION)
        path = documenting.write_escalation(debug_run, offered)
    else:
        path = closing.write_summary(debug_run)
    place = path.relative_to(debug_run.project.root).as_posix()
    return ev.DocumentWritten(kind=intent.kind, path=place, anchor=anchor)


PERFORM: dict[type[ev.Intent], Callable[[DebugRun, Any], Outcome]] = {
    ev.TakeSnapshot: take_snapshot,
    ev.RunTests: run_tests,
    ev.Bisect: bisect,
    ev.CallAgent: asking.ask,
    ev.WriteReport: write_report,
    ev.RollBack: roll_back,
    ev.Prove: prove,
    ev.SaveCheckpoint: save_checkpoint,
    ev.WriteDocument: write_document,
}
