"""What is decided of a proposal: carried out at last, and refused only when it was, and failed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.words import events as ev
from clew.words.events import Result
from clew.words.facts import Option
from clew.words.models import AgentRole
from clew.words.settings import Cap
from sessionplay import DIAGNOSES, EDIT, EDITED, Play, Script, opened

ELSEWHERE = replace(EDIT, line=9)


def exact(play: Play) -> list[bool]:
    """Return, for each fix, whether Clew made the edits without asking anybody."""
    intents = [r.event.intent for r in play.records if isinstance(r.event, ev.Started)]
    return [intent.exact for intent in intents if ev.calls(intent, AgentRole.FIX)]


@pytest.mark.parametrize(
    ("fix", "verify", "first"),
    [
        (["nothing"], ["passing"], Result.NOT_DONE),
        (["otherwise"], ["same_errors", "passing"], Result.FAILING),
        (["otherwise"], ["regression", "passing"], Result.REGRESSION),
        (["fails"], ["passing"], Result.AGENT_FAILED),
    ],
)
def test_what_its_fixer_did_not_do_is_done_next(
    fix: list[str], verify: list[str], first: Result
) -> None:
    """Whatever it did instead: nothing, something else, or fail; nobody is asked to, then."""
    play = Play(Script(diagnose=["edited"], fix=fix, verify=verify))
    state = play.run()
    assert [first, Result.PASSING] == [e.result for e in state.history]
    assert [*[False] * len(exact(play)[1:]), True] == exact(play)


def test_what_was_done_and_failed_is_refused_whoever_did_it() -> None:
    """The second time by Clew itself: then it was applied as it stands."""
    play = Play(Script(diagnose=["edited"], fix=["otherwise"], verify=["same_errors"]))
    state = play.run()
    assert [Result.FAILING, Result.FAILING, Result.REPEATED] == [e.result for e in state.history]


def test_the_same_words_at_another_place_are_another_change(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Which line is meant counts, where both say so."""
    option = Option(title="there", approach="x", edits=(ELSEWHERE,))
    monkeypatch.setitem(DIAGNOSES, "elsewhere", replace(EDITED, options=(option,)))
    verify = ["same_errors", "passing"]
    state = Play(Script(diagnose=["edited", "elsewhere"], verify=verify)).run()
    assert [Result.FAILING, Result.PASSING] == [e.result for e in state.history]


@pytest.mark.parametrize("ladder", [("a",), ("repair", "a")])
@pytest.mark.parametrize(
    ("habit", "first"), [("nothing", Result.NOT_DONE), ("fails", Result.AGENT_FAILED)]
)
def test_an_objection_that_no_fixer_weighed_holds_nothing_up(
    habit: str, first: Result, ladder: tuple[str, ...]
) -> None:
    """It did nothing, or failed: the next time Clew makes the change, and tests decide."""
    play = Play(
        Script(diagnose=["edited"], review=["objects"], fix=[habit]),
        opened(agents=ladder, review="r"),
    )
    state = play.run()
    assert [first, Result.PASSING] == [e.result for e in state.history]
    assert [*[False] * len(exact(play)[1:]), True] == exact(play)


def test_what_a_reviewer_objects_to_is_left_to_a_fixer() -> None:
    """Clew makes no edits against an objection that one weighed; nor are they refused as tried."""
    script = Script(
        diagnose=["edited"], review=["objects"], fix=["otherwise"], verify=["regression"]
    )
    play = Play(script, opened(agents=("a", "b"), review="r"))
    state = play.run()
    assert [Result.REGRESSION] * 3 == [e.result for e in state.history]
    assert [False] * 3 == exact(play)


def test_edits_of_tests_that_a_person_refused_are_refused_again_unasked() -> None:
    """The same question is not asked twice."""
    script = Script(diagnose=["edited"], fix=["consults"], answers=["reject"])
    play = Play(script, opened(cap=2))
    state = play.run()
    assert [Result.TAMPERING, Result.REPEATED] == [e.result for e in state.history]
    assert "a person rejected the same change of tests" in state.history[1].note


def test_edits_of_tests_that_nobody_was_asked_about_may_be_asked_about() -> None:
    """The next diagnosis may say that the tests are wrong."""
    script = Script(diagnose=["edited"], fix=["tampers", "consults"], answers=["approve"])
    state = Play(script).run()
    assert [Result.TAMPERING, Result.PASSING] == [e.result for e in state.history]


def test_a_cap_of_calls_does_not_keep_clew_from_making_edits() -> None:
    """No call is made for them."""
    script = Script(diagnose=["edited"], fix=["otherwise"], verify=["same_errors", "passing"])
    play = Play(script, opened(agents=("a",), ladder={"a": Cap(calls=3)}))
    state = play.run()
    assert [Result.FAILING, Result.PASSING] == [e.result for e in state.history]


@pytest.mark.parametrize("review", ["", "r"])
@pytest.mark.parametrize("bound", [ev.Budget(tokens=110), ev.Budget(usd=0.5)])
def test_a_budget_that_the_diagnosis_spends_does_not_keep_clew_from_making_edits(
    bound: ev.Budget, review: str
) -> None:
    """They take no call; what is left after them is asked about."""
    script = Script(diagnose=["edited"], verify=["fewer_errors+"])
    play = Play(script, opened(agents=("a",), budget=bound, review=review))
    state = play.run()
    assert [Result.FEWER] == [e.result for e in state.history]
    assert ([True], []) == (exact(play), play.of(ev.Reviewed))
    assert state.question
    assert f"`clew resume {state.session.session_id} --max-" in state.question.text


@pytest.mark.parametrize(
    ("ladder", "review", "made"),
    [
        (("a",), ["agrees"], [True]),
        (("a", "b"), ["agrees"], [True]),
        (("a",), ["objects"], [True]),
        (("a", "b"), ["objects"], [False]),
    ],
)
def test_a_cap_that_the_diagnosis_reaches_does_not_keep_clew_from_making_edits(
    ladder: tuple[str, ...], review: list[str], made: list[bool]
) -> None:
    """They take no call; an objection is weighed by the next agent, where there is one."""
    session = opened(agents=ladder, review="r", ladder={"a": Cap(calls=1)})
    play = Play(Script(diagnose=["edited"], review=review), session)
    state = play.run()
    assert [Result.PASSING] == [e.result for e in state.history]
    assert made == exact(play)
    assert "b" if made == [False] else "a" == state.history[0].agent


@pytest.mark.parametrize(
    ("fix", "verify", "result"),
    [
        (["otherwise"], ["same_errors", "passing"], Result.PASSING),
        (["otherwise"], ["regression", "fewer_errors+"], Result.FEWER),
        (["otherwise"], ["did_not_run", "same_errors"], Result.FAILING),
        (["bends"], ["passing"], Result.PASSING),
        (["fails"], ["passing"], Result.PASSING),
        (["nothing"], ["passing"], Result.NOT_DONE),
    ],
)
def test_in_the_last_iteration_what_was_not_carried_out_is_tried_at_once(
    fix: list[str], verify: list[str], result: Result
) -> None:
    """Nobody would propose it again; what came before is in the note."""
    play = Play(Script(diagnose=["edited"], fix=fix, verify=verify), opened(cap=1))
    state = play.run()
    assert [result] == [e.result for e in state.history]
    if fix != ["nothing"]:
        assert exact(play)[-1]
        assert "before that, its fixer" in state.history[0].note


def test_what_a_fixer_did_in_the_last_iteration_counts_where_nothing_else_could_be_tried() -> None:
    """No time was left for it."""
    script = Script(diagnose=["edited"], fix=["otherwise"], verify=["same_errors"])
    budget = ev.Budget(seconds=11.0)  # a diagnosis and a run
    play = Play(script, opened(cap=1, budget=budget))
    state = play.run()
    assert [(Result.FAILING, "c1")] == [(e.result, e.commit) for e in state.history]
    assert [False] == exact(play)


@pytest.mark.parametrize("habit", ["consults", "done"])
def test_in_the_last_iteration_nothing_is_tried_that_was(habit: str) -> None:
    """Not what was made as recommended, nor what a person was asked about."""
    script = Script(diagnose=["edited"], fix=[habit], verify=["same_errors"], answers=["reject"])
    play = Play(script, opened(cap=1))
    play.run()
    assert [False] == exact(play)


def test_an_objection_that_a_fixer_weighed_stands_in_the_last_iteration() -> None:
    """Its own change failed, and the one that was objected to is not made."""
    script = Script(
        diagnose=["edited"], review=["objects"], fix=["otherwise"], verify=["same_errors"]
    )
    play = Play(script, opened(cap=1, review="r"))
    assert [Result.FAILING] == [e.result for e in play.run().history]
    assert [False] == exact(play)


def test_time_that_is_spent_leaves_none_for_the_tests_of_a_change() -> None:
    """A bound of seconds is one of tests, too."""
    script = Script(diagnose=["edited"])
    state = Play(script, opened(budget=ev.Budget(seconds=10.0))).run()
    assert [Result.HALTED] == [e.result for e in state.history]


def test_a_bound_that_a_person_gives_holds_for_one_round() -> None:
    """The next one has the session's again."""
    script = Script(verify=["fewer_errors+"])
    play = Play(script, opened(budget=ev.Budget(tokens=110), cap=9))
    for granted, rounds in ((ev.Budget(tokens=330), 3), (None, 1)):
        state = play.run()
        before = len(state.history)
        assert state.question
        told = ev.QuestionAnswered(id=state.question.id, option="guidance", budget=granted)
        play.append(told)
        assert rounds == len(play.run().history) - before


def test_the_history_says_what_was_proposed_and_not_done() -> None:
    """Not what the fixer says of it."""
    state = Play(Script(diagnose=["edited"], fix=["nothing"], verify=["passing"])).run()
    assert "change one (proposed, not carried out)" == state.history[0].fix_attempted


OTHERWISE_FIRST = ["otherwise", "done"]


def test_a_change_that_breaks_only_what_another_change_mended_is_tried_without_that() -> None:
    """What was kept goes, where the recommended change is worth more from the round's start."""
    verify = ["fewer_errors+", "regression of a", "passing"]
    play = Play(Script(diagnose=["edited"], fix=OTHERWISE_FIRST, verify=verify))
    state = play.run()
    assert [Result.FEWER, Result.PASSING] == [e.result for e in state.history]
    assert (frozenset({2}), "c3", [1]) == (
        state.helped,
        state.head,
        [entry.iteration for entry in state.set_aside],
    )
    assert [False, True, True] == exact(play)


@pytest.mark.parametrize("last", ["same_errors", "regression of c", "fewer_errors+", "did_not_run"])
def test_what_was_kept_counts_again_where_the_change_comes_to_nothing(last: str) -> None:
    """It is no better from the round's start either."""
    verify = ["fewer_errors+", "regression of a", last]
    play = Play(Script(diagnose=["edited"], fix=OTHERWISE_FIRST, verify=verify), opened(cap=2))
    state = play.run()
    assert [Result.FEWER, Result.REGRESSION] == [e.result for e in state.history]
    assert (frozenset({1}), "c1") == (state.helped, state.head)
    assert "from checkpoint start" in state.history[1].note


def test_a_change_that_breaks_what_worked_at_first_is_not_tried_again() -> None:
    """That is a regression, wherever it is tried."""
    verify = ["fewer_errors+", "regression of a c"]
    play = Play(Script(diagnose=["edited"], fix=OTHERWISE_FIRST, verify=verify), opened(cap=2))
    assert [Result.FEWER, Result.REGRESSION] == [e.result for e in play.run().history]
    assert [False, True] == exact(play)


def test_a_fix_that_is_named_and_out_of_scope_is_told_as_proposed() -> None:
    """A person is asked first; that none was proposed would not be true."""
    play = Play(Script(diagnose=["outside, named"]))
    state = play.run()
    (entry,) = state.history
    assert (Result.NOT_DONE, "change one (proposed, not carried out)") == (
        entry.result,
        entry.fix_attempted,
    )
    assert "a person is asked first: the package yaml is not installed" in entry.note
    assert state.question
    assert "the package yaml is not installed" in state.question.text
