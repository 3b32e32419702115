from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.flows.debugging.states import Stage, State, fold
from clew.words import events as ev
from clew.words.events import QuestionKind, Status
from clew.words.models import AgentRole
from sessionplay import Play, Script, opened


def played(*by_hand: str, answers: tuple[str, ...] = ("investigate",), **more: object) -> Play:
    script = Script(
        verify=["same_errors"],
        by_hand=list(by_hand),
        answers=list(answers),
        **more,  # type: ignore[arg-type]
    )
    play = Play(script, opened(cap=1))
    play.run()
    return play


def kind(play: Play) -> QuestionKind | None:
    return play.state.question.kind if play.state.question else None


def test_work_by_hand_is_tested_and_proven_against_the_first_snapshot() -> None:
    """No baseline is measured anew: the one that failed is what the proof is held against."""
    play = played("passing")
    state = play.state
    assert (Status.GREEN, "hand-2", 1) == (state.status, state.head, len(state.history))
    purposes = [e.purpose for e in play.of(ev.TestsRan)]  # type: ignore[union-attr]
    assert 1 == purposes.count(ev.Purpose.BASELINE)
    assert (1, 1) == (state.start.generation, len(play.of(ev.Proved)))


def test_work_by_hand_that_is_not_proven_is_asked_about() -> None:
    """No round is spent on tests that pass; more work by hand may prove it."""
    play = played("passing", proof=[False, True])
    assert (QuestionKind.UNPROVEN, 1) == (kind(play), play.state.round)
    play.script.answers = ["investigate"]
    assert Status.GREEN == play.run().status


def helped_before(alone: str, together: str, *answers: str, proof: bool = True) -> Play:
    """A session whose progress was kept, and is tried with a person's work where that is red."""
    script = Script(
        verify=["fewer_errors+", "same_errors"],
        by_hand=[alone],
        together=together,
        answers=["investigate", *answers],
        proof=[proof],
    )
    play = Play(script, opened(cap=1))
    play.run()
    return play


def tries(play: Play) -> list[str]:
    """Name the commits of work by hand that the tests were run on."""
    runs = (event for event in play.of(ev.TestsRan) if isinstance(event, ev.TestsRan))
    return [run.commit for run in runs if run.purpose is ev.Purpose.CARRIED]


@pytest.mark.parametrize("proof", [True, False])
def test_where_a_persons_work_alone_is_green_kept_progress_is_set_aside(*, proof: bool) -> None:
    """It is not even tried; a proof that is refused is asked about, as ever."""
    play = helped_before("passing", "passing", proof=proof)
    state = play.state
    assert [["hand-2"], "hand-2"] == [tries(play), state.head]
    assert (frozenset(), [1]) == (state.helped, [e.iteration for e in state.set_aside])
    assert (proof, not proof) == (state.status is Status.GREEN, kind(play) is QuestionKind.UNPROVEN)


@pytest.mark.parametrize(
    ("together", "head", "helped", "rounds"),
    [
        ("passing", "both-2", frozenset({1}), 1),
        ("fewer_errors+", "both-2", frozenset({1}), 2),
        ("same_errors", "hand-2", frozenset(), 2),
        ("regression", "hand-2", frozenset(), 2),
        ("did_not_run", "hand-2", frozenset(), 2),
    ],
)
def test_kept_progress_is_tried_second_and_stays_where_it_is_some(
    together: str, head: str, helped: frozenset[int], rounds: int
) -> None:
    """What broke something in a person's work, or helps it no more, is set aside."""
    play = helped_before("same_errors", together)
    state = play.state
    assert ["hand-2", "both-2"] == tries(play)
    assert (head, helped, rounds) == (state.head, state.helped, state.round)
    assert "" == state.spare


def test_kept_progress_waits_while_tests_cannot_run() -> None:
    """What keeps them from running is mended first; then both are tried, in their order."""
    play = helped_before("did_not_run", "passing")
    assert (QuestionKind.INFRASTRUCTURE, frozenset({1})) == (kind(play), play.state.helped)
    play.script.by_hand, play.script.answers = ["did_not_run", "same_errors"], ["investigate"]
    assert (Status.GREEN, "both-3") == (play.run().status, play.state.head)
    assert ["hand-2", "hand-3", "both-3"] == tries(play)


@pytest.mark.parametrize(("word", "end"), [("approve", ""), ("reject", "-restored")])
def test_edited_tests_are_the_same_ones_with_kept_progress(word: str, end: str) -> None:
    """As they were, or as a person left them."""
    play = helped_before("tampers same_errors", "passing", word)
    assert [f"hand-2{end}", f"both-2{end}"] == tries(play)
    assert (Status.GREEN, f"both-2{end}") == (play.state.status, play.state.head)


def test_progress_that_no_proof_would_accept_is_a_failed_attempt() -> None:
    """It is rolled back, counts nowhere as help, and the same change is refused."""
    script = Script(verify=["fewer_errors+"], refused="an answer is built in", fix=["same"])
    state = Play(script, opened(cap=2)).run()
    results = [entry.result for entry in state.history]
    assert [ev.Result.UNPROVEN, ev.Result.REPEATED] == results
    assert state.history[0].note.endswith("no proof would accept it: an answer is built in")
    assert ("c0", frozenset()) == (state.head, state.helped)


@pytest.mark.parametrize("outcome", ["fewer_errors+", "same_errors", "regression"])
def test_a_persons_work_counts_whatever_it_broke(outcome: str) -> None:
    """The next round builds on it."""
    state = played(outcome).state
    assert ("hand-2", 2) == (state.head, state.round)


def test_work_by_hand_that_keeps_tests_from_running_is_asked_about() -> None:
    """It is no iteration; the repair is judged like any work."""
    play = played("did_not_run", "passing")
    assert (QuestionKind.INFRASTRUCTURE, 1) == (kind(play), play.state.round)
    play.script.answers = ["investigate"]
    assert Status.GREEN == play.run().status


def test_edits_of_tests_are_asked_about_before_anything_runs() -> None:
    """Approved, the work is judged by them; rejected, by the tests as they were."""
    play = played("tampers passing")
    assert QuestionKind.TEST_EDIT is kind(play)
    assert [] == [e for e in play.of(ev.TestsRan) if e.purpose is ev.Purpose.CARRIED]  # type: ignore[union-attr]
    for word, head in (("approve", "hand-2"), ("reject", "hand-2-restored")):
        again = played("tampers passing", answers=("investigate", word))
        assert (Status.GREEN, head) == (again.state.status, again.state.head)


@pytest.mark.parametrize("outcome", ["passing!", "same_errors!"])
def test_red_tests_that_are_taken_away_are_asked_about(outcome: str) -> None:
    """Approved or not: no proof and no round, until they are brought back."""
    play = played(f"tampers {outcome}", answers=("investigate", "approve"))
    assert (QuestionKind.UNPROVEN, 1, []) == (kind(play), play.state.round, play.of(ev.Proved))
    assert play.state.question is not None
    assert "a is gone" in play.state.question.text
    gone = "a is gone: a failing test was removed, not fixed, as a person approved"
    assert gone in play.state.issues
    play.script.answers, play.script.by_hand = ["investigate"], ["passing"]
    assert Status.GREEN == play.run().status


@pytest.mark.parametrize(("fixer", "iterations"), [("consults", 1), ("done", 3)])
def test_a_fix_that_takes_red_tests_away_is_rolled_back(fixer: str, iterations: int) -> None:
    """A person who approved its edit of the tests is asked at once; others are tried again."""
    script = Script(verify=["passing!"], fix=[fixer], answers=["approve"])
    state = Play(script, opened(cap=3)).run()
    assert (QuestionKind.ESCALATION, iterations) == (state.asked_last, len(state.history))
    assert {ev.Result.REGRESSION} == {entry.result for entry in state.history}
    assert all("a is gone" in entry.note for entry in state.history)


def test_with_edits_of_tests_taken_out_nothing_may_be_left() -> None:
    """Then a person is asked, and no round is spent."""
    play = played("tampers same_errors", answers=("investigate", "reject"))
    assert (QuestionKind.ESCALATION, 1) == (kind(play), play.state.round)


@pytest.mark.parametrize(("edits", "asked"), [("tampers", 1), ("tampers-otherwise", 2)])
def test_the_same_edits_of_tests_are_rejected_once(edits: str, asked: int) -> None:
    """A person who goes on mending is asked about other edits alone."""
    hands = ("tampers same_errors", f"{edits} passing")
    play = played(*hands, answers=("investigate", "reject", "investigate"))
    kinds = [event.kind for event in play.of(ev.QuestionAsked)]  # type: ignore[union-attr]
    assert asked == kinds.count(QuestionKind.TEST_EDIT)
    assert (play.state.head == "hand-3-restored") == (asked == 1)


@pytest.mark.parametrize(("answers", "rounds"), [((), 1), (("again",), 2), (("guidance",), 2)])
def test_without_a_change_a_round_takes_a_word(answers: tuple[str, ...], rounds: int) -> None:
    """Only what a person says outright begins it."""
    state = played("idle", answers=("investigate", *answers)).state
    assert (Status.WAITING, rounds) == (state.status, state.round)


def test_a_question_that_is_asked_again_keeps_the_numbers_of_its_options() -> None:
    """What is new comes last, so no number means anything else than it did before."""
    play = played("idle", answers=("investigate",))
    first, again = (
        [option.word for option in event.options]
        for event in play.of(ev.QuestionAsked)
        if isinstance(event, ev.QuestionAsked)
    )
    assert [*first, "again"] == again


def test_a_session_that_another_one_began_is_mended_in_its_worktree() -> None:
    """It works on that one's code: nobody looks at the person's tree."""
    own, began = (
        Play(Script(verify=["same_errors"], by_hand=["idle"], answers=["investigate"]), each)
        for each in (opened(cap=1), replace(opened(cap=1), base="b0"))
    )
    for play, looked_at in ((own, True), (began, False)):
        play.run()
        asked = [e for e in play.of(ev.QuestionAsked) if isinstance(e, ev.QuestionAsked)]
        assert looked_at is ("in your own tree or in " in asked[0].options[0].text)
        assert looked_at is ("in your own tree, or in " in asked[-1].text)


def test_a_person_who_acted_elsewhere_need_not_edit() -> None:
    """What was halted for want of money or an agent goes on by the answer."""
    script = Script(verify=["same_errors"], by_hand=["idle"], answers=["investigate"])
    play = Play(script, opened(cap=9, budget=ev.Budget(usd=1.0)))
    assert 2 == play.run().round


def test_a_round_that_was_cut_off_goes_on_with_its_count() -> None:
    """A newer snapshot opens no round: the counter cannot be set back by an interruption."""
    play = Play(Script(verify=["fewer_errors+", "passing"], by_hand=["fewer_errors+"]))
    for action in play.steps():
        if isinstance(action, ev.SaveCheckpoint) and action.name == "iteration-1":
            play.append(ev.Started(intent=action))
            play.append(play.script.perform(play.state, action))
            break
    play.append(ev.SnapshotOutdated(files=("a.py",)))
    state = play.run()
    assert (Status.GREEN, 1, 2) == (state.status, state.round, state.counter)
    fixes = [r.event.intent for r in play.records if isinstance(r.event, ev.Started)]
    assert "hand-2" == [f.base for f in fixes if ev.calls(f, AgentRole.FIX)][-1]


def until(play: Play, stage: Stage) -> None:
    for _ in play.steps():
        if play.state.stage is stage:
            return


def halted(play: Play, stage: Stage) -> State:
    """Halt at a stage and go on; what is diagnosed is the code that the kept run ran on."""
    until(play, stage)
    assert stage is play.state.stage
    play.append(ev.Halted(kind=ev.HaltKind.PERSON, reason="cut off"))
    for action in play.steps():
        if ev.calls(action, AgentRole.DIAGNOSE):
            assert play.state.kept is not None
            assert play.state.head == play.state.kept.commit
    return play.state


def taken_up(*by_hand: str) -> Play:
    play = played(*by_hand, answers=())
    play.append(ev.QuestionAnswered(id="q1", option="investigate"))
    return play


@pytest.mark.parametrize(
    ("outcome", "status"), [("passing", Status.GREEN), ("same_errors", Status.WAITING)]
)
def test_work_that_is_halted_before_its_proof_is_tested_anew(outcome: str, status: Status) -> None:
    """It is still to be judged: no round begins on code whose tests nobody ran."""
    play = taken_up("passing")
    until(play, Stage.PROVING)
    play.script.by_hand = [outcome]
    state = halted(play, Stage.PROVING)
    assert (status, "hand-2", "") == (state.status, state.head, state.carrying)


def test_work_that_is_halted_before_the_first_recheck_is_tested_anew() -> None:
    """It was taken up while the baseline was all that had run."""
    play = Play(Script(by_hand=["passing"]))
    until(play, Stage.BASELINED)
    play.append(ev.SnapshotOutdated(files=("a.py",)))
    assert (Status.GREEN, "hand-2") == ((state := halted(play, Stage.PROVING)).status, state.head)


def test_edits_of_tests_are_asked_about_after_a_halt() -> None:
    """Halted before the question, the session asks it when it goes on."""
    play = taken_up("tampers passing")
    halted(play, Stage.CONSULTING)
    assert QuestionKind.TEST_EDIT is kind(play)


HANDS = ["passing", "idle", "regression", "did_not_run", "fewer_errors+", "same_errors"]


@given(
    hands=st.lists(
        st.sampled_from([*HANDS, "tampers passing", "tampers same_errors", "tampers passing!"]),
        min_size=1,
        max_size=4,
    ),
    answers=st.lists(
        st.sampled_from(["investigate", "again", "guidance", "approve", "reject"]), max_size=5
    ),
    proof=st.lists(st.booleans(), min_size=1, max_size=3),
    cap=st.integers(1, 3),
    together=st.sampled_from(["", *HANDS]),
)
@settings(deadline=None)
def test_every_story_of_work_by_hand_ends_or_asks(
    hands: list[str], answers: list[str], proof: list[bool], cap: int, together: str
) -> None:
    """Rounds are opened by answers alone, and what ends green was proven."""
    script = Script(
        verify=["fewer_errors+", "same_errors"] if together else ["same_errors"],
        by_hand=hands,
        together=together,
        answers=list(answers),
        proof=proof,
    )
    play = Play(script, opened(cap=cap))
    state = play.run()
    assert Stage.ENDED is state.stage or state.question is not None
    assert state.round <= 1 + len(play.of(ev.QuestionAnswered))
    assert state.status is not Status.NOTHING_TO_DO
    assert state.status is not Status.GREEN or (state.proof and state.proof.accepted)
    folded = State()
    for recorded in play.records:
        folded = fold(folded, recorded)
        assert folded.counter <= folded.cap
    assert folded == state
