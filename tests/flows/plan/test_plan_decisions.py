"""What comes next in a plan."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.flows.plan.decisions.merging import refused
from clew.flows.plan.events import MergePhase, PlanAnswered, PlanBounded, PlanWentBack, RunGates
from clew.flows.plan.forking import at_checkpoint, forked
from clew.flows.plan.states.folding import checkpoint_named, checkpoint_of
from clew.flows.plan.viewing import session_record
from clew.words.errors import TransitionRefused
from clew.words.gates import GateStatus
from clew.words.phases import ErrorKind, PhaseStatus
from clew.words.plans import PhaseId, PlanAgent
from clew.words.records import RunSession, Started
from clew.words.settings import Settings
from planflow import PlanPlay, phase, plan_of

DIAMOND = plan_of(phase(1), phase(2, 1), phase(3, 1), phase(4, 2, 3))


def test_phases_begin_when_what_they_wait_for_is_merged_and_green() -> None:
    """Not sooner: their worktrees begin with what it introduced."""
    play = PlanPlay(DIAMOND)
    play.routine()
    assert {1} == set(play.children())
    play.end_child(play.children()[1])
    assert {} == play.children()
    play.routine()
    assert {2, 3} == set(play.children())
    begun = play.begun(RunSession)
    assert {play.state.head} == {intent.request["base"] for intent in begun.values()}


def test_no_more_phases_run_side_by_side_than_allowed() -> None:
    """The others wait, though nothing but the limit holds them."""
    play = PlanPlay(plan_of(*map(phase, range(1, 6))), parallel=2)
    play.routine()
    assert {1, 2} == set(play.children())
    play.end_child(play.children()[1])
    play.routine()
    assert {2, 3} == set(play.children())


def test_a_plan_whose_phases_are_done_is_completed() -> None:
    """With the commit that its last gates passed on."""
    play = PlanPlay(DIAMOND)
    play.routine()
    while children := play.children():
        for number in children.values():
            play.end_child(number)
        play.routine()
    assert play.state.ended
    assert ("completed", play.state.head) == (play.state.ended.status, play.state.ended.commit)
    assert [1, 2, 3, 4] == [merge[0] for merge in play.state.merges]


def test_finished_phases_are_merged_one_after_the_other() -> None:
    """The second is merged on top of the first, once that has passed its gates."""
    play = PlanPlay(plan_of(phase(1), phase(2)))
    play.routine()
    for number in play.children().values():
        play.end_child(number)
    play.step()
    assert [1] == [i.phase for i in play.begun(MergePhase).values()]
    play.routine()
    (first, head), (second, _) = play.state.merges
    assert (1, 2) == (first, second)
    assert head != play.state.head


def test_a_merged_phase_that_is_red_is_repaired_by_a_debugging_session() -> None:
    """Both were green alone; what the session makes of them goes through the gates again."""
    play = PlanPlay(plan_of(phase(1)))
    play.routine()
    play.end_child(play.children()[1])
    red = iter([GateStatus.FAIL, GateStatus.PASS])
    play.routine(gates=lambda _: next(red))
    (number,) = play.children("debugging").values()
    before = play.state.head
    assert before == "base"
    play.end_child(number, "green")
    play.routine(gates=lambda _: next(red))
    assert PhaseStatus.COMPLETED is play.state.phase(1).status
    assert [True] == [error.resolved for error in play.state.phase(1).errors]


def test_a_change_that_does_not_fit_is_made_anew_on_top_of_the_other() -> None:
    """Neither side is dropped: the phase begins again with what was merged before it."""
    play = PlanPlay(plan_of(phase(1), phase(2)))
    play.routine()
    for number in play.children().values():
        play.end_child(number)
    left: dict[PhaseId, tuple[str, ...]] = {2: ("src/shared.py",)}
    play.routine(merge=lambda m: left.pop(m.phase, ()))
    state = play.state.phase(2)
    assert [ErrorKind.FILE_CONFLICT] == [error.type for error in state.errors]
    assert {2} == set(play.children())
    (intent,) = play.begun(RunSession).values()
    assert play.state.head == intent.request["base"]
    assert any("src/shared.py" in words for words in intent.request["guidance"])


def test_a_person_is_asked_of_a_phase_that_failed_while_others_go_on() -> None:
    """The question names the phase, its error, and what waits for it."""
    play = PlanPlay(plan_of(phase(1), phase(2), phase(3, 1)))
    play.routine()
    play.end_child(play.children()[1], "failed", retries=2)
    play.routine()
    assert play.state.question
    assert 1 == play.state.question.phase
    assert "it did not work" in play.state.question.text
    assert "Waiting for it: 3." in play.state.question.text
    assert {2} == set(play.children())
    play.end_child(play.children()[2])
    play.routine()
    assert PhaseStatus.COMPLETED is play.state.phase(2).status


@pytest.mark.parametrize(
    ("option", "status"),
    [("retry", PhaseStatus.IN_PROGRESS), ("skip", PhaseStatus.SKIPPED)],
)
def test_an_answer_is_carried_out(option: str, status: PhaseStatus) -> None:
    """A retry is told what the person said; what is skipped holds nobody up."""
    play = PlanPlay(plan_of(phase(1), phase(2, 1)))
    play.routine()
    play.end_child(play.children()[1], "failed", retries=2)
    play.routine()
    play.record(PlanAnswered(id="q1", option=option, text="cents, not euros"))
    play.routine()
    assert status is play.state.phase(1).status
    (intent,) = play.begun(RunSession).values()
    if option == "retry":
        assert ["cents, not euros"] == intent.request["guidance"]
    else:
        assert 2 == intent.request["phase_id"]


def test_an_aborted_plan_ends_when_its_children_have() -> None:
    """And says so: never completed."""
    play = PlanPlay(plan_of(phase(1), phase(2)))
    play.routine()
    play.end_child(play.children()[1], "failed", retries=2)
    play.routine()
    play.record(PlanAnswered(id="q1", option="abort"))
    play.routine()
    assert {2} == set(play.children())
    play.end_child(play.children()[2], "terminated")
    play.routine()
    assert play.state.ended
    assert "aborted" == play.state.ended.status


def test_a_phase_that_needs_what_another_creates_waits_for_it_from_then_on() -> None:
    """The edge is added, the other runs, and the phase is tried again: nobody is asked."""
    first = phase(2, creates=("app/booking.py",))
    other = phase(4, creates=("app/reservations.py",))
    play = PlanPlay(plan_of(first, other), parallel=1)
    play.routine()
    assert {2} == set(play.children())
    missing = "ModuleNotFoundError: No module named 'app.reservations'"
    error = {"agent": "gates", "timestamp": "2026-03-01T00:00:00Z", "type": "dependency"}
    play.end_child(play.children()[2], "blocked", errors=[{**error, "message": missing}])
    play.routine()
    assert {4} == set(play.children())
    assert (4,) == play.state.phase(2).phase.depends_on
    play.end_child(play.children()[4])
    play.routine()
    assert {2} == set(play.children())


def test_going_back_does_later_phases_again() -> None:
    """The branch stands where that phase was completed."""
    play = PlanPlay(plan_of(phase(1), phase(2, 1)))
    play.routine()
    play.end_child(play.children()[1])
    play.routine()
    head = play.state.head
    play.end_child(play.children()[2])
    play.routine()
    assert play.state.ended
    play.record(PlanWentBack(checkpoint="phase:1", text="otherwise"))
    assert head == play.state.head
    play.routine()
    assert {2} == set(play.children())


@pytest.mark.parametrize(
    ("checkpoint", "status"),
    [
        ("start", PhaseStatus.PENDING),
        ("phase:1", PhaseStatus.PENDING),
        ("phase:3", PhaseStatus.SKIPPED),
    ],
)
def test_going_back_has_done_what_was_left_out_since(checkpoint: str, status: PhaseStatus) -> None:
    """What was left out before that stays so; and so it is in a fork, and a fork of it."""
    play = PlanPlay(plan_of(phase(1), phase(2), phase(3, 1, 2)), parallel=1)
    play.routine()
    play.end_child(play.children()[1])
    play.routine()
    play.end_child(play.children()[2], "failed")
    play.routine()
    play.record(PlanAnswered(id="q1", option="skip"))
    play.routine()
    play.end_child(play.children()[3])
    play.routine()
    assert play.state.ended
    for _ in ("fork", "fork of the fork"):
        there = at_checkpoint(play.state, checkpoint, "otherwise")
        assert status is there.phase(2).status
        whole = at_checkpoint(play.state, "phase:3", "")
        play = PlanPlay(play.plan)
        play.record(forked(whole, "s", "phase:3", ""))


def test_a_phase_cannot_begin_before_what_it_waits_for() -> None:
    """Whatever asks for it."""
    play = PlanPlay(plan_of(phase(1), phase(2, 1)))
    play.routine()
    request = {"phase_id": 2, "base": "base"}
    with pytest.raises(TransitionRefused, match="phase 2 waits for 1"):
        play.record(Started(intent=RunSession(child="x", kind="phase", request=request)))


@given(st.data())
def test_every_plan_ends_or_asks(data: st.DataObject) -> None:
    """Whatever becomes of its phases, merges and gates: legal moves, blockers and limits held."""
    size = data.draw(st.integers(1, 6))
    phases = [
        phase(n, *data.draw(st.sets(st.integers(1, n - 1)) if n > 1 else st.just(set())))
        for n in range(1, size + 1)
    ]
    play = PlanPlay(plan_of(*phases), parallel=data.draw(st.integers(1, 3)))
    merge = st.sampled_from([(), (), (), ("src/shared.py",)])
    gate = st.sampled_from([GateStatus.PASS, GateStatus.WARN, GateStatus.FAIL])
    for _ in range(400):
        play.routine(lambda _: data.draw(merge), lambda _: data.draw(gate))
        assert len(play.children()) <= play.parallel
        if play.state.ended:
            break
        children = play.begun(RunSession)
        if children:
            number = data.draw(st.sampled_from(sorted(children)))
            kinds = ["green", "terminated"] if children[number].kind != "phase" else []
            status = data.draw(st.sampled_from(kinds or ["completed", "failed", "blocked", "lost"]))
            play.end_child(number, status, retries=data.draw(st.integers(0, 2)))
        else:
            assert play.state.question
            option = data.draw(st.sampled_from(["retry", "skip", "skip", "abort"]))
            play.record(PlanAnswered(id=play.state.question.id, option=option))
    assert play.state.ended
    assert not play.begun(RunGates)


def test_phases_whose_ids_look_alike_have_sessions_of_their_own() -> None:
    """1 and "1" are two phases, and so are "a" tried a second time and "a-2"."""
    ids: tuple[PhaseId, ...] = (
        1,
        "1",
        "1-2",
        "a b",
        "a-b",
        "A",
        "a",
        "a-2",
        "a-merged",
        "é",
        "phase",
    )
    phases = [phase(id_, creates=(f"src/{n}.py",)) for n, id_ in enumerate(ids)]
    play = PlanPlay(plan_of(*phases), parallel=16)
    play.routine()
    names = set()
    for _ in range(2):
        begun = [intent.child for intent in play.begun(RunSession).values()]
        assert len(ids) == len(begun)
        names |= {name for child in begun for name in (child, f"{child}-merged")}
        for number in play.children().values():
            play.end_child(number, "failed")
        play.routine()
        while play.state.question is not None:
            play.record(PlanAnswered(id=play.state.question.id, option="retry", text="again"))
            play.routine()
    assert 4 * len(ids) == len(names)


def test_the_settings_say_who_an_agent_of_the_plan_is() -> None:
    """By name and model; who is not named there is the first of the ladder that writes code."""
    named = {"coder": PlanAgent(agent="claude", model="strong")}
    play = PlanPlay(plan_of(phase(1)), settings=Settings(agent=("repair", "b"), plan_agents=named))
    play.routine()
    (intent,) = play.begun(RunSession).values()
    assert ("claude", "strong") == (intent.request["agent"], intent.request["model"])
    play = PlanPlay(plan_of(phase(1)), settings=Settings(agent=("repair", "b")))
    play.routine()
    (intent,) = play.begun(RunSession).values()
    assert ("b", "") == (intent.request["agent"], intent.request["model"])


def test_phases_one_and_one_in_quotes_leave_checkpoints_of_their_own() -> None:
    """One goes back to either; without quotes to 1, or to the only one that fits."""
    play = PlanPlay(plan_of(phase(1), phase("1", 1, creates=("src/q.py",)), phase("2", "1")))
    for _ in range(3):
        play.routine()
        for number in play.children().values():
            play.end_child(number)
    play.step()
    play.routine()
    assert ["phase:1", 'phase:"1"', 'phase:"2"'] == [
        checkpoint_of(id_) for id_, _ in play.state.merges
    ]
    assert ("phase:1", 'phase:"2"', "", "start") == tuple(
        checkpoint_named(play.state, text) for text in ("1", "2", "3", "start")
    )
    play.record(PlanWentBack(checkpoint='phase:"1"'))
    assert [1, "1"] == [merge[0] for merge in play.state.merges]


def test_a_person_may_accept_what_a_phase_changed_and_did_not_declare() -> None:
    """Its next session begins with its work, and declares those files."""
    play = PlanPlay(plan_of(phase(1)))
    play.routine()
    (number,) = play.children().values()
    play.end_child(number, "failed", undeclared=["pyproject.toml"], work="w")
    play.routine()
    assert play.state.question is not None
    words = [option.word for option in play.state.question.options]
    assert ["accept", "retry", "skip", "abort", "replan"] == words
    play.record(PlanAnswered(id="q1", option="accept"))
    play.routine()
    (intent,) = play.begun(RunSession).values()
    assert ("w", "base") == (intent.request["work"], intent.request["base"])
    assert ["pyproject.toml"] == list(intent.request["phase"]["modifies"])
    assert ("pyproject.toml",) == play.state.plan.phases[0].modifies


def test_what_a_person_says_twice_an_agent_is_told_once() -> None:
    """In the order in which it was said first."""
    play = PlanPlay(plan_of(phase(1)))
    for text in ("in cents", "no floats", "in cents", ""):
        play.routine()
        play.end_child(play.children()[1], "failed")
        play.routine()
        assert play.state.question
        play.record(PlanAnswered(id=play.state.question.id, option="retry", text=text))
    play.routine()
    (intent,) = play.begun(RunSession).values()
    assert ["in cents", "no floats"] == intent.request["guidance"]


def test_a_plan_whose_budget_is_spent_goes_on_with_more() -> None:
    """The question names the command; what was taken before still counts."""
    play = PlanPlay(plan_of(phase(1)), settings=Settings(agent=("builder",), max_tokens=1000))
    play.routine()
    (number,) = play.children().values()
    usage = [["builder", {"input": 900, "output": 200}]]
    play.end_child(number, "failed", overspent=True, usage_by_agent=usage)
    play.routine()
    question = play.state.question
    assert question is not None
    assert "clew resume s --max-tokens 2000" == question.options[0].command
    assert "retries" not in question.text
    play.record(PlanBounded(max_tokens=2000))
    play.record(PlanAnswered(id=question.id, option="retry"))
    play.routine()
    (intent,) = play.begun(RunSession).values()
    assert {"tokens": 900} == intent.budget


def test_work_that_is_red_once_merged_is_judged_anew_by_other_gates() -> None:
    """As a person approved it: nobody is paid or asked again before that."""
    play = PlanPlay(plan_of(phase(1)))
    play.routine()
    play.end_child(play.children()[1], awaits=["it reads well"])
    play.routine()
    play.record(PlanAnswered(id="q1", option="merge"))
    play.routine(gates=lambda _: GateStatus.FAIL)
    play.end_child(play.children("debugging")[1], "failed")
    play.routine()
    assert play.state.question is not None
    assert "`clew resume s` judges the same work again" in play.state.question.text
    assert (1,) == refused(play.state)
    play.record(PlanBounded(gates={}, judged_anew=(1,)))
    play.routine()
    assert PhaseStatus.COMPLETED is play.state.phase(1).status
    assert (1, 2) == (play.state.phase(1).attempts, play.state.asked)
    assert {} == play.state.settings.gates


def test_work_that_gates_refused_in_its_phase_is_judged_anew_by_other_gates() -> None:
    """Its next session begins with it; what its agent said of it stays."""
    play = PlanPlay(plan_of(phase(1)))
    play.routine()
    (number,) = play.children().values()
    play.end_child(number, "failed", gates="lint: FAIL", work="w", summary="built")
    play.routine()
    assert (1,) == refused(play.state)
    play.record(PlanBounded(gates={}, judged_anew=(1,)))
    assert play.state.question is None
    play.routine()
    ((number, intent),) = play.begun(RunSession).items()
    assert ("w", "base") == (intent.request["work"], intent.request["base"])
    play.end_child(number, summary="")
    play.routine()
    assert "built" == play.state.phase(1).result["summary"]


@pytest.mark.parametrize(
    "result", [{"gates": "lint: FAIL", "work": "base"}, {"work": "w"}, {}], ids=str
)
def test_a_phase_without_work_that_gates_refused_is_not_judged_anew(result: dict[str, str]) -> None:
    """Other gates make nothing of it."""
    play = PlanPlay(plan_of(phase(1)))
    play.routine()
    (number,) = play.children().values()
    play.end_child(number, "failed", **result)
    play.routine()
    assert () == refused(play.state)
    assert play.state.question is not None
    assert "clew resume" not in play.state.question.text


def test_what_went_wrong_with_a_phase_is_settled_once_it_is_completed() -> None:
    """However it came about; until then it is open."""
    play = PlanPlay(plan_of(phase(1)))
    play.routine()
    play.end_child(play.children()[1], "failed")
    play.routine()
    (error,) = play.state.phase(1).errors
    assert (False, "pending") == (error.resolved, error.resolution)
    play.record(PlanAnswered(id="q1", option="retry", text="in cents"))
    play.routine()
    play.end_child(play.children()[1])
    play.routine()
    (error,) = session_record(play.state).phases[0].errors
    assert (True, "retried") == (error.resolved, error.resolution)


def test_a_fork_stands_where_the_other_plan_stood() -> None:
    """Its phases are done, later ones are not; it begins no base of its own."""
    play = PlanPlay(plan_of(phase(1), phase(2, 1), phase(3, 2)))
    for _ in range(2):
        play.routine()
        for number in play.children().values():
            play.end_child(number, summary="built")
    play.routine()
    there = at_checkpoint(play.state, "phase:1", "otherwise")
    event = forked(there, "s", "phase:1", "otherwise")
    other = PlanPlay(play.plan)
    other.record(event)
    assert (play.state.base, play.state.merges[:1]) == (other.state.base, other.state.merges)
    assert play.state.merges[0][1] == other.state.head
    other.routine()
    assert {2} == set(other.children())
    (intent,) = other.begun(RunSession).values()
    assert ["otherwise"] == intent.request["guidance"]
    assert "built" == intent.request["introduced"][0]["summary"]


def test_what_a_person_is_to_say_holds_up_no_other_phase() -> None:
    """Whoever waits for nobody is merged first, whatever was finished before it."""
    play = PlanPlay(plan_of(phase(1), phase(2), phase(3)), parallel=3)
    play.routine()
    for number, awaits in ((1, ["it reads well"]), (2, ["it looks well"]), (3, [])):
        play.end_child(play.children()[number], awaits=awaits)
    play.routine()
    assert [3] == [merge[0] for merge in play.state.merges]
    assert play.state.question is not None
    assert "no gate can check:\n  it reads well\n" in play.state.question.text
    play.record(PlanAnswered(id="q1", option="merge"))
    play.routine()
    assert [3, 1] == [merge[0] for merge in play.state.merges]
    assert 2 == play.state.question.phase
    play.record(PlanAnswered(id="q2", option="retry", text="it does not"))
    play.routine()
    begun = play.begun(RunSession)[play.children()[2]]
    assert "it does not" in begun.request["guidance"]


def test_a_person_is_told_with_what_known_issues_a_phase_passed() -> None:
    """Its gates were not all green."""
    play = PlanPlay(plan_of(phase(1)), review=True)
    play.routine()
    play.end_child(play.children()[1], known_failing=["test_a.py::test_b"])
    play.routine()
    assert play.state.question is not None
    assert "has passed its gates, 1 known issue aside. Is it" in play.state.question.text


def test_a_person_may_look_at_each_phase_before_it_is_merged() -> None:
    """Others go on meanwhile; what is not wanted is made again, told why, and asked about anew."""
    play = PlanPlay(plan_of(phase(1), phase(2), phase(3)), parallel=2, review=True)
    play.routine()
    play.end_child(play.children()[1])
    play.routine()
    assert play.state.question is not None
    assert ["merge", "retry", "skip", "abort"] == [o.word for o in play.state.question.options]
    assert {2, 3} == set(play.children())
    assert "base" == play.state.head
    play.record(PlanAnswered(id="q1", option="retry", text="too long"))
    play.end_child(play.children()[2])
    play.routine()
    assert play.state.question is not None
    assert 2 == play.state.question.phase
    play.record(PlanAnswered(id="q2", option="merge"))
    play.routine()
    assert [2] == [merge[0] for merge in play.state.merges]
    begun = play.begun(RunSession)[play.children()[1]]
    assert "too long" in begun.request["guidance"]
    play.end_child(play.children()[1])
    play.routine()
    play.record(PlanAnswered(id="q3", option="skip"))
    play.end_child(play.children()[3])
    play.routine()
    play.record(PlanAnswered(id="q4", option="merge"))
    play.routine()
    assert play.state.ended is not None
    assert [2, 3] == [merge[0] for merge in play.state.merges]
