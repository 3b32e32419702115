"""The gate before a fix: a failing test is written, and seen red by Clew itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from clew import agents, runners
from clew.agents.prompts import Brief
from clew.agents.replies import TestReply
from clew.agents.roles import WRITE_TEST
from clew.flows.investigation.decisions.redness import begin_of, first_lines, why_not
from clew.flows.investigation.decisions.symptom_test import symptom_test
from clew.flows.investigation.driver.beside import run_beside
from clew.flows.investigation.driver.calling import called
from clew.flows.investigation.driver.telling import report_of
from clew.flows.investigation.events import SeeRed, TestSeen, TestWritten
from clew.flows.investigation.states import DebugState
from clew.sessions.calling import kept
from clew.sessions.run import SessionRun
from clew.words.errors import AgentFailed, ClewError
from clew.words.facts import BUILT_IN, Runner, TestCommand
from clew.words.records import AgentCall, AgentFailure
from clew.words.redaction import redacted

__all__ = ["see_red", "write_test"]

_NAME = re.compile(r"\w+(?:::\w+)*(?:\[[^\x00-\x1f]*\])?")


def write_test(run: SessionRun[DebugState], intent: AgentCall) -> TestWritten | AgentFailure:
    """Have an agent write the smallest test that fails because of the cause, and commit it.

    The built-in one makes a test of the reproduction, where that is code.
    """
    if intent.agent == BUILT_IN and (made := _from_reproduction(run, intent)) is not None:
        return made

    def brief(command: TestCommand, _: Path) -> Brief:
        state, settings = run.state, run.state.settings
        return Brief(
            goal=f"a test that fails because of this, for {state.session.slug}",
            command_line=" ".join(command.argv),
            folder=run.project.subdir,
            report=report_of(state),
            complaint=state.complaint,
            budget=settings.context_tokens,
            counter=settings.token_counter,
            templates=settings.prompts,
        )

    def told(done: agents.Done[TestReply], around: dict[str, Any]) -> TestWritten:
        message = redacted(f"Add {done.reply.test_name}\n\n{done.reply.expects}\n")
        commit = run.repository.commit(run.id, message, onto=intent.base)
        if commit is None:
            raise AgentFailed("it wrote no test", kind="invalid_output")
        files = [each.path for each in run.repository.changed(intent.base, commit.id)]
        if done.reply.test_file not in files or not _NAME.fullmatch(done.reply.test_name):
            what = f"{done.reply.test_file}::{done.reply.test_name} names no test that it wrote"
            raise AgentFailed(what, kind="invalid_output")
        return TestWritten(
            agent=intent.agent,
            file=done.reply.test_file,
            name=done.reply.test_name,
            expects=done.reply.expects,
            commit=commit.id,
            reply=kept(run.store, done.said),
            **around,
        )

    return called(run, intent, WRITE_TEST, brief, told)


def _from_reproduction(run: SessionRun[DebugState], intent: AgentCall) -> TestWritten | None:
    worktree = run.repository.add_worktree(run.id, intent.base)
    run.repository.reset(run.id, intent.base)
    test = symptom_test(run.state, run.repository.files(intent.base), run.project.subdir)
    if test is None:
        return None
    (worktree / test.file).write_text(test.text, "utf-8")
    commit = run.repository.commit(run.id, f"Add {test.name}", onto=intent.base)
    if commit is None:
        return None
    return TestWritten(
        agent=intent.agent,
        file=test.file,
        name=test.name,
        expects=f"`{run.state.command}` ends without an error",
        commit=commit.id,
        prints=test.prints,
    )


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
        extra=state.session.runner_args,
        timeout=settings.timeout,
        test_timeout=settings.test_timeout,
    )
    words = None
    if command.runner is not Runner.PYTEST:
        seen = runners.run(site, command, request, run.scratch).run
    elif state.test is None:
        alone = replace(request, extra=intent.tests)
        seen = runners.run(site, command, alone, run.scratch).run
    else:
        seen, words = run_beside(
            site, command, request, intent.tests, run.scratch, aside=state.aside
        )
    told = state.symptoms
    shown = state.reproduced.tail if state.is_steady and state.reproduced else ""
    symptom = f"{state.session.trigger}\n{told.actual}\n{told.errors}\n{shown}"
    why = why_not(seen.results, intent.tests, symptom)
    if why and not seen.results and seen.reason:
        why = f"the tests did not run: {seen.reason}"
    output = first_lines(seen.results)
    told_of = TestSeen(tests=intent.tests, why=why, output=output, words=words)
    if state.test is None or state.base is None or why:
        return told_of
    diff = redacted(run.repository.diff(state.base.commit, intent.commit))
    place = str(worktree / state.test.file)
    return replace(told_of, written=begin_of(diff.splitlines()), place=place)
