"""The gate before a fix: a failing test is written, and seen red by Clew itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from clew import agents, runners
from clew.agents.prompts import Brief, ReportText
from clew.agents.replies import TestReply
from clew.agents.roles import WRITE_TEST
from clew.flows.investigation.decisions.redness import first_lines, why_not
from clew.flows.investigation.events import SeeRed, TestSeen, TestWritten
from clew.flows.investigation.states import DebugState
from clew.sandbox import limits
from clew.sessions.calling import AgentCalling, hold, kept
from clew.sessions.run import SessionRun
from clew.words.errors import AgentFailed, ClewError
from clew.words.facts import Runner, TestCommand
from clew.words.records import AgentCall, AgentFailure
from clew.words.redaction import redacted

__all__ = ["see_red", "write_test"]

NO_TESTS = TestCommand(runner=Runner.COMMAND, argv=("true",), source="none yet")


def write_test(run: SessionRun[DebugState], intent: AgentCall) -> TestWritten | AgentFailure:
    """Have an agent write the smallest test that fails because of the cause, and commit it."""
    worktree = run.repository.add_worktree(run.id, intent.base)
    settings = run.state.settings
    calling = AgentCalling(session=run, intent=intent, settings=settings, base=intent.base)

    def call(_: agents.Agent) -> agents.Call[TestReply]:
        command = _command(run, worktree)
        return agents.Call(
            number=intent.call,
            role=WRITE_TEST,
            brief=_brief(run, command),
            site=runners.site_for(run.project, worktree, command, settings, run.scratch),
            limits=limits.for_agents(settings),
            scratch=run.scratch,
            seconds=settings.agent_timeout * WRITE_TEST.time * intent.attempt,
            idle_seconds=settings.agent_idle_timeout * intent.attempt,
        )

    def ask(agent: agents.Agent, call: agents.Call[TestReply]) -> agents.Done[TestReply]:
        return agent.do(call, run.watcher.tick)

    def told(done: agents.Done[TestReply], around: dict[str, Any]) -> TestWritten:
        hold(run, WRITE_TEST, intent.base)
        message = redacted(f"Add {done.reply.test_name}\n\n{done.reply.expects}\n")
        commit = run.repository.commit(run.id, message, onto=intent.base)
        if commit is None:
            raise AgentFailed("it wrote no test", kind="invalid_output")
        return TestWritten(
            agent=intent.agent,
            file=done.reply.test_file,
            name=done.reply.test_name,
            expects=done.reply.expects,
            commit=commit.id,
            reply=kept(run.store, done.said),
            **around,
        )

    return calling.settled(call, ask, told, lambda _, fields: AgentFailure(**fields))


def _command(run: SessionRun[DebugState], worktree: Path) -> TestCommand:
    """Return how tests are run here; of a project that has none yet, nothing that runs any."""
    try:
        return runners.command_of(run.project, worktree, run.state.settings, run.scratch)
    except ClewError:
        return NO_TESTS


def _brief(run: SessionRun[DebugState], command: TestCommand) -> Brief:
    state, settings = run.state, run.state.settings
    return Brief(
        goal=f"a test that fails because of this, for {state.session.slug}",
        command_line=" ".join(command.argv),
        report=ReportText(path=state.session.document, text="\n\n".join(_report(state))),
        complaint=state.complaint,
        budget=settings.context_tokens,
        counter=settings.token_counter,
        templates=settings.prompts,
    )


def _report(state: DebugState) -> list[str]:
    """Return the symptom and its cause, as a writer of a test needs them."""
    cause, told = state.cause, state.symptoms
    rows = [("symptom", state.session.trigger), ("expected", told.expected)]
    rows += [("actual", told.actual), ("reproduction", told.reproduction)]
    if cause is not None:
        rows += [("root cause", cause.root_cause), ("fix direction", cause.fix_direction)]
        rows += [(each.file, each.issue) for each in cause.files]
    return [f"{name}: {text}" for name, text in rows if text]


def see_red(run: SessionRun[DebugState], _: int, intent: SeeRed) -> TestSeen:
    """Run the tests that are to be red, on the commit that has them."""
    settings, state = run.state.settings, run.state
    worktree = run.repository.add_worktree(run.id, intent.commit)
    run.repository.reset(run.id, intent.commit)
    try:
        command = runners.command_of(run.project, worktree, settings, run.scratch)
    except ClewError as error:
        return TestSeen(tests=intent.tests, why=error.message)
    site = runners.site_for(run.project, worktree, command, settings, run.scratch)
    request = runners.Request(
        extra=intent.tests if command.runner is Runner.PYTEST else state.session.runner_args,
        timeout=settings.timeout,
        test_timeout=settings.test_timeout,
    )
    seen = runners.run(site, command, request, run.scratch).run
    told = state.symptoms
    symptom = f"{state.session.trigger}\n{told.actual}\n{told.errors}"
    why = why_not(seen.results, intent.tests, symptom)
    if why and not seen.results and seen.reason:
        why = f"the tests did not run: {seen.reason}"
    return TestSeen(tests=intent.tests, why=why, output=first_lines(seen.results))
