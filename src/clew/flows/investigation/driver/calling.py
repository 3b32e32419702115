"""One call of an agent in a debug session, whatever its role: with what, and held to what."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from clew import agents, runners
from clew.agents.prompts import Brief
from clew.agents.roles import R, Role
from clew.flows.investigation.states import DebugState
from clew.sandbox import limits
from clew.sessions.calling import AgentCalling, hold
from clew.sessions.run import SessionRun
from clew.words.errors import ClewError
from clew.words.facts import Runner, TestCommand
from clew.words.records import AgentCall, AgentFailure, AgentOutcome

__all__ = ["called"]

NO_TESTS = TestCommand(runner=Runner.COMMAND, argv=("true",), source="none yet")

T = TypeVar("T", bound=AgentOutcome)


def called(
    run: SessionRun[DebugState],
    intent: AgentCall,
    role: Role[R],
    brief: Callable[[TestCommand, Path], Brief],
    told: Callable[[agents.Done[R], dict[str, Any]], T],
    *,
    laid: str = "",
) -> T | AgentFailure:
    """Have an agent do what a role asks for, held to what the role may change.

    `brief` is given how the tests run, and the worktree; `told` makes the outcome of the answer.
    The file `laid` is a copy that Clew put there.
    """
    worktree = run.repository.add_worktree(run.id, intent.base)
    settings = run.state.settings
    calling = AgentCalling(session=run, intent=intent, settings=settings, base=intent.base)

    def call(_: agents.Agent) -> agents.Call[R]:
        command = _command(run, worktree)
        return agents.Call(
            number=intent.call,
            role=role,
            brief=brief(command, worktree),
            site=runners.site_for(run.project, worktree, command, settings, run.scratch),
            limits=limits.for_agents(settings),
            scratch=run.scratch,
            seconds=min(
                run.state.seconds_left, settings.agent_timeout * role.time * intent.attempt
            ),
            idle_seconds=settings.agent_idle_timeout * intent.attempt,
        )

    def ask(agent: agents.Agent, call: agents.Call[R]) -> agents.Done[R]:
        return agent.do(call, run.watcher.tick)

    def held(done: agents.Done[R], around: dict[str, Any]) -> T:
        hold(run, role, intent.base, laid=laid)
        return told(done, around)

    return calling.settled(call, ask, held, lambda _, fields: AgentFailure(**fields))


def _command(run: SessionRun[DebugState], worktree: Path) -> TestCommand:
    """Return how tests are run here; of a project that has none yet, nothing that runs any."""
    try:
        return runners.command_of(run.project, worktree, run.state.settings, run.scratch)
    except ClewError:
        return NO_TESTS
