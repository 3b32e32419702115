"""What is decided when an agent fails, or says the same again."""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import replace

from clew.flows.debugging.decisions import Pause, Record, decide
from clew.flows.debugging.driver.briefing import prompt_budget
from clew.flows.debugging.states import Spent, Stage, State, fold
from clew.words import events as ev
from clew.words.events import HaltKind, Result, Status
from clew.words.models import AgentRole
from clew.words.settings import Cap
from sessionplay import Play, Script, opened


def asked(play: Play) -> list[str]:
    """The agents of the diagnoses, in order."""
    begun = [r.event.intent for r in play.records if isinstance(r.event, ev.Started)]
    return [intent.agent for intent in begun if ev.calls(intent, AgentRole.DIAGNOSE)]


def test_two_time_outs_and_an_answer_cost_two_waits_and_no_iteration() -> None:
    """Half a second, then a second; the counter does not move."""
    play = Play(Script(diagnose=["fails timeout", "fails timeout", "proposes"]))
    state = play.run()

    assert (Status.GREEN, 1) == (state.status, state.overall)
    assert [0.5, 1.0] == play.pauses


def test_what_waiting_does_not_mend_is_not_waited_for() -> None:
    """An answer that cannot be used is asked for again at once."""
    play = Play(Script(diagnose=["fails error", "garbles", "proposes"]))

    assert Status.GREEN == play.run().status
    assert [] == play.pauses


def test_the_last_failure_says_whether_there_is_a_wait() -> None:
    """What failed before it in another way does not."""
    first = Play(Script(diagnose=["fails timeout", "fails error", "proposes"]))
    last = Play(Script(diagnose=["fails error", "fails timeout", "proposes"]))

    assert (Status.GREEN, Status.GREEN) == (first.run().status, last.run().status)
    assert ([0.5], [1.0]) == (first.pauses, last.pauses)


def test_a_wait_is_counted_from_the_failure_on() -> None:
    """A session that is resumed later goes on at once; so it does after the clock was put back."""
    play = Play(Script(diagnose=["fails busy", "proposes"]))
    for _ in play.steps():
        if play.state.failures:
            break
    at = play.records[-1].at
    told = {
        late: decide(play.state, at + timedelta(seconds=late)) for late in (0, 0.4, 0.5, 9, -100)
    }

    pause = Pause(until=at + timedelta(seconds=0.5), why="repair (busy) for 0.5 s")
    call = ev.CallAgent(
        role=AgentRole.DIAGNOSE,
        iteration=1,
        agent="repair",
        attempt=2,
        call=2,
        base="c0",
        conversation="624c9bb2-7a2f-8038-ac60-b23f2c7d34be",  # the same whenever it is asked for
    )
    assert {0: pause, 0.4: pause, 0.5: call, 9: call, -100: call} == {
        late: next(iter(actions)) for late, actions in told.items()
    }


def test_only_the_agent_that_is_busy_is_waited_for() -> None:
    """Neither the next one of the ladder, nor what is done without any."""
    next_one = Play(
        Script(diagnose=["fails timeout", "proposes"]), opened(agents=("a", "b"), retries=0)
    )
    nobody = Play(Script(diagnose=["fails timeout"]), opened(cap=1, retries=1))

    assert (Status.GREEN, Status.WAITING) == (next_one.run().status, nobody.run().status)
    assert ([], [0.5]) == (next_one.pauses, nobody.pauses)


def test_with_a_budget_that_is_spent_nobody_is_waited_for() -> None:
    """The person is asked at once."""
    play = Play(Script(diagnose=["fails busy"]), opened(budget=ev.Budget(seconds=10.0)))
    for _ in play.steps():
        if play.state.failures:
            break
    (told,) = decide(replace(play.state, spent=Spent(seconds=10.0)), play.records[-1].at)
    assert isinstance(told, Record)
    assert isinstance(told.event, ev.Halted)
    assert HaltKind.BUDGET == told.event.kind


def test_an_agent_over_its_limit_is_called_once_more() -> None:
    """It is told what it may take; the second time in a row it is the next agent's turn."""
    script = Script(diagnose=["fails limit", "fails limit", "proposes"])
    play = Play(script, opened(agents=("first", "second"), retries=5))
    mended = Play(Script(diagnose=["fails limit", "proposes"]), opened(retries=5))

    assert (Status.GREEN, Status.GREEN) == (play.run().status, mended.run().status)
    assert ["first", "first", "second"] == asked(play)
    assert ["repair", "repair"] == asked(mended)
    assert [] == play.pauses


def test_an_agent_that_is_not_there_makes_room_for_the_next_at_once() -> None:
    """And is not called again in this round."""
    script = Script(diagnose=["fails not_installed", "proposes"], verify=["same_errors", "passing"])
    play = Play(script, opened(agents=("first", "second")))
    state = play.run()

    assert (Status.GREEN, 2) == (state.status, state.overall)
    assert ["first", "second", "second"] == asked(play)
    assert [] == play.pauses


def test_without_another_agent_a_person_is_asked_at_once() -> None:
    """The question names the reason; with an answer the agent is called once more."""
    play = Play(Script(diagnose=["fails not_logged_in", "proposes"], answers=["guidance"]))
    halted: list[object] = []
    play.listen = lambda state, _: halted.append(state.halted)
    state = play.run()

    reasons = {each.reason for each in halted if isinstance(each, ev.Halted)}
    assert [HaltKind.AGENT] == [e.kind for e in play.of(ev.Halted) if isinstance(e, ev.Halted)]
    assert {"repair: crashed"} == reasons
    assert [Result.AGENT_FAILED, Result.PASSING] == [e.result for e in state.history]
    assert ["repair", "repair"] == asked(play)


def test_an_agent_that_repeats_itself_makes_room_for_the_next() -> None:
    """The repeat costs an iteration, is not tested, and the ladder is entered one rung higher."""
    script = Script(fix=["same", "same", "done"], verify=["same_errors", "passing"])
    play = Play(script, opened(agents=("first", "second")))
    state = play.run()

    assert [Result.FAILING, Result.REPEATED, Result.PASSING] == [e.result for e in state.history]
    assert ["first", "first", "second"] == asked(play)
    runs = [e for e in play.of(ev.TestsRan) if isinstance(e, ev.TestsRan)]
    assert 2 == len([run for run in runs if run.purpose is ev.Purpose.VERIFY])


def test_after_progress_an_earlier_change_may_be_what_is_missing() -> None:
    """What did not help against other failures is tried against these."""
    script = Script(
        fix=["same", "done", "same"], verify=["same_errors", "fewer_errors+", "passing"]
    )
    state = Play(script).run()

    assert [Result.FAILING, Result.FEWER, Result.PASSING] == [e.result for e in state.history]


def test_a_change_that_no_run_has_judged_may_be_tried_again() -> None:
    """A budget ended it unfinished: nothing speaks against it."""
    script = Script(fix=["same"], verify=["passing"], answers=["guidance"])
    play = Play(script, opened(cap=1))
    for _ in play.steps():
        if play.state.fix:
            break
    play.append(ev.Halted(kind=HaltKind.PERSON, reason="for now"))
    state = play.run()

    assert [Result.HALTED, Result.PASSING] == [e.result for e in state.history]


def test_an_agent_that_tells_how_long_to_wait_is_waited_for() -> None:
    """The wait is told, and counted from the failure on."""
    play = Play(Script(diagnose=["fails rate_limited", "proposes"]))
    for _ in play.steps():
        if play.state.failures:
            break
    at, last = play.records[-1].at, play.state.agent_errors[-1]
    told = replace(play.state, agent_errors=(replace(last, after=30.0),))
    (pause,) = decide(told, at)
    assert Pause(until=at + timedelta(seconds=30), why="repair (rate_limited) for 30 s") == pause
    assert {ev.CallAgent} == {type(action) for action in decide(told, at + timedelta(seconds=30))}


def test_an_agent_that_asks_for_too_long_a_wait_is_passed_by() -> None:
    """The next one has its turn; without one a person is asked, who may know better."""
    ladders = [("busy", "second"), ("busy",)]
    stages = []
    for ladder in ladders:
        play = Play(Script(), opened(agents=ladder))
        for action in play.steps():
            if ev.calls(action, AgentRole.DIAGNOSE):
                break
        play.append(ev.Started(intent=action))  # type: ignore[arg-type]
        erred = ev.AgentErred(
            iteration=1, role="diagnose", agent="busy", kind="rate_limited", message="", after=901.0
        )
        play.append(erred)
        stages.append((play.state.stage, play.state.agent))
    assert [(Stage.DIAGNOSING, "second"), (Stage.JUDGED, "busy")] == stages


def test_a_prompt_that_was_too_long_is_followed_by_one_of_half_its_tokens() -> None:
    """For the agent that said so; another one may take more."""
    play = Play(Script(diagnose=["fails context_too_long", "fails context_too_long", "proposes"]))
    play.run()
    told, state = [], State()
    for recorded in play.records:
        state = fold(state, recorded)
        if ev.calls(state.doing, AgentRole.DIAGNOSE):
            told.append(prompt_budget(state))
            other = replace(state, in_flight={1: replace(state.doing, agent="other")})
            assert 50_000 == prompt_budget(other)
    assert [50_000, 25_000, 12_500] == told


def test_an_answer_that_could_not_be_used_is_no_reason_once_another_came() -> None:
    """What stops the next iteration is its agent's cap, not what went wrong in the one before."""
    script = Script(diagnose=["garbles", "proposes"], verify=["same_errors"])
    play = Play(script, opened(ladder={"repair": Cap(calls=4)}))
    play.run()
    (halted,) = play.of(ev.Halted)
    assert isinstance(halted, ev.Halted)
    assert (ev.HaltKind.BUDGET, "repair: 4 of 4 calls in a round are spent") == (
        halted.kind,
        halted.reason,
    )


def test_only_the_last_failure_says_whether_an_agent_was_too_slow() -> None:
    """A time-out of an earlier call asks for no stronger model now."""
    script = Script(diagnose=["fails timeout", "fails error", "proposes"])
    play = Play(script, opened(profile="adaptive"))
    play.run()
    starts = [r.event.intent for r in play.records if isinstance(r.event, ev.Started)]
    asked = [intent.model for intent in starts if ev.calls(intent, AgentRole.DIAGNOSE)]
    assert 3 == len(asked)
    assert asked[0] == asked[2] != asked[1]
