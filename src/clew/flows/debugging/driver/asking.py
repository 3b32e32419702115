"""Agents asked: for a diagnosis, a review, a fix, and whatever else a role says.

Each is held to what its role may change, by git, also where no sandbox does.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import msgspec

from clew import agents
from clew.agents import prompts
from clew.agents.replies import DiagnosisReply, DocumentReply, FixReply, ReviewReply
from clew.agents.roles import DIAGNOSE, DOCUMENT, FIX, REVIEW, R, Role
from clew.analysis.spending import priced
from clew.flows.debugging.decisions import is_capped_out, seconds_left, tokens_left
from clew.flows.debugging.driver import documenting, tracing
from clew.flows.debugging.driver.briefing import TOO_LONG, brief_for, prompt_budget, story_for
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.fixing import commit_message, fix_applied, make_edits, text_before
from clew.flows.debugging.states import State, forbidden, made, require, undone
from clew.git.worktrees import spelled
from clew.sandbox import limits
from clew.words import events as ev
from clew.words.errors import AgentFailed, ClewError, UsageError
from clew.words.facts import BUILT_IN, Reach, Reached, Tick, Usage
from clew.words.redaction import redacted, with_texts, without_secrets

__all__ = ["apply_fix", "diagnose", "narrate", "review"]


class _Heard(Protocol):
    """What an agent gave back, whatever it was asked."""

    @property
    def usage(self) -> Usage: ...


A = TypeVar("A", bound=_Heard)
T = TypeVar("T")
B = TypeVar("B")
Intent = ev.Diagnose | ev.Review | ev.ApplyFix | ev.Narrate
# What has to stay to the letter: code, and names of things.
LONGEST = 20_000  # characters of one text that an agent gives: it goes into several documents
EXACT = frozenset(
    {"agent", "commit", "context", "conversation", "diff", "edits", "files", "left_out", "model"}
    | {"patch", "path", "prompt", "reach", "reply", "suspects", "tampering", "test_diff"}
    | {"wording"}
)


def diagnose(
    debug_run: DebugRun, intent: ev.Diagnose, *, resuming: bool = False
) -> ev.Diagnosed | ev.AgentErred:
    """Call an agent for a diagnosis, or go on with a call that was cut off."""
    asked = _Asked(debug_run, intent, DIAGNOSE, resuming=resuming)

    def ask(agent: agents.Agent, call: agents.Call[DiagnosisReply]) -> agents.Answer:
        return agent.diagnose(call, debug_run.watcher.tick)

    def told(answer: agents.Answer, around: dict[str, Any]) -> ev.Diagnosed:
        if intent.agent != BUILT_IN:
            _hold(debug_run, DIAGNOSE)
        traced = tracing.known(debug_run)
        diagnosed = ev.Diagnosed(
            iteration=intent.iteration,
            agent=intent.agent,
            diagnosis=answer.diagnosis,
            proposes=answer.proposes,
            suspects=answer.suspects or traced.suspects[:MOST_SUSPECTS],
            reach=_reach_of(debug_run, answer.reach or traced.files),
            reply=_kept(debug_run, answer.reply),
            **around,
        )
        problems = documenting.problems(debug_run, intent.iteration, diagnosed)
        if problems and intent.agent != BUILT_IN:
            raise AgentFailed(" ".join(problems), kind="invalid_output")
        return diagnosed

    return asked.settled(ask, told)


def _reach_of(debug_run: DebugRun, files: tuple[Reach, ...]) -> str:
    if not files:
        return ""
    return debug_run.store.put_record(Reached(commit=debug_run.state.head, files=files))


def review(
    debug_run: DebugRun, intent: ev.Review, *, resuming: bool = False
) -> ev.Reviewed | ev.AgentErred:
    """Have the report of the iteration read by a second agent."""
    asked = _Asked(debug_run, intent, REVIEW, resuming=resuming)

    def ask(agent: agents.Agent, call: agents.Call[ReviewReply]) -> agents.Done[ReviewReply]:
        return agent.do(call, debug_run.watcher.tick)

    def told(done: agents.Done[ReviewReply], around: dict[str, Any]) -> ev.Reviewed:
        _hold(debug_run, REVIEW)
        return ev.Reviewed(
            iteration=intent.iteration,
            agent=intent.agent,
            opinion=done.reply.verdict,
            reason=done.reply.reason,
            suggestion=done.reply.suggestion,
            reply=_kept(debug_run, done.said),
            **around,
        )

    return asked.settled(ask, told)


def narrate(
    debug_run: DebugRun, intent: ev.Narrate, *, resuming: bool = False
) -> ev.Narrated | ev.AgentErred:
    """Have it told what happened, and why; who names no file that was changed is not heard."""
    asked = _Asked(debug_run, intent, DOCUMENT, resuming=resuming)

    def ask(agent: agents.Agent, call: agents.Call[DocumentReply]) -> agents.Done[DocumentReply]:
        return agent.do(call, debug_run.watcher.tick)

    def told(done: agents.Done[DocumentReply], around: dict[str, Any]) -> ev.Narrated:
        _hold(debug_run, DOCUMENT)
        changed = [spelled(change.path) for change in documenting.changes(debug_run)]
        if not done.reply.names(changed):
            why = f"it names none of the changed files: {', '.join(changed[:SOME])}"
            raise AgentFailed(why, kind="invalid_output")
        return ev.Narrated(
            iteration=intent.iteration,
            agent=intent.agent,
            commit=intent.base,
            what_happened=done.reply.what_happened,
            why=done.reply.why,
            reply=_kept(debug_run, done.said),
            **around,
        )

    return asked.settled(ask, told)


def apply_fix(
    debug_run: DebugRun, intent: ev.ApplyFix, *, resuming: bool = False
) -> ev.FixApplied | ev.AgentErred:
    """Have the recommended option carried out, and commit what truly changed.

    A call that was cut off, and is gone on with, finds the worktree as it was left. What an agent
    leaves undone, Clew does where the edits are known, whatever a reviewer says: tests decide.
    """
    if intent.exact:
        return _made(debug_run, intent)
    asked = _Asked(debug_run, intent, FIX, resuming=resuming)

    def ask(agent: agents.Agent, call: agents.Call[FixReply]) -> agents.Work:
        return agent.fix(call, debug_run.watcher.tick)

    def told(work: agents.Work, around: dict[str, Any]) -> ev.FixApplied:
        summary = work.summary
        message = commit_message(intent, summary)
        commit = debug_run.repository.commit(debug_run.id, message, onto=intent.base)
        if commit is None and require(debug_run.state.diagnosed).diagnosis.edits:
            summary, commit = make_edits(debug_run, intent, "the fixer changed nothing")
        applied = fix_applied(debug_run, intent, commit.id if commit else None, summary)
        return msgspec.structs.replace(applied, reply=_kept(debug_run, work.reply), **around)

    return asked.settled(ask, told)


def _made(debug_run: DebugRun, intent: ev.ApplyFix) -> ev.FixApplied | ev.AgentErred:
    """Make the recommended edits without asking a fixer: one was asked, or no call is left."""
    started = time.monotonic()
    debug_run.repository.reset(debug_run.id, intent.base)
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
    applied = fix_applied(debug_run, intent, commit.id if commit else None, summary)
    applied = msgspec.structs.replace(applied, seconds=time.monotonic() - started)
    return without_secrets(applied, keep=EXACT)


def _unasked(state: State) -> str:
    if state.aside:
        return "without the progress kept before, beside which it broke tests"
    if state.deviation:
        return "its fixer did not"
    if undone(state):
        return "it was not carried out before"
    bound = f"the cap of {state.fixing_agent}" if is_capped_out(state) else "the budget"
    return f"{bound} leaves no call"


class _Asked:
    """One call that is journalled, with its circumstances: when, with what, in which words."""

    def __init__(
        self, debug_run: DebugRun, intent: Intent, role: Role[Any], *, resuming: bool
    ) -> None:
        self._workshop, self._intent, self._role = debug_run, intent, role
        self._resuming = resuming
        self._started = time.monotonic()
        self._prompt = self._context = self._wording = ""
        self._base = debug_run.state.head
        self._seen: tuple[ev.GitSideEffect, ...] | None = None
        settings = debug_run.settings
        self._name, self._model = agents.with_model(intent.agent, intent.model, settings)

    def settled(
        self,
        ask: Callable[[agents.Agent, agents.Call[Any]], A],
        told: Callable[[A, dict[str, Any]], T],
    ) -> T | ev.AgentErred:
        """Ask, and return what is told of the answer; the worktree is put back after a failure.

        What is told takes the fields that every outcome has, as the agent left things.
        """
        debug_run, intent = self._workshop, self._intent
        debug_run.watcher.tick(Tick(phase=self._role.name, text=self._name))
        if not self._resuming:
            debug_run.repository.reset(debug_run.id, self._base)
        try:
            agent = self._agent()
            call = replace(
                _call(
                    debug_run,
                    self._role,
                    intent.call,
                    agent,
                    model=self._model,
                    trace=not self._resuming,
                    sent=self._sent,
                ),
                conversation=debug_run.state.conversation,
                resuming=self._resuming,
                began=self._began,
            )
            # A resumed call keeps its marks; no text in a commit can know that commit.
            marks = f"{debug_run.mark}\0{self._base}\0{intent.call}"
            nonce = hashlib.sha256(marks.encode()).hexdigest()[:16]
            call = replace(call, brief=msgspec.structs.replace(call.brief, nonce=nonce))
            answer = within_bounds(ask(agent, call))
            with agents.charged(answer.usage):
                outcome = within_bounds(told(answer, self._around(answer.usage)))
                return without_secrets(outcome, keep=EXACT)
        except AgentFailed as error:
            around = self._around(error.usage or Usage()) | self._draft(error, told)
            debug_run.repository.reset(debug_run.id, self._base)
            message = error.message
            if error.kind == TOO_LONG:
                less = prompt_budget(debug_run.state) // 2
                message = f"the next prompt has {less} tokens at most, since {message}"
            return ev.AgentErred(
                iteration=intent.iteration,
                role=self._role.name,
                agent=intent.agent,
                kind=error.kind,
                message=redacted(ClewError(message, hint=error.hint).whole),
                after=error.after,
                **around,
            )

    @staticmethod
    def _draft(
        error: AgentFailed, told: Callable[[Any, dict[str, Any]], Any]
    ) -> dict[str, ev.Diagnosed]:
        """Return what can be used of an answer that is sent back, if all of it can."""
        if not isinstance(error.answer, agents.Answer):
            return {}
        with contextlib.suppress(AgentFailed):
            draft = within_bounds(told(within_bounds(error.answer), {}))
            return {"draft": without_secrets(draft, keep=EXACT)}
        return {}

    def _agent(self) -> agents.Agent:
        name, settings = self._name, self._workshop.settings
        try:
            agent = agents.make(name, settings, self._workshop.project)
        except UsageError as error:  # what it is made from is gone
            raise AgentFailed(error.message, kind="not_installed", hint=error.hint) from error
        if why := agents.unheld(agent, name, settings):
            raise AgentFailed(why, kind="sandbox", hint="`clew doctor` says why.")
        return agent

    def _around(self, usage: Usage) -> dict[str, Any]:
        """Return the fields that every outcome of a call has, as the agent left things."""
        if self._seen is None:
            self._seen = self._workshop.repository.strays(self._workshop.id, self._base)
        return {
            "usage": priced(usage, self._name, self._workshop.settings.prices),
            "seconds": time.monotonic() - self._started,
            "prompt": self._prompt,
            "context": self._context,
            "model": self._model,
            "wording": self._wording,
            "strays": self._seen,
        }

    def _began(self, name: str) -> None:
        debug_run, intent = self._workshop, self._intent
        if name != debug_run.state.conversation:
            told = ev.ConversationBegan(call=intent.call, agent=intent.agent, conversation=name)
            debug_run.record(told)

    def _sent(self, prompt: str, brief: prompts.Brief) -> None:
        store = self._workshop.store
        self._prompt = _kept(self._workshop, prompt)
        self._context = store.put_record(brief.account) if brief.account else ""
        template = prompts.GO_ON if self._resuming else self._role.name
        self._wording = prompts.wording(template, brief)


def _hold(debug_run: DebugRun, role: Role[Any]) -> None:
    """Hold an agent to what its role may change. Raises AgentFailed naming what it changed."""
    session, repository, base = debug_run.id, debug_run.repository, debug_run.state.head
    if repository.is_clean(session) and repository.head(session) == base:
        return
    commit = repository.commit(session, "Looked at", onto=base)
    changed = repository.changed(base, commit.id) if commit else ()
    if role.beyond(change.path for change in changed):
        beyond = ", ".join(spelled(path) for path in role.beyond(c.path for c in changed)[:SOME])
        what = f"it changed {beyond}, though it may change {role.writes} in this role"
        raise AgentFailed(what, kind="error")


SOME = 5  # files that are named
LEAST = 1.0  # seconds of a call
MOST_SUSPECTS = 20  # that are kept with a diagnosis


def _call(
    debug_run: DebugRun,
    role: Role[R],
    number: int,
    agent: agents.Agent,
    *,
    model: str = "",
    trace: bool = True,
    sent: Callable[[str, prompts.Brief], None] = lambda _prompt, _brief: None,
) -> agents.Call[R]:
    state = debug_run.state
    if state.kept is None:
        raise ClewError("an agent cannot be called before the tests ran")
    effort, began = max(1, state.counter), time.monotonic()
    if role is DOCUMENT:
        brief = story_for(debug_run)
    else:
        brief = brief_for(debug_run, files=agent.reads_files, trace=trace)
    left = max(LEAST, seconds_left(state) - (time.monotonic() - began))  # tests may have run for it
    return agents.Call(
        number=number,
        place=state.calls + 1,
        role=role,
        brief=brief,
        failing=agents.Failing(
            run=debug_run.standing,
            command=state.kept.command,
            search_seconds=min(left, state.settings.search_seconds * effort),
            forbidden=forbidden(state),
            extra=state.session.runner_args,
            modules=debug_run.modules,
            files=debug_run.repository.files(state.head),
            diagnosis=state.diagnosed.diagnosis if state.diagnosed else None,
            made=made(state),
            second=_wants_second(state),
        ),
        tick=debug_run.watcher.tick,
        sent=lambda prompt: sent(prompt, brief),
        site=debug_run.site(debug_run.worktree),
        limits=limits.for_agents(debug_run.settings),
        scratch=debug_run.scratch,
        mark=debug_run.mark,
        alive=debug_run.pulse.touch,
        seconds=min(left, state.settings.agent_timeout * role.time * (1 + state.failures)),
        idle_seconds=state.settings.agent_idle_timeout * (1 + state.failures),
        tokens=tokens_left(state),
        model=model,
        before=lambda path: text_before(debug_run, path),
    )


def _wants_second(state: State) -> bool:
    """Tell whether a lone option is sent back: once an iteration, while a call is left for it."""
    asked = any(
        e.kind == "lone_option" and (e.iteration, e.agent) == (state.overall, state.agent)
        for e in state.agent_errors
    )
    return not asked and state.failures < state.settings.agent_retries


def within_bounds(record: B) -> B:
    """Return what an agent said with each of its texts at a length that people read."""
    return with_texts(record, _within_bounds, keep=EXACT)


def _within_bounds(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    more = len(text) - LONGEST
    return f"{text[:LONGEST]}\n\n(and {more:,} more characters; the answer is kept whole)"


def _kept(debug_run: DebugRun, text: str) -> str:
    return debug_run.store.put(redacted(text).encode("utf-8", "replace")) if text else ""
