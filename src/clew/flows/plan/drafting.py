"""A plan that an agent proposes: held to the rules, and written as a draft that nothing runs."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from clew import agents
from clew.agents.prompts import Brief, BriefSection, BriefText
from clew.agents.replies import PlanReply
from clew.agents.roles import wished
from clew.documents.plans import design_text, write
from clew.flows.plan.decisions.naming import agent_named, model_named
from clew.flows.plan.driver import FLOW, PlanRun
from clew.flows.plan.driver.asking import AsideCaller, ask_aside
from clew.flows.plan.driver.planning import ensure_sound, plan_brief, refused
from clew.flows.plan.events import PlanProposed
from clew.sandbox.files import create_exclusively
from clew.sessions.layouts import PlanPlaces, ProjectLayout
from clew.words.errors import AgentFailed, UsageError
from clew.words.facts import BUILT_IN, Fact, Tick, Usage
from clew.words.models import AgentRole
from clew.words.plans import DRAFT, Plan
from clew.words.records import AgentCall, AgentFailure
from clew.words.retry_policy import Reaction, follow
from clew.words.slugs import slug

if TYPE_CHECKING:
    from clew.sessions import ProjectSessions, Watcher
    from clew.words.settings import Settings

__all__ = ["PlanDraft", "draft"]

LONGEST = 40  # characters of a file's name


class PlanDraft(Fact, frozen=True, kw_only=True):
    """A plan that an agent proposed; it is at `path`, its design at `design`, if it has one."""

    agent: str
    path: str
    design: str = ""
    attempts: int
    usage: Usage  # of all attempts


def draft(
    sessions: ProjectSessions,
    settings: Settings,
    goal: str,
    watcher: Watcher,
    *,
    path: Path | None = None,
) -> PlanDraft:
    """Have an agent propose a plan for a goal; write it to `path`, or below `plans`, as a draft.

    A proposal that breaks a rule goes back to the agent with what is wrong, as often as a call may
    be tried again. Nothing is run, nothing approved. Raises UsageError, and AgentFailed.
    """
    if not goal.strip():
        raise UsageError("the goal is empty", hint='Say what to build: `clew plan draft "…"`.')
    if path is not None and os.path.lexists(path):
        raise _taken(path)
    chosen = agent_named(AgentRole.PLAN, settings)
    if chosen == BUILT_IN:
        raise UsageError(
            "no agent can write a plan: the built-in repairer only mends tests",
            hint="Name one: `--agent claude` (`clew agents` lists those here).",
        )
    agents.check(replace(settings, agent=(chosen,)), sessions.project)
    run = PlanRun(sessions=sessions, id=f"draft-{secrets.token_hex(4)}", flow=FLOW, watcher=watcher)
    aside = AsideCaller(run, "plan")
    try:
        drafting = _Drafting(aside, settings, goal, chosen)
        found = drafting.proposed()
    finally:
        sessions.repository.forget(aside.id)
        sessions.store.clear_scratch(run.id)
    layout = ProjectLayout(sessions.project.path, settings.layout)
    written, beside = _written(layout, sessions.project.path, found, chosen, path)
    return PlanDraft(
        agent=chosen,
        path=str(written),
        design=str(beside or ""),
        attempts=drafting.attempts,
        usage=Usage.total(drafting.usages),
    )


class _Drafting:
    """Calls of an agent until a plan of it keeps to the rules."""

    def __init__(self, aside: AsideCaller, settings: Settings, goal: str, agent: str) -> None:
        self.attempts = 0
        self.usages: list[Usage] = []
        self._aside, self._settings, self._goal = aside, settings, goal
        self._agent = agent
        self._refused: list[Plan] = []
        self._wrong: list[str] = []

    def proposed(self) -> PlanProposed:
        """Return a plan that keeps to the rules. Raises AgentFailed."""
        base = self._aside.repository.glimpse(self._aside.id).commit
        while True:
            self.attempts += 1
            told = f"{self._agent} is asked for a plan, attempt {self.attempts}"
            self._aside.watcher.tick(Tick(phase="plan", text=told))
            outcome = ask_aside(
                self._aside, self._call(base), self._settings, self._brief, self._told
            )
            self.usages.append(outcome.usage)
            if not isinstance(outcome, AgentFailure):
                return outcome
            self._wrong.append(outcome.message)
            told = f"the answer cannot be used: {outcome.message}"
            self._aside.watcher.tick(Tick(phase="plan", text=told))
            tries = self.attempts <= self._settings.agent_retries
            if not (tries and follow(outcome.kind) in (Reaction.AGAIN, Reaction.ONCE)):
                raise AgentFailed(
                    f"{self._agent} drafted no plan: {outcome.message}",
                    kind=outcome.kind,
                    hint="Say more in the goal, or name another agent: `clew agents` lists them.",
                )

    def _call(self, base: str) -> AgentCall:
        settings, role = self._settings, AgentRole.PLAN
        return AgentCall(
            role=role,
            agent=self._agent,
            attempt=self.attempts,
            call=self.attempts,
            base=base,
            model=model_named(role, settings)
            or wished(role, settings.profile, settings.models, 0, self._agent),
        )

    def _brief(self) -> Brief:
        return plan_brief(
            self._settings,
            "a plan for what is asked for",
            self._asked(),
            attempt=self.attempts,
            complaint=self._wrong[-1] if self._wrong and not self._refused else "",
        )

    def _asked(self) -> Iterator[BriefText]:
        yield BriefText(section=BriefSection.TASK, label="goal", text=self._goal)
        for number, plan in enumerate(self._refused, 1):
            yield from refused(plan, self._wrong[-1], number)

    def _told(self, reply: PlanReply, around: dict[str, Any]) -> PlanProposed:
        try:
            plan = ensure_sound(reply.plan, self._settings)
        except AgentFailed:
            self._refused = [reply.plan]  # the newest is shown again
            raise
        return PlanProposed(agent=self._agent, plan=plan, design=reply.design, **around)


def _written(
    layout: ProjectLayout, folder: Path, found: PlanProposed, author: str, path: Path | None
) -> tuple[Path, Path | None]:
    """Write a plan, and its design beside it, where no file is yet; return their paths."""
    named = slug(found.plan.title, most=LONGEST) or "plan"
    own = [PlanPlaces(path, path.with_name(f"{path.stem}-design.md"))] if path else None
    for place, design in own or layout.plans(named, datetime.now(UTC).date()):
        beside = design if found.design else None
        if os.path.lexists(place) or (beside and os.path.lexists(beside)):
            continue
        named_design = os.path.relpath(beside, folder) if beside else ""
        plan = replace(found.plan, design=named_design, extra={"status": DRAFT})
        try:
            if beside and found.design:
                text = design_text(plan.title, found.design, author, datetime.now(UTC))
                create_exclusively(beside, text.encode())
            create_exclusively(place, write(plan).encode())
        except FileExistsError as error:
            raise _taken(place) from error
        except OSError as error:
            told = f"{place} cannot be written: {error.strerror}"
            raise UsageError(told, hint="Name another place with `-o`.") from error
        return place, beside
    raise _taken(path or folder)


def _taken(path: Path) -> UsageError:
    told = f"{path} is there already, and was left alone"
    return UsageError(told, hint="Name another file with `-o`.")
