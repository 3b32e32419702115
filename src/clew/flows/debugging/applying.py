"""A debugging session's fix, put into the person's tree, and what its commit says."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from clew.flows.debugging import driver
from clew.flows.debugging.sessions import demand_work, edited_since, load_state
from clew.flows.debugging.states import State, attempts, guesses
from clew.git.worktrees import ApplyConflict, CommitStep, PrivateRepository, Wording, path_text
from clew.sessions import Delivery, ProjectSessions
from clew.words.edits import EditMisfit
from clew.words.edits import apply as apply_edits
from clew.words.encodings import Unreadable, decoded, encoded
from clew.words.errors import UsageError
from clew.words.events import Proved, Status
from clew.words.facts import Edit, Verdict
from clew.words.printable import one_line, shortened
from clew.words.records import DEBUGGING

__all__ = ["apply", "note_taken_back"]

OPEN = re.compile(
    r" (?:1 more test is|\d+ more tests are) red; \w+ may have the same cause or another one\."
)


def apply(sessions: ProjectSessions, session: str, *, commit: bool) -> Delivery:
    """Apply a session's fix, or its progress so far.

    Raises UsageError where there is none, SessionHeld, ApplyConflict and JournalDamaged.
    """
    with sessions.store.hold(session):
        state = load_state(sessions, session)
        demand_work(state)
        ground = _ground(state)
        if ground == state.head:
            raise _nothing(sessions, state)
        complete = Status.GREEN in (state.status, state.closing)
        since: tuple[str, ...] = ()
        if complete and state.snapshot is not None:
            taken_over = _taken_over(sessions.repository, state.snapshot.ground, state.head)
            edits = edited_since(sessions.repository, session, state.snapshot)
            since = tuple(path for path in edits if path not in taken_over)
        try:
            applied = sessions.repository.apply(
                session,
                ground,
                state.head,
                wording=_wording(state) if commit else None,
                steps=dict(_steps(sessions.repository, state)),
            )
        except ApplyConflict as error:
            error.hint = f"`clew fix --again` mends your files as they are now; or {error.hint}"
            raise
        if state.ended:
            driver.note_applied(sessions.project, state)
    doubts = {} if complete else guesses(state)
    return Delivery(
        session=session,
        kind=DEBUGGING,
        applied=applied,
        complete=complete,
        since=since,
        guesses=tuple(f"iteration {n}: {told.confidence_reason}" for n, told in doubts.items()),
    )


def _taken_over(repository: PrivateRepository, ground: str, head: str) -> frozenset[str]:
    """Return the files of a fix that the person's tree has already as they were proven."""
    otherwise = repository.differing(ground, head)
    changed = [each.path for each in repository.changed(ground, head)]
    return frozenset(path_text(path) for path in changed if path not in otherwise)


def note_taken_back(sessions: ProjectSessions, session: str) -> None:
    """Say in the documents of a session that the person took its fix out of their tree."""
    state = load_state(sessions, session)
    if state.ended:
        driver.note_taken_back(sessions.project, state)


def _on_a_person_s_word(proof: Proved) -> Iterator[str]:
    """Yield what stands on a person's word, whether or not the commit is called proven."""
    if doubts := "; ".join(row.refusal for row in proof.rows if row.vouched):
        yield f"A person vouched for this fix, which the proof doubts: {doubts}"
    if proof.approved:
        yield f"Tests changed with a person's approval: {', '.join(proof.approved)}"


def _steps(
    repository: PrivateRepository, state: State
) -> Iterator[tuple[str, tuple[CommitStep, ...]]]:
    """Yield the commits that mend several faults, each with one step a fault.

    Faults that are mended in the same lines stay in one commit.
    """
    for attempt in attempts(state):
        commit, chosen = attempt.entry.commit, attempt.diagnosis and attempt.diagnosis.chosen
        if commit is None or not chosen or not chosen.parts or not attempt.carried_out:
            continue
        names = {edit.path for part in chosen.parts for edit in part.edits}
        was = repository.texts(repository.before(commit), names)
        number, session = attempt.entry.iteration, state.session.session_id
        about = f"One of {len(chosen.parts)} changes of iteration {number} of session {session}."
        steps, done = [], tuple[Edit, ...]()
        try:
            before = {path: decoded(path, content) for path, content in was.items()}
            for part in chosen.parts:
                done += part.edits
                after = apply_edits(before, done).items()
                files = {path: encoded(path, text, was[path]) for path, text in after}
                subject = f"fix: {shortened(one_line(part.title), 60)}"
                steps.append(CommitStep("\n\n".join([subject, textwrap.fill(about, 72)]), files))
        except (EditMisfit, Unreadable):
            continue
        yield commit, tuple(steps)


def _ground(state: State) -> str:
    """Return the commit that the change starts from; the head itself where nothing is to apply.

    What a person made by hand is theirs to have back if they changed their files since.
    """
    if state.snapshot is None:
        return state.head
    if state.in_place:
        return state.start.base if state.status is Status.GREEN else state.head
    return state.snapshot.ground


def _nothing(sessions: ProjectSessions, state: State) -> UsageError:
    """Say that a session has no fix where it stands, and where there is one, if there is any."""
    session = state.session.session_id
    ahead = [m for m in state.marks if m.commit != m.snapshot.base]
    at = next((m.name for m in reversed(ahead) if m.kept.verdict is Verdict.FAILED), "")
    if at:
        return UsageError(
            f"session {session} has no fix to apply where it stands; its progress is at the"
            f" checkpoint {at}",
            hint=f"`clew rollback {session} {at}` goes back to it, and on from there.",
        )
    hint = "`clew show` tells what it has."
    if state.question is not None:
        hint = f"It waits for your answer: `clew status {session}` shows the choices."
    green = [each for each in sessions.listing() if each.status == Status.GREEN and not each.parent]
    if green:
        newest = max(green, key=lambda each: each.updated).session
        hint += f" The last fix is that of session {newest}: `clew apply {newest}`."
    return UsageError(f"session {session} has no fix to apply", hint=hint)


def _settled(cause: str) -> str:
    """Leave out of a cause what was open when it was told: the other faults are mended as well."""
    return OPEN.sub("", cause)


def _subject(changes: Sequence[str]) -> str:
    """Return the first line of a commit: the first change, and how many more there are."""
    if not changes:
        return "fix: what was mended by hand"
    more = f" and {len(changes) - 1} more" if changes[1:] else ""
    return f"fix: {shortened(changes[0], 60 - len(more))}{more}"


def _wording(state: State) -> Wording:
    """Return what a commit of the fix says: the change, then the cause and the session.

    That it is proven is said where the commit holds all that the proof stands on.
    """
    made, instead = [entry for entry in state.helpful if entry.commit], state.choice
    chosen = (instead.told.other,) if instead else ()
    told = [one_line(entry.fix_attempted) for entry in made] or map(one_line, chosen)
    changes = [*dict.fromkeys(filter(None, told))]
    subject = _subject(changes)
    replaced = [e for e in state.history if instead and e.iteration == instead.iteration]
    green = Status.GREEN in (state.status, state.closing)
    known = [entry.root_cause for entry in (*replaced, *made) if entry.root_cause]
    causes = dict.fromkeys(one_line(_settled(each) if green else each) for each in known)
    body = changes if "…" in subject or changes[1:] else []
    body += [f"Cause: {cause}" for cause in causes]
    body += _on_a_person_s_word(state.proof) if state.proof else ()
    claim = f"Proven by Clew in session {state.session.session_id}"
    if not green:
        claim = ""
        body.append(f"Progress of Clew's session {state.session.session_id}: tests still fail")
    elif state.proof and state.proof.vouched:
        claim += ", but for what a person vouched for"
    message = "\n\n".join([subject, *(textwrap.fill(part, 72) for part in body)])
    skipped = tuple(each.path for each in state.snapshot.skipped) if state.snapshot else ()
    return Wording(message, textwrap.fill(claim, 72), skipped)
