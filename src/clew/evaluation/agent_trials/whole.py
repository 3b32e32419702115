"""The whole loop on one planted fault: diagnosis, fix, tests, proof."""

from __future__ import annotations

import time
from pathlib import Path

from msgspec.structs import replace

from clew.analysis.spending import Tally, by_agent, total
from clew.evaluation.agent_trials.scratch import from_elsewhere, laid, scratch, tests
from clew.flows.debugging import working
from clew.flows.debugging.states import State
from clew.journal.store import Store
from clew.sessions import ProjectSessions, Watcher
from clew.words import events as ev
from clew.words.facts import Fact
from clew.words.settings import Settings

__all__ = ["AgentTrial", "attempt"]

ITERATIONS = 2


class AgentTrial(Fact, frozen=True, kw_only=True):
    """What came of a trial."""

    agent: str
    mended: bool  # and proven
    end: str  # in a word or a sentence
    solved_by: tuple[str, ...] = ()
    iterations: int = 0
    seconds: float = 0.0  # of all of it
    agent_seconds: float = 0.0  # of the agent's calls
    calls: int = 0
    tally: Tally = Tally()
    failures: tuple[str, ...] = ()  # of calls, in their words
    sandbox: str = ""

    @property
    def good(self) -> bool:
        """Whether the agent did well."""
        return self.mended


def attempt(name: str, settings: Settings, watcher: Watcher, at: Path) -> AgentTrial:
    """Have one agent mend the fault, with a person's settings but for the ladder and the tests.

    The agent is named as in the folder `at`. Raises UsageError for one that is not there.
    """
    asked, settings = from_elsewhere(name, settings, at)
    settings = replace(
        tests(settings),
        agent=(asked,),
        review="",
        challenge="",
        document="",
        ladder={},
        max_iterations=ITERATIONS,
    )
    began = time.monotonic()
    with scratch() as folder:
        sessions = ProjectSessions(laid(folder / "till"), Store(folder / "state"))
        working.check_settings(settings, sessions.project)
        state = working.start(sessions, settings, watcher, ())
    return _told(name, state, time.monotonic() - began)


def _told(name: str, state: State, seconds: float) -> AgentTrial:
    mended = state.status is ev.Status.GREEN
    last = state.history[-1] if state.history else None
    end = f"{last.result}{f': {last.note}' if last.note else ''}" if last else str(state.status)
    return AgentTrial(
        agent=name,
        mended=mended,
        end="fixed, and proven" if mended else end,
        solved_by=state.solvers,
        iterations=state.overall,
        seconds=seconds,
        agent_seconds=sum(call.seconds for call in state.settled),
        calls=len(state.settled),
        tally=total(by_agent(state.usages).values()),
        failures=tuple(f"{e.role}: {e.kind}: {e.message}" for e in state.agent_errors),
        sandbox=state.baseline.sandbox if state.baseline else "",
    )
