"""An investigator asked: a fresh context, and paths instead of contents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew import agents
from clew.agents.prompts import Brief, BriefSection, BriefText
from clew.agents.replies import InvestigateReply
from clew.agents.roles import INVESTIGATE
from clew.flows.investigation.driver.calling import called
from clew.flows.investigation.driver.documenting import path_of
from clew.flows.investigation.driver.offline import look_offline
from clew.flows.investigation.events import Investigated
from clew.flows.investigation.states import DebugState
from clew.sandbox.files import write_atomically
from clew.sessions.calling import kept
from clew.sessions.run import SessionRun
from clew.words.facts import TestCommand
from clew.words.records import AgentCall, AgentFailure

__all__ = ["investigate", "look_again"]

OUTPUT = 8_000  # characters of a reproduction's output, from its end


def investigate(run: SessionRun[DebugState], intent: AgentCall) -> Investigated | AgentFailure:
    """Have an agent look into the symptom; it may change nothing."""
    if intent.agent == agents.BUILT_IN:
        return look_offline(run, intent)

    def brief(command: TestCommand, worktree: Path) -> Brief:
        _lay_document(run, worktree)
        return _brief(run, command)

    def told(done: agents.Done[InvestigateReply], around: dict[str, Any]) -> Investigated:
        said = kept(run.store, done.said)
        return Investigated(agent=intent.agent, told=done.reply.told, reply=said, **around)

    laid = str(path_of(run).relative_to(run.project.root))
    return called(run, intent, INVESTIGATE, brief, told, laid=laid)


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


def _brief(run: SessionRun[DebugState], command: TestCommand) -> Brief:
    state, settings = run.state, run.state.settings
    return Brief(
        iteration=state.cycles,
        goal=f"debug {state.session.slug}: {state.aim}",
        command_line=" ".join(command.argv),
        folder=run.project.subdir,
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
        gone = "" if frame.line else ", not there any more"
        yield f"{frame.place}: {frame.code} (pasted as {frame.pasted}{gone})"
    for each in state.mapped.requests if state.mapped else ():
        request, status = each.request, each.request.status or "no status"
        yield f"{each.place}: the route of {request.method} {request.path} ({status})"


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
