"""The built-in investigator: tests run, and a repair searched for; no key, no network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from clew import agents, runners
from clew.agents.prompts import Brief
from clew.agents.replies import DiagnosisReply
from clew.agents.roles import DIAGNOSE
from clew.evidence.explain import modules_of
from clew.flows.investigation.decisions.explaining import explained, unexplained
from clew.flows.investigation.decisions.symptom_test import SymptomTest, symptom_test
from clew.flows.investigation.events import Investigated
from clew.flows.investigation.states import DebugState
from clew.sandbox import limits
from clew.sessions.calling import AgentCalling
from clew.sessions.run import SessionRun
from clew.words.errors import ClewError
from clew.words.facts import Runner, Tick, Verdict
from clew.words.records import AgentCall, AgentFailure

__all__ = ["look_offline"]


def look_offline(run: SessionRun[DebugState], intent: AgentCall) -> Investigated | AgentFailure:
    """Run the tests on the base; where some fail, search for a repair and explain it."""
    settings, state = run.state.settings, run.state
    worktree = run.repository.add_worktree(run.id, intent.base)
    run.repository.reset(run.id, intent.base)
    run.watcher.tick(Tick(phase="debug", text="the tests are run"))
    try:
        command = runners.command_of(run.project, worktree, settings, run.scratch)
    except ClewError as error:
        told = unexplained(state, None, f"tests: {error.message}")
        return Investigated(agent=intent.agent, told=told)
    site = runners.site_for(run.project, worktree, command, settings, run.scratch)
    extra = state.session.runner_args
    request = runners.Request(
        extra=extra, timeout=settings.timeout, test_timeout=settings.test_timeout
    )
    seen = runners.run(site, command, request, run.scratch).run
    files = run.repository.files(intent.base)
    test = None
    if seen.verdict is Verdict.PASSED and command.runner is Runner.PYTEST:
        test = symptom_test(state, files, run.project.subdir)
    if test is not None:
        _write(test, worktree)
        seen = runners.run(site, command, replace(request, extra=(test.id,)), run.scratch).run
    if seen.verdict is not Verdict.FAILED:
        return Investigated(agent=intent.agent, told=unexplained(state, seen))

    def call(_: agents.Agent) -> agents.Call[DiagnosisReply]:
        if test is not None:
            _write(test, worktree)
        return agents.Call(
            number=intent.call,
            role=DIAGNOSE,
            brief=Brief(),
            failing=agents.Failing(
                run=seen,
                command=command,
                search_seconds=settings.search_seconds,
                extra=extra,
                modules=modules_of(files),
                files=files,
            ),
            site=site,
            limits=limits.for_agents(settings),
            scratch=run.scratch,
            seconds=settings.agent_timeout,
        )

    def ask(agent: agents.Agent, call: agents.Call[DiagnosisReply]) -> agents.Answer:
        return agent.diagnose(call, run.watcher.tick)

    def told_of(answer: agents.Answer, around: dict[str, Any]) -> Investigated:
        told = explained(
            seen, answer.diagnosis, answer.suspects, proposes=answer.proposes, test=test
        )
        return Investigated(agent=intent.agent, told=told, **around)

    calling = AgentCalling(session=run, intent=intent, settings=settings, base=intent.base)
    return calling.settled(call, ask, told_of, lambda _, fields: AgentFailure(**fields))


def _write(test: SymptomTest, worktree: Path) -> None:
    (worktree / test.file).write_text(test.text, "utf-8")
