"""What helped, and still stands: an iteration that was taken away again counts nowhere as help."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from clew.api import summary_of
from clew.flows.debugging.driver import session_view, summary_meta
from clew.flows.debugging.driver.documenting import _checkpoint
from clew.flows.debugging.states import Stage, State, require
from clew.words import events as ev
from sessionplay import EDITED, START, Play, Script, opened


def gone_on(*, carried: str, proof: bool = False) -> Play:
    """A session of which the first iteration helped, once a person has gone on by hand."""
    verify = ["fewer_errors+", "same_errors"]
    play = Play(Script(verify=verify, carried=[carried], proof=[proof]), opened(cap=2))
    state = play.run()
    assert ("c1", frozenset({1})) == (state.head, state.helped)
    play.append(ev.QuestionAnswered(id="q1", option="investigate"))
    return play


@pytest.mark.parametrize("carried", ["regression", "did_not_run", "passing"])
def test_work_that_is_not_taken_over_takes_with_it_what_helped_before(carried: str) -> None:
    """What counts is the person's own tree again: after a bad run, and after a refused proof."""
    state = gone_on(carried=carried).run()
    assert ("c0", frozenset(), ()) == (state.head, state.helped, state.solvers)


def test_work_that_is_left_before_its_proof_takes_with_it_what_helped_before() -> None:
    """A person may halt it there."""
    play = gone_on(carried="passing")
    for _ in play.steps():
        if play.state.stage is Stage.PROVING:
            break
    play.append(ev.Halted(kind=ev.HaltKind.PERSON, reason="enough"))
    assert ("c0", frozenset()) == (play.state.head, play.state.helped)


def test_work_that_a_person_replaced_helps_no_longer() -> None:
    """Nothing was taken along, since every file of it is another one in the person's tree."""
    play = gone_on(carried="passing")
    taken = ev.SnapshotTaken(
        generation=2, base="c0", branch="clew/x", worktree="/w", left_behind=("a.py",)
    )
    play.append(ev.Started(intent=ev.TakeSnapshot(generation=2)))
    play.append(taken)
    assert ("c0", frozenset()) == (play.state.head, play.state.helped)


def test_work_that_is_taken_over_keeps_what_helped_before() -> None:
    """It is part of it."""
    state = gone_on(carried="fewer_errors+").run()
    assert ("hand", frozenset({1})) == (state.head, state.helped)


def test_what_a_proof_left_open_is_told_in_its_own_words() -> None:
    """Those of the diagnosis may be of a call settled since; old journals have no others."""
    told = ev.Diagnosed(
        iteration=1,
        agent="repair",
        proposes=True,
        diagnosis=replace(EDITED, confidence="medium", partial=True, undecided="then"),
    )
    proof = ev.Proved(
        commit="c", accepted=True, rows=(), undecided=(1,), undecided_told=("by now",)
    )
    state = State(closing=ev.Status.GREEN, helped=frozenset({1}), diagnoses=(told,), proof=proof)

    assert ("by now",) == state.doubts
    assert ("then",) == replace(state, proof=replace(proof, undecided_told=())).doubts
    assert () == replace(state, proof=replace(proof, undecided=(), undecided_told=())).doubts


def test_doubts_of_several_iterations_say_of_which_each_is() -> None:
    """That another change passes is so of one, that no other one was found is so of the next."""
    told = [
        ev.Diagnosed(
            iteration=number,
            agent="repair",
            proposes=True,
            diagnosis=replace(EDITED, confidence="medium", confidence_reason=reason),
        )
        for number, reason in ((1, "One other passes."), (2, "No other was found."))
    ]
    state = State(closing=ev.Status.GREEN, helped=frozenset({1, 2}), diagnoses=tuple(told))

    assert ("iteration 1: One other passes.", "iteration 2: No other was found.") == state.doubts
    assert ("One other passes.",) == replace(state, diagnoses=(told[0],)).doubts


def test_a_part_that_one_test_asked_for_is_told_in_the_end() -> None:
    """It was the whole that was half done then; what it rests on is no more by now."""
    told = ev.Diagnosed(
        iteration=1,
        agent="repair",
        proposes=True,
        diagnosis=replace(EDITED, confidence="medium", partial=True),
    )
    ended = ev.IterationEnded(iteration=1, result=ev.Result.FEWER, red_before=2, red_after=1)
    state = State(
        closing=ev.Status.GREEN, helped=frozenset({1}), diagnoses=(told,), history=(ended,)
    )
    assert ("Only one failing test asks for the change of iteration 1.",) == state.doubts
    assert () == replace(state, history=(replace(ended, red_before=3),)).doubts


@pytest.fixture(scope="module")
def gone_back() -> State:
    """A session whose first iteration helped and was taken back, and whose last one is proven."""
    verify = ["fewer_errors+", "same_errors", "passing"]
    play = Play(
        Script(diagnose=["edited", "proposes"], verify=verify, answers=["back start"]),
        opened(cap=2),
    )
    state = play.run()
    assert [1, 3] == [e.iteration for e in state.history if e.progress]
    assert [3] == [e.iteration for e in state.helpful]
    return state


def test_the_summary_learns_from_what_stands(gone_back: State) -> None:
    """Of a cause that was taken back with its fix nobody can tell whether it was one.

    A change that did not help speaks against itself, not against its cause.
    """
    told = [
        replace(d, diagnosis=replace(EDITED, root_cause=f"cause {n}", prevention=f"guard {n}"))
        for n, d in enumerate(gone_back.diagnoses, 1)
    ]
    history = [replace(e, root_cause=f"cause {n}") for n, e in enumerate(gone_back.history, 1)]
    state = replace(gone_back, diagnoses=tuple(told), history=tuple(history))
    lessons = summary_meta(state, "", START + timedelta(hours=1)).lessons
    assert (
        "Helped, and was undone since: change it (Fewer errors)",
        "Did not help: change it (Still failing)",
        "It was: cause 3",
        "guard 3",
    ) == lessons


def test_a_checkpoint_names_the_causes_of_what_stands(gone_back: State) -> None:
    """One that was taken back has resolved no issue."""
    outputs = _checkpoint(gone_back, "tests_passing").outputs
    assert outputs is not None
    assert ("off by one",) == outputs.issues_resolved


DOUBT = ev.Flake(test="a", kind=ev.FlakeKind.PERHAPS, evidence="red in all of 9 runs")
TURNS = ev.Flake(test="c", kind=ev.FlakeKind.RANDOM, evidence="one seed makes it red")


def doubted(
    *, red: tuple[str, ...] = (), turned: tuple[str, ...] = (), green: bool = True
) -> State:
    """A session about b, in which a may be flaky and c is; the proof is that of the last run."""
    script = Script(flaky=("a", "c"), flakes=(DOUBT, TURNS), proof=[green])
    state = Play(script, opened(cap=1)).run()
    kept, proof = require(state.kept), require(state.proof)
    still = tuple(ev.FailingTest(id=test, error=f"{test}: E", fingerprint=test) for test in red)
    return replace(state, kept=replace(kept, red=still), proof=replace(proof, flaky=turned))


def test_what_was_perhaps_flaky_and_passes_with_the_proven_fix_is_not_called_flaky() -> None:
    """It was red each time before, and is green now: neither a flake nor left unmended."""
    state = doubted()
    assert (["a"], ["c"]) == (sorted(state.mended), sorted(state.still_flaky))
    assert (("c",), (TURNS,)) == (session_view(state).flaky, session_view(state).flakes)
    assert (["c"], (TURNS,)) == (summary_of(state).flaky, summary_of(state).flakes)
    lessons = summary_meta(state, "", START + timedelta(hours=1)).lessons
    assert "Flaky, to be made reliable: c" in lessons
    assert "Passing with the fix, and red in each run before it, perhaps by chance: a" in lessons
    assert not [each for each in lessons if "not fixed" in each]


@pytest.mark.parametrize(
    "state",
    [doubted(red=("a",)), doubted(turned=("a",)), doubted(green=False)],
    ids=["red", "turned in the proof", "not proven"],
)
def test_what_is_perhaps_flaky_and_was_not_mended_is_called_so(state: State) -> None:
    """It is red still, or turned with the fix, or nothing is proven."""
    assert ([], ["a", "c"]) == (sorted(state.mended), sorted(state.still_flaky))
    lessons = summary_meta(state, "", START + timedelta(hours=1)).lessons
    told = "Perhaps flaky, and not fixed: a. The next `clew fix` asks about them"
    assert told in lessons


def test_documents_and_prompts_tell_what_was_taken_back(gone_back: State) -> None:
    """Its result stays what it was; it is no progress any more."""
    views = session_view(gone_back).iterations
    assert [(False, True), (False, False), (True, False)] == [
        (view.progress, view.taken_back) for view in views
    ]


def test_a_guess_that_is_kept_while_tests_are_red_is_told() -> None:
    told = ev.Diagnosed(
        iteration=1,
        agent="repair",
        proposes=True,
        diagnosis=replace(EDITED, confidence="low", confidence_reason="it may fit one test alone"),
    )
    state = State(helped=frozenset({1}), diagnoses=(told,))

    assert ("it may fit one test alone",) == state.guesses
    assert () == replace(state, helped=frozenset()).guesses
    sure = replace(told, diagnosis=replace(told.diagnosis, confidence="medium"))
    assert () == replace(state, diagnoses=(sure,)).guesses
