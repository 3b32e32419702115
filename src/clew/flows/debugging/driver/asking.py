"""Agents asked: for a diagnosis, a review, a fix, what it gets wrong, and words about it.

Each is held to what its role may change, by git, also where no sandbox does.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import msgspec

from clew import agents
from clew.agents.replies import (
    ChallengeReply,
    DiagnosisReply,
    DocumentReply,
    FixReply,
    ReviewReply,
)
from clew.agents.roles import CHALLENGE, DIAGNOSE, DOCUMENT, FIX, REVIEW, ROLES
from clew.analysis.counterexamples import quoted
from clew.flows.debugging.decisions import is_capped_out, seconds_left, tokens_left
from clew.flows.debugging.driver import documenting, tracing
from clew.flows.debugging.driver.briefing import (
    TOO_LONG,
    brief_for,
    evidence_of,
    fix_to_challenge,
    prompt_budget,
    story_for,
)
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.fixing import commit_message, fix_applied, make_edits
from clew.flows.debugging.states import State, forbidden, made, refused, require, undone
from clew.git.worktrees import path_text
from clew.sandbox import limits
from clew.sessions.calling import EXACT, SOME, AgentCalling, hold, kept, within_bounds
from clew.sessions.earlier import earlier_texts, newest_demand
from clew.words import events as ev
from clew.words.errors import AgentFailed, ClewError
from clew.words.facts import BUILT_IN, Demand, Reach, Reached
from clew.words.models import AgentRole
from clew.words.records import AgentOutcome
from clew.words.redaction import redacted, without_secrets

__all__ = ["ask"]

REFUSED = 3  # of the changes that were tried, the newest, are kept from coming in other words
LEAST = 1.0  # seconds of a call
QUOTED = 200  # characters of words that are shown
MOST_SUSPECTS = 20  # that are kept with a diagnosis

A = TypeVar("A", agents.Answer, agents.Work, agents.Done[Any])
Told = Callable[[A, dict[str, Any]], AgentOutcome]


def ask(debug_run: DebugRun, intent: ev.CallAgent, *, resuming: bool = False) -> AgentOutcome:
    """Call an agent in the intent's role, or go on with a call that was cut off."""
    return _ASK[intent.role](debug_run, intent, resuming=resuming)


def diagnose(debug_run: DebugRun, intent: ev.CallAgent, *, resuming: bool) -> AgentOutcome:
    """Have the cause found."""

    def asked(agent: agents.Agent, call: agents.Call[DiagnosisReply]) -> agents.Answer:
        return agent.diagnose(call, debug_run.watcher.tick)

    def told(answer: agents.Answer, around: dict[str, Any]) -> ev.Diagnosed:
        if intent.agent != BUILT_IN:
            hold(debug_run, DIAGNOSE, debug_run.state.head)
        traced = tracing.known(debug_run)
        diagnosed = ev.Diagnosed(
            iteration=intent.iteration,
            agent=intent.agent,
            diagnosis=answer.diagnosis,
            proposes=answer.proposes,
            suspects=answer.suspects or traced.suspects[:MOST_SUSPECTS],
            reach=_reach_of(debug_run, answer.reach or traced.files),
            reply=kept(debug_run.store, answer.reply),
            **around,
        )
        problems = documenting.problems(debug_run, intent.iteration, diagnosed)
        if problems and intent.agent != BUILT_IN:
            raise AgentFailed(" ".join(problems), kind="invalid_output")
        return diagnosed

    return _settled(debug_run, intent, asked, told, resuming=resuming)


def _reach_of(debug_run: DebugRun, files: tuple[Reach, ...]) -> str:
    if not files:
        return ""
    return debug_run.store.put_record(Reached(commit=debug_run.state.head, files=files))


def review(debug_run: DebugRun, intent: ev.CallAgent, *, resuming: bool) -> AgentOutcome:
    """Have the report of the iteration read by a second agent."""

    def asked(agent: agents.Agent, call: agents.Call[ReviewReply]) -> agents.Done[ReviewReply]:
        return agent.do(call, debug_run.watcher.tick)

    def told(done: agents.Done[ReviewReply], around: dict[str, Any]) -> ev.Reviewed:
        hold(debug_run, REVIEW, debug_run.state.head)
        return ev.Reviewed(
            iteration=intent.iteration,
            agent=intent.agent,
            opinion=done.reply.verdict,
            reason=done.reply.reason,
            suggestion=done.reply.suggestion,
            reply=kept(debug_run.store, done.said),
            **around,
        )

    return _settled(debug_run, intent, asked, told, resuming=resuming)


def challenge(debug_run: DebugRun, intent: ev.CallAgent, *, resuming: bool) -> AgentOutcome:
    """Have it looked for tests that a fix fails; words that stand nowhere ask for nothing.

    They have to stand in the project as it was before the fix. Where some do, the rest is dropped.
    """

    def asked(
        agent: agents.Agent, call: agents.Call[ChallengeReply]
    ) -> agents.Done[ChallengeReply]:
        return agent.do(call, debug_run.watcher.tick)

    def told(done: agents.Done[ChallengeReply], around: dict[str, Any]) -> ev.Challenged:
        hold(debug_run, CHALLENGE, intent.base)
        before = require(debug_run.state.origin).base
        files = debug_run.repository.files(before)
        good: list[ev.Counterexample] = []
        for each in done.reply.usable:
            there = each.file in files
            text = debug_run.repository.show(before, each.file) if there else None
            if quoted(each.words, (text or b"").decode("utf-8", "replace")):
                good.append(each)
        if done.reply.usable and not good:
            first = done.reply.usable[0]
            raise AgentFailed(
                f"no three words or more that stand in {first.file} before the fix:"
                f" {first.words[:QUOTED]}",
                kind="invalid_output",
            )
        return ev.Challenged(
            iteration=intent.iteration,
            agent=intent.agent,
            commit=intent.base,
            counterexamples=tuple(good),
            reply=kept(debug_run.store, done.said),
            **around,
        )

    return _settled(debug_run, intent, asked, told, resuming=resuming)


def narrate(debug_run: DebugRun, intent: ev.CallAgent, *, resuming: bool) -> AgentOutcome:
    """Have it told what happened, and why; who names no file that was changed is not heard."""

    def asked(agent: agents.Agent, call: agents.Call[DocumentReply]) -> agents.Done[DocumentReply]:
        return agent.do(call, debug_run.watcher.tick)

    def told(done: agents.Done[DocumentReply], around: dict[str, Any]) -> ev.Narrated:
        hold(debug_run, DOCUMENT, debug_run.state.head)
        changed = [path_text(change.path) for change in documenting.changes(debug_run)]
        if not done.reply.names(changed):
            why = f"it names none of the changed files: {', '.join(changed[:SOME])}"
            raise AgentFailed(why, kind="invalid_output")
        return ev.Narrated(
            iteration=intent.iteration,
            agent=intent.agent,
            commit=intent.base,
            what_happened=done.reply.what_happened,
            why=done.reply.why,
            reply=kept(debug_run.store, done.said),
            **around,
        )

    return _settled(debug_run, intent, asked, told, resuming=resuming)


def apply_fix(debug_run: DebugRun, intent: ev.CallAgent, *, resuming: bool) -> AgentOutcome:
    """Have the recommended option carried out, and commit what truly changed.

    A call that was cut off, and is gone on with, finds the worktree as it was left. What an agent
    leaves undone, Clew does where the edits are known, whatever a reviewer says: tests decide.
    """
    if intent.exact:
        return _made(debug_run, intent)

    ignored: dict[bytes, int] = {}

    def asked(agent: agents.Agent, call: agents.Call[FixReply]) -> agents.Work:
        ignored.update(debug_run.repository.ignored(debug_run.id))
        return agent.fix(call, debug_run.watcher.tick)

    def told(work: agents.Work, around: dict[str, Any]) -> ev.FixApplied:
        summary = work.summary
        message = commit_message(intent, summary)
        commit = debug_run.repository.commit(debug_run.id, message, onto=intent.base)
        if commit is None and require(debug_run.state.diagnosed).diagnosis.edits:
            summary, commit = make_edits(debug_run, intent, "the fixer changed nothing")
        tip = commit.id if commit else None
        applied = fix_applied(debug_run, intent, tip, summary, ignored=ignored)
        reply = kept(debug_run.store, work.reply)
        return msgspec.structs.replace(applied, reply=reply, **around)

    return _settled(debug_run, intent, asked, told, resuming=resuming)


def _made(debug_run: DebugRun, intent: ev.CallAgent) -> ev.FixApplied | ev.AgentErred:
    """Make the recommended edits without asking a fixer: one was asked, or no call is left."""
    started = time.monotonic()
    debug_run.repository.reset(debug_run.id, intent.base)
    ignored = debug_run.repository.ignored(debug_run.id)
    try:
        summary, commit = make_edits(debug_run, intent, _unasked(debug_run.state))
    except AgentFailed as error:
        debug_run.repository.reset(debug_run.id, intent.base)
        return ev.AgentErred(
            iteration=intent.iteration,
            role=FIX.name,
            agent=intent.agent,
            kind=error.kind,
            message=redacted(error.whole),
            seconds=time.monotonic() - started,
            exact=True,
        )
    tip = commit.id if commit else None
    applied = fix_applied(debug_run, intent, tip, summary, ignored=ignored)
    applied = msgspec.structs.replace(applied, seconds=time.monotonic() - started)
    return without_secrets(applied, keep=EXACT)


def _unasked(state: State) -> str:
    if state.aside:
        return "without the progress kept before, with which it broke tests"
    if state.deviation:
        return "its fixer did not"
    if undone(state):
        return "it was not carried out before"
    bound = f"the cap of {state.fixing_agent}" if is_capped_out(state) else "the budget"
    return f"{bound} leaves no call"


_ASK: Mapping[AgentRole, Callable[..., AgentOutcome]] = {
    AgentRole.DIAGNOSE: diagnose,
    AgentRole.REVIEW: review,
    AgentRole.FIX: apply_fix,
    AgentRole.CHALLENGE: challenge,
    AgentRole.DOCUMENT: narrate,
}


def _settled(
    debug_run: DebugRun,
    intent: ev.CallAgent,
    asked: Callable[[agents.Agent, agents.Call[Any]], A],
    told: Told[A],
    *,
    resuming: bool,
) -> AgentOutcome:
    calling = AgentCalling(
        session=debug_run,
        intent=intent,
        settings=debug_run.settings,
        base=intent.base or debug_run.state.head,
        resuming=resuming,
    )
    call = partial(_call, debug_run, intent, trace=not resuming)

    def erred(error: AgentFailed, fields: dict[str, Any]) -> ev.AgentErred:
        if error.kind == TOO_LONG:
            less = prompt_budget(debug_run.state) // 2
            message = f"the next prompt has at most {less} tokens, because {error.message}"
            fields["message"] = redacted(ClewError(message, hint=error.hint).whole)
        return ev.AgentErred(iteration=intent.iteration, draft=_draft(error, told), **fields)

    return calling.settled(call, asked, told, erred)


def _draft(error: AgentFailed, told: Told[Any]) -> ev.Diagnosed | None:
    """Return what can be used of an answer that is sent back, if all of it can."""
    if not isinstance(error.answer, agents.Answer):
        return None
    with contextlib.suppress(AgentFailed):
        draft = within_bounds(told(within_bounds(error.answer), {}))
        if isinstance(draft, ev.Diagnosed):
            return without_secrets(draft, keep=EXACT)
    return None


def _call(
    debug_run: DebugRun, intent: ev.CallAgent, agent: agents.Agent, *, trace: bool = True
) -> agents.Call[Any]:
    state, role = debug_run.state, ROLES[intent.role]
    if state.kept is None:
        raise ClewError("an agent cannot be called before the tests ran")
    effort, began = max(1, state.counter), time.monotonic()
    if role is DOCUMENT:
        brief = story_for(debug_run)
    elif role is CHALLENGE:
        brief = fix_to_challenge(debug_run, intent.base)
    else:
        brief = brief_for(debug_run, files=agent.reads_files, trace=trace)
    left = max(LEAST, seconds_left(state) - (time.monotonic() - began))  # tests may have run for it
    return agents.Call(
        number=intent.call,
        place=state.calls + 1,
        role=role,
        brief=brief,
        failing=agents.Failing(
            run=debug_run.standing,
            command=state.kept.command,
            search_seconds=min(left, state.settings.search_seconds * effort),
            forbidden=forbidden(state),
            refused=refused(state)[-REFUSED:],
            extra=debug_run.all_tests,  # candidates may not break what words leave out
            modules=debug_run.modules,
            commit=state.head,
            files=debug_run.repository.files(state.head),
            diagnosis=state.diagnosed.diagnosis if state.diagnosed else None,
            made=made(state),
            earlier=()
            if agent.reads_files
            else earlier_texts(debug_run.repository, state.start.base, state.start.head),
            first_bad="" if agent.reads_files else _first_bad(debug_run),
            demand=None if agent.reads_files else _demand(debug_run),
            last=state.counter >= state.cap,
            second=_wants_second(state),
        ),
        site=debug_run.site(debug_run.worktree),
        limits=limits.for_agents(debug_run.settings),
        scratch=debug_run.scratch,
        seconds=min(left, state.settings.agent_timeout * role.time * (1 + state.failures)),
        idle_seconds=state.settings.agent_idle_timeout * (1 + state.failures),
        tokens=tokens_left(state),
    )


def _first_bad(debug_run: DebugRun) -> str:
    found = evidence_of(debug_run, debug_run.standing).first_bad
    return found.commit if found else ""


def _demand(debug_run: DebugRun) -> Demand | None:
    """Return what the newest commits say is wanted, where the red tests may not know of it."""
    state, red = debug_run.state, tuple(result.id for result in debug_run.standing.red)
    return newest_demand(debug_run.repository, state.start.base, state.start.head, red)


def _wants_second(state: State) -> bool:
    """Tell whether a lone option is sent back: once an iteration, while a call is left for it."""
    asked = any(
        e.kind == "lone_option" and (e.iteration, e.agent) == (state.overall, state.agent)
        for e in state.agent_errors
    )
    return not asked and state.failures < state.settings.agent_retries
