"""From one state of a debug session to the next, by one event."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from typing import Any, TypeVar

from msgspec.structs import replace

from clew.documents.debug_sessions.fields import tidy
from clew.documents.templating import stamp
from clew.flows.investigation.events import (
    AgentsChosen,
    DebugAsked,
    DebugOpened,
    DocumentEdited,
    DocumentTakenOver,
    FiledAway,
    Investigated,
    KnowledgeConsulted,
    PlanWritten,
    Reproduced,
    SpecialistReviewed,
    TestSeen,
    TestWritten,
    Topic,
    TracebackMapped,
)
from clew.flows.investigation.states.answers import (
    BY_HAND,
    PROVEN_ONCE,
    SAYS,
    UNSHOWN,
    answered,
    corrected,
    named,
    unshown,
)
from clew.flows.investigation.states.moving import found, look_again, moved, refuse
from clew.flows.investigation.states.record import ChildsFix, DebugState, MadeFix, PersonsWords
from clew.words.debug_sessions import (
    Aim,
    DebugDocument,
    DebugStatus,
    Eliminated,
    EvidenceEntry,
    PendingQuestion,
    Resolution,
    Symptoms,
)
from clew.words.errors import TransitionRefused
from clew.words.investigations import (
    CheckpointReached,
    FixClaim,
    Investigation,
    Returned,
    RootCause,
    WaitsFor,
)
from clew.words.models import AgentRole
from clew.words.oracles import lacks, printed
from clew.words.records import (
    AgentCall,
    AgentFailure,
    AgentOutcome,
    Answered,
    BaseTaken,
    ChildEnded,
    Concluded,
    ConversationBegan,
    Event,
    Recorded,
    RunSession,
    Started,
    WentBack,
    bookkeeping,
)
from clew.words.redaction import with_texts
from clew.words.retry_policy import is_hopeless
from clew.words.verdicts import BUT_SETTLED

__all__ = ["fold"]

E = TypeVar("E", Eliminated, EvidenceEntry)

NO_FILE = "none in the project's files: they are as they were when the session began"
PASTED = "looked up the pasted traceback in this version"
PROVEN = "green"  # how a session ends whose fix is proven


def fold(state: DebugState, recorded: Recorded[Any]) -> DebugState:
    """Return the state after an event. Raises TransitionRefused, naming what does not fit."""
    event, name = recorded.event, type(recorded.event).__name__
    kept = bookkeeping(state, recorded)
    if state.ended and not isinstance(event, WentBack):
        raise TransitionRefused(f"{name} after the debug session ended")
    if (state.opened is None) != isinstance(event, DebugOpened):
        raise TransitionRefused(f"{name} does not fit where the debug session stands")
    state = replace(state, worked=state.worked + getattr(event, "seconds", 0.0))
    if isinstance(event, AgentOutcome):
        state = replace(state, spent=(*state.spent, event.usage), conversation="")
    move = _MOVES.get(type(event))
    after = move(state, event, recorded.at) if move else state
    return replace(after, updated=recorded.at, **kept)


def _opened(state: DebugState, event: DebugOpened, at: datetime) -> DebugState:
    told = event.is_told and not event.continues
    return replace(
        state,
        opened=event,
        began=stamp(at),
        aim=event.aim,
        symptoms=event.symptoms,
        evidence=tuple(replace(each, timestamp=stamp(at)) for each in event.evidence),
        eliminated=tuple(replace(each, timestamp=stamp(at)) for each in event.eliminated),
        status=DebugStatus.INVESTIGATING if told else DebugStatus.GATHERING,
    )


def _taken_over(state: DebugState, event: DocumentTakenOver, at: datetime) -> DebugState:
    """Stand where the document says; a fix under way is looked at again."""
    document = event.document
    came_back = document.status is DebugStatus.RESOLVED
    gathering = document.status is DebugStatus.GATHERING and document.symptoms == Symptoms()
    taken = replace(
        state,
        taken_over=document,
        began=document.created or state.began,
        aim=document.goal,
        symptoms=document.symptoms,
        evidence=document.evidence,
        eliminated=document.eliminated,
        resolution=Resolution() if came_back else document.resolution,
        reopened=str(document.status) if came_back else "",
        review=document.review,
        focus=document.focus,
        cycles=document.cycles,
        fixes=document.fixes,
        status=DebugStatus.GATHERING if gathering else DebugStatus.INVESTIGATING,
    )
    if event.text:
        return _went_on(taken, event.text, at)
    return taken if document.question is None else _asked_before(taken, document, document.question)


def _asked_before(state: DebugState, document: DebugDocument, asked: PendingQuestion) -> DebugState:
    """Stand where a person is asked what the document asks them; other questions come by rule."""
    reasoning, cause = document.focus.reasoning_checkpoint, document.resolution.root_cause
    if asked.about == Topic.FIX and cause and reasoning is not None and not reasoning.lacks:
        told = RootCause(
            root_cause=cause, fix_direction="as the root cause says", reasoning=reasoning
        )
        return replace(state, cause=told, reviewed=True)
    if asked.about == Topic.CHECKPOINT and asked.text and document.focus.next_action.strip():
        reached = CheckpointReached(type=WaitsFor.DECISION, details=asked.text)
        unread = Investigation(
            returned=Returned.CHECKPOINT_REACHED, focus=document.focus, checkpoint=reached
        )
        return replace(state, unread=unread)
    if asked.about == Topic.VERIFY and document.resolution.fix:
        return replace(state, status=DebugStatus.AWAITING_HUMAN_VERIFY)
    return state


def _went_on(state: DebugState, text: str, at: datetime) -> DebugState:
    """Hear what a person says who goes on."""
    words = PersonsWords(about="going on", text=text)
    state = replace(state, words=(*state.words, words))
    state = found(state, at, "a person went on with it", text, "as they say")
    return corrected(state, named(text), at)


def _started(state: DebugState, event: Started[Any], _: datetime) -> DebugState:
    match event.intent:
        case AgentCall() as call:
            return replace(state, calls=call.call, conversation=call.conversation)
        case RunSession():
            if state.status is not DebugStatus.FIXING or state.cause is None:
                raise TransitionRefused("nothing is fixed before its cause is found")
            return replace(state, fixes=state.fixes + 1, sent_back="")
        case _:
            return state


def _edited(state: DebugState, event: DocumentEdited, _: datetime) -> DebugState:
    return replace(state, edited=event)


def _agents_chosen(state: DebugState, event: AgentsChosen, _: datetime) -> DebugState:
    return replace(state, ladder=event.agents, rung=0, failures=(), given_up=None, complaint="")


def _base_taken(state: DebugState, event: BaseTaken, _: datetime) -> DebugState:
    """Stand on a tree; what another one showed is shown anew."""
    same = event.tree == state.tree
    reproduced = state.reproduced if same else None
    begun = state.began_with or event
    state = replace(
        state,
        base=event,
        bases=state.bases + 1,
        tree=event.tree,
        began_with=begun,
        reproduced=reproduced,
    )
    resolution = state.resolution
    if resolution.fix == BY_HAND and event.tree == begun.tree:
        return replace(state, resolution=replace(resolution, fix=NO_FILE))
    if not event.changed:
        return state
    made = MadeFix(before=begun.commit, commit=event.commit)
    resolution = replace(resolution, files_changed=event.changed)
    held = (each for each in (state.proven, state.in_part) if each is not None)
    if theirs := next((each for each in held if each.ended.child == event.holds), None):
        how = "proved it" if theirs is state.proven else "helped in part"
        said = resolution.root_cause.startswith(SAYS)
        resolution = replace(
            resolution,
            root_cause=resolution.root_cause if said else theirs.root_cause,
            fix=theirs.ended.result["fix"] or resolution.fix,
            verification=f"{resolution.verification}; session {event.holds} {how}",
        )
    return replace(state, made=(*state.made, made), resolution=resolution)


def _consulted(state: DebugState, event: KnowledgeConsulted, _: datetime) -> DebugState:
    candidate = event.known[0].slug if event.known else ""
    focus = replace(state.focus, known_pattern_candidate=candidate)
    return replace(state, known=event.known, focus=focus)


def _reproduced(state: DebugState, event: Reproduced, at: datetime) -> DebugState:
    fixed = state.status in (DebugStatus.VERIFYING, DebugStatus.AWAITING_HUMAN_VERIFY)
    if event.command != state.command:
        return _worked(state, event, at, fixed=fixed)
    what = f"ran `{event.command}`" + (" with the fix" if state.fix else "")
    meaning = _meaning(event, state.symptoms, fixed=fixed)
    state = found(state, at, what, _ending(event, state.symptoms), meaning)
    if not fixed:
        return replace(state, reproduced=event)
    if not event.failed and (why := _is_sent_back(state, event)):
        status = moved(state, DebugStatus.INVESTIGATING)
        return replace(refuse(state), status=status, complaint=why, sent_back=why)
    if not event.failed:
        missed = state.fix is None and state.misses(event.tail)
        state = replace(state, checked=event)
        return _unshown(state) if missed else state
    why = f"`{event.command}` still shows the symptom: it is not gone"
    status = moved(state, DebugStatus.INVESTIGATING)
    again = refuse(state) if state.fix else look_again(state)
    return replace(again, status=status, complaint=why)


def _unshown(state: DebugState) -> DebugState:
    """Take back that the command does not show it: what it prints is not what is expected."""
    said = state.resolution.verification.replace(unshown(state), UNSHOWN)
    return replace(state, resolution=replace(state.resolution, verification=said))


def _is_sent_back(state: DebugState, event: Reproduced) -> str:
    """Say why the first fix is: it prints something else than what is expected.

    A later one is for a person to judge: it may be that no fix prints it.
    """
    if state.fix is None or state.fixes > 1 or not lacks(event.tail, state.awaited):
        return ""
    said, expected = event.tail.strip(), state.awaited
    return f"`{event.command}` prints {said} with the fix, and not what is expected: {expected}"


def _worked(state: DebugState, event: Reproduced, at: datetime, *, fixed: bool) -> DebugState:
    """Take what the command that works printed: with a fix it has to print the same."""
    what = f"ran `{event.command}`" + (" with the fix" if fixed else "")
    before, ending = state.works, _ending(event, Symptoms())
    if not fixed or before is None:
        state = found(state, at, what, ending, "all is well there, and should stay so")
        return replace(state, works=event)
    if event.ended_as(before):
        state = found(state, at, what, ending, "it works as before")
        return replace(state, still_works=event)
    if state.fix is None:  # a person made it, and judges what it does
        state = found(state, at, what, ending, "it does something else than before")
        return replace(state, still_works=event)
    was = _ending(before, Symptoms())
    why = f"`{event.command}` worked before ({was}), and does not with the fix ({ending})"
    state = found(state, at, what, f"{ending}; before: {was}", "the fix breaks what worked")
    status = moved(state, DebugStatus.INVESTIGATING)
    return replace(refuse(state), status=status, complaint=why, sent_back=why)


def _mapped(state: DebugState, event: TracebackMapped, at: datetime) -> DebugState:
    state = replace(state, mapped=event)
    for each in event.requests:
        request = each.request
        how = f" ended with {request.status}" if request.status else ""
        often = f", {request.times} times" if request.times > 1 else ""
        what = f"looked up {request.method} {request.path} in this version"
        where = f"it{how}{often}; its route `{each.route}` is at {each.place}"
        state = found(state, at, what, where, f"what it does begins at {each.place}")
    if state.traceback is None:
        return state
    if not event.frames:
        what = f"{event.error or 'it'}: none of its frames lies in a file of the project"
        return found(state, at, PASTED, what, "it is of other code, or of another version")
    *_, last = event.frames
    where = f"{last.place}: {last.code}"
    gone = "" if last.line else "; that line is not there any more"
    return found(state, at, PASTED, f"{event.error} at {where}", f"it ended there{gone}")


def _ending(event: Reproduced, symptoms: Symptoms) -> str:
    if event.exit_code is None:
        return f"it could not be run: {event.why_not}"
    last = event.tail.strip().rpartition("\n")[2] or "no output"
    often = f", {event.failed} of {event.runs} runs show the symptom" if event.runs > 1 else ""
    said = (
        f", `{printed(symptoms)[0]}` in the output" if event.failed and not event.exit_code else ""
    )
    return f"exit code {event.exit_code}{often}{said}: {last}"


def _meaning(event: Reproduced, symptoms: Symptoms, *, fixed: bool) -> str:
    if event.exit_code is None:
        return "nothing is known of it here"
    if 0 < event.failed < event.runs:
        return "it shows the symptom now and then"
    if fixed:
        return "the symptom is still there" if event.failed else "the symptom is gone"
    if event.failed:
        return "it fails here too" if event.exit_code else "it shows the symptom here too"
    if printed(symptoms)[0]:
        return "it does not show the symptom here"
    return "it does not fail; its output may show it"


def _began(state: DebugState, event: ConversationBegan, _: datetime) -> DebugState:
    return replace(state, conversation=event.conversation)


def _investigated(state: DebugState, event: Investigated, at: datetime) -> DebugState:
    told, now = event.told, stamp(at)
    candidate = told.focus.known_pattern_candidate or state.focus.known_pattern_candidate
    state = replace(
        state,
        evidence=_grown(state.evidence, told.evidence, now),
        eliminated=_grown(state.eliminated, told.eliminated, now),
        focus=replace(told.focus, known_pattern_candidate=candidate, reasoning_checkpoint=None),
        returns=(*state.returns, told),
        cycles=state.cycles + 1,
        failures=(),
        complaint="",
        aside=event.aside,
    )
    if told.root_cause is not None:
        state = replace(state, found_by=event.agent, patch=event.patch)
        return _explained(state, told.root_cause, at)
    if told.completed is not None:
        return _claimed(state, told.completed)
    waits = told.returned is not Returned.CONTINUE_REQUIRED
    return replace(state, unread=told if waits else None)


def _grown(known: tuple[E, ...], new: tuple[E, ...], now: str) -> tuple[E, ...]:
    """Return entries with the new ones behind them; what says the same again adds nothing."""
    said = [replace(each, timestamp="") for each in known]
    told = [with_texts(each, tidy) for each in new]
    fresh = [each for each in told if replace(each, timestamp="") not in said]
    return known + tuple(replace(each, timestamp=now) for each in fresh)


def _explained(state: DebugState, cause: RootCause, at: datetime) -> DebugState:
    """Take a root cause whose reasoning lacks nothing; any other is looked into further."""
    reasoning = cause.reasoning
    state = replace(state, focus=replace(state.focus, reasoning_checkpoint=reasoning))
    if lacks := reasoning.lacks:
        told = f"`root_cause.reasoning` {lacks}: nothing is fixed before that"
        what = f"weighed the root cause that was named: {cause.root_cause}"
        state = found(state, at, what, f"its reasoning {lacks}", "it is sent back, and not fixed")
        return replace(state, complaint=told)
    resolution = Resolution(root_cause=cause.root_cause)
    state = replace(state, cause=cause, resolution=resolution)
    if state.session.tdd and state.aim is Aim.FIX:
        return replace(state, status=moved(state, DebugStatus.FIXING))
    return state


def _claimed(state: DebugState, claim: FixClaim) -> DebugState:
    resolution = Resolution(
        root_cause=claim.root_cause,
        fix=claim.fix,
        verification=claim.verification,
        files_changed=claim.files_changed,
        oracle_type="person",
    )
    status = moved(state, DebugStatus.AWAITING_HUMAN_VERIFY)
    return replace(state, resolution=resolution, status=status)


def _reviewed(state: DebugState, event: SpecialistReviewed, _: datetime) -> DebugState:
    hint = state.cause.specialist if state.cause else ""
    said = f"{hint}: {event.opinion}: {event.suggestion or event.reason}"
    return replace(state, reviewed=True, review=(*state.review, tidy(said)))


def _failed(state: DebugState, event: AgentFailure, at: datetime) -> DebugState:
    if event.role == AgentRole.REVIEW:  # it is advice: nothing waits for it
        return replace(state, reviewed=True)
    failures = (*state.failures, event)
    hopeless = is_hopeless(event.kind, [each.kind for each in state.failures])
    if len(failures) <= state.settings.agent_retries and not hopeless:
        return replace(state, failures=failures, failed_at=at, complaint=event.message)
    return replace(state, failures=(), given_up=event, rung=state.rung + 1, complaint="")


def _test_written(state: DebugState, event: TestWritten, _: datetime) -> DebugState:
    return replace(state, test=event, seen=None, confirmed=False, failures=(), complaint="")


def _test_seen(state: DebugState, event: TestSeen, at: datetime) -> DebugState:
    """Take a test that is red for the right reason; one that was never red is refused."""
    tests = ", ".join(event.tests)
    if not event.why:
        state = found(state, at, f"ran {tests}", "red, by what the code does", "it shows the fault")
        focus = replace(state.focus, tdd_checkpoint=f"{tests}: red")
        return replace(state, seen=event, rewrites=0, complaint="", focus=focus)
    state = found(state, at, f"ran {tests}", event.why, "it is refused as the test of the fix")
    cause = replace(state.cause, failing_tests=()) if state.cause else None
    return replace(
        state, cause=cause, test=None, seen=None, rewrites=state.rewrites + 1, complaint=event.why
    )


def _child_ended(state: DebugState, event: ChildEnded, at: datetime) -> DebugState:
    state = replace(state, spent=(*state.spent, event.usage))
    if event.status != PROVEN:
        why = f"{event.status}: {event.reason}".rstrip(": ")
        helped = event.commit and event.result.get("fix") and event.result.get("files")
        cause = state.resolution.root_cause
        return replace(
            found(state, at, f"had it fixed in session {event.child}", why, "it is not proven"),
            rejected=event,
            unmet=True,
            in_part=ChildsFix(ended=event, root_cause=cause) if helped else state.in_part,
        )
    resolution = replace(
        state.resolution,
        fix=event.result.get("fix") or f"session {event.child} changed the code",
        verification=_proof(event.result.get("doubts", ()), event.result.get("weak", ())),
        files_changed=tuple(event.result.get("files", ())),
        oracle_type="test",
    )
    status = moved(state, DebugStatus.VERIFYING)
    made = MadeFix(before=state.fix_base, commit=event.commit)
    return replace(
        state,
        fix=event,
        made=(*state.made, made),
        proven=ChildsFix(ended=event, root_cause=resolution.root_cause),
        resolution=resolution,
        status=status,
    )


def _proof(doubts: Collection[str], weak: Collection[str]) -> str:
    """Say what a proof comes to, and what of it stands on a person's word."""
    parts = ["the tests pass, and fail without the fix"]
    parts += [f"the proof doubts: {'; '.join(doubts)}"] if doubts else []
    parts += [f"weakly tested: {'; '.join(weak)}"] if weak else []
    return f"proven{f', {BUT_SETTLED}' if doubts else ''}: {'; '.join(parts)}"


def _plan_written(state: DebugState, event: PlanWritten, _: datetime) -> DebugState:
    return replace(state, plan=event.path)


def _asked(state: DebugState, event: DebugAsked, _: datetime) -> DebugState:
    if state.question:
        raise TransitionRefused(f"question {state.question.id} is still open")
    state = replace(state, question=event, asked=state.asked + 1)
    if event.about is Topic.VERIFY and state.status is DebugStatus.VERIFYING:
        return replace(state, status=moved(state, DebugStatus.AWAITING_HUMAN_VERIFY))
    return state


def _filed(state: DebugState, event: FiledAway, _: datetime) -> DebugState:
    return replace(state, filed=event)


def _ended(state: DebugState, event: Concluded, _: datetime) -> DebugState:
    """End it; the cause of a fix that was proven is kept where no other was found since."""
    status = DebugStatus(event.status)
    status = status if status is state.status else moved(state, status)
    resolution, proven = state.resolution, state.proven
    if proven is not None and status is DebugStatus.ABANDONED and not resolution.root_cause:
        cause = f"{proven.root_cause.rstrip('. ')}{PROVEN_ONCE}"
        resolution = replace(resolution, root_cause=cause)
    return replace(state, ended=event, status=status, question=None, resolution=resolution)


def _went_back(state: DebugState, event: WentBack, at: datetime) -> DebugState:
    """Go on with one that has ended, on the person's tree as it is now.

    Where its cause was found, the way to fix it is asked; with words of theirs it is looked into.
    """
    if state.ended is None:
        raise TransitionRefused(f"{event.checkpoint} of a debug session that has not ended")
    gathering = state.symptoms == Symptoms() and not state.session.is_told
    to = DebugStatus.GATHERING if gathering and not event.text else DebugStatus.INVESTIGATING
    before = str(state.status)
    state = replace(state, ended=None, status=moved(state, to), reopened=before, base=None)
    if before == DebugStatus.RESOLVED:
        state = replace(state, began_with=None)
    if event.text or before == DebugStatus.RESOLVED:
        state = look_again(state)
    if event.text:
        state = _went_on(state, event.text, at)
    return replace(
        state,
        returns=(),
        unread=None,
        failures=(),
        rung=0,
        complaint="",
        test=None,
        seen=None,
        confirmed=False,
        mapped=None,
        reproduced=None,
        checked=None,
        still_works=None,
        known=None,
        choice="",
        stopping="",
        filed=None,
        granted=len(state.spent),
        allowed=state.worked,
    )


_MOVES: dict[type[Event], Callable[[DebugState, Any, datetime], DebugState]] = {
    DebugOpened: _opened,
    DocumentTakenOver: _taken_over,
    Started: _started,
    DocumentEdited: _edited,
    AgentsChosen: _agents_chosen,
    BaseTaken: _base_taken,
    KnowledgeConsulted: _consulted,
    TracebackMapped: _mapped,
    Reproduced: _reproduced,
    ConversationBegan: _began,
    Investigated: _investigated,
    AgentFailure: _failed,
    SpecialistReviewed: _reviewed,
    TestWritten: _test_written,
    TestSeen: _test_seen,
    ChildEnded: _child_ended,
    PlanWritten: _plan_written,
    DebugAsked: _asked,
    Answered: answered,
    FiledAway: _filed,
    WentBack: _went_back,
    Concluded: _ended,
}
