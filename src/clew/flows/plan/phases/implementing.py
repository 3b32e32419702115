"""The agent's part of a phase: asked, held to its form, and committed as git sees it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clew import agents, runners
from clew.agents.prompts import Brief, BriefSection, BriefText
from clew.agents.replies import ImplementReply
from clew.agents.roles import IMPLEMENT
from clew.analysis.spending import priced
from clew.flows.plan.phases.events import AskImplementer, Implemented, ImplementerErred, Introduced
from clew.flows.plan.phases.states import PhaseWork
from clew.git.worktrees import Kind, spelled
from clew.sandbox import limits
from clew.words.errors import AgentFailed, ClewError, UsageError
from clew.words.facts import Runner, TestCommand, Tick, Usage
from clew.words.papers import without_papers
from clew.words.phases import DownstreamContext, downstream_context
from clew.words.plans import Criterion, PlanPhase, shown
from clew.words.redaction import redacted

if TYPE_CHECKING:
    from clew.sessions.run import SessionRun

__all__ = ["implement", "look_again", "phase_text"]

LONGEST = 20_000  # characters of one text that an agent gives


def implement(
    run: SessionRun[PhaseWork], _: int, intent: AskImplementer
) -> Implemented | ImplementerErred:
    """Have an agent do the work, and commit what truly changed; after a failure nothing is kept."""
    started, repository = time.monotonic(), run.repository
    run.watcher.tick(Tick(phase="implement", text=intent.agent))
    worktree = repository.add_worktree(run.id, intent.base)
    repository.reset(run.id, intent.base)
    sent: list[str] = []
    settings = run.state.request.settings
    try:
        name, model = agents.with_model(intent.agent, intent.model, settings)
        agent = _agent(run, name)
        call = _call(run, intent, worktree, model, sent)
        done = agent.do(call, run.watcher.tick)
    except AgentFailed as error:
        repository.reset(run.id, intent.base)
        return ImplementerErred(
            agent=intent.agent,
            kind=error.kind,
            message=redacted(ClewError(error.message, hint=error.hint).whole)[:LONGEST],
            usage=priced(error.usage or Usage(), intent.agent, settings.prices),
            seconds=time.monotonic() - started,
            prompt=_kept(run, "".join(sent[-1:])),
            after=error.after,
        )
    usage = priced(done.usage, intent.agent, settings.prices)
    return msgspec.structs.replace(
        _implemented(run, intent, done.reply, usage),
        prompt=_kept(run, done.prompt),
        reply=_kept(run, done.said),
        seconds=time.monotonic() - started,
        model=model,
    )


def look_again(
    run: SessionRun[PhaseWork], _: int, intent: AskImplementer
) -> Implemented | ImplementerErred | None:
    """Find the commit of a call that was cut off; without one half its work is undone."""
    head = run.repository.head(run.id) if run.repository.worktree(run.id).is_dir() else ""
    if head and head != intent.base:
        reply = _reply_in(run.repository.message(head), intent)
        if reply is not None:
            return _told(run, intent, reply, Usage(), head)
    if run.repository.worktree(run.id).is_dir():
        run.repository.reset(run.id, intent.base)
    run.sessions.store.clear_scratch(run.id)
    return None


def _agent(run: SessionRun[PhaseWork], name: str) -> agents.Agent:
    settings = run.state.request.settings
    try:
        agent = agents.make(name, settings, run.sessions.project)
    except UsageError as error:
        raise AgentFailed(error.message, kind="not_installed", hint=error.hint) from error
    if why := agents.unheld(agent, name, settings):
        raise AgentFailed(why, kind="sandbox", hint="`clew doctor` says why.")
    return agent


def _call(
    run: SessionRun[PhaseWork],
    intent: AskImplementer,
    worktree: Path,
    model: str,
    sent: list[str],
) -> agents.Call[ImplementReply]:
    settings = run.state.request.settings
    command = _command(run, worktree)
    site = runners.build(
        run.sessions.project,
        worktree,
        command,
        scratch=run.scratch,
        network=settings.network,
        limits=limits.for_tests(settings),
        keep=settings.pass_env,
        readable=settings.readable,
    )
    return agents.Call(
        number=intent.call,
        role=IMPLEMENT,
        brief=_brief(run, command),
        site=site,
        limits=limits.for_agents(settings),
        scratch=run.scratch,
        seconds=settings.agent_timeout * IMPLEMENT.time * intent.attempt,
        idle_seconds=settings.agent_idle_timeout * intent.attempt,
        model=model,
        sent=sent.append,
        mark=run.mark,
        alive=run.pulse.touch,
        tick=run.watcher.tick,
        before=lambda path: _before(run, intent.base, path),
    )


def _before(run: SessionRun[PhaseWork], base: str, path: str) -> str | None:
    content = run.repository.show(base, path)
    return None if content is None else content.decode("utf-8", "replace")


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
    criteria = "\n".join(map(_criterion, phase.criteria))
    yield BriefText(section=BriefSection.CRITERIA, label="criteria", text=criteria)
    for told in request.introduced:
        text = _introduced(told)
        yield BriefText(section=BriefSection.HANDED_ON, label=f"phase {told.phase}", text=text)
    for number, error in enumerate(state.errors, 1):
        yield BriefText(section=BriefSection.EARLIER, label=f"attempt {number}", text=error.message)


def _criterion(each: Criterion) -> str:
    target = f" {each.target}" if each.target else ""
    return f"- {each.criterion} (verified by {each.verify_by}{target})"


def _introduced(told: Introduced) -> str:
    """Return what a phase hands on, one line a thing; what is empty is left out."""
    context = downstream_context(told.downstream_context)
    rows = [("name", told.name), ("files", ", ".join(told.files)), ("summary", told.summary or "")]
    rows += [(name.replace("_", " "), "; ".join(getattr(context, name))) for name in _HANDED_ON]
    return "\n".join(f"{name}: {text}" for name, text in rows if text)


_HANDED_ON = DownstreamContext.__struct_fields__


def phase_text(phase: PlanPhase, goal: str) -> str:
    """Return what a phase asks for, in words."""
    lines = [f"# Phase {shown(phase.id)}: {phase.name}"]
    if goal:
        lines += ["", f"Goal of the plan: {goal}"]
    lines += ["", phase.objective, "", phase.description]
    for name, paths in (
        ("Files to create", phase.creates),
        ("Files to modify", phase.modifies),
        ("Files to delete", phase.deletes),
        ("Test files", phase.test_files),
    ):
        if paths:
            lines += ["", f"{name}: {', '.join(paths)}"]
    if phase.validation:
        lines += ["", "It is checked with:"]
        lines += [f"- `{' '.join(argv)}`" for argv in phase.validation]
    return "\n".join(lines).strip()


def _implemented(
    run: SessionRun[PhaseWork], intent: AskImplementer, reply: ImplementReply, usage: Usage
) -> Implemented:
    message = f"{reply.summary.splitlines()[0][:72]}\n\n{_trailer(intent, reply)}"
    commit = run.repository.commit(run.id, redacted(message), onto=intent.base)
    return _told(run, intent, reply, usage, commit.id if commit else "")


def _told(
    run: SessionRun[PhaseWork],
    intent: AskImplementer,
    reply: ImplementReply,
    usage: Usage,
    commit: str,
) -> Implemented:
    changes = run.repository.changed(intent.base, commit) if commit else ()

    def of(kind: Kind) -> tuple[str, ...]:
        return tuple(spelled(change.path) for change in changes if change.kind is kind)

    return Implemented(
        agent=intent.agent,
        status=reply.status,
        summary=redacted(reply.summary)[:LONGEST],
        commit=commit,
        created=of(Kind.CREATED),
        modified=of(Kind.MODIFIED),
        deleted=of(Kind.DELETED),
        reported=reply.files_modified,
        decisions=tuple(redacted(text)[:LONGEST] for text in reply.decisions),
        concerns=tuple(redacted(text)[:LONGEST] for text in reply.concerns),
        blockers=tuple(redacted(text)[:LONGEST] for text in reply.blockers),
        downstream_context=msgspec.to_builtins(reply.context),
        usage=usage,
    )


def _trailer(intent: AskImplementer, reply: ImplementReply) -> str:
    """Return what tells in a commit whose work it is, so that it is found after a crash."""
    told = msgspec.json.encode(reply).decode()
    return f"Clew-Call: {intent.call}\nClew-Reply: {told}\n"


def _reply_in(message: str, intent: AskImplementer) -> ImplementReply | None:
    _, found, told = message.partition(f"Clew-Call: {intent.call}\nClew-Reply: ")
    if not found:
        return None
    try:
        return msgspec.json.decode(told.strip(), type=ImplementReply)
    except msgspec.DecodeError:
        return None


def _kept(run: SessionRun[PhaseWork], text: str) -> str:
    return run.sessions.store.put(redacted(text).encode("utf-8", "replace")) if text else ""
