"""One call of an agent that is journalled, the same for every kind of session and every role.

What is asked, and what is made of the answer, is the session's. How it is asked is said here: in
which worktree, with what marks, within which bounds, and what is kept of it after a failure.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from clew import agents
from clew.agents import prompts
from clew.agents.roles import ROLES, Role, Writes
from clew.analysis.spending import priced
from clew.git.worktrees import PrivateRepository, path_text
from clew.words.errors import AgentFailed, ClewError, UsageError
from clew.words.facts import GitSideEffect, Tick, Usage
from clew.words.records import AgentCall, AgentFailure, AgentOutcome, ConversationBegan
from clew.words.redaction import redacted, with_texts, without_secrets

if TYPE_CHECKING:
    from clew.git.project import Project
    from clew.journal.store import Store
    from clew.sessions.kinds import Watcher
    from clew.words.settings import Settings

__all__ = ["AgentCalling", "Caller", "hold", "kept", "within_bounds"]

LONGEST = 20_000  # characters of one text that an agent gives: it goes into several documents
SOME = 5  # files that are named
# What has to stay to the letter: code, and names of things.
EXACT = frozenset(
    {"agent", "commit", "context", "conversation", "created", "deleted", "diff", "edits", "files"}
    | {"left_out", "model", "modified", "patch", "path", "prompt", "reach", "reply", "reported"}
    | {"suspects", "tampering", "test_diff", "wording"}
)


class Conversing(Protocol):
    """The state of a session that calls agents."""

    @property
    def conversation(self) -> str:
        """The name of the conversation of the call in flight, as far as it is known."""
        ...


class Caller(Protocol):
    """A session that this process works on, as far as calling an agent goes."""

    @property
    def id(self) -> str: ...
    @property
    def project(self) -> Project: ...
    @property
    def store(self) -> Store: ...
    @property
    def repository(self) -> PrivateRepository: ...
    @property
    def watcher(self) -> Watcher: ...
    @property
    def state(self) -> Conversing: ...
    @property
    def mark(self) -> str: ...
    @property
    def scratch(self) -> Path: ...
    @property
    def pulse(self) -> Path: ...
    def record(self, event: Any) -> int: ...  # noqa: ANN401 - of the flow that runs


class _Heard(Protocol):
    """What an agent gave back, whatever it was asked."""

    @property
    def usage(self) -> Usage: ...


A = TypeVar("A", bound=_Heard)
T = TypeVar("T", bound=AgentOutcome)
E = TypeVar("E", bound=AgentFailure)
B = TypeVar("B")


@dataclass(kw_only=True)
class AgentCalling:
    """One call, with its circumstances: when, with what, in which words."""

    session: Caller
    intent: AgentCall
    settings: Settings
    base: str  # what the worktree is put back to
    resuming: bool = False  # whether the conversation of a call that was cut off is gone on with
    started: float = field(default_factory=time.monotonic)
    _prompt: str = ""
    _context: str = ""
    _wording: str = ""
    _seen: tuple[GitSideEffect, ...] | None = None

    def __post_init__(self) -> None:
        """Settle who is asked, and with what model."""
        self._name, self._model = agents.with_model(
            self.intent.agent, self.intent.model, self.settings
        )

    @property
    def role(self) -> Role[Any]:
        """What is asked for."""
        return ROLES[self.intent.role]

    def settled(
        self,
        call: Callable[[agents.Agent], agents.Call[Any]],
        ask: Callable[[agents.Agent, agents.Call[Any]], A],
        told: Callable[[A, dict[str, Any]], T],
        erred: Callable[[AgentFailed, dict[str, Any]], E],
    ) -> T | E:
        """Ask, and return what is told of the answer; the worktree is put back after a failure.

        `call` says what is asked: what is the same for all is filled in here. `told` and `erred`
        take the fields that every such outcome has, as the agent left things.
        """
        session = self.session
        session.watcher.tick(Tick(phase=self.role.name, text=self._name))
        if not self.resuming:
            session.repository.reset(session.id, self.base)
        try:
            agent = self._agent()
            answer = within_bounds(ask(agent, self._whole(call(agent))))
            with agents.charged(answer.usage):
                outcome = within_bounds(told(answer, self._around(answer.usage)))
                return without_secrets(outcome, keep=EXACT)
        except AgentFailed as error:
            failed = erred(error, self._failed(error))
            session.repository.reset(session.id, self.base)
            return failed

    def _agent(self) -> agents.Agent:
        try:
            agent = agents.make(self._name, self.settings, self.session.project)
        except UsageError as error:  # what it is made from is gone
            raise AgentFailed(error.message, kind="not_installed", hint=error.hint) from error
        if why := agents.unheld(agent, self._name, self.settings):
            raise AgentFailed(why, kind="sandbox", hint="`clew doctor` says why.")
        return agent

    def _whole(self, call: agents.Call[Any]) -> agents.Call[Any]:
        session = self.session
        # A resumed call keeps its marks; no text in a commit can know that commit.
        marks = f"{session.mark}\0{self.base}\0{self.intent.call}"
        nonce = hashlib.sha256(marks.encode()).hexdigest()[:16]
        brief = msgspec.structs.replace(call.brief, nonce=nonce)
        return replace(
            call,
            brief=brief,
            model=self._model,
            mark=session.mark,
            scratch=session.scratch,
            alive=session.pulse.touch,
            tick=session.watcher.tick,
            sent=lambda prompt: self._sent(prompt, brief),
            began=self._began,
            before=self._before,
            conversation=session.state.conversation,
            resuming=self.resuming,
        )

    def _before(self, path: str) -> str | None:
        content = self.session.repository.show(self.base, path)
        return None if content is None else content.decode("utf-8", "replace")

    def _began(self, name: str) -> None:
        session, intent = self.session, self.intent
        if name != session.state.conversation:
            session.record(
                ConversationBegan(call=intent.call, agent=intent.agent, conversation=name)
            )

    def _sent(self, prompt: str, brief: prompts.Brief) -> None:
        store = self.session.store
        self._prompt = kept(store, prompt)
        self._context = store.put_record(brief.account) if brief.account else ""
        template = prompts.GO_ON if self.resuming else self.role.name
        self._wording = prompts.wording(template, brief)

    def _around(self, usage: Usage) -> dict[str, Any]:
        """Return the fields that every outcome of a call has, as the agent left things."""
        if self._seen is None:
            self._seen = self.session.repository.strays(self.session.id, self.base)
        return {
            "usage": priced(usage, self._name, self.settings.prices),
            "seconds": time.monotonic() - self.started,
            "prompt": self._prompt,
            "context": self._context,
            "model": self._model,
            "wording": self._wording,
            "strays": self._seen,
        }

    def _failed(self, error: AgentFailed) -> dict[str, Any]:
        return {
            "role": self.role.name,
            "agent": self.intent.agent,
            "kind": error.kind,
            "message": redacted(ClewError(error.message, hint=error.hint).whole),
            "after": error.after,
            **self._around(error.usage or Usage()),
        }


def hold(session: Caller, role: Role[Any], base: str, *, laid: str = "") -> None:
    """Hold an agent to what its role may change, but for the file that Clew laid there for it.

    Raises AgentFailed naming what it changed.
    """
    repository = session.repository
    if repository.is_clean(session.id) and repository.head(session.id) == base:
        return
    commit = repository.commit(session.id, "Looked at", onto=base)
    changed = repository.changed(base, commit.id) if commit else ()
    if beyond := role.beyond(change.path for change in changed if change.path != laid):
        named = ", ".join(map(path_text, beyond[:SOME]))
        only = "" if role.writes is Writes.NOTHING else "only "
        what = f"it changed {named}, though it may change {only}{role.writes} in this role"
        raise AgentFailed(what, kind="error")


def kept(store: Store, text: str) -> str:
    """Keep a text without its secrets; return its blob, or nothing for no text."""
    return store.put(redacted(text).encode("utf-8", "replace")) if text else ""


def within_bounds(record: B) -> B:
    """Return what an agent said with each of its texts at a length that people read."""
    return with_texts(record, _within_bounds, keep=EXACT)


def _within_bounds(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    more = len(text) - LONGEST
    return f"{text[:LONGEST]}\n\n(and {more:,} more characters; the answer is kept whole)"
