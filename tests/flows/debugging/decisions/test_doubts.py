"""What a proof only doubts: nothing of it is kept without a person, progress neither."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.documents.escalation import next_steps
from clew.flows.debugging.decisions.settling import WRITTEN, literal
from clew.flows.debugging.driver import escalated, iteration_views
from clew.flows.debugging.driver.briefing import _unsettled, _useless
from clew.flows.debugging.states import ChosenChange, State, acceptable, forbidden, vouched
from clew.flows.debugging.states.persons import answered, went_back
from clew.words.edits import patch_hash
from clew.words.errors import UsageError
from clew.words.events import SETTLED, QuestionAnswered, QuestionAsked, Result, WentBack
from clew.words.facts import Edit, TestRun, Unsettled, Verdict
from sessionplay import COMMAND, Play, Script, opened


def doubted(*diagnose: str, **more: object) -> Script:
    return Script(
        diagnose=list(diagnose) or ["edited"],
        refused="a.py:1 answers 3",
        doubted=True,
        **more,  # type: ignore[arg-type]
    )


def test_progress_that_is_doubted_is_not_kept_when_it_is_made_again() -> None:
    """Its maker only repeats it: a person is asked, with what speaks against it."""
    state = Play(doubted(verify=["fewer_errors+"])).run()

    assert [Result.UNPROVEN, Result.REPEATED] == [e.result for e in state.history]
    assert frozenset() == state.helped
    question = state.question
    assert question is not None
    (accept,) = (o for o in question.options if o.word == "accept-1")
    assert accept.text.startswith(
        "Keep the progress of iteration 1; 1 test is red still (see it: clew"
    )
    assert "is progress, and only you can say whether it is right" in question.text
    (attempt,) = acceptable(state)
    told = _useless(attempt)
    assert "it was progress; the doubt: " in told
    assert told.endswith("a.py:1 answers 3)")


def test_a_test_that_doubted_progress_makes_red_is_named_before_it_is_accepted() -> None:
    """What is red anew with it stands in the answer itself, beside how many are red still."""
    state = Play(doubted(verify=["different_errors of c+"])).run()

    assert state.question is not None
    (accept,) = (o for o in state.question.options if o.word == "accept-1")
    assert accept.text.startswith(
        "Keep the progress of iteration 1; 1 test is red with it, new: c: AssertionError (see it:"
    )


def test_progress_that_a_person_accepts_is_kept_and_gone_on_from() -> None:
    """What they settled is not held against what is built upon it, but by the proof of it all."""
    play = Play(
        doubted(
            verify=["fewer_errors+", "fewer_errors+", "passing"],
            carried=["fewer_errors"],
            answers=["accept-1"],
            proof=[False, True],
        ),
        opened(cap=2),
    )
    state = play.run()

    assert [Result.UNPROVEN, Result.REPEATED] == [e.result for e in state.history[:2]]
    assert [Result.FEWER, Result.UNPROVEN] == [e.result for e in state.history[2:]]
    assert frozenset({1, 3}) == state.helped
    assert 2 == state.round


def lost(**more: object) -> Play:
    """Play doubted progress that mends `b`, and then other progress, which is kept."""
    verify = ["fewer_errors of a+", "fewer_errors of b*", "same_errors"]
    return Play(doubted("edited", "proposes", verify=verify, **more), opened(cap=3))


def test_doubted_progress_is_offered_still_when_other_progress_was_kept() -> None:
    """What it mends is red still: the newest question offers it."""
    state = lost().run()

    assert [Result.UNPROVEN, Result.FEWER] == [e.result for e in state.history[:2]]
    assert state.question is not None
    assert "accept-1" in {option.word for option in state.question.options}
    assert [1] == [attempt.entry.iteration for attempt in _unsettled(state, [])]


def test_doubted_progress_is_not_offered_when_what_it_mends_is_green() -> None:
    """Other progress mended the same test."""
    verify = ["fewer_errors of b+", "fewer_errors of b*", "same_errors"]
    state = Play(doubted("edited", "proposes", verify=verify), opened(cap=3)).run()

    assert state.question is not None
    assert "accept-1" not in {option.word for option in state.question.options}


def test_what_was_kept_before_stays_where_an_accepted_fix_breaks_what_works() -> None:
    """Only the accepted one goes."""
    state = lost(carried=["regression of a"], answers=["accept-1"]).run()

    assert frozenset({2}) == state.helped
    assert "c2" == state.head


def test_a_doubt_that_a_person_settled_is_known_again_word_by_word() -> None:
    """A longer one, of which it is the beginning, is another."""
    play = Play(
        doubted(
            verify=["fewer_errors+", "same_errors"], carried=["fewer_errors"], answers=["accept-1"]
        ),
        opened(cap=2),
    )
    state = play.run()

    assert vouched(state, "a.py:1 answers 3")
    assert not vouched(state, "a.py:1 answers")


def test_a_person_s_own_code_is_gone_on_from_with_accepted_progress() -> None:
    """Where they edited by hand before, the accepted commit is what stands then."""
    state = Play(
        doubted(
            verify=["same_errors", "fewer_errors+", "same_errors"],
            by_hand=["fewer_errors+"],
            carried=["fewer_errors+"],
            answers=["investigate", "accept-2"],
        ),
        opened(cap=1),
    ).run()

    assert 3 == len(state.history)
    assert "c2" == state.head


def test_a_person_is_asked_at_once_where_the_tests_do_not_settle_which_change_is_right() -> None:
    """Another round of the same search would be no surer."""
    play = Play(Script(diagnose=["edited"], verify=["passing"], proof=[False], claim=SETTLED))
    state = play.run()

    assert [Result.UNPROVEN] == [e.result for e in state.history]
    asked = play.of(QuestionAsked)[0]
    assert isinstance(asked, QuestionAsked)
    assert "the tests do not settle which change is right: 1 of 1" in asked.text
    assert "accept-1" in {option.word for option in asked.options}


OTHER = Unsettled(
    call="grade(91)",
    module="grade",
    gives="'A'",
    other="replace `>` by `==`",
    other_gives="'B'",
    edits=(Edit(path="a.py", line=1, current="x", should_be="z"),),
)


def test_a_value_is_asked_for_without_one_of_ours() -> None:
    """What is typed as it stands is refused: the changes' own values may both be wrong."""
    script = Script(
        diagnose=["edited"], verify=["passing"], proof=[False], claim=SETTLED, unsettled=OTHER
    )
    state = Play(script).run()

    assert state.question is not None
    (value,) = (option for option in state.question.options if option.word == "value")
    assert value.command.endswith(" value VALUE")
    assert value.text.endswith(f"VALUE is that, as code writes it: {WRITTEN}")
    with pytest.raises(UsageError):
        literal("VALUE")


def test_a_change_of_which_no_call_is_known_is_offered_without_a_value() -> None:
    """It can be taken, and is told without a call that shows it."""
    told = replace(OTHER, call="", module="", gives="", other_gives="")
    script = Script(
        diagnose=["edited"], verify=["passing"], proof=[False], claim=SETTLED, unsettled=told
    )
    question = Play(script).run().question
    assert question is not None
    assert "value" not in {option.word for option in question.options}
    (other,) = (option for option in question.options if option.word == "other")
    assert "Take the other change: replace `>` by `==`" == other.text


@pytest.mark.parametrize(
    ("told", "value", "wanted"),
    [
        (OTHER, "'A'", False),
        (OTHER, "'B'", True),
        (OTHER, '"B"', True),
        (replace(OTHER, other_gives="0.30000000000000004"), "0.3", True),
        (replace(OTHER, other_gives="raises ValueError"), "'B'", False),
        (replace(OTHER, other_gives="<Grade>"), "'A'", True),  # nobody knows
    ],
)
def test_a_change_that_a_value_refutes_is_not_searched_for_again(
    told: Unsettled, value: str, *, wanted: bool
) -> None:
    """Neither as a fix, nor as progress of which only that value's test stays red."""
    script = Script(
        diagnose=["edited"], verify=["passing"], proof=[False], claim=SETTLED, unsettled=told
    )
    state = Play(script).run()
    assert state.question is not None
    event = QuestionAnswered(id=state.question.id, option="value", text=value, test="t.py::t")

    refused = forbidden(answered(state, event))

    assert (patch_hash(OTHER.edits) not in refused) is wanted


def test_a_mistyped_value_that_is_taken_back_refutes_nothing() -> None:
    script = Script(
        diagnose=["edited"], verify=["passing"], proof=[False], claim=SETTLED, unsettled=OTHER
    )
    state = Play(script).run()
    assert state.question is not None
    event = QuestionAnswered(id=state.question.id, option="value", text="'C'", test="t.py::t")
    mistyped = answered(state, event)

    back = went_back(mistyped, WentBack(checkpoint="escalation"))

    assert (True, False) == tuple(bool(each.refuted) for each in (mistyped, back))


def given_in_vain(*answers: str) -> Play:
    """Play a value that leads to nothing."""
    script = Script(
        diagnose=["edited"],
        verify=["passing", "same_errors"],
        proof=[False],
        claim=SETTLED,
        unsettled=OTHER,
        by_hand=["same_errors"],
        answers=["value", *answers],
    )
    return Play(script, opened(cap=1))


def test_a_value_that_led_to_nothing_can_be_taken_back() -> None:
    """The command that offers the choices again stands in the question, and in the next steps."""
    state = given_in_vain().run()

    assert state.question is not None
    assert "value" not in {option.word for option in state.question.options}
    (back,) = (option for option in state.question.options if option.word == "rollback")
    assert back.command == f"clew rollback {state.session.session_id} escalation"
    assert back.text == "Take back your answer: the choices before it are offered again"
    run = TestRun(verdict=Verdict.FAILED, command=COMMAND)
    steps = next_steps(*escalated(state, run, state.question.options))
    assert f"Your answer led to no fix. If you meant another, `{back.command}`" in "".join(steps)


def test_the_choices_are_offered_again_and_nothing_is_searched_for() -> None:
    """For the value was wrong, and not the search; from the start there is a new round."""
    play = given_in_vain("back escalation")
    state = play.run()

    assert [1, 2] == [entry.iteration for entry in state.history]
    assert state.question is not None
    assert OTHER == state.question.unsettled
    assert {"accept-1", "other", "value"} <= {option.word for option in state.question.options}
    assert 3 == len(given_in_vain("back start").run().history)


def test_code_that_a_value_changed_is_not_said_to_be_changed_by_hand() -> None:
    """Nor is that of the other change, even where files were edited since."""
    assert (
        "the code before a person gave a value, which became a test"
        == iteration_views(given_in_vain().run())[0].code
    )
    state = chosen("investigate", by_hand=("fewer_errors+", "fewer_errors+"))
    assert "the code before a person took another change" == iteration_views(state)[0].code


def test_a_change_that_a_person_chose_is_not_called_theirs_where_it_is_not_proven() -> None:
    script = Script(diagnose=["edited"], proof=[False], claim=SETTLED, unsettled=OTHER)
    script = replace(script, by_hand=["passing"], answers=["other"])
    state = Play(script, opened(cap=1)).run()
    assert state.question is not None
    assert "All tests pass with the change that you chose, but that is" in state.question.text


def chosen(*answers: str, by_hand: tuple[str, ...] = ("passing",)) -> State:
    """Return a session whose person took the other change, and answered more."""
    script = Script(
        diagnose=["edited"],
        verify=["passing", "same_errors"],
        proof=[False, "passing" == by_hand[0]],
        claim=SETTLED,
        unsettled=OTHER,
        by_hand=list(by_hand),
        answers=["other", *answers],
    )
    return Play(script, opened(cap=1)).run()


def test_the_change_that_a_person_took_is_known_as_such() -> None:
    """And which iteration's change it stands for."""
    assert ChosenChange(told=OTHER, iteration=1, generation=2) == chosen().choice


def test_nothing_is_known_of_it_where_they_edited_files_since() -> None:
    """They may have changed anything."""
    state = chosen("investigate", by_hand=("fewer_errors+", "fewer_errors+"))
    assert state.taken_instead is not None
    assert (3, None) == (state.edition, state.choice)


def asked_again(by_hand: str, *answers: str, as_before: bool = True) -> tuple[set[str], str]:
    """Return the answers that a person has who changed files, and which code an attempt was on."""
    play = Play(
        Script(
            diagnose=["edited"],
            verify=["passing", "same_errors"],
            proof=[False],
            claim=SETTLED,
            unsettled=OTHER,
            by_hand=[by_hand],
            as_before=as_before,
            answers=["investigate", *answers],
        ),
        opened(cap=1),
    )
    state = play.run()
    assert state.question is not None
    assert (OTHER if state.edition == 1 else None) == state.question.unsettled
    return {option.word for option in state.question.options}, iteration_views(state)[0].code


def test_what_settles_a_doubt_is_offered_still_where_nothing_was_changed() -> None:
    words, code = asked_again("idle of a b")

    assert {"accept-1", "other", "value"} <= words
    assert "" == code


def test_what_settles_a_doubt_is_offered_still_where_edited_tests_were_put_back() -> None:
    """It is the code again on which the attempt was made, whatever was edited beside it."""
    words, code = asked_again("tampers same_errors of a b", "reject")

    assert {"accept-1", "other", "value"} <= words
    assert "the code as it stands now" == code


def test_nothing_is_offered_for_code_that_a_person_changed() -> None:
    words, code = asked_again("tampers same_errors of a b", "reject", as_before=False)

    assert {"accept-1", "other", "value"}.isdisjoint(words)
    assert "the code before a person changed it by hand" == code
