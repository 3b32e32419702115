"""Runs for the sake of knowing more: within the seconds that a budget leaves."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from clew.analysis.flakes import Chance, FlakeTrial, Word
from clew.flows.debugging.driver import asking, checkouts, resampling, tracing
from clew.flows.debugging.driver.chance import ChanceSources
from clew.runners import Request
from clew.sandbox import limits
from clew.words import events as ev
from clew.words.facts import Phase, TestRun, Verdict
from clew.words.models import AgentRole
from clew.words.settings import Settings
from sessionplay import COMMAND


class Bench(SimpleNamespace):
    """Stands for a debug run whose session has so many seconds left."""

    def __init__(self, left: float, monkeypatch: pytest.MonkeyPatch) -> None:
        state = SimpleNamespace(
            head="c",
            calls=0,
            diagnoses=(),
            counter=1,
            cap=3,
            failures=0,
            doing=None,
            diagnosed=None,
        )
        state.kept = SimpleNamespace(command=COMMAND)
        state.overall, state.agent, state.agent_errors = 1, "a", ()
        state.session = SimpleNamespace()
        state.settings = Settings(agent_timeout=900.0, search_seconds=120.0, agent_retries=1)
        put_back = SimpleNamespace(reset=lambda *_: None, files=lambda _: ())
        super().__init__(
            state=state,
            traced={},
            id="s",
            settings=state.settings,
            worktree=Path(),
            repository=put_back,
            watcher=SimpleNamespace(tick=lambda _: None),
            asked=[],
            at_once=lambda _: False,
            all_tests=(),
        )
        for module in (asking, resampling, tracing):
            monkeypatch.setattr(module, "seconds_left", lambda _: left)

    def report(self, _: Path, request: Request, *, most: float) -> SimpleNamespace:
        """Remember what was asked, and fail as a run that is cut off."""
        self.asked.append((request.trace, most))
        return SimpleNamespace(
            coverage=None, run=TestRun(verdict=Verdict.DID_NOT_RUN, command=COMMAND), copies=()
        )


RAN = TestRun(verdict=Verdict.FAILED, command=COMMAND)


@pytest.mark.parametrize(("left", "asked"), [(7.0, [(True, 7.0)]), (0.0, [])])
def test_a_suite_is_traced_within_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch, left: float, asked: list[tuple[bool, float]]
) -> None:
    """A budget bounds it as any other run; once it is spent, nothing is traced."""
    bench: Any = Bench(left, monkeypatch)
    tracing.trace(bench, RAN)
    assert asked == bench.asked


def test_red_tests_are_run_again_within_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many seconds the settings would give."""
    red = SimpleNamespace(id="t::a", phase=Phase.CALL)
    bench: Any = Bench(7.0, monkeypatch)
    seconds = list[float]()

    def ended(_workshop: object, _suite: object, _order: object, most: float) -> None:
        seconds.append(most)
        raise SystemExit

    monkeypatch.setattr(resampling, "_traced", ended)
    suite: Any = SimpleNamespace(red=(red,), command=COMMAND, seconds=1.0)
    with pytest.raises(SystemExit):
        resampling.resampled(bench, suite, suite)
    assert [7.0] == seconds


def test_red_tests_are_run_again_beside_the_traced_run_in_a_checkout_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where two runs may go on at the same time; no run of its own follows."""
    red = SimpleNamespace(id="t::a", phase=Phase.CALL, hung=False, crash=None)
    bench: Any = Bench(7.0, monkeypatch)
    bench.at_once, bench.project = lambda _: True, SimpleNamespace(subdir=".")
    made, gone, ran = list[str](), list[tuple[str, ...]](), list[tuple[Path, bool]]()
    beside = Path("/beside")

    def checkout(_bench: object, _commit: str, name: str) -> Path:
        made.append(name)
        return beside

    def report(place: Path, request: Request, *, most: float) -> SimpleNamespace:
        ran.append((place, request.trace))
        run = SimpleNamespace(red=(red,), passed=frozenset())
        return SimpleNamespace(coverage=None, run=run, copies=())

    monkeypatch.setattr(checkouts, "checkout", checkout)
    monkeypatch.setattr(checkouts, "clear", lambda _, names: gone.append(names))
    monkeypatch.setattr(resampling, "fingerprint_of", lambda _: "same")
    monkeypatch.setattr(resampling, "out_of_reach", lambda *_: frozenset())
    monkeypatch.setattr(ChanceSources, "shown", lambda *_: {})
    bench.report = report
    suite: Any = SimpleNamespace(red=(red,), results=(red,), command=COMMAND, seconds=0.1)

    words = resampling.resampled(bench, suite, suite).words

    assert [(Path(), True), (beside, False)] == sorted(ran)
    assert ["again"] == made
    assert [("again",)] == gone
    assert (3, 3) == (words["t::a"].runs, words["t::a"].red)


@pytest.mark.parametrize("hung", [True, False])
def test_where_a_hang_was_stopped_is_no_sign_of_chance(
    monkeypatch: pytest.MonkeyPatch, *, hung: bool
) -> None:
    """Another place is one where tests ended by themselves."""
    runs = [
        SimpleNamespace(id="t::a", phase=Phase.CALL, hung=hung, crash=None, mark=m) for m in "ab"
    ]
    bench: Any = Bench(7.0, monkeypatch)
    bench.project = SimpleNamespace(subdir=".")
    monkeypatch.setattr(resampling, "fingerprint_of", lambda result: result.mark)
    monkeypatch.setattr(resampling, "out_of_reach", lambda *_: frozenset())
    monkeypatch.setattr(ChanceSources, "shown", lambda *_: {})
    suite, again = (
        SimpleNamespace(red=(red,), results=(red,), command=COMMAND, seconds=1.0) for red in runs
    )

    touched = resampling.resampled(bench, cast("Any", suite), cast("Any", again)).touched

    assert (Chance.UNSEEN in touched["t::a"]) is not hung


@pytest.mark.parametrize(("error", "runs"), [("TypeError", 3), ("AssertionError", 47)])
def test_a_wrong_type_is_a_fault_though_the_code_asks_for_the_time(
    monkeypatch: pytest.MonkeyPatch, error: str, runs: int
) -> None:
    """It took 46 runs more to tell that naive and aware times cannot be compared."""
    red = SimpleNamespace(
        id="t::a", phase=Phase.CALL, hung=False, crash=SimpleNamespace(type=error)
    )
    bench: Any = Bench(7.0, monkeypatch)
    bench.project = SimpleNamespace(subdir=".")
    drawn = FlakeTrial(red=frozenset({"t::a"}), green=frozenset())
    monkeypatch.setattr(resampling, "fingerprint_of", lambda _: "same")
    monkeypatch.setattr(resampling, "out_of_reach", lambda *_: frozenset())
    monkeypatch.setattr(ChanceSources, "shown", lambda *_: {})
    monkeypatch.setattr(ChanceSources, "of", lambda *_: frozenset({Chance.CLOCK}))
    monkeypatch.setattr(
        resampling, "_drawn", lambda _bench, _suite, draws, _left: (drawn,) * draws.copies
    )
    suite: Any = SimpleNamespace(red=(red,), results=(red,), command=COMMAND, seconds=1.0)

    words = resampling.resampled(bench, suite, suite).words

    assert (Word.FAULT, runs) == (words["t::a"].word, words["t::a"].runs)


def test_an_agent_is_given_the_time_that_tracing_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """What its brief took is gone, and a call that comes too late is still one."""
    bench: Any = Bench(100.0, monkeypatch)
    vars(bench).update(
        standing=RAN, site=lambda _: None, scratch=Path(), mark="", modules=frozenset()
    )
    bench.pulse = SimpleNamespace(touch=lambda: None)
    clock = iter((0.0, 60.0, 0.0, 500.0))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(asking, "brief_for", lambda *_, **__: SimpleNamespace())
    monkeypatch.setattr(limits, "for_agents", lambda _: None)
    for name in ("tokens_left", "forbidden", "made", "refused"):
        monkeypatch.setattr(asking, name, lambda _: ())
    agent: Any = SimpleNamespace(reads_files=True)
    calls = [
        asking._call(
            bench,
            ev.CallAgent(
                role=AgentRole.DIAGNOSE, iteration=1, agent="a", attempt=number, call=number
            ),
            agent,
        )
        for number in (1, 2)
    ]
    assert [40.0, 1.0] == [call.seconds for call in calls]
    assert [40.0, 1.0] == [call.failing.search_seconds for call in calls if call.failing]
