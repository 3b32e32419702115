"""What a person is told when the loop hands over: for the message, and for the terminal."""

from __future__ import annotations

import shlex
import shutil

from clew import agents
from clew.analysis import failures
from clew.analysis.testfiles import is_test_path
from clew.documents.escalation import Escalation
from clew.documents.markdown import code
from clew.documents.views import SessionView
from clew.flows.debugging.driver.viewing import session_view
from clew.flows.debugging.states import State, taken_back_at
from clew.git.worktrees import TreeChange
from clew.words import events as ev
from clew.words.facts import BUILT_IN, Category, Option, TestRun

__all__ = ["another_agent", "escalated"]

_OWN = ("NameError", "UnboundLocalError")
_CALLED_FIRST = ("claude", "gemini", "codex", "opencode")


def escalated(
    state: State,
    run: TestRun,
    options: tuple[ev.OptionOffered, ...],
    changes: tuple[TreeChange, ...] = (),
) -> tuple[SessionView, Escalation]:
    """Return what the message says of the session; `run` is the kept run."""
    alone, back = set(state.settings.agent) <= {BUILT_IN}, taken_back_at(state)
    message = Escalation(
        options=options,
        checkpoint=state.checkpoints[-1].name,
        unresolved=tuple(red.error for red in state.red),
        reason=_reason(state),
        halted=state.halted is not None,
        contradictions=failures.contradictions(run),
        remedies=_remedies(state),
        against_tests=_against_tests(state, run),
        first_iteration=state.overall - state.counter + 1,
        take_back=f"clew rollback {state.session.session_id} {back}" if back else "",
        repairer_alone=alone,
        another_agent=another_agent(state.session) if alone else "",
    )
    return session_view(state, changes), message


def _reason(state: State) -> str:
    if state.halted:
        return state.halted.reason
    return state.history[-1].escalation_reason if state.history else ""


def _remedies(state: State) -> tuple[Option, ...]:
    """Return what the last diagnosis knows to do, where nothing in the code was found to change."""
    ended = state.history[-1] if state.history else None
    if ended is None or ended.result is not ev.Result.NO_FIX:
        return ()
    told = next((d for d in state.diagnoses if d.iteration == ended.iteration), None)
    options = told.diagnosis.options if told else ()
    return () if any(option.edits for option in options) else options


def _against_tests(state: State, run: TestRun) -> str:
    """Say what points at the tests: a diagnosis of this round, or tracebacks that end in them.

    That a test's own line raises is no more than that; what is raised has to be its own as well.
    The built-in repairer's place of a cause may be just such a line.
    """
    first = state.overall - state.counter + 1
    for told in (each for each in state.diagnoses if each.iteration >= first):
        said = f"The diagnosis of iteration {told.iteration}"
        if told.diagnosis.category is Category.TASK_SPEC_ERROR:
            return f"{said} doubts the requirement"
        if is_test_path(told.diagnosis.path) and told.agent != BUILT_IN:
            return f"{said} finds the fault in {code(told.diagnosis.path)}"
    crashes = [result.crash for result in run.red]
    frames = [frame for crash in crashes if crash for frame in crash.frames]
    own = all(crash and (crash.type in _OWN or failures.unparsed(crash)) for crash in crashes)
    if frames and own and all(is_test_path(frame.path) for frame in frames):
        return f"The failing tests fail in their own code, as {code(frames[-1].path)} does"
    return ""


def another_agent(session: ev.SessionOpened) -> str:
    """Return the command with which an agent of this machine goes on; empty without one."""
    programs = {word: agents.BACK_ENDS[word].about.program for word in _CALLED_FIRST}
    here = next((word for word, program in programs.items() if shutil.which(program)), None)
    if here is None:
        return ""
    return shlex.join(["clew", "resume", session.session_id, "--agent", here])
