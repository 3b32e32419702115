"""What an agent is told: facts from the state and the last run, nothing guessed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from clew import events as ev
from clew import failures
from clew.debugging.viewing import iteration_views
from clew.debugging.workshop import Workshop
from clew.facts import Suspect, TestRun
from clew.prompts import Brief, FileExcerpt, ReportText
from clew.states import Stage, State, doubted, given
from clew.suspects import rank
from clew.testfiles import is_test_path

__all__ = ["brief_for"]

_FILES = 5
_LINES = 400


def brief_for(workshop: Workshop) -> Brief:
    """Return what is known at this point of the session."""
    state = workshop.state
    kept = given(state.kept)
    run = workshop.run_of(kept)
    suspects, modules = _suspects(state, run), workshop.modules
    return Brief(
        iteration=state.overall,
        cap=state.cap,
        topic=state.topic,
        goal=state.session.goal,
        command_line=shlex.join(kept.command.argv),
        category=failures.categorise(run, modules=modules),
        cause=failures.cause(run, modules=modules),
        failing=tuple(r for r in run.red if r.id not in state.flaky),
        errors=tuple(r.error for r in state.red),
        suspects=suspects,
        history=iteration_views(state),
        guidance=state.guidance,
        dead=tuple(e.root_cause for e in state.history if e.root_cause and not e.progress),
        flaky=tuple(sorted(state.flaky)),
        files=tuple(_excerpts(workshop, suspects)),
        report=_report(workshop),
        doubt=_doubt(state),
        complaint=_complaint(state),
    )


def _suspects(state: State, run: TestRun) -> tuple[Suspect, ...]:
    if state.diagnosed and state.diagnosed.suspects:
        return state.diagnosed.suspects
    return rank(run, None, is_test=is_test_path)


def _excerpts(workshop: Workshop, suspects: tuple[Suspect, ...]) -> Iterator[FileExcerpt]:
    for path in list(dict.fromkeys(s.path for s in suspects))[:_FILES]:
        content = workshop.repository.show(workshop.state.head, path)
        if content is not None:
            lines = content.decode("utf-8", "replace").splitlines(keepends=True)
            yield FileExcerpt(path=path, text="".join(lines[:_LINES]))


def _report(workshop: Workshop) -> ReportText | None:
    written = workshop.state.report
    if written is None:
        return None
    path = workshop.project.root / written.path
    text = path.read_text("utf-8", "replace") if path.is_file() else ""
    return ReportText(path=written.path, text=text)


def _doubt(state: State) -> str:
    """Return what the agent was unsure of, if it is asked to look closer."""
    if state.stage is not Stage.DIAGNOSING or not doubted(state):
        return ""
    told = given(state.diagnosed).diagnosis
    return f"{told.root_cause}\n\nWhy it was unsure: {told.confidence_reason}"


def _complaint(state: State) -> str:
    """Say what was wrong with the answer before this one, if it is asked again."""
    last: ev.AgentErred | None = state.agent_errors[-1] if state.agent_errors else None
    return last.message if last and state.failures else ""
