from __future__ import annotations

from datetime import timedelta

import msgspec

from clew.analysis.flakes import history, outcomes_in
from clew.words import events as ev
from clew.words.facts import CaseOutcome, TestResult, Verdict
from failurekit import failed, passed, run
from sessionplay import COMMAND, START


def recorded(*events: ev.AnyEvent) -> list[ev.Recorded]:
    return [
        ev.Recorded(session="s", seq=n, at=START + timedelta(seconds=n), event=event)
        for n, event in enumerate(events, 1)
    ]


def ran(key: str, commit: str = "c0", **more: object) -> ev.TestsRan:
    return ev.TestsRan(
        purpose=ev.Purpose.BASELINE,
        commit=commit,
        verdict=Verdict.FAILED,
        command=COMMAND,
        run=key,
        **more,  # type: ignore[arg-type]
    )


RUNS = {"red": {"t::a": True, "t::b": False}, "green": {"t::a": False, "t::b": False}}


def past(*events: ev.AnyEvent) -> list[tuple[str, int, int, bool, str]]:
    found = history(recorded(*events), lambda key: RUNS.get(key, {}))
    return [(p.test, p.red, p.runs, p.flaky, p.kind) for p in found]


def test_a_test_that_was_always_green_has_no_past() -> None:
    """Only what was red at least once is told."""
    assert [("t::a", 1, 1, False, "")] == past(ran("red"))


def test_red_and_green_on_the_same_code_is_flaky() -> None:
    """On another commit it may have been mended."""
    assert [("t::a", 1, 2, True, "unknown")] == past(ran("red"), ran("green"))
    assert [("t::a", 1, 2, False, "")] == past(ran("red"), ran("green", "c1"))


def test_the_same_tree_in_another_session_is_the_same_code() -> None:
    """Each session records it as a commit of its own."""

    again = past(taken("c0"), ran("red"), taken("c7"), ran("green", "c7"))
    assert [("t::a", 1, 2, True, "unknown")] == again


def taken(base: str, tree: str = "t") -> ev.SnapshotTaken:
    return ev.SnapshotTaken(generation=1, base=base, branch="b", worktree="/w", tree=tree)


Ends = tuple[str, int, int, int, int]


def ends(*events: ev.AnyEvent, trees: dict[str, str] | None = None) -> list[Ends]:
    """Return how often each test was red, and run: as the code was, and as a session changed it."""
    known = trees or {}
    found = history(recorded(*events), lambda key: RUNS[key], lambda c: known.get(c, ""))
    return [(p.test, p.red, p.runs, p.changed_red, p.changed_runs) for p in found]


def test_what_a_session_changed_is_no_past_of_the_code() -> None:
    """A fix turns its tests green: that makes none of them look flaky."""
    runs = (ran("red"), ran("green", "fix"), ran("green", "fix"))
    assert [("t::a", 1, 1, 0, 2)] == ends(taken("c0"), *runs)


def test_a_fix_that_was_applied_and_nothing_else_is_no_past_of_the_code() -> None:
    """Its tree is known; on another one the person has worked since."""
    proved = ev.Proved(commit="fix", accepted=True, rows=())
    events = (taken("c0"), ran("red"), ran("green", "fix"), proved, taken("c1", "f"))
    later = (*events, ran("green", "c1"))
    assert [("t::a", 1, 1, 0, 2)] == ends(*later, trees={"fix": "f"})
    assert [("t::a", 1, 2, 0, 1)] == ends(*later, trees={"fix": "g"})


def test_trials_count_and_the_last_verdict_stands() -> None:
    """A kind that was found out is not forgotten."""
    flake = ev.Flake(test="t::a", kind=ev.FlakeKind.ORDER, evidence="red after t::b", runs=8, red=4)
    named = ran("green", flaky=("t::a",), flakes=(flake,))
    assert [("t::a", 5, 11, True, "order")] == past(ran("red"), named, ran("green"))
    proved = ev.Proved(commit="c0", accepted=True, rows=(), flaky=("t::a",))
    assert [("t::a", 5, 10, True, "order")] == past(ran("red"), named, proved)


def test_a_run_whose_outcomes_are_gone_tells_its_red_tests() -> None:
    """They stand in the event itself."""
    red = ev.FailingTest(id="t::z", fingerprint="f", error="e")
    assert [("t::z", 1, 1, False, "")] == past(ran("gone", red=(red,)))


def test_flaky_tests_come_first_then_the_most_recent() -> None:
    """Named in a proof counts as well."""
    reds = tuple(ev.FailingTest(id=f"t::{n}", fingerprint="f", error="e") for n in "xyz")
    proved = ev.Proved(commit="c0", accepted=True, rows=(), flaky=("t::y",))
    found = past(ran("gone", red=reds[:2]), proved, ran("gone", "c1", red=reds[2:]))
    assert ["t::y", "t::z", "t::x"] == [test for test, *_ in found]


def test_only_red_and_green_are_outcomes_of_a_stored_run() -> None:
    """A test that was skipped said nothing."""
    stored = run(
        failed("t::a"), *passed("t::b"), TestResult(id="t::c", outcome=CaseOutcome.SKIPPED)
    )
    assert {"t::a": True, "t::b": False} == outcomes_in(msgspec.json.encode(stored))
