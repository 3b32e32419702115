"""Agents asked beside a plan's work: in a worktree of their own, in which they change nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from clew import agents, runners
from clew.agents.prompts import Brief
from clew.agents.roles import ROLES
from clew.git.worktrees import PrivateRepository
from clew.sandbox import limits
from clew.sessions.calling import AgentCalling, hold, kept
from clew.words.facts import Runner, TestCommand
from clew.words.records import AgentCall, AgentFailure, AgentOutcome
from clew.words.settings import Settings

if TYPE_CHECKING:
    from clew.git.project import Project
    from clew.journal.store import Store
    from clew.sessions import Watcher
    from clew.sessions.run import SessionRun

__all__ = ["AsideCaller", "ask_aside"]

NO_TESTS = TestCommand(runner=Runner.COMMAND, argv=("true",), source="none")

T = TypeVar("T", bound=AgentOutcome)


@dataclass(frozen=True)
class AsideCaller:
    """A plan's session as a call sees it that is made beside its work: in a worktree of its own.

    It appends nothing to the journal: that is for who holds the session.
    """

    run: SessionRun[Any]
    purpose: str
    conversation: str = ""

    @property
    def id(self) -> str:
        return f"{self.run.id}-{self.purpose}"

    @property
    def project(self) -> Project:
        return self.run.project

    @property
    def store(self) -> Store:
        return self.run.store

    @property
    def repository(self) -> PrivateRepository:
        return self.run.repository

    @property
    def watcher(self) -> Watcher:
        return self.run.watcher

    @property
    def state(self) -> AsideCaller:
        return self

    @property
    def mark(self) -> str:
        return self.run.mark

    @property
    def scratch(self) -> Path:
        return self.run.scratch

    @property
    def pulse(self) -> Path:
        return self.run.pulse

    def record(self, _: object) -> int:
        return 0


def ask_aside(
    aside: AsideCaller,
    intent: AgentCall,
    settings: Settings,
    brief: Callable[[], Brief],
    told: Callable[[Any, dict[str, Any]], T],
) -> T | AgentFailure:
    """Have an agent answer in a role that changes nothing; what it changed all the same is undone.

    `told` makes the outcome of its reply, with the fields that every outcome has; it raises
    AgentFailed for a reply that cannot be used.
    """
    role = ROLES[intent.role]
    worktree = aside.repository.add_worktree(aside.id, intent.base)
    calling = AgentCalling(session=aside, intent=intent, settings=settings, base=intent.base)

    def call(_: agents.Agent) -> agents.Call[Any]:
        scratch = aside.scratch
        return agents.Call(
            number=intent.call,
            role=role,
            brief=brief(),
            site=runners.site_for(aside.project, worktree, NO_TESTS, settings, scratch),
            limits=limits.for_agents(settings),
            scratch=scratch,
            seconds=settings.agent_timeout * role.time * intent.attempt,
            idle_seconds=settings.agent_idle_timeout * intent.attempt,
        )

    def ask(agent: agents.Agent, call: agents.Call[Any]) -> agents.Done[Any]:
        return agent.do(call, aside.watcher.tick)

    def heard(done: agents.Done[Any], around: dict[str, Any]) -> T:
        hold(aside, role, intent.base)
        return told(done.reply, around | {"reply": kept(aside.store, done.said)})

    try:
        return calling.settled(call, ask, heard, lambda _, fields: AgentFailure(**fields))
    finally:
        aside.repository.remove(worktree, even_dirty=True)
