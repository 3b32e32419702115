"""Sessions shown to a person, or printed as JSON."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

import click
import msgspec

from clew import api
from clew.api import ChangeKind, Holder, ListedSession, ProjectSessions, State, fold, path_text
from clew.cli.handing_over import handed_over, show_history, show_next_steps
from clew.cli.handwork import put_back
from clew.cli.streams import fitted, print_json, say
from clew.cli.tree import in_tree
from clew.cli.words import (
    outcome_line,
    question_lines,
    red_words,
    spent_lines,
)
from clew.words import events as ev
from clew.words.facts import Verdict
from clew.words.printable import one_line, revealed, shortened
from clew.words.records import DEBUGGING
from clew.words.verdicts import parts, verdict

__all__ = [
    "show_checkpoints",
    "show_diff",
    "show_earlier",
    "show_end",
    "show_ended",
    "show_list",
    "show_log",
    "show_open",
    "show_recording",
    "show_session",
    "show_status",
]

SOME = 5  # of the red tests are named
DOING = {
    "new": "starting",
    "opened": "reading your files",
    "snapped": "running the tests",
    "baselined": "running the red tests once more",
    "taken_up": "going on from your work",
    "rechecked": "starting a round",
    "standing": "noting what stands",
    "round": "starting an iteration",
    "consulting": "asking whether the fix may change tests",
    "undoing": "taking back what did not help",
    "returning": "going back to a checkpoint",
    "judged": "noting an iteration",
    "passed": "noting the fix",
    "closed": "closing",
    "escalating": "preparing its question",
    "escalated": "preparing its question",
}
LONGEST_DOUBT = 480  # characters: a call, what it gives, and the other change
SETTLES = "would settle it"  # in a doubt of two changes that part


def show_status(
    state: State,
    holder: Holder | None,
    there: api.Whereabouts,
    children: Sequence[ListedSession] = (),
    *,
    json: bool,
) -> None:
    """Show where a session stands, in a few lines."""
    if json:
        record = _record(state, there) | {"stage": state.stage, "seq": state.seq}
        record |= {"kind": DEBUGGING, "parent": state.session.parent}
        record |= {"children": [one.session for one in children]}
        print_json(record | {"held_by": holder.pid if holder else None})
        return
    _show_standing(state, holder, there)
    if state.question:
        show_question(state.question)


def _record(state: State, there: api.Whereabouts) -> dict[str, Any]:
    """Return what programs are told of a session, with where its fix is."""
    own = state.status is ev.Status.GREEN and state.in_place
    applied = not there.otherwise if own else there.applied
    record: dict[str, Any] = msgspec.to_builtins(api.summary_of(state))
    return record | {"applied": applied}


def _show_standing(state: State, holder: Holder | None, there: api.Whereabouts) -> None:
    session = state.session
    say(f"{session.session_id}  {_status(state, holder)}")
    if state.ended and state.status is ev.Status.TERMINATED and state.ended.reason:
        say(f"  {state.ended.reason}")
    if state.round:
        say(f"  iteration {state.counter} of {state.cap}, round {state.round}")
    if state.kept and state.kept.verdict is not Verdict.DID_NOT_RUN:
        _show_run(state, state.kept)
    if state.solvers:
        left = state.red or (state.kept and state.kept.taken)
        say(f"  {'partly fixed' if left else 'fixed'} by {', '.join(state.solvers)}")
    for line in spent_lines(state):
        say(f"  {line}")
    for report in state.reports[-3:]:
        say(f"  {report.path}")
    if state.proof and state.proof.accepted:
        unsure = f", but unsure: {shortened(state.doubts[0])}" if state.doubts else ""
        say(f"  {verdict(state.proof.rows, accepted=True)}{unsure}")
    for line in _ways(state, there):
        say(f"  {line}")
    if state.question is None and state.ended is None and holder is None:
        say(f"  continue: clew resume {session.session_id}")


def _ways(state: State, there: api.Whereabouts) -> Iterator[str]:
    """Yield how a proven fix is seen and taken, or where it is already; so of progress."""
    session = state.session.session_id
    if state.status is not ev.Status.GREEN:
        if there.applied:
            undo = f"`clew apply --undo {session}` takes it out"
            yield f"applied: `clew apply` has put what helped into your files; {undo}"
        return
    yield f"see it:  clew diff {session}"
    if state.in_place and not there.otherwise:
        yield "applied: your own files already hold it"
    elif state.in_place:
        yield f"changed in your own files since: {', '.join(map(path_text, there.otherwise))}"
        yield f"take it: clew apply {session}"
    elif there.cut_off:
        yield (
            f"half written: `clew apply {session}` was killed; it finishes that, and with `--undo`"
            " takes it out again"
        )
    elif there.applied:
        yield "applied: `clew apply` has put it into your files"
    else:
        yield f"take it: clew apply {session}"
        yield from put_back(state)


def _status(state: State, holder: Holder | None) -> str:
    if state.ended or state.question:
        return state.status.replace("_", " ")
    if holder:
        return f"running (process {holder.pid}), {_doing(state)}"
    return f"interrupted while {_doing(state)}"


def _doing(state: State) -> str:
    """Say what comes next of a stage that is named by what came last."""
    return DOING.get(state.stage, str(state.stage))


def show_question(question: ev.QuestionAsked) -> None:
    """Show the pending question with its options."""
    say()
    for line in question_lines(question):
        click.echo(line)


def _show_pending(sessions: ProjectSessions, state: State) -> None:
    if state.question:
        show_question(state.question)
    if handed_over(state):
        show_next_steps(sessions, state)


def show_list(rows: Sequence[api.SessionRow]) -> None:
    """List sessions, newest first; what a session began stands below it, oldest first."""
    stands = {row.listed.session: row.stands.replace("_", " ") for row in rows}
    tree = tuple(in_tree(row.listed for row in rows))
    width = max((len(branch) + len(one.session) for branch, one in tree), default=0)
    for branch, one in tree:
        when = one.updated.astimezone().strftime("%Y-%m-%d %H:%M")
        say(f"{branch + one.session:<{width}}  {stands[one.session]:<13}  {when}  {one.goal}")
    if not rows:
        say("No session yet; `clew fix` starts one.", err=True)


def show_open(listed: tuple[ListedSession, ...], holder: Callable[[str], Holder | None]) -> None:
    """Say on stderr that sessions wait or were interrupted, and what goes on with the newest."""
    waiting = [one.session for one in listed if one.status == ev.Status.WAITING]
    cut_off = [one.session for one in listed if _is_cut_off(one, holder)]
    with contextlib.suppress(BrokenPipeError):  # the work comes yet, and notices
        if waiting:
            more = f", and so do {len(waiting) - 1} more (`clew list`)" if waiting[1:] else ""
            say(
                f"session {waiting[0]} waits for you{more}: `clew answer {waiting[0]} OPTION`;"
                f" `clew show {waiting[0]}` shows the options",
                err=True,
            )
        if cut_off:
            more = f", and so were {len(cut_off) - 1} more (`clew list`)" if cut_off[1:] else ""
            resume = f"`clew resume {cut_off[0]}` continues it"
            say(f"session {cut_off[0]} was interrupted{more}: {resume}", err=True)


def _is_cut_off(one: ListedSession, holder: Callable[[str], Holder | None]) -> bool:
    """Whether nobody works on a session that has not come to an end or to a question."""
    return one.status == ev.Status.RUNNING and holder(one.session) is None


def show_earlier(state: State, *, json: bool) -> None:
    """Say that a session has mended this very code, or that it asks about it."""
    session = state.session.session_id
    if json:
        print_json(api.summary_of(state))
        return
    if state.question:
        say(f"Session {session} has looked at this code, and waits for your answer.")
        show_question(state.question)
        say()
        if state.question.kind is ev.QuestionKind.INFRASTRUCTURE:
            say(f"if something was mended since, run the tests again: clew resume {session}")
    else:
        say(f"Session {session} has a proven fix for this code; it is not in your files.")
        say()
        say(f"see it:   clew diff {session}")
        say(f"take it:  clew apply {session}")
    say("or start over: clew fix --again")


def show_session(sessions: ProjectSessions, state: State, *, json: bool) -> None:
    """Show a session whole."""
    if json:
        print_json(_record(state, api.whereabouts(sessions, state)) | {"history": state.history})
        return
    _show_standing(
        state,
        sessions.store.holder(state.session.session_id),
        api.whereabouts(sessions, state),
    )
    for line in _changed(sessions, state):
        say(f"  {line}")
    show_history(state)
    _show_proof(state, unsure=bool(state.doubts))
    _show_doubts(state.doubts)
    # One that was written again, as after a rollback, is shown once.
    for kind, path in dict.fromkeys((each.kind, each.path) for each in state.documents):
        say()
        say(f"{kind}: {path}")
    _show_pending(sessions, state)


def show_recording(sessions: ProjectSessions, session: str) -> None:
    """Print what each call of a session came to, one JSON object a line."""
    for line in api.recording(sessions, session):
        print_json(line)


def _show_proof(state: State, *, unsure: bool) -> None:
    proof = state.proof
    if proof is None:
        return
    say()
    network = f", network of its agents: {proof.network}" if proof.network else ""
    said = verdict(proof.rows, accepted=proof.accepted, unsure=unsure)
    say(f"proof: {said} (sandbox: {proof.sandbox}{network})")
    for part in parts(proof.rows):
        sign = next((mark for mark in "✗!–✓" if mark in map(_sign, part.rows)), "✓")  # noqa: RUF001 -- as below
        say(f"  {sign} {part.title}{f': {part.measured}' if part.measured else ''}")
        for row in part.open if part.rows[0].claim != part.title else ():
            unknown = "" if row.tested else "not measured, "
            say(f"      {_sign(row)} {row.claim}: {unknown}{row.measured}")
    if proof.approved:
        say(f"  tests changed, with your approval: {', '.join(proof.approved)}")


def _sign(row: ev.ProofRow) -> str:
    if not row.tested:
        return "–"  # noqa: RUF001 -- neither a tick nor a cross
    if row.claim == ev.ELSEWHERE:
        return "·"
    return "✓" if row.holds else "✗" if row.against else "!"


def show_end(sessions: ProjectSessions, state: State) -> None:
    """Say what came of it, and what to type next."""
    if state.status is ev.Status.NOTHING_TO_DO:
        say(_nothing_to_do(state))
        return
    if state.question:
        _show_red(state.red)
    else:
        _show_proof(state, unsure=bool(state.doubts) and state.status is ev.Status.GREEN)
    _show_work(sessions, state)
    if state.question:
        _show_doubts(state.guesses)
    if handed_over(state):
        show_history(state)
    for document in state.documents[-1:]:
        say(f"{document.kind}: {document.path}")
    if state.status is ev.Status.GREEN:
        _show_doubts(state.doubts)
        for line in (*_to_be_asked(state), *_flaky_lines(state)):
            say(line)
        say()
        for line in _ways(state, api.whereabouts(sessions, state)):
            say(line)
    _show_pending(sessions, state)
    for issue in state.ended.known_issues if state.ended else ():
        say(f"known issue: {shortened(issue)}")


def _show_run(state: State, run: ev.TestsRan) -> None:
    flaky = len(run.red) - len(state.red)
    called = f" beside {flaky} called flaky" if flaky else ""
    say(f"  {red_words(state.red)}{called}, {run.passed} passed")
    for line in _flaky_lines(state):
        say(f"  {line}")
    for taken in run.taken:
        say(f"  removed, not fixed: {taken}")


def _show_work(sessions: ProjectSessions, state: State) -> None:
    """Show what was changed, what that took, and where it is told."""
    facts = list(_changed(sessions, state))
    facts += [f"took:    {line}" for line in spent_lines(state)]
    if not handed_over(state):
        facts += [f"report:  {report.path}" for report in state.reports]
    if facts:
        say()
    for line in facts:
        say(line)


def _changed(sessions: ProjectSessions, state: State) -> Iterator[str]:
    """Yield which files were changed, and which of them nobody recommended to change."""
    if state.snapshot is None or state.in_place:
        return
    changed = api.changed_files(sessions, state)
    marks = {
        path_text(c.path): " (deleted)" if c.kind is ChangeKind.DELETED else "" for c in changed
    }
    told = {path: path + mark for path, mark in marks.items()}
    yield f"changed: {', '.join(told.values())}"
    if beyond := [told[path] for path in state.beyond if path in told]:
        yield f"not recommended: {', '.join(beyond)}"


def _nothing_to_do(state: State) -> str:
    return f"nothing to do: {state.ended.reason}" if state.ended else "nothing to do"


def show_ended(sessions: ProjectSessions, state: State, *, json: bool) -> None:
    """Say of a session that was to be gone on with that it has ended, and how."""
    if json:
        print_json(api.summary_of(state))
        return
    session, how = state.session.session_id, state.status.replace("_", " ")
    marks = state.marks[:1]  # none of what had nothing to do
    anew = "goes back to the code as it was then, and works on from there"
    again = "".join(f"; `clew rollback {session} {at.name}` {anew}" for at in marks)
    say(f"session {session} has ended: {how}{again}", err=True)
    show_end(sessions, state)


def _to_be_asked(state: State) -> Iterator[str]:
    """Yield how a person has Clew ask which of several changes is right."""
    if SETTLES in " ".join(state.doubts) and state.settings.accept != "high":
        yield "to be asked which is right: clew fix --again --accept high"


def _show_doubts(doubts: tuple[str, ...]) -> None:
    """Say what the diagnoses of what helped leave open."""
    for doubt in doubts:
        say(f"unsure:  {fitted(doubt, LONGEST_DOUBT)}")


def _flaky_lines(state: State) -> Iterator[str]:
    """Yield the tests that had no say, and why; of those that pass with the fix, that they do.

    What was red for the first time when a fix was judged was run again, and not examined.
    """
    if state.mended:
        names = shortened(", ".join(sorted(state.mended)))
        yield f"passing: {names}; red in each run before the fix, perhaps by chance"
    for flake in state.still_flakes:
        if flake.test in state.flaky:
            yield f"flaky:   {shortened(f'{flake.test}, {flake.kind}: {flake.evidence}')}"
    if others := sorted(state.still_flaky - {flake.test for flake in state.flakes}):
        yield f"flaky:   {shortened(', '.join(others))}: passed and failed on the same code"


def _show_red(red: Sequence[ev.FailingTest]) -> None:
    if red:
        say()
    for one in red[:SOME]:
        say(f"red:     {shortened(one.error or one.id)}")
    if len(red) > SOME:
        say(f"         and {len(red) - SOME} more")


def show_log(records: Iterable[ev.Recorded], *, json: bool) -> None:
    """Show every event, with the words of the live display where it has some."""
    state = State()
    for recorded in records:
        if json:
            print_json(recorded)
            continue
        state = fold(state, recorded)
        name, at = ev.type_of(recorded.event), recorded.at.astimezone().strftime("%H:%M:%S")
        words = outcome_line(recorded.event, state).strip() or _words(recorded.event)
        say(f"{recorded.seq:>4}  {at}  {name:<17} {words}")


def _words(event: ev.AnyEvent) -> str:
    match event:
        case ev.Started() | ev.Abandoned():
            fields: dict[str, Any] = msgspec.to_builtins(event.intent)
            kind = fields.pop("do")
            values = " ".join(f"{k}={v}" for k, v in fields.items() if k not in ("only", "first"))
            return shortened(f"{kind} {values}")
        case ev.RoundBegan():
            bounds = msgspec.to_builtins(event.budget) if event.budget else {}
            told = (f", {name} {value:g}" for name, value in bounds.items() if value is not None)
            return one_line(f"round {event.number}, topic {event.topic}") + "".join(told)
        case ev.CheckpointSaved():
            return f"{event.name} {event.commit[:10]}"
        case ev.DocumentWritten():
            return f"{event.kind} {event.path}"
        case ev.QuestionAnswered():
            return shortened(f"{event.id} {event.option} {event.text}")
        case _:
            return ""


def show_checkpoints(state: State, *, json: bool) -> None:
    """List the places that one may go back to, oldest first."""
    at = {checkpoint.name: checkpoint.path for checkpoint in state.checkpoints}
    for mark in {mark.name: mark for mark in state.marks}.values():
        red, passed = len(mark.kept.red), mark.kept.passed
        if json:
            record = {"name": mark.name, "commit": mark.commit, "red": red, "passed": passed}
            print_json(record | {"path": at[mark.name]})
        else:
            stands = "stands here" if mark.commit == state.head else ""
            say(
                f"{mark.name:<15} {mark.commit[:10]}  {red} red, {passed} passed  {stands}".rstrip()
            )
    if not state.marks and not json:
        later = "no checkpoint yet; Clew makes the first one when it knows the failing tests"
        idle = state.status is ev.Status.NOTHING_TO_DO
        say(f"no checkpoint: {_nothing_to_do(state)}" if idle else later, err=True)


def show_diff(
    found: str | bytes, iteration: int | None = None, tried: Collection[int] = ()
) -> None:
    """Show what a session changed: harmless as text, and as a patch for a program exact.

    `tried` are the iterations that changed something, kept or not.
    """
    if found:
        click.echo(revealed(found) if isinstance(found, str) else found, nl=False)
    elif iteration is None:
        most = max(tried, default=0)
        more = f"; `--iteration {most}` shows what iteration {most} changed" if most else ""
        say(f"nothing was changed{more}", err=True)
    else:
        say(f"nothing was changed in iteration {iteration}", err=True)
