"""The built-in investigator: tests run, and a repair searched for; no key, no network."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from clew import agents, runners
from clew.agents.prompts import Brief
from clew.agents.replies import DiagnosisReply
from clew.agents.roles import DIAGNOSE
from clew.analysis.mentioned import NamedFunction, mentioned
from clew.analysis.testfiles import is_test_path
from clew.evidence.explain import modules_of
from clew.flows.investigation.decisions.explaining import beside_red, explained, unexplained
from clew.flows.investigation.decisions.looking_back import LookedBack, told_with
from clew.flows.investigation.decisions.redness import leaving_out
from clew.flows.investigation.decisions.symptom_test import (
    SymptomTest,
    asks_the_same,
    symptom_test,
)
from clew.flows.investigation.driver.beside import run_beside, turned_green
from clew.flows.investigation.driver.looking_back import ByCommand, ByTests, Symptom, looked_back
from clew.flows.investigation.driver.reproducing import run_on
from clew.flows.investigation.events import Investigated
from clew.flows.investigation.states import DebugState
from clew.sandbox import limits
from clew.sessions.calling import AgentCalling
from clew.sessions.earlier import earlier_texts
from clew.sessions.run import SessionRun
from clew.words.edits import patch_hash
from clew.words.errors import ClewError
from clew.words.facts import Edit, Runner, TestCommand, TestRun, Tick, Traced, Verdict
from clew.words.oracles import shows
from clew.words.records import AgentCall, AgentFailure
from clew.words.test_ids import bare_name, home_of

__all__ = ["look_offline"]

MANY = 2_000  # files in which functions are looked for by name


def look_offline(run: SessionRun[DebugState], intent: AgentCall) -> Investigated | AgentFailure:
    """Run the tests on the base; where some fail, search for a repair and explain it."""
    began = time.monotonic()
    return replace(_look(run, intent), seconds=time.monotonic() - began)


def _look(run: SessionRun[DebugState], intent: AgentCall) -> Investigated | AgentFailure:
    settings, state = run.state.settings, run.state
    worktree = run.repository.add_worktree(run.id, intent.base)
    run.repository.reset(run.id, intent.base)
    run.watcher.tick(Tick(phase="debug", text="the tests are run"))
    try:
        command = runners.command_of(run.project, worktree, settings, run.scratch)
    except ClewError as error:
        meant = _meant(run, intent.base)
        told = unexplained(state, None, f"tests: {error.message}", meant)
        return Investigated(agent=intent.agent, told=told)
    site = runners.site_for(run.project, worktree, command, settings, run.scratch)
    request = runners.Request(
        extra=state.session.runner_args,
        timeout=settings.timeout,
        test_timeout=settings.test_timeout,
    )
    files = run.repository.files(intent.base)
    sought = _sought(run, site, command, request, files)
    seen, extra, test, others = sought
    symptom = _symptom(run, intent.base, seen, is_made=test is not None)
    back = looked_back(symptom, settings.search_seconds) if symptom else LookedBack()
    out = [each.hypothesis for each in state.eliminated]
    if seen.verdict is not Verdict.FAILED:
        told = unexplained(state, seen, meant=_meant(run, intent.base))
        told = beside_red(told_with(told, back, out=out), (), others or (), repaired=False)
        return Investigated(agent=intent.agent, told=told, aside=others)

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
                search_seconds=min(run.state.seconds_left, settings.search_seconds),
                forbidden=frozenset(state.refused),
                extra=extra,
                modules=modules_of(files),
                files=files,
                earlier=earlier_texts(run.repository, intent.base, run.state.head),
            ),
            site=site,
            limits=limits.for_agents(settings),
            scratch=run.scratch,
            seconds=min(run.state.seconds_left, settings.agent_timeout),
        )

    def ask(agent: agents.Agent, call: agents.Call[DiagnosisReply]) -> agents.Answer:
        return agent.diagnose(call, run.watcher.tick)

    def told_of(answer: agents.Answer, around: dict[str, Any]) -> Investigated:
        ran = Traced(files=answer.reach).ran({result.id for result in seen.red})
        told = explained(
            seen,
            answer.diagnosis,
            answer.suspects,
            proposes=answer.proposes,
            test=test,
            meant=[
                each for each in _meant(run, intent.base) if each.is_run(ran.get(each.path, ()))
            ],
            refused=len(state.refused),
        )
        tests = () if test else tuple(result.id for result in seen.red)
        edits, aside = answer.diagnosis.edits if told.root_cause else (), others
        in_part = answer.diagnosis.partial and command.runner is Runner.PYTEST
        if others is None and edits and _still_shows(run, intent.base, edits):
            aside, edits, tests = tests, (), ()
            told = beside_red(unexplained(state, seen), (), aside, repaired=True)
        elif others is not None or in_part:
            red = tests if others is None else others
            asked = replace(request, extra=red)
            green = turned_green(site, command, asked, edits, run.scratch)
            aside = tuple(each for each in red if each not in green)
            same = tuple(each for each in red if each in green)
            told = beside_red(told, same, aside, repaired=bool(edits))
            tests = tuple(each for each in tests if each not in aside)
        told = told_with(told, back, tests, out)
        patch = patch_hash(edits) if edits else ""
        return Investigated(agent=intent.agent, told=told, patch=patch, aside=aside, **around)

    calling = AgentCalling(session=run, intent=intent, settings=settings, base=intent.base)
    return calling.settled(call, ask, told_of, lambda _, fields: AgentFailure(**fields))


class _Sought(NamedTuple):
    """What has to turn green: a test that is made of the command, else red ones of the project."""

    seen: TestRun
    extra: tuple[str, ...]  # what the runner was given
    test: SymptomTest | None = None  # that is made
    others: tuple[str, ...] | None = None  # red tests of which that is not known


def _sought(
    run: SessionRun[DebugState],
    site: runners.Site,
    command: TestCommand,
    request: runners.Request,
    files: Sequence[str],
) -> _Sought:
    """Run the tests: what the command shows stands before what is red in the project already.

    A red test is of the same matter where a person names it, or where it is that of the command.
    """
    seen, extra = runners.run(site, command, request, run.scratch).run, request.extra
    ran = seen.verdict in (Verdict.PASSED, Verdict.FAILED) and command.runner is Runner.PYTEST
    test = symptom_test(run.state, files, run.project.subdir) if ran else None
    if test is None:
        return _Sought(seen, extra)
    there = {each.id for each in seen.red if _is_that(each.id, test, site.worktree)}
    others = tuple(each.id for each in seen.red if each.id not in {*there, *extra})
    if there:
        extra = (*extra, *leaving_out(others))
        seen = runners.run(site, command, replace(request, extra=extra), run.scratch).run
        return _Sought(seen, extra, None, others)
    _write(test, site.worktree)
    beside, words = run_beside(site, command, request, (test.id,), run.scratch, aside=others)
    if seen.red and beside.verdict is Verdict.DID_NOT_RUN:
        return _Sought(seen, extra)
    return _Sought(beside, words, test, others)


def _is_that(red: str, test: SymptomTest, worktree: Path) -> bool:
    """Whether a red test of the project is what would be made of the command."""
    path = worktree / test.within / home_of(red)
    plain = path.suffix == ".py" and path.is_file() and not path.is_symlink()
    return plain and asks_the_same(bare_name(red), path.read_text("utf-8", "replace"), test)


def _still_shows(run: SessionRun[DebugState], base: str, edits: Sequence[Edit]) -> bool:
    """Whether the command shows the symptom with a repair of red tests: they are another matter."""
    state = run.state
    if not state.is_steady:
        return False
    end = run_on(run, base, runners.split(state.command), edits)
    return shows(state.symptoms, end.exit_code, end.output)


def _meant(run: SessionRun[DebugState], base: str) -> tuple[NamedFunction, ...]:
    """Return functions that the person's words may mean, by their names."""
    files = [path for path in run.repository.files(base) if path.endswith(".py")]
    code = [path for path in files if not is_test_path(path)][:MANY]
    texts = run.repository.texts(base, code)
    said = f"{run.state.session.trigger} {run.state.symptoms.actual}"
    return mentioned(said, {path: text.decode("utf-8", "replace") for path, text in texts.items()})


def _symptom(
    run: SessionRun[DebugState], base: str, seen: TestRun, *, is_made: bool
) -> Symptom | None:
    """Return what shows the symptom: the command, each time; else the project's tests that fail."""
    state = run.state
    if state.is_steady:
        shown = f"`{state.command}`"
        return ByCommand(run=run, base=base, shown=shown, argv=runners.split(state.command))
    if seen.verdict is Verdict.FAILED and not is_made:
        return ByTests(run=run, base=base, shown="the failing tests", seen=seen)
    return None


def _write(test: SymptomTest, worktree: Path) -> None:
    (worktree / test.file).write_text(test.text, "utf-8")
