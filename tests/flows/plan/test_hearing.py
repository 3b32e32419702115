"""What a person says to a plan while another process works on it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clew.flows.plan import working
from clew.flows.plan.driver.hearing import PlanRequest, RequestHearing, ask_holder
from clew.flows.plan.events import PlanAnswered, PlanBounded
from clew.flows.plan.states import PlanState
from clew.git.project import Project
from clew.journal.store import Store
from clew.sessions import UNWATCHED, ProjectSessions
from clew.words.errors import SessionHeld, UsageError
from clew.words.phases import PhaseStatus
from planflow import PlanPlay, phase, plan_of
from projects import write


@dataclass
class AtWork:
    """A plan that another process works on: the first of its phases failed, the second runs."""

    sessions: ProjectSessions
    play: PlanPlay
    id: str = "s"

    @property
    def state(self) -> PlanState:
        return self.play.state

    @property
    def store(self) -> Store:
        return self.sessions.store

    @property
    def project(self) -> Project:
        return self.sessions.project

    def record(self, event: Any) -> int:  # noqa: ANN401 - of plans
        return self.play.record(event)

    def says(self, answer: PlanAnswered) -> PlanState:
        """Say it from elsewhere, and return what is seen there."""
        request = PlanRequest(answer=answer)
        return self.hears(ask_holder, self.store, self.id, request, lambda: self.play.state)

    def hears(self, ask: Callable[..., PlanState], *words: Any) -> PlanState:  # noqa: ANN401 - as it takes
        """Hear what is asked from elsewhere, and return what is seen there."""
        hearing = RequestHearing(self)  # type: ignore[arg-type]
        with ThreadPoolExecutor(1) as pool:
            seen: Future[PlanState] = pool.submit(ask, *words)
            while not seen.done():
                if event := hearing.poll():
                    self.record(event)
        return seen.result()


@pytest.fixture
def at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AtWork:
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    sessions = ProjectSessions.at(write(tmp_path / "project", {"a.py": ""}))
    sessions.store.create()
    play = PlanPlay(plan_of(phase(1), phase(2), phase(3, 1)))
    play.routine()
    play.end_child(play.children()[1], "failed", gates="lint: FAIL", work="w")
    play.routine()
    return AtWork(sessions, play)


def test_the_process_at_work_takes_an_answer(at_work: AtWork) -> None:
    """What waits for it begins, and what runs goes on."""
    seen = at_work.says(PlanAnswered(id="q1", option="skip"))
    assert PhaseStatus.SKIPPED is seen.phase(1).status
    at_work.play.routine()
    assert {2, 3} == set(at_work.play.children())


def test_an_answer_is_taken_with_the_gates_of_now(at_work: AtWork) -> None:
    """What a person says of a phase comes before what other gates say of its work."""
    (at_work.project.root / "clew.toml").write_text('[gates]\nlint = "true"\n')
    seen = at_work.says(PlanAnswered(id="q1", option="retry", text="in cents"))
    assert {"lint": "true"} == seen.settings.gates
    assert [()] == [e.judged_anew for e in at_work.play.events if isinstance(e, PlanBounded)]
    assert ("", ("in cents",)) == (seen.phase(1).work, seen.phase(1).guidance)


def test_the_process_at_work_judges_anew_what_other_gates_refused(
    at_work: AtWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the command that the question names; its agent is not called again."""
    monkeypatch.setattr(working, "load_plan", lambda *_: at_work.state)
    resume = functools.partial(working.resume, at_work.sessions, at_work.id, UNWATCHED, {})
    with at_work.store.hold(at_work.id):
        with pytest.raises(SessionHeld):
            resume()
        (at_work.project.root / "clew.toml").write_text('[gates]\nlint = "true"\n')
        seen = at_work.hears(resume)
    assert {"lint": "true"} == seen.settings.gates
    assert (None, "w", True) == (seen.question, seen.phase(1).work, seen.phase(1).again)


def test_an_answer_to_what_was_settled_meanwhile_is_refused(at_work: AtWork) -> None:
    """Nothing is done, and whoever gave it learns why."""
    with pytest.raises(UsageError, match="settled already"):
        at_work.says(PlanAnswered(id="q7", option="skip"))
    assert at_work.play.state.question is not None


def test_the_process_at_work_outlives_settings_that_cannot_be_read(at_work: AtWork) -> None:
    """It says so to whoever answered."""
    (at_work.project.root / "clew.toml").write_text("[gates\n")
    with pytest.raises(UsageError, match=r"clew\.toml"):
        at_work.says(PlanAnswered(id="q1", option="retry"))
    assert at_work.play.state.question is not None
