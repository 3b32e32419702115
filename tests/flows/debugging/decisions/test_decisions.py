from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.analysis.spending import Tally, by_agent
from clew.flows.debugging.decisions import decide
from clew.flows.debugging.states import Spent, Stage, State, fold, replay
from clew.words import events as ev
from clew.words.events import Result, Status
from clew.words.facts import Verdict
from clew.words.models import AgentRole
from clew.words.settings import Cap
from sessionplay import START, Play, Script, opened


def test_nothing_is_done_when_all_tests_pass() -> None:
    """A green baseline ends the session: no recheck, no round, no agent."""
    play = Play(Script(baseline=Verdict.PASSED))
    assert Status.NOTHING_TO_DO == play.run().status
    assert [] == play.of(ev.RoundBegan)


def test_a_fix_at_the_first_try_takes_one_iteration() -> None:
    """One report, one entry "Tests passing", checkpoint, lesson and summary, then green."""
    play = Play(Script())
    state = play.run()
    assert Status.GREEN == state.status
    assert 1 == state.overall == len(state.reports)
    assert [Result.PASSING] == [e.result for e in state.history]
    assert ["start", "tests_passing"] == [c.name for c in state.checkpoints]
    assert ["knowledge", "summary"] == [d.kind for d in state.documents]


def test_a_cascade_of_two_faults_takes_two_iterations_and_keeps_the_first_fix() -> None:
    """Progress is kept: the second iteration builds on the commit of the first."""
    play = Play(Script(verify=["different_errors+", "passing"]))
    state = play.run()
    assert [Result.DIFFERENT, Result.PASSING] == [e.result for e in state.history]
    assert [] == play.of(ev.RolledBack)
    fixes = [r.event.intent for r in play.records if isinstance(r.event, ev.Started)]
    assert ["c0", "c1"] == [f.base for f in fixes if ev.calls(f, AgentRole.FIX)]


def test_an_unfixable_failure_ends_in_a_question_after_exactly_three_reports() -> None:
    """Escalation: three reports and no fourth, a checkpoint, five options, no summary."""
    play = Play(Script(verify=["same_errors"]))
    state = play.run()
    assert Status.WAITING == state.status
    assert 3 == len(state.reports) == len(state.history) == state.overall
    tried = ["iteration-1", "iteration-2", "iteration-3"]
    assert ["start", *tried, "escalation"] == [c.name for c in state.checkpoints]
    assert ["escalation"] == [d.kind for d in state.documents]
    assert state.question is not None
    assert 5 == len(state.question.options)
    assert "Maximum debugging iterations reached" == state.history[-1].escalation_reason


def test_only_an_answer_opens_a_new_round() -> None:
    """Guidance starts the counter at 0 again, under the same cap; history and numbers carry on.

    The question of a later round says which iterations it counts: reports have other numbers.
    """
    play = Play(Script(verify=["same_errors"], answers=["guidance"]))
    state = play.run()
    assert 2 == state.round
    assert 3 == state.counter
    assert 6 == state.overall == len(state.history)
    handed_over = [c.name for c in state.checkpoints if c.name.startswith("escalation")]
    assert ["escalation", "escalation-2"] == handed_over
    assert "after 3 of 3 iterations of this round." in given_text(state)


@pytest.mark.parametrize(
    ("answer", "status"), [("skip", Status.SKIPPED), ("terminate", Status.TERMINATED)]
)
def test_answers_end_a_session_with_its_known_issues(answer: str, status: Status) -> None:
    """What still fails is on record when a person decides to stop."""
    state = Play(Script(verify=["same_errors"], answers=[answer])).run()
    assert status == state.status
    assert state.ended is not None
    assert ("a: AssertionError", "b: AssertionError") == state.ended.known_issues


def test_going_back_restores_what_counted_there_and_keeps_what_was_tried() -> None:
    """Commit and red tests are the checkpoint's again; the history stays, in a new round."""
    verify = ["fewer_errors+", "same_errors", "same_errors", "passing"]
    play = Play(Script(verify=verify, answers=["back start"]))
    state = play.run()
    assert (Status.GREEN, 2, 4) == (state.status, state.round, len(state.history))
    fixes = [r.event.intent for r in play.records if isinstance(r.event, ev.Started)]
    assert ["c0", "c1", "c1", "c0"] == [f.base for f in fixes if ev.calls(f, AgentRole.FIX)]
    assert ["c1", "c1", "c0"] == [e.commit for e in play.of(ev.RolledBack)]  # type: ignore[union-attr]


def test_going_back_over_a_newer_snapshot_restores_what_was_known_then() -> None:
    """Baseline and recheck belong to the tree that a proof is held against."""
    script = Script(verify=["same_errors"], answers=["investigate"])
    play = Play(script, opened(cap=1))
    first = play.run()
    script.recheck = Verdict.DID_NOT_RUN
    play.append(ev.QuestionAnswered(id=given_question(play), option="investigate"))
    assert "why" == given_text(play.run())
    play.append(ev.WentBack(checkpoint="start"))
    state = play.run()
    assert (first.baseline, first.rechecked) != (None, None)
    assert Verdict.FAILED == (state.rechecked and state.rechecked.verdict)
    assert 3 == state.round


def given_question(play: Play) -> str:
    assert play.state.question is not None
    return play.state.question.id


def given_text(state: State) -> str:
    assert state.question is not None
    return state.question.text


def test_an_ended_session_can_be_taken_up_again_from_a_checkpoint() -> None:
    """A person who does not like what was found goes back, and another way is looked for."""
    play = Play(Script(verify=["fewer_errors+", "passing"]))
    assert Status.GREEN == play.run().status
    play.append(ev.WentBack(checkpoint="iteration-1", text="no string tricks"))
    state = play.run()
    assert (Status.GREEN, 2, 3) == (state.status, state.round, len(state.history))
    assert ("no string tricks",) == state.guidance


@pytest.mark.parametrize(
    ("outcome", "head"),
    [
        ("fewer_errors+", "hand"),
        ("same_errors", "hand"),
        ("regression", "c0"),
        ("did_not_run", "c0"),
    ],
)
def test_work_by_hand_counts_unless_it_broke_what_worked(outcome: str, head: str) -> None:
    """The next iteration builds on it; it is no iteration itself."""
    play = Play(
        Script(verify=["same_errors"], carried=[outcome], answers=["investigate"]), opened(cap=1)
    )
    state = play.run()
    assert (head, 2, 2) == (state.head, state.round, len(state.history))


def test_work_by_hand_that_turns_the_tests_green_is_proven_like_any_other() -> None:
    """Green without an iteration, by the same proof."""
    script = Script(verify=["same_errors"], carried=["passing"], answers=["investigate"])
    play = Play(script, opened(cap=1))
    state = play.run()
    assert (Status.GREEN, "hand", 1) == (state.status, state.head, len(state.history))
    assert 1 == len(play.of(ev.Proved))


def test_a_cause_out_of_scope_is_not_tried_again() -> None:
    """One iteration, then a person is asked, with the reason in the question."""
    state = Play(Script(diagnose=["outside"])).run()
    assert (Status.WAITING, 1) == (state.status, state.overall)
    assert state.question is not None
    assert "the package yaml is not installed" in state.question.text


@pytest.mark.parametrize(
    "budget", [ev.Budget(seconds=15.0), ev.Budget(tokens=200), ev.Budget(usd=1.0)]
)
def test_a_budget_that_is_spent_asks_a_person_with_all_work_kept(budget: ev.Budget) -> None:
    """The third diagnosis is not asked for; guidance grants the budget once more."""
    play = Play(Script(verify=["fewer_errors+", "same_errors"]), opened(cap=9, budget=budget))
    state = play.run()
    assert (Status.WAITING, 2, "c1") == (state.status, len(state.diagnoses), state.head)
    assert state.question is not None
    assert "spent" in state.question.text
    assert "escalation" == state.checkpoints[-1].name
    play.script.answers = ["guidance"]
    assert 4 == len(play.run().diagnoses)


def test_the_budget_of_an_iteration_ends_it_unfinished() -> None:
    """A ladder is not climbed on without bound: the entry says why, and a person is asked."""
    first = opened(agents=("a", "b", "c"), iteration_budget=ev.Budget(tokens=200))
    play = Play(Script(diagnose=["nothing"]), first)
    state = play.run()
    assert 2 == state.calls
    assert [Result.HALTED] == [e.result for e in state.history]
    assert "200 tokens for one iteration" in state.history[0].note
    assert Status.WAITING == state.status


def test_tests_that_cannot_run_are_no_iteration_and_call_no_agent() -> None:
    """A broken set-up asks a person at once."""
    play = Play(Script(baseline=Verdict.DID_NOT_RUN))
    state = play.run()
    assert state.question is not None
    assert ev.QuestionKind.INFRASTRUCTURE == state.question.kind
    assert 0 == state.overall == state.calls


def test_red_tests_that_cannot_run_again_call_no_agent() -> None:
    """Whether they are flaky is not known then: a person is asked."""
    state = Play(Script(recheck=Verdict.DID_NOT_RUN)).run()
    assert state.question is not None
    assert (ev.QuestionKind.INFRASTRUCTURE, "why") == (state.question.kind, state.question.text)
    assert 0 == state.overall == state.calls


def test_flaky_tests_alone_are_named_and_not_fixed() -> None:
    """Red then green on the same code is a flake: a person is told, no agent is called."""
    state = Play(Script(flaky=("a", "b"))).run()
    assert state.question is not None
    assert ev.QuestionKind.FLAKY == state.question.kind
    assert "a, b" in state.question.text
    assert 0 == state.calls


def test_what_is_known_of_flaky_tests_stands_in_the_question() -> None:
    """The kind, and the conditions under which they were red and green."""
    flake = ev.Flake(test="a", kind=ev.FlakeKind.ORDER, evidence="red after b", after="b")
    state = Play(Script(flaky=("a", "b"), flakes=(flake,))).run()
    assert state.question is not None
    assert "a (order: red after b), b" in state.question.text
    assert (flake,) == state.flakes


def test_what_may_be_flaky_is_asked_about_and_mended_when_it_is_a_fault() -> None:
    """No agent is called before a person has said so; then it counts as any other."""
    doubt = ev.Flake(test="a", kind=ev.FlakeKind.PERHAPS, evidence="red in all of 9 runs")
    known = ev.Flake(test="b", kind=ev.FlakeKind.ORDER, evidence="red after c")
    play = Play(Script(flaky=("a", "b"), flakes=(doubt, known), answers=["fault"]))
    state = play.run()
    (asked,) = (r.event for r in play.records if isinstance(r.event, ev.QuestionAsked))
    assert "b (order: red after c)\nPerhaps flaky, and not fixed: a (red in all of" in asked.text
    assert ["fault", "investigate", "skip", "terminate"] == [each.word for each in asked.options]
    assert "clew answer 2026-01-01-fix-it fault" == asked.options[0].command
    assert ["b"] == sorted(state.flaky)
    assert not state.perhaps
    assert 1 == state.overall


def test_what_is_red_after_one_other_test_may_be_called_a_fault() -> None:
    """What the other leaves behind is the code's own; where it is not known, nobody can say so."""
    known = ev.Flake(test="a", kind=ev.FlakeKind.ORDER, evidence="red after b", after="b")
    play = Play(Script(flaky=("a", "b"), flakes=(known,), answers=["fault"]))
    state = play.run()
    (asked,) = (r.event for r in play.records if isinstance(r.event, ev.QuestionAsked))

    assert ["fault", "investigate", "skip", "terminate"] == [each.word for each in asked.options]
    assert "one test shows after another" in asked.options[0].text
    assert {"b"} == state.flaky


def test_where_another_test_is_red_what_may_be_flaky_waits() -> None:
    """It has no say while the other one is mended; then it is asked about: the suite is red."""
    doubt = ev.Flake(test="a", kind=ev.FlakeKind.PERHAPS, evidence="red in all of 9 runs")
    play = Play(Script(flaky=("a",), flakes=(doubt,)))
    state = play.run()
    assert ["a"] == sorted(state.perhaps)
    assert [Result.PASSING] == [e.result for e in state.history]
    assert given_text(state).startswith("The fix is proven, and the suite is not green. Red still")
    play.append(ev.QuestionAnswered(id=given_question(play), option="fault"))
    assert ("a",) == tuple(red.id for red in play.state.red)
    assert 2 == play.run().round


def test_what_may_be_flaky_and_is_green_with_the_fix_is_not_asked_about() -> None:
    """It was no coin, but what the fault did to it."""
    doubt = ev.Flake(test="a", kind=ev.FlakeKind.PERHAPS, evidence="red in all of 9 runs")
    play = Play(Script(flaky=("a",), flakes=(doubt,), flaky_after=False))
    assert ev.Status.GREEN is play.run().status
    assert not play.of(ev.QuestionAsked)


def test_red_tests_are_run_again_in_the_other_order() -> None:
    """So none runs after the red tests that ran before it in the suite."""
    play = Play(Script())
    play.run()
    started = [r.event.intent for r in play.records if isinstance(r.event, ev.Started)]
    runs = [i for i in started if isinstance(i, ev.RunTests)]
    assert [((), ()), (("a", "b"), ("b", "a"))] == [(r.only, r.first) for r in runs[:2]]


def test_a_failed_agent_is_called_again_twice_without_moving_the_counter() -> None:
    """Three calls at most, then the iteration counts as failed."""
    play = Play(Script(diagnose=["fails"]), opened(cap=1))
    state = play.run()
    assert 3 == len(play.of(ev.AgentErred))
    assert [Result.AGENT_FAILED] == [e.result for e in state.history]
    assert None is state.history[0].report


def test_an_agent_that_fails_twice_and_then_answers_costs_nothing() -> None:
    """Two time-outs and a success: iteration 1, green."""
    state = Play(Script(diagnose=["fails", "fails", "proposes"])).run()
    assert (Status.GREEN, 1) == (state.status, state.overall)


def test_a_rung_that_proposes_nothing_hands_on_to_the_next() -> None:
    """The ladder costs an attempt, not an iteration."""
    play = Play(Script(diagnose=["nothing", "proposes"]), opened(agents=("repair", "strong")))
    state = play.run()
    assert (Status.GREEN, 1) == (state.status, state.overall)
    assert "strong" == state.history[0].agent


def test_a_rung_that_has_said_all_it_knows_is_not_asked_again() -> None:
    """Not about the same failures on the same code; once either is another one, it is."""
    script = Script(
        diagnose=["nothing more", *["proposes"] * 2, "nothing more", "proposes"],
        verify=["same_errors", "fewer_errors+", "passing"],
    )
    play = Play(script, opened(agents=("repair", "strong"), cap=4))
    state = play.run()

    asked = [each.agent for each in state.diagnoses]
    assert ["repair", "strong", "strong", "repair", "strong"] == asked


def test_what_only_a_person_may_do_is_asked_at_once() -> None:
    """No iteration more in that round; the round that the answer opens searches again."""
    script = Script(diagnose=["left to a person"], answers=["guidance", "terminate"])
    play = Play(script, opened())
    state = play.run()

    halted = [each.kind for each in play.of(ev.Halted)]  # type: ignore[union-attr]
    assert [ev.HaltKind.EXHAUSTED] * 2 == halted
    assert [1, 2] == [each.round for each in state.grounds]


def test_a_failed_fixer_is_retried_then_rolled_back() -> None:
    """A fixer that breaks half-way leaves nothing behind."""
    play = Play(Script(fix=["fails"]), opened(cap=1))
    state = play.run()
    assert 3 == len(play.of(ev.AgentErred))
    assert ["c0"] == [e.commit for e in play.of(ev.RolledBack)]  # type: ignore[union-attr]
    assert Result.AGENT_FAILED == state.history[0].result


@pytest.mark.parametrize(
    ("script", "result"),
    [
        (Script(verify=["regression"]), Result.REGRESSION),
        (Script(verify=["did_not_run"]), Result.BROKEN),
        (Script(verify=["same_errors"]), Result.FAILING),
        (Script(fix=["tampers"]), Result.TAMPERING),
        (Script(proof=[False]), Result.UNPROVEN),
    ],
)
def test_what_did_not_help_is_rolled_back(script: Script, result: Result) -> None:
    """The next iteration starts from the commit that counted before."""
    play = Play(script, opened(cap=1))
    state = play.run()
    assert [result] == [e.result for e in state.history]
    assert "c0" == state.head
    assert 1 == len(play.of(ev.RolledBack))


def test_a_change_with_which_an_assertion_fails_that_held_says_so_in_the_history() -> None:
    """Fewer tests may be red with it, and a reader wonders why it was taken back."""
    state = Play(Script(verify=["different_errors of a"]), opened(cap=1)).run()
    told = "an assertion fails that held before, in a"
    assert [(Result.FAILING, told)] == [(e.result, e.note) for e in state.history]


def test_a_run_that_did_not_happen_says_why_in_the_history() -> None:
    """Tests that a fix keeps from running are broken, not still failing."""
    state = Play(Script(verify=["did_not_run"]), opened(cap=1)).run()
    assert [(Result.BROKEN, "why")] == [(e.result, e.note) for e in state.history]


def test_the_same_change_is_not_tested_twice() -> None:
    """A patch that was tried and failed is refused without a run."""
    play = Play(Script(fix=["same"], verify=["same_errors"]), opened(cap=2))
    state = play.run()
    runs = [e for e in play.of(ev.TestsRan) if e.purpose is ev.Purpose.VERIFY]  # type: ignore[union-attr]
    assert 1 == len(runs)
    assert "tried before" in state.history[1].note


def test_a_fix_of_tests_that_are_wrong_is_a_persons_to_allow() -> None:
    """The session waits with the change before them; allowed, it is judged like any other."""
    play = Play(Script(fix=["consults"]))
    state = play.run()
    assert state.question is not None
    assert ev.QuestionKind.TEST_EDIT == state.question.kind
    assert ["approve", "reject", "terminate"] == [o.word for o in state.question.options]
    assert "-1\n+2" in state.question.text
    assert ([], 1) == (play.of(ev.RolledBack), state.overall)
    play.script.answers = ["approve"]
    state = play.run()
    assert (Status.GREEN, 1, "c1") == (state.status, state.overall, state.head)
    assert (ev.Approval(path="tests/test_a.py", commit="c1"),) == state.approved


def test_a_change_of_tests_that_is_not_shown_to_its_end_says_where_it_is() -> None:
    """What a person cannot see of it is named."""
    state = Play(Script(fix=["consults at length"])).run()
    assert state.question is not None
    assert "+<U+202E>22" in state.question.text
    whole = f"all of it: clew diff {state.session.session_id} --iteration 1"
    assert state.question.text.endswith(whole)


def test_a_fix_of_tests_that_is_not_allowed_is_rolled_back() -> None:
    """It counts as an iteration; the next one is told."""
    play = Play(Script(fix=["consults", "done"], answers=["reject"]))
    state = play.run()
    assert [Result.TAMPERING, Result.PASSING] == [e.result for e in state.history]
    assert "a person rejected the change of tests/test_a.py" == state.history[0].note
    assert ((), ["c0"]) == (state.approved, [e.commit for e in play.of(ev.RolledBack)])  # type: ignore[union-attr]


def test_a_person_may_end_a_session_that_asks_about_tests() -> None:
    """Nothing of the fix is kept."""
    state = Play(Script(fix=["consults"], answers=["terminate"])).run()
    assert (Status.TERMINATED, "c0", ()) == (state.status, state.head, state.history)


def test_each_change_of_a_test_is_asked_about() -> None:
    """An approval speaks of one version of a file, the newest."""
    script = Script(
        fix=["consults"], verify=["fewer_errors+", "passing"], answers=["approve", "approve"]
    )
    state = Play(script).run()
    assert (Status.GREEN, 2) == (state.status, state.asked)
    assert (ev.Approval(path="tests/test_a.py", commit="c2"),) == state.approved


SCRIPTS: st.SearchStrategy[Script] = st.builds(
    Script,
    baseline=st.sampled_from(Verdict),
    flaky=st.sampled_from([(), ("a",), ("a", "b")]),
    verify=st.lists(
        st.sampled_from(
            [
                "passing",
                "same_errors",
                "different_errors+",
                "different_errors",
                "fewer_errors+",
                "regression",
                "did_not_run",
            ]
        ),
        min_size=1,
        max_size=5,
    ),
    proof=st.lists(st.booleans(), min_size=1, max_size=3),
    diagnose=st.lists(
        st.sampled_from(["proposes", "nothing", "fails", "outside"]), min_size=1, max_size=6
    ),
    carried=st.sampled_from([[""], ["passing"], ["regression"], ["fewer_errors+"]]),
    fix=st.lists(
        st.sampled_from(["done", "nothing", "fails", "tampers", "consults", "same"]),
        min_size=1,
        max_size=6,
    ),
    answers=st.lists(
        st.sampled_from(
            ["guidance", "skip", "terminate", "investigate", "back start", "approve", "reject"]
        ),
        max_size=3,
    ),
)


@given(script=SCRIPTS, cap=st.integers(1, 4), ladder=st.integers(1, 3))
@settings(deadline=None)
def test_every_story_ends_within_its_bounds(script: Script, cap: int, ladder: int) -> None:
    """Whatever the world does, a session ends or asks; counters and history agree throughout."""
    script.answers = [a for a in script.answers if a not in ("guidance", "back start")]
    play = Play(script, opened(cap=cap, agents=("x",) * ladder))
    state = play.run()
    assert Stage.ENDED is state.stage or state.question is not None
    folded = State()
    for recorded in play.records:
        folded = fold(folded, recorded)
        assert folded.overall - 1 <= len(folded.history) <= folded.overall
        assert folded.counter <= folded.cap
    assert folded == state


@given(script=SCRIPTS, data=st.data())
@settings(deadline=None)
def test_a_journal_cut_after_any_event_decides_to_the_same_end(
    script: Script, data: st.DataObject
) -> None:
    """A crash loses an intent in flight at most; carried out again it leads to the same state."""
    script.answers = []
    whole = Play(deepcopy(script))
    end = whole.run()
    cut = data.draw(st.integers(1, len(whole.records)))
    again = Play(deepcopy(script))
    again.records = list(whole.records[:cut])
    again.state = replay(again.records)
    settled = [r.event for r in again.records if not isinstance(r.event, ev.Started)]
    again.script.calls = _calls_of(settled)
    if again.state.doing:
        again.append(ev.Abandoned(intent=again.state.doing, reason="cut"))
    resumed = again.run()
    assert _essence(end) == _essence(resumed)


@given(
    script=SCRIPTS,
    agents=st.lists(st.sampled_from(["repair", "a", "b"]), min_size=1, max_size=4),
    caps=st.dictionaries(st.sampled_from(["repair", "a", "b"]), st.integers(1, 3)),
    review=st.sampled_from(["", "careful"]),
    challenge=st.sampled_from(["", "critic"]),
)
@settings(deadline=None)
def test_a_ladder_whose_caps_are_reached_comes_to_an_end(
    script: Script, agents: list[str], caps: dict[str, int], review: str, challenge: str
) -> None:
    """Agents are passed by once at the most between two other events, the reviewer as well."""
    script.answers, script.review = [], ["objects"]
    ladder = {name: Cap(calls=calls) for name, calls in caps.items()}
    first = opened(agents=tuple(agents), ladder=ladder, review=review, challenge=challenge)
    play = Play(script, first)
    play.run()
    passed = (isinstance(record.event, ev.RungPassed) for record in play.records)
    runs = [len(list(run)) for passing, run in groupby(passed) if passing]
    assert len(agents) >= max(runs, default=0)


@pytest.mark.parametrize(
    ("fix", "ladder", "fixers"),
    [
        (["done"], {}, ["a", "a"]),
        (["fails", "done"], {}, ["a", "repair", "a"]),
        (["fails"], {}, ["a", "repair", "a", "repair"]),
        (["done"], {"a": Cap(calls=1)}, ["a", "repair"]),
        (["done"], {"a": Cap(calls=1), "repair": Cap(calls=2)}, ["a"]),
    ],
)
def test_an_objection_does_not_keep_a_patch_of_the_repairer_from_being_tried(
    fix: list[str], ladder: dict[str, Cap], fixers: list[str]
) -> None:
    """Where whoever should do it otherwise fails, or is over its cap, the patch is tried, once."""
    script = Script(review=["objects"], fix=fix, verify=["different_errors+"])
    first = opened(agents=("repair", "a"), ladder=ladder, review="careful", retries=0, cap=2)
    play = Play(script, first)
    play.run()
    asked = [r.event.intent for r in play.records if isinstance(r.event, ev.Started)]
    assert fixers == [intent.agent for intent in asked if ev.calls(intent, AgentRole.FIX)]


def test_only_who_made_what_still_stands_is_said_to_have_mended_it() -> None:
    """What going back took away was of no help."""
    script = Script(verify=["fewer_errors+", "same_errors"], answers=["back start"])
    play = Play(script, opened(cap=2))
    for _ in play.steps():
        if play.state.history:
            break
    helped = play.state.solvers
    back = play.run()
    assert ("repair",) == helped
    assert () == back.solvers


def test_who_had_a_part_in_what_stands_is_known_until_it_is_taken_back() -> None:
    """Who diagnosed or fixed in an iteration that helped, or does so now."""
    play = Play(Script(verify=["fewer_errors+", "passing"]), opened(agents=("a", "b"), retries=0))
    play.script.diagnose = ["proposes", "fails", "proposes"]
    play.run()
    assert ["a", "b"] == [e.agent for e in play.of(ev.FixApplied)]  # type: ignore[union-attr]
    assert {"a", "b"} == play.state.contributors
    play.append(ev.WentBack(checkpoint="start"))
    assert set() == play.state.contributors


def _calls_of(events: Sequence[ev.AnyEvent]) -> dict[str, int]:
    def count(kind: type[ev.Event], role: str = "") -> int:
        return sum(isinstance(e, kind) and getattr(e, "role", role) == role for e in events)

    verify = sum(isinstance(e, ev.TestsRan) and e.purpose is ev.Purpose.VERIFY for e in events)
    return {
        "verify": verify,
        "proof": count(ev.Proved),
        "diagnose": count(ev.Diagnosed) + count(ev.AgentErred, "diagnose"),
        "fix": count(ev.FixApplied) + count(ev.AgentErred, "fix"),
    }


def _essence(state: State) -> object:
    return (state.stage, state.status, state.head, state.overall, state.calls, state.history)


def test_nothing_is_decided_while_an_intent_is_in_flight() -> None:
    """The outcome comes first."""
    play = Play(Script())
    play.append(ev.Started(intent=ev.TakeSnapshot(generation=1)))
    assert frozenset() == decide(play.state, START)


@pytest.mark.parametrize(
    "role", [AgentRole.DIAGNOSE, AgentRole.REVIEW, AgentRole.FIX, AgentRole.CHALLENGE]
)
def test_a_call_that_is_cut_off_counts_as_one(role: AgentRole) -> None:
    """Towards the cap and the time of its agent; what it took beside is unknown, not nothing."""
    caps = {name: Cap(calls=4) for name in ("x", "careful", "critic")}
    first = opened(agents=("x",), review="careful", challenge="critic", ladder=caps)
    play = Play(Script(), first)
    intent = next(action for action in play.steps() if ev.calls(action, role))
    agent, before = intent.agent, play.state
    for _ in range(4):
        play.append(ev.Started(intent=intent))
        play.append(ev.Abandoned(intent=intent, reason="cut", seconds=5.0))
    had = before.spent_by.get(agent, Spent())
    spent = (play.state.spent_by[agent].since(had), play.state.spent.since(before.spent))
    assert (Spent(calls=4, seconds=20.0),) * 2 == spent
    taken = by_agent(play.state.usages)[agent]
    known = by_agent(before.usages).get(agent, Tally())
    assert known + Tally(calls=4, untold=4, unpriced=4) == taken
    play.run()
    assert agent == next(e.agent for e in play.of(ev.RungPassed) if isinstance(e, ev.RungPassed))
    assert sum(r.event == ev.Started(intent=intent) for r in play.records) == 4


def test_the_time_of_an_iteration_is_all_that_was_spent_in_it() -> None:
    """Earlier agents of the ladder, calls that failed or were cut off, and the proof are in it."""
    script = Script(diagnose=["nothing", "fails", "proposes"], review=["fails", "agrees"])
    play = Play(script, opened(agents=("repair", "strong"), review="careful"))
    for action in play.steps():
        if ev.calls(action, AgentRole.REVIEW):
            play.append(ev.Started(intent=action))
            play.append(ev.Abandoned(intent=action, reason="cut", seconds=5.0))
            break
    state = play.run()
    before = next(r.seq for r in play.records if isinstance(r.event, ev.IterationBegan))
    taken = state.spent.since(replay(play.records[:before]).spent)
    assert taken.seconds == sum(entry.seconds for entry in state.history) > 0
    assert len(state.settled) == state.calls == taken.calls - 1
