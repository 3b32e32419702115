from __future__ import annotations

import itertools
from typing import get_args, get_origin

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.flows.debugging.states import OUTCOMES, TRANSITIONS, Stage, State, fold
from clew.words import events as ev
from clew.words.errors import TransitionRefused
from clew.words.events import Result, Status
from clew.words.facts import Verdict
from clew.words.models import AgentRole
from clew.words.settings import Cap, Settings, TestSettings
from sessionplay import COMMAND, DIAGNOSIS, START, Play, Script, opened

INTENTS: list[ev.AnyIntent] = [
    ev.TakeSnapshot(generation=1),
    ev.RunTests(purpose=ev.Purpose.VERIFY, commit="c1"),
    ev.Bisect(commit="c0"),
    ev.CallAgent(role=AgentRole.DIAGNOSE, iteration=1, agent="repair", attempt=1, call=1),
    ev.WriteReport(iteration=1),
    ev.CallAgent(role=AgentRole.REVIEW, iteration=1, agent="careful", attempt=1, call=1),
    ev.CallAgent(role=AgentRole.FIX, iteration=1, agent="repair", attempt=1, call=1, base="c0"),
    ev.RollBack(iteration=1, commit="c0"),
    ev.Prove(commit="c1"),
    ev.SaveCheckpoint(name="escalation"),
    ev.WriteDocument(kind="summary"),
    ev.CallAgent(
        role=AgentRole.DOCUMENT, iteration=1, agent="careful", attempt=1, call=1, base="c1"
    ),
]

EVENTS: list[ev.AnyEvent] = [
    opened(),
    *(ev.Started(intent=i) for i in INTENTS),
    *(ev.Abandoned(intent=i, reason="cut") for i in INTENTS),
    ev.SnapshotTaken(generation=1, base="c0", branch="b", worktree="/w"),
    *(
        ev.TestsRan(purpose=p, commit="c1", verdict=Verdict.FAILED, command=COMMAND, run="r")
        for p in ev.Purpose
    ),
    ev.SnapshotTaken(generation=2, base="c5", branch="b", worktree="/w", tip="c6", touched=("t",)),
    ev.SnapshotOutdated(files=("a.py",)),
    ev.SetUpRead(settings=TestSettings(test_command="pytest")),
    ev.Bisected(commit="c9", runs=5),
    ev.RoundBegan(number=1, cap=3, topic="x"),
    ev.IterationBegan(number=1, overall=1),
    ev.Diagnosed(iteration=1, agent="repair", diagnosis=DIAGNOSIS, proposes=True),
    ev.AgentErred(iteration=1, role="fix", agent="repair", kind="error", message="m"),
    ev.RungPassed(iteration=1, agent="repair", reason="2 of 2 calls"),
    ev.ReportWritten(iteration=1, number=1, path="debug/x/001_a.md"),
    *(ev.Reviewed(iteration=1, agent="careful", opinion=o, reason="r") for o in ev.Opinion),
    ev.FixApplied(iteration=1, agent="repair", summary="s", commit="c1"),
    ev.RolledBack(iteration=1, commit="c0"),
    *(ev.IterationEnded(iteration=1, result=r) for r in Result),
    *(ev.Proved(commit="c1", accepted=a, rows=()) for a in (True, False)),
    ev.CheckpointSaved(name="escalation", commit="c0", path="/c"),
    *(ev.Halted(kind=k, reason="enough") for k in ev.HaltKind),
    *(ev.WentBack(checkpoint=name) for name in ("start", "nowhere")),
    ev.QuestionAsked(id="q1", kind=ev.QuestionKind.FLAKY, text="?", options=()),
    *(ev.QuestionAnswered(id="q1", option=word) for word in ("skip", "approve", "reject")),
    ev.DocumentWritten(kind="summary", path="/d"),
    ev.Challenged(iteration=1, agent="critic", commit="c1"),
    ev.Narrated(iteration=1, agent="careful", commit="c1", what_happened="a", why="b"),
    ev.ConversationBegan(call=1, agent="repair", conversation="c-1"),
    ev.EditsKept(ref="found-9", commit="c5", files=("a.py",)),
    ev.Interrupted(reason="SIGINT"),
    ev.SessionEnded(status=Status.GREEN),
]

SCRIPTS = [
    Script(),
    Script(baseline=Verdict.PASSED),
    Script(baseline=Verdict.DID_NOT_RUN, answers=["investigate"]),
    Script(flaky=("a", "b")),
    Script(verify=["same_errors"], answers=["guidance"]),
    Script(verify=["regression", "fewer_errors+", "passing"], proof=[False, True]),
    Script(diagnose=["fails", "nothing", "proposes"], fix=["fails", "tampers", "done"]),
    Script(verify=["same_errors"], answers=["skip"]),
    Script(verify=["fewer_errors+", "same_errors"], answers=["back iteration-1", "skip"]),
    Script(verify=["same_errors"], carried=["passing"], proof=[False], answers=["investigate"]),
    Script(verify=["same_errors"], carried=["fewer_errors+"], answers=["investigate"]),
    Script(verify=["same_errors"], by_hand=["passing"], proof=[False], answers=["investigate"]),
    Script(verify=["same_errors"], by_hand=["did_not_run"], answers=["investigate"]),
    Script(verify=["same_errors"], by_hand=["tampers passing"], answers=["investigate"]),
    Script(diagnose=["outside"]),
    Script(fix=["consults"], answers=["approve"]),
    Script(fix=["consults", "done"], answers=["reject"]),
    Script(fix=["consults"], answers=["terminate"]),
]


REVIEWED = [
    (Script(review=["objects"]), opened(review="careful", agents=("repair", "strong"))),
    (Script(review=["fails"]), opened(review="careful", retries=0)),
    (Script(), opened(challenge="critic")),
    (Script(challenge=["fails"]), opened(challenge="critic", retries=1)),
    (Script(diagnose=["nothing"]), opened(ladder={"repair": Cap(calls=1)})),
]


def every_state() -> list[State]:
    """States of every stage, with and without an intent in flight."""
    found: dict[tuple[Stage, str], State] = {}
    for script, first in (*((script, opened()) for script in SCRIPTS), *REVIEWED):
        play = Play(script, first)
        play.run()
        for state in itertools.accumulate(play.records, fold, initial=State()):
            found.setdefault((state.stage, type(state.doing).__name__), state)
    return list(found.values())


def attempt(state: State, recorded: ev.Recorded) -> tuple[State | None, str]:
    try:
        return fold(state, recorded), ""
    except TransitionRefused as refusal:
        return None, refusal.message


STATES = every_state()


def test_the_scripts_reach_every_stage() -> None:
    """The sweep below leaves no stage out."""
    assert set(Stage) == {s.stage for s in STATES}


@pytest.mark.parametrize("event", EVENTS, ids=ev.type_of)
def test_every_state_moves_or_refuses(event: ev.AnyEvent) -> None:
    """Each (state, event) leads where the table says, or is refused with both sides named."""
    for state in STATES:
        recorded = ev.Recorded(session="s", seq=state.seq + 1, at=START, event=event)
        after, refusal = attempt(state, recorded)
        if after is None:
            assert state.stage in refusal
            assert ev.type_of(event) in refusal
        else:
            allowed = TRANSITIONS[state.stage].get(type(event), (state.stage,))
            assert after.stage in allowed
            assert state.seq + 1 == after.seq


def test_every_event_type_is_swept() -> None:
    """A new event type must join the sweep."""
    known = {get_origin(each) or each for each in get_args(ev.AnyEvent)}
    assert known == {type(e) for e in EVENTS}


def test_every_intent_has_outcomes() -> None:
    """A new intent type must say what settles it."""
    assert set(get_args(ev.AnyIntent)) == set(OUTCOMES) == set(ev.INTENTS)


def test_an_outcome_without_its_intent_is_refused() -> None:
    """Nothing happens that was not announced."""
    play = Play(Script())
    with pytest.raises(TransitionRefused, match="its intent is not in flight"):
        play.append(ev.SnapshotTaken(generation=1, base="c", branch="b", worktree="/w"))


def test_work_is_refused_where_none_is_to_be_done() -> None:
    """What is in flight is named only where something is."""
    play = Play(Script(baseline=Verdict.PASSED))
    play.run()
    with pytest.raises(TransitionRefused) as refused:
        play.append(ev.Started(intent=INTENTS[0]))
    assert "a session in stage ended does not admit Started" == refused.value.message


def test_a_sequence_number_out_of_turn_is_refused() -> None:
    """A fold cannot skip or repeat an event."""
    with pytest.raises(TransitionRefused, match="event 2 does not follow event 0"):
        fold(State(), ev.Recorded(session="s", seq=2, at=START, event=opened()))


@pytest.mark.parametrize(("number", "overall"), [(1, 2), (2, 1), (4, 1), (0, 0), (-1, 1)])
def test_the_counter_moves_by_one(number: int, overall: int) -> None:
    """No event can set, skip or rewind the iteration counter."""
    play = Play(Script())
    for action in play.steps():
        if play.state.stage is Stage.ROUND:
            break
        del action
    with pytest.raises(TransitionRefused):
        play.append(ev.IterationBegan(number=number, overall=overall))


def test_an_answer_must_be_one_of_the_options() -> None:
    """Unknown words, foreign questions and options of a later version are refused."""
    play = Play(Script(verify=["same_errors"]))
    play.run()
    for answer in (
        ev.QuestionAnswered(id="q1", option="dance"),
        ev.QuestionAnswered(id="q9", option="skip"),
        ev.QuestionAnswered(id="q1", option="rollback"),
    ):
        with pytest.raises(TransitionRefused):
            play.append(answer)


@given(st.lists(st.sampled_from(EVENTS), max_size=30))
@settings(deadline=None)
def test_no_order_of_events_breaks_the_laws(events: list[ev.AnyEvent]) -> None:
    """Refused events change nothing; admitted ones keep counter, history and cap in order."""
    state = State()
    for event in events:
        try:
            state = fold(state, ev.Recorded(session="s", seq=state.seq + 1, at=START, event=event))
        except TransitionRefused:
            continue
        assert state.counter <= state.cap or state.stage is Stage.NEW
        assert state.overall - 1 <= len(state.history) <= state.overall


def test_settings_of_the_tests_that_are_read_again_leave_the_others_as_they_were() -> None:
    """Also where each came from."""
    told = {"agent": "command line", "timeout": "environment"}
    first = msgspec.structs.replace(opened(), settings=Settings(sources=told, timeout=5.0))
    again = TestSettings(test_command="make test", sources={"test_command": "clew.toml"})
    state = State()
    events: tuple[ev.AnyEvent, ...] = (first, ev.SetUpRead(settings=again))
    for seq, event in enumerate(events, 1):
        state = fold(state, ev.Recorded(session="s", seq=seq, at=START, event=event))
    assert {"agent": "command line", "test_command": "clew.toml"} == state.settings.sources
    assert ("make test", 600.0) == (state.settings.test_command, state.settings.timeout)
