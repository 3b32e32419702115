"""An investigator asked: a fresh context, and paths instead of contents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew import agents, runners
from clew.agents.prompts import Brief, BriefSection, BriefText
from clew.agents.replies import InvestigateReply
from clew.agents.roles import INVESTIGATE
from clew.flows.investigation.driver.documenting import path_of
from clew.flows.investigation.driver.offline import look_offline
from clew.flows.investigation.events import Investigated
from clew.flows.investigation.states import DebugState
from clew.sandbox import limits
from clew.sandbox.files import write_atomically
from clew.sessions.calling import AgentCalling, hold, kept
from clew.sessions.run import SessionRun
from clew.words.facts import Runner, TestCommand
from clew.words.records import AgentCall, AgentFailure

__all__ = ["investigate", "look_again"]

NO_TESTS = TestCommand(runner=Runner.COMMAND, argv=("true",), source="none")
OUTPUT = 8_000  # characters of a reproduction's output, from its end


def investigate(run: SessionRun[DebugState], intent: AgentCall) -> Investigated | AgentFailure:
    """Have an agent look into the symptom; it may change nothing."""
    if intent.agent == agents.BUILT_IN:
        return look_offline(run, intent)
    worktree = run.repository.add_worktree(run.id, intent.base)
    settings = run.state.settings
    calling = AgentCalling(session=run, intent=intent, settings=settings, base=intent.base)

    def call(_: agents.Agent) -> agents.Call[InvestigateReply]:
        _lay_document(run, worktree)
        return agents.Call(
            number=intent.call,
            role=INVESTIGATE,
            brief=_brief(run),
            site=runners.site_for(run.project, worktree, NO_TESTS, settings, run.scratch),
            limits=limits.for_agents(settings),
            scratch=run.scratch,
            seconds=settings.agent_timeout * INVESTIGATE.time * intent.attempt,
            idle_seconds=settings.agent_idle_timeout * intent.attempt,
        )

    def ask(
        agent: agents.Agent, call: agents.Call[InvestigateReply]
    ) -> agents.Done[InvestigateReply]:
        return agent.do(call, run.watcher.tick)

    def told(done: agents.Done[InvestigateReply], around: dict[str, Any]) -> Investigated:
        hold(run, INVESTIGATE, intent.base)
        said = kept(run.store, done.said)
        return Investigated(agent=intent.agent, told=done.reply.told, reply=said, **around)

    return calling.settled(call, ask, told, lambda _, fields: AgentFailure(**fields))


def look_again(run: SessionRun[DebugState], _: int, intent: AgentCall) -> None:
    """Undo what a call that was cut off did: it answered nobody, and is asked anew."""
    if run.repository.worktree(run.id).is_dir():
        run.repository.reset(run.id, intent.base)
    run.store.clear_scratch(run.id)


def _lay_document(run: SessionRun[DebugState], worktree: Path) -> None:
    """Put the document where it lies in the project, and git ignores it."""
    source = path_of(run)
    target = worktree / source.relative_to(run.project.root)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, source.read_bytes())


def _brief(run: SessionRun[DebugState]) -> Brief:
    state, settings = run.state, run.state.settings
    return Brief(
        iteration=state.cycles,
        goal=f"debug {state.session.slug}: {state.aim}",
        asked=tuple(_asked(run)),
        known=state.known or (),
        errors=tuple(_frames(state)),
        complaint=state.complaint,
        budget=settings.context_tokens,
        counter=settings.token_counter,
        templates=settings.prompts,
    )


def _frames(state: DebugState) -> Iterator[str]:
    """Yield a line for each frame of the pasted traceback, at its place of today."""
    for frame in state.mapped.frames if state.mapped else ():
        line = frame.line or "not there any more"
        yield f"{frame.path}:{line} in {frame.function}: {frame.code} (pasted as {frame.pasted})"


def _asked(run: SessionRun[DebugState]) -> Iterator[BriefText]:
    """Yield where the document is, what was seen, what reproduces it, and what a person said."""
    state = run.state
    mode = {
        "document": state.session.document,
        "trigger": state.session.trigger,
        "goal": str(state.aim),
        "tdd_mode": state.session.tdd,
    }
    told = ((name, json.dumps(value, ensure_ascii=False)) for name, value in mode.items())
    text = "\n".join(f"{name}: {value}" for name, value in told)
    yield BriefText(section=BriefSection.TASK, label="session", text=text)
    shown = state.reproduced
    if shown is not None:
        output = run.store.get(shown.output).decode("utf-8", "replace") if shown.output else ""
        how = f"$ {shown.command}\nexit code: {shown.exit_code} ({shown.failed} of {shown.runs})"
        text = f"{how}\n{shown.why_not}{output[-OUTPUT:]}"
        yield BriefText(section=BriefSection.FAILURE, label="reproduction", text=text)
    for number, said in enumerate(state.words, 1):
        label = f"answer {number}, about {said.about}"
        yield BriefText(section=BriefSection.EARLIER, label=label, text=said.text)
