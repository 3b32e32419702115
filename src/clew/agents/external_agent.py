"""Agents that are programs of their own: what they are asked, and how answers are taken."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from clew.agents import prompts
from clew.agents.filing import carry_out, checked, proposes, with_diffs
from clew.agents.launching import locate
from clew.agents.protocol import Answer, Call, Done, Report, Work
from clew.agents.replies import (
    Changing,
    DiagnosisReply,
    FixReply,
    as_diagnosis,
    edits,
    parse,
    reported,
)
from clew.agents.roles import R
from clew.git.project import Project
from clew.words.errors import AgentFailed, UsageError
from clew.words.facts import Tick, Usage

__all__ = ["ExternalAgent", "Said", "charged", "make_changes"]


ONE_WAY = (
    "only one way to mend it is named: put a second under `options`, one that could be taken, with"
    " its pros and cons; if there is none, answer as before"
)


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent said; without `usage` its reply may tell what the call took."""

    text: str
    usage: Usage | None = None


@contextlib.contextmanager
def charged(usage: Usage | None) -> Iterator[None]:
    """Count what an answer took also where it turns out to be of no use."""
    try:
        yield
    except AgentFailed as error:
        error.usage = error.usage or usage
        raise


def make_changes(call: Call[Any], reply: object) -> None:
    """Carry out the changes that an answer names, if it may be. Raises AgentFailed."""
    if isinstance(reply, Changing):
        if reply.unready:
            raise AgentFailed(reply.unready, kind="not_ready")
        carry_out(call.site.worktree, edits(reply.changes), call.before)


class ExternalAgent(ABC):
    """A program that is asked in words and answers in JSON. A back-end says how it is asked."""

    reads_files = True
    more_hosts: tuple[str, ...] = ()  # that the person lets it call
    next_step = ""  # where the program is not there

    def __init__(
        self, name: str, program: str, *, project: Project, pass_env: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self._word = program
        self._project = project
        self._pass_env = pass_env

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that it may call; none where nobody knows them, so that it may call all."""
        return self.more_hosts

    @abstractmethod
    def ask(self, call: Call[Any], prompt: str) -> Said:
        """Return what the agent says to a prompt. Raises AgentFailed."""

    def reclaim(self, scratch: Path) -> None:  # noqa: B027 -- by default there is none
        """Put a login back that a call has renewed, and could not put back."""

    def can_resume(self, scratch: Path, conversation: str) -> bool:  # noqa: ARG002 -- by default
        """Tell whether a conversation that was cut off is still there, and can be gone on with."""
        return False

    def look(self) -> None:
        """Raise UsageError if the program is not there."""
        try:
            locate(self._word, self._project, self._project.root)
        except AgentFailed as error:
            hint = self.next_step or error.hint
            raise UsageError(f"{self.name}: {error.message}", hint=hint) from error

    def do(self, call: Call[R], tick: Report) -> Done[R]:
        """Ask for an answer in the role's form; changes that are only named are made here."""
        role = call.role
        tick(Tick(phase=role.name, text=self.name))
        asked = prompts.going_on if call.resuming else prompts.prompt
        prompt = asked(role.name, call.brief)
        said = self.ask(call, prompt)
        with charged(said.usage or reported(said.text)):
            reply = parse(said.text, role.reply)
        usage = said.usage or reply.usage.counted()
        with charged(usage):
            make_changes(call, reply)
        return Done(reply=reply, usage=usage, prompt=prompt, said=said.text)

    def diagnose(self, call: Call[DiagnosisReply], tick: Report) -> Answer:
        """Ask for a diagnosis whose edits fit the files; the worktree is read-only."""
        done, failing = self.do(call, tick), call.failing
        with charged(done.usage):
            diagnosis = checked(
                call.site.worktree, as_diagnosis(done.reply), failing.made if failing else ()
            )
        answer = Answer(
            diagnosis=with_diffs(call.site.worktree, diagnosis),
            proposes=proposes(diagnosis, failing.run.named if failing else ()),
            usage=done.usage,
            prompt=done.prompt,
            reply=done.said,
        )
        if failing and failing.second and len(diagnosis.options) == 1:
            raise AgentFailed(ONE_WAY, kind="lone_option", answer=answer)
        return answer

    def fix(self, call: Call[FixReply], tick: Report) -> Work:
        """Have the fix carried out; changes that are only named are made here."""
        done = self.do(call, tick)
        return Work(
            summary=done.reply.summary, usage=done.usage, prompt=done.prompt, reply=done.said
        )
