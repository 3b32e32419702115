"""The agent's part of a phase: asked, held to its form, and committed as git sees it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from clew import agents, runners
from clew.agents.prompts import Brief, BriefSection, BriefText
from clew.agents.replies import ImplementReply
from clew.agents.roles import IMPLEMENT
from clew.flows.plan.phases.events import Implemented, Introduced
from clew.flows.plan.phases.states import PhaseWork
from clew.flows.plan.telling import criteria_text, phase_text
from clew.git.worktrees import ChangeKind, path_text
from clew.sandbox import limits
from clew.sessions.calling import AgentCalling, kept
from clew.words.errors import ClewError
from clew.words.facts import Runner, TestCommand
from clew.words.papers import without_papers
from clew.words.phases import DownstreamContext, downstream_context
from clew.words.plans import shown
from clew.words.records import AgentCall, AgentFailure
from clew.words.redaction import redacted

if TYPE_CHECKING:
    from clew.sessions.run import SessionRun

__all__ = ["implement", "look_again"]


def implement(run: SessionRun[PhaseWork], _: int, intent: AgentCall) -> Implemented | AgentFailure:
    """Have an agent do the work, and commit what truly changed; after a failure nothing is kept."""
    worktree = run.repository.add_worktree(run.id, intent.base)
    calling = AgentCalling(
        session=run, intent=intent, settings=run.state.request.settings, base=intent.base
    )

    def call(_: agents.Agent) -> agents.Call[ImplementReply]:
        return _call(run, intent, worktree)

    def ask(agent: agents.Agent, call: agents.Call[ImplementReply]) -> agents.Done[ImplementReply]:
        return agent.do(call, run.watcher.tick)

    def told(done: agents.Done[ImplementReply], around: dict[str, Any]) -> Implemented:
        said = kept(run.store, done.said)
        return msgspec.structs.replace(_implemented(run, intent, done.reply), reply=said, **around)

    return calling.settled(call, ask, told, lambda _, fields: AgentFailure(**fields))


def look_again(run: SessionRun[PhaseWork], _: int, intent: AgentCall) -> Implemented | None:
    """Find the commit of a call that was cut off; without one half its work is undone."""
    head = run.repository.head(run.id) if run.repository.worktree(run.id).is_dir() else ""
    if head and head != intent.base:
        reply = _reply_in(run.repository.message(head), intent)
        if reply is not None:
            return _told(run, intent, reply, head)
    if run.repository.worktree(run.id).is_dir():
        run.repository.reset(run.id, intent.base)
    run.sessions.store.clear_scratch(run.id)
    return None


def _call(
    run: SessionRun[PhaseWork], intent: AgentCall, worktree: Path
) -> agents.Call[ImplementReply]:
    settings = run.state.request.settings
    command = _command(run, worktree)
    site = runners.site_for(run.sessions.project, worktree, command, settings, run.scratch)
    return agents.Call(
        number=intent.call,
        role=IMPLEMENT,
        brief=_brief(run, command),
        site=site,
        limits=limits.for_agents(settings),
        scratch=run.scratch,
        seconds=settings.agent_timeout * IMPLEMENT.time * intent.attempt,
        idle_seconds=settings.agent_idle_timeout * intent.attempt,
    )


def _command(run: SessionRun[PhaseWork], worktree: Path) -> TestCommand:
    """Return how tests are run here; of a project that has none yet, nothing that runs any."""
    project, request = run.sessions.project, run.state.request
    try:
        return runners.detect(
            project.path,
            worktree / project.subdir,
            flag=None,
            settings=request.settings.test_command or request.test_command or None,
            junit=request.settings.junit,
            root=project.root,
            scratch=run.scratch,
        )
    except ClewError:
        return TestCommand(runner=Runner.COMMAND, argv=("true",), source="none yet")


def _brief(run: SessionRun[PhaseWork], command: TestCommand) -> Brief:
    request = run.state.request
    return Brief(
        iteration=len(run.state.errors) + 1,
        cap=request.max_retries + 1,
        goal=f"phase {shown(request.phase_id)} of the plan «{request.title}»: {request.phase.name}",
        command_line=" ".join(command.argv),
        folder=run.sessions.project.subdir,
        asked=tuple(_asked(run.state)),
        guidance=request.guidance,
        diff=without_papers(run.repository.diff(request.base, run.state.commit)),
        budget=request.settings.context_tokens,
        counter=request.settings.token_counter,
        templates=request.settings.prompts,
    )


def _asked(state: PhaseWork) -> Iterator[BriefText]:
    """Yield the phase, what it has to come to, what it builds on, and what went wrong before."""
    request, phase = state.request, state.request.phase
    label = f"phase {shown(phase.id)} in {request.plan}"
    yield BriefText(
        section=BriefSection.TASK, label=label, text=phase_text(phase, request.plan_goal)
    )
    criteria = criteria_text(phase)
    yield BriefText(section=BriefSection.CRITERIA, label="criteria", text=criteria)
    for told in request.introduced:
        text = _introduced(told)
        yield BriefText(section=BriefSection.HANDED_ON, label=f"phase {told.phase}", text=text)
    if request.delivered:
        label, text = "what was delivered", request.delivered
        yield BriefText(section=BriefSection.HANDED_ON, label=label, text=text)
    for number, text in enumerate(request.learned, 1):
        yield BriefText(section=BriefSection.LEARNED, label=f"learning {number}", text=text)
    for number, error in enumerate(state.errors, 1):
        yield BriefText(section=BriefSection.EARLIER, label=f"attempt {number}", text=error.message)


def _introduced(told: Introduced) -> str:
    """Return what a phase hands on, one line a thing; what is empty is left out."""
    context = downstream_context(told.downstream_context)
    rows = [("name", told.name), ("files", ", ".join(told.files)), ("summary", told.summary or "")]
    rows += [(name.replace("_", " "), "; ".join(getattr(context, name))) for name in _HANDED_ON]
    return "\n".join(f"{name}: {text}" for name, text in rows if text)


_HANDED_ON = DownstreamContext.__struct_fields__


def _implemented(
    run: SessionRun[PhaseWork], intent: AgentCall, reply: ImplementReply
) -> Implemented:
    message = f"{reply.summary.splitlines()[0][:72]}\n\n{_trailer(intent, reply)}"
    commit = run.repository.commit(run.id, redacted(message), onto=intent.base)
    return _told(run, intent, reply, commit.id if commit else "")


def _told(
    run: SessionRun[PhaseWork], intent: AgentCall, reply: ImplementReply, commit: str
) -> Implemented:
    changes = run.repository.changed(intent.base, commit) if commit else ()

    def of(kind: ChangeKind) -> tuple[str, ...]:
        return tuple(path_text(change.path) for change in changes if change.kind is kind)

    return Implemented(
        agent=intent.agent,
        status=reply.status,
        summary=reply.summary,
        commit=commit,
        created=of(ChangeKind.CREATED),
        modified=of(ChangeKind.MODIFIED),
        deleted=of(ChangeKind.DELETED),
        reported=reply.files_modified,
        decisions=reply.decisions,
        concerns=reply.concerns,
        blockers=reply.blockers,
        downstream_context=msgspec.to_builtins(reply.context),
    )


def _trailer(intent: AgentCall, reply: ImplementReply) -> str:
    """Return what tells in a commit whose work it is, so that it is found after a crash."""
    told = msgspec.json.encode(reply).decode()
    return f"Clew-Call: {intent.call}\nClew-Reply: {told}\n"


def _reply_in(message: str, intent: AgentCall) -> ImplementReply | None:
    _, found, told = message.partition(f"Clew-Call: {intent.call}\nClew-Reply: ")
    if not found:
        return None
    try:
        return msgspec.json.decode(told.strip(), type=ImplementReply)
    except msgspec.DecodeError:
        return None
