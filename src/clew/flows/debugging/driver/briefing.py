"""What an agent is told: facts from the state and the last run, nothing guessed."""

from __future__ import annotations

import posixpath
import shlex

from msgspec.structs import replace

from clew.agents.prompts import Brief, FileExcerpt, ReportText, specialty
from clew.analysis import failures
from clew.analysis.suspects import rank
from clew.analysis.testfiles import is_test_path
from clew.evidence import Evidence, told_before
from clew.flows.debugging.collect import Place, gather, reader
from clew.flows.debugging.driver import tracing
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.surroundings import surrounded
from clew.flows.debugging.driver.viewing import handwork_views, iteration_views
from clew.flows.debugging.states import (
    Attempt,
    Stage,
    State,
    acceptable,
    doubted,
    require,
    tried,
)
from clew.git.worktrees import path_text
from clew.words import events as ev
from clew.words.facts import Suspect, TestRun
from clew.words.models import AgentRole
from clew.words.settings import Settings

__all__ = [
    "brief_for",
    "evidence_of",
    "first_brief",
    "fix_to_challenge",
    "informed",
    "prompt_budget",
    "story_for",
]

TOO_LONG = "context_too_long"
FALLBACK = "use the tools for reading files instead, and in a fix those for editing; no others work"
STANDARDS = ("CLAUDE.md", "AGENTS.md")  # in the root, and where the tests run
LEAST = 2_000  # tokens, of which a prompt needs most for what it asks


def brief_for(debug_run: DebugRun, *, files: bool = True, trace: bool = False) -> Brief:
    """Return what is known at this point of the session; with files, unless nobody reads them.

    What was not traced yet is traced if it may be.
    """
    state = debug_run.state
    kept = require(state.kept)
    run = debug_run.standing
    traced = tracing.trace(debug_run, run) if files and trace else tracing.known(debug_run)
    suspects = traced.suspects or _suspects(state, run)
    evidence = evidence_of(debug_run, run, suspects)
    taken_back = [a for a in tried(state) if a.failed or a.unwanted]
    bare = Brief(
        iteration=state.overall,
        counted=state.counter,
        round=max(1, state.round),
        cap=state.cap,
        topic=state.topic,
        goal=state.session.goal,
        command_line=shlex.join(kept.command.argv),
        folder=debug_run.project.subdir,
        category=evidence.category,
        cause=evidence.cause,
        failing=run.red,
        errors=tuple(r.error for r in state.red),
        suspects=(*evidence.definitions, *suspects) or evidence.suspects,
        history=iteration_views(state),
        by_hand=handwork_views(state),
        looked_at=state.session.rules > 1,
        guidance=state.guidance,
        dead=tuple(_useless(a) for a in taken_back if not a.doubted),
        unsettled=tuple(_useless(a) for a in _unsettled(state, taken_back)),
        flaky=tuple(sorted(state.flaky)),
        report=_report(debug_run),
        changes=state.diagnosed.diagnosis.edits if state.diagnosed and state.report else (),
        standards=_standards(debug_run),
        review=_objection(state),
        specialty=specialty(kept.command.runner, (s.path for s in suspects)),
        templates=state.settings.prompts,
        doubt=_doubt(state),
        complaint=_complaint(state),
        budget=prompt_budget(state),
        counter=state.settings.token_counter,
    )
    brief = informed(bare, evidence)
    if not files:
        return replace(brief, diff="")
    taken = require(state.snapshot)
    if state.head != taken.ground:
        since = debug_run.repository.diff(taken.ground, state.head)
        brief = replace(brief, diff=brief.diff + since)
    return surrounded(
        brief,
        debug_run.repository,
        state.head,
        debug_run.store.folder,
        str(debug_run.project.subdir),
        ran=traced.ran([result.id for result in brief.failing]),
    )


def story_for(debug_run: DebugRun) -> Brief:
    """Return what there is to tell of a session that mended its project: facts alone."""
    state = debug_run.state
    base = state.start.base
    return Brief(
        iteration=state.overall,
        cap=state.cap,
        topic=state.topic,
        goal=state.session.goal,
        command_line=shlex.join(require(state.kept).command.argv),
        folder=debug_run.project.subdir,
        errors=tuple(red.error for red in require(state.baseline).red),
        history=iteration_views(state),
        guidance=state.guidance,
        diff=debug_run.repository.diff(base, state.head),
        report=_report(debug_run),
        templates=state.settings.prompts,
        complaint=_complaint(state),
        budget=prompt_budget(state),
        counter=state.settings.token_counter,
    )


def fix_to_challenge(debug_run: DebugRun, commit: str) -> Brief:
    """Return what there is to say of a fix that passes, for whoever looks for what it gets wrong.

    Nothing is said of who made it, and why: what it does is to be held against the project's words.
    """
    state, repository = debug_run.state, debug_run.repository
    kept = require(state.kept)
    changed = [path_text(change.path) for change in repository.changed(state.head, commit)]
    brief = Brief(
        iteration=state.overall,
        counted=state.counter,
        round=max(1, state.round),
        cap=state.cap,
        topic=state.topic,
        goal=state.session.goal,
        command_line=shlex.join(kept.command.argv),
        folder=debug_run.project.subdir,
        failing=debug_run.standing.red,
        suspects=tuple(Suspect(path=path, line=None, score=1.0) for path in changed),
        guidance=state.guidance,
        diff=repository.diff(state.head, commit),
        specialty=specialty(kept.command.runner, changed),
        templates=state.settings.prompts,
        complaint=_complaint(state),
        budget=prompt_budget(state),
        counter=state.settings.token_counter,
    )
    return surrounded(
        brief, repository, commit, debug_run.store.folder, str(debug_run.project.subdir)
    )


def prompt_budget(state: State) -> int:
    """Return the tokens of a prompt: half as many for each that was too long for this agent."""
    called = getattr(state.doing, "agent", "")
    too_long = [e for e in state.agent_errors if e.kind == TOO_LONG and e.agent == called]
    return max(state.settings.context_tokens >> len(too_long), LEAST)


def first_brief(run: TestRun, evidence: Evidence, settings: Settings, folder: str = "") -> Brief:
    """Return what a run tells, and what is known of it, before any session."""
    suspects = evidence.suspects or rank(run, None, is_test=is_test_path)
    bare = Brief(
        iteration=1,
        cap=1,
        goal="find the cause",
        command_line=shlex.join(run.command.argv),
        folder=folder,
        category=evidence.category,
        cause=evidence.cause,
        failing=run.red,
        errors=failures.errors(run),
        suspects=suspects,
        specialty=specialty(run.command.runner, (s.path for s in suspects)),
        templates=settings.prompts,
        budget=settings.context_tokens,
        counter=settings.token_counter,
    )
    return informed(bare, evidence)


def _suspects(state: State, run: TestRun) -> tuple[Suspect, ...]:
    if state.diagnosed and state.diagnosed.suspects:
        return state.diagnosed.suspects
    return rank(run, None, is_test=is_test_path)


def evidence_of(debug_run: DebugRun, run: TestRun, suspects: tuple[Suspect, ...] = ()) -> Evidence:
    """Return what is known of the session's failure before anybody is asked."""
    state = debug_run.state
    taken, kept = require(state.snapshot), require(state.kept)
    known = debug_run.gathered.get(kept.run)
    if known is None:
        known = debug_run.gathered[kept.run] = gather(
            debug_run,
            run,
            Place(base=taken.base, head=taken.head),
            commit=kept.commit,
            suspects=suspects,
            session=debug_run.id,
            flaky=state.flaky,
        )
    return known


def informed(brief: Brief, evidence: Evidence) -> Brief:
    """Add to a brief what is known beside the failing run: patterns, history, what was changed."""
    since, diff = evidence.since_green, ""
    if since is not None and since.diff:
        diff = f"Since {since.commit[:12]}, {since.source}:\n{since.diff}"
        diff += f"\n[Truncated: diff: {since.cut} characters omitted]\n" if since.cut else ""
    return replace(brief, known=evidence.known, before=told_before(evidence), diff=diff)


def _report(debug_run: DebugRun) -> ReportText | None:
    written = debug_run.state.report
    if written is None:
        return None
    path = debug_run.project.root / written.path
    text = path.read_text("utf-8", "replace") if path.is_file() else ""
    return ReportText(path=written.path, text=text)


def _unsettled(state: State, taken_back: list[Attempt]) -> tuple[Attempt, ...]:
    """Return what only a doubt speaks against, of the failures that stand or of those before."""
    newest = [a for a in acceptable(state) if a not in taken_back]
    return (*newest, *(a for a in taken_back if a.doubted))


def _useless(attempt: Attempt) -> str:
    """Tell of a change that was taken back; the attempt itself tells how it reads."""
    entry = attempt.entry
    result = "proven, and undone by a person" if attempt.unwanted else entry.result
    if attempt.doubted:
        helped = "it was progress" if entry.red_after else "all tests passed"
        result = f"{helped}; the doubt: {entry.note}"
    what = ", ".join(entry.files)
    title = entry.fix_attempted.partition("\n")[0]
    return f"attempt {entry.iteration}, in {what}: {title} ({result})"


def _standards(debug_run: DebugRun) -> tuple[FileExcerpt, ...]:
    """Return what the project asks of code, for whoever fixes; each text once."""
    state, repository = debug_run.state, debug_run.repository
    if not ev.calls(state.doing, AgentRole.FIX):
        return ()
    known = reader(repository, state.head)
    folder = str(debug_run.project.subdir)
    found: dict[str, str] = {}
    for name in STANDARDS:
        for path in dict.fromkeys((name, posixpath.normpath(posixpath.join(folder, name)))):
            text = known(path)
            if text and text.strip() and text not in found.values():
                found[path] = text
    return tuple(FileExcerpt(path=path, text=text) for path, text in found.items())


def _doubt(state: State) -> str:
    """Return what the agent was unsure of, if it is asked to look closer."""
    if state.stage is not Stage.DIAGNOSING or not doubted(state):
        return ""
    told = require(state.diagnosed).diagnosis
    return f"{told.root_cause}\n\nWhy it was unsure: {told.confidence_reason}"


def _objection(state: State) -> str:
    """Return what a reviewer wants otherwise, for whoever carries the proposal out."""
    told = state.reviewed
    if told is None or told.opinion is not ev.Opinion.SUGGEST_CHANGE:
        return ""
    return f"{told.reason}\n\nSuggested instead: {told.suggestion}"


def _complaint(state: State) -> str:
    """Say what was wrong with the answer before this one, if it is asked again."""
    last: ev.AgentErred | None = state.agent_errors[-1] if state.agent_errors else None
    if last is None or not state.failures:
        return ""
    return f"{last.message}; {FALLBACK}" if last.kind == "tool_access" else last.message
