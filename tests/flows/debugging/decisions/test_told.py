"""Stories whose every decision is written down.

`told/NAME.jsonl` holds what `decide` answered in each stage, in order. A file that is missing is
written, and the test fails until somebody has read it.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from clew.flows.debugging.decisions import seconds_left, tokens_left
from clew.flows.debugging.states import Spent, State
from clew.words import events as ev
from clew.words.facts import Verdict
from clew.words.settings import Cap
from sessionplay import Play, Script, opened

TOLD = Path(__file__).with_name("told")

PLAYS = {
    "green-at-once": Play(Script(baseline=Verdict.PASSED)),
    "first-try": Play(Script()),
    "cascade": Play(Script(verify=["different_errors+", "passing"])),
    "unfixable": Play(Script(verify=["same_errors", "regression", "did_not_run"])),
    "three-rounds": Play(
        Script(verify=["fewer_errors+", "same_errors"], answers=["guidance", "guidance", "skip"]),
        opened(cap=2),
    ),
    "terminated": Play(Script(verify=["same_errors"], answers=["terminate"]), opened(cap=1)),
    "one-flaky": Play(Script(flaky=("a",), verify=["same_errors", "passing"])),
    "all-flaky": Play(Script(flaky=("b", "a"))),
    "no-baseline": Play(Script(baseline=Verdict.DID_NOT_RUN)),
    "no-recheck": Play(Script(recheck=Verdict.DID_NOT_RUN)),
    "out-of-scope": Play(Script(diagnose=["proposes", "outside"], verify=["same_errors"])),
    "ladder": Play(
        Script(diagnose=["nothing", "fails", "proposes"], fix=["fails", "done", "nothing"]),
        opened(agents=("repair", "cheap", "strong")),
    ),
    "agents-fail": Play(Script(diagnose=["fails"]), opened(cap=2, retries=1)),
    "nothing-found": Play(Script(diagnose=["nothing"]), opened(cap=2)),
    "nothing-more": Play(
        Script(diagnose=["nothing more"], answers=["guidance", "terminate"]), opened(cap=2)
    ),
    "nothing-more-on-a-ladder": Play(
        Script(diagnose=["nothing more", "fails"] * 2), opened(agents=("repair", "strong"), cap=2)
    ),
    "no-report": Play(Script(diagnose=["garbles"])),
    "no-report-at-last": Play(
        Script(diagnose=["proposes", "garbles"], verify=["same_errors"]), opened(retries=0)
    ),
    "no-report-once": Play(
        Script(diagnose=["garbles", "proposes"], verify=["same_errors", "passing"])
    ),
    "no-report-then-worse": Play(
        Script(diagnose=["garbles", "fails", "fails", "proposes"], verify=["same_errors"]),
        opened(cap=2, retries=2),
    ),
    "no-report-goes-on": Play(
        Script(diagnose=["garbles"]), opened(cap=2, on_invalid_report="fail_iteration")
    ),
    "unsure-twice": Play(Script(diagnose=["unsure"]), opened(cap=2)),
    "unsure-once": Play(Script(diagnose=["unsure", "proposes"])),
    "unsure-on-a-ladder": Play(
        Script(diagnose=["unsure", "unsure", "proposes"]), opened(agents=("repair", "strong"))
    ),
    "agent-gone": Play(Script(diagnose=["fails not_installed"])),
    "agent-gone-from-a-ladder": Play(
        Script(diagnose=["fails not_logged_in", "proposes"]), opened(agents=("gone", "here"))
    ),
    "agent-gone-later": Play(
        Script(diagnose=["proposes", "fails not_installed"], verify=["same_errors"])
    ),
    "out-of-scope-but-tried": Play(
        Script(diagnose=["outside, tried"], verify=["same_errors"]), opened(cap=2)
    ),
    "the-same-again": Play(
        Script(diagnose=["named"], fix=["same"], verify=["same_errors"]), opened(cap=2)
    ),
    "seconds-passed-by": Play(
        Script(verify=["fewer_errors+"]), opened(cap=9, budget=ev.Budget(seconds=15.0))
    ),
    "tokens-passed-by": Play(
        Script(verify=["fewer_errors+"]), opened(cap=9, budget=ev.Budget(tokens=150))
    ),
    "dollars-passed-by": Play(
        Script(verify=["fewer_errors+"]), opened(cap=9, budget=ev.Budget(usd=0.7))
    ),
    "agent-busy": Play(Script(diagnose=["fails timeout", "fails busy", "proposes"])),
    "said-again": Play(Script(diagnose=["edited"], verify=["same_errors"]), opened(cap=2)),
    "last-try-passes": Play(Script(), opened(cap=1)),
    "last-try-tampers": Play(Script(fix=["tampers"]), opened(cap=1)),
    "out-of-scope-but-better": Play(
        Script(diagnose=["outside, tried"], verify=["fewer_errors+"]), opened(cap=2)
    ),
    "iteration-passed-by": Play(
        Script(verify=["same_errors"]), opened(cap=2, iteration_budget=ev.Budget(seconds=11.0))
    ),
    "tampering": Play(Script(fix=["tampers", "same", "same"], verify=["same_errors"])),
    "tests-allowed": Play(
        Script(fix=["consults"], verify=["fewer_errors+", "passing"], answers=["approve"] * 2)
    ),
    "tests-not-allowed": Play(Script(fix=["consults", "done"], answers=["reject"])),
    "tests-left": Play(Script(fix=["consults"], answers=["terminate"])),
    "unproven": Play(Script(proof=[False, True])),
    "seconds-spent": Play(
        Script(verify=["fewer_errors+"]), opened(cap=9, budget=ev.Budget(seconds=20.0))
    ),
    "tokens-spent": Play(
        Script(verify=["fewer_errors+"]), opened(cap=9, budget=ev.Budget(tokens=220))
    ),
    "dollars-spent": Play(
        Script(verify=["fewer_errors+"], answers=["guidance"]),
        opened(cap=9, budget=ev.Budget(usd=1.0)),
    ),
    "iteration-spent": Play(
        Script(diagnose=["nothing"], verify=["same_errors"]),
        opened(agents=("a", "b", "c"), iteration_budget=ev.Budget(seconds=20.0)),
    ),
    "bisected": Play(
        Script(verify=["same_errors"], answers=["guidance", "skip"]), opened(cap=1, bisect=True)
    ),
    "reviewed": Play(
        Script(review=["objects", "agrees"], verify=["same_errors", "passing"]),
        opened(agents=("strong",), review="careful"),
    ),
    "reviewed-patch-of-the-repairer": Play(
        Script(review=["objects"]), opened(agents=("repair", "strong"), review="careful")
    ),
    "reviewed-patch-of-the-repairer-alone": Play(
        Script(review=["objects"]), opened(review="careful")
    ),
    "reviewer-fails": Play(Script(review=["fails"]), opened(review="careful", retries=1)),
    "rung-passed-by": Play(
        Script(diagnose=["nothing", "proposes"], verify=["same_errors"]),
        opened(agents=("cheap", "strong"), ladder={"cheap": Cap(calls=1)}, cap=2),
    ),
    "rung-passed-by-before-its-fix": Play(
        Script(), opened(agents=("cheap", "strong"), ladder={"cheap": Cap(max_tokens=100)})
    ),
    "rungs-all-passed-by": Play(
        Script(verify=["same_errors"], answers=["guidance", "skip"]),
        opened(
            agents=("cheap", "strong"),
            ladder={"cheap": Cap(calls=2), "strong": Cap(max_usd=0.5)},
            cap=5,
        ),
    ),
    "fixer-passed-by": Play(Script(), opened(ladder={"repair": Cap(calls=1)}, cap=2)),
    "reviewer-passed-by": Play(
        Script(verify=["same_errors", "passing"]),
        opened(review="careful", ladder={"careful": Cap(calls=1)}),
    ),
    "adaptive": Play(
        Script(diagnose=["proposes", "fails timeout", "proposes"], verify=["same_errors"]),
        opened(profile="adaptive"),
    ),
    "budget": Play(Script(), opened(profile="budget", review="careful")),
    "by-hand": Play(
        Script(verify=["same_errors"], carried=["fewer_errors+"], answers=["investigate"]),
        opened(cap=1),
    ),
    "by-hand-green": Play(
        Script(verify=["same_errors"], carried=["passing"], answers=["investigate"]),
        opened(cap=1),
    ),
    "back-to-the-start": Play(
        Script(verify=["fewer_errors+", "same_errors", "passing"], answers=["back start"]),
        opened(cap=2),
    ),
}


@pytest.mark.parametrize("name", sorted(PLAYS))
def test_every_decision_of_a_story_is_the_one_that_is_written_down(name: str) -> None:
    """Words, numbers and order: what a person is asked, what the history says, what comes next."""
    play, told = PLAYS[name], []
    play.listen = lambda state, action: told.append({"in": state.stage, "next": action})
    play.run()
    found = b"".join(msgspec.json.encode(line) + b"\n" for line in told)
    path = TOLD / f"{name}.jsonl"
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(found)
        pytest.fail(f"{path} was written: read it")
    assert path.read_text() == found.decode()


@pytest.mark.parametrize(
    ("budget", "iteration", "left"),
    [
        (None, None, float("inf")),
        (100.0, None, 100.0 - (50.0 - 7.0)),
        (None, 30.0, 30.0 - (50.0 - 20.0)),
        (100.0, 90.0, 57.0),
        (100.0, 31.0, 1.0),
    ],
)
def test_work_may_take_what_the_narrower_budget_leaves(
    budget: float | None, iteration: float | None, left: float
) -> None:
    """Each counts from its own beginning: the round's, the iteration's."""
    state = State(
        opened=opened(
            budget=ev.Budget(seconds=budget), iteration_budget=ev.Budget(seconds=iteration)
        ),
        spent=Spent(seconds=50.0),
        spent_before_round=Spent(seconds=7.0),
        spent_before_iteration=Spent(seconds=20.0),
    )
    assert left == seconds_left(state)


@pytest.mark.parametrize(
    ("budget", "iteration", "left"),
    [(None, None, None), (500, None, 170), (None, 400, 130), (500, 400, 130), (330, None, 0)],
)
def test_a_call_may_take_the_tokens_that_the_narrower_budget_leaves(
    budget: int | None, iteration: int | None, left: int | None
) -> None:
    """Never fewer than none; without a budget nothing bounds it."""
    state = State(
        opened=opened(
            budget=ev.Budget(tokens=budget), iteration_budget=ev.Budget(tokens=iteration)
        ),
        spent=Spent(tokens=350),
        spent_before_round=Spent(tokens=20),
        spent_before_iteration=Spent(tokens=80),
    )
    assert left == tokens_left(state)
    assert 0 == tokens_left(msgspec.structs.replace(state, spent=Spent(tokens=9_999))) or not left
