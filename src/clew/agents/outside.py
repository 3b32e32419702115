"""Agents that are programs of their own: what they are asked, and how answers are taken."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator

import msgspec

from clew import prompts
from clew.agents.filing import carry_out, check
from clew.agents.launching import locate
from clew.agents.protocol import Answer, Call, Report, Work
from clew.agents.replies import DiagnosisReply, FixReply, as_diagnosis, edits, parse
from clew.errors import AgentFailed, UsageError
from clew.facts import Tick, Usage
from clew.project import Project

__all__ = ["Outside", "Said", "charged"]


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


class Outside(ABC):
    """A program that is asked in words and answers in JSON. A back-end says how it is asked."""

    reads_files = True
    next_step = ""  # where the program is not there

    def __init__(
        self, name: str, program: str, *, project: Project, pass_env: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self._word = program
        self._project = project
        self._pass_env = pass_env

    @abstractmethod
    def ask(self, call: Call, role: str, prompt: str) -> Said:
        """Return what the agent says to a prompt. Raises AgentFailed."""

    def look(self) -> None:
        """Raise UsageError if the program is not there."""
        try:
            locate(self._word, self._project, self._project.root)
        except AgentFailed as error:
            hint = self.next_step or error.hint
            raise UsageError(f"{self.name}: {error.message}", hint=hint) from error

    def diagnose(self, call: Call, tick: Report) -> Answer:
        """Ask for a diagnosis whose edits fit the files; the worktree is read-only."""
        tick(Tick(phase="diagnose", text=self.name))
        prompt = prompts.diagnose_prompt(call.brief)
        said = self.ask(call, "diagnose", prompt)
        with charged(said.usage):
            reply = parse(said.text, DiagnosisReply)
        usage = said.usage or reply.usage.counted()
        with charged(usage):
            diagnosis = as_diagnosis(reply)
            check(call.site.worktree, diagnosis)
        return Answer(
            diagnosis=diagnosis,
            proposes=not diagnosis.elsewhere,
            usage=usage,
            prompt=prompt,
            reply=said.text,
        )

    def fix(self, call: Call, tick: Report) -> Work:
        """Have the fix carried out; changes that are only named are made here."""
        tick(Tick(phase="fix", text=self.name))
        prompt = prompts.fix_prompt(call.brief)
        said = self.ask(call, "fix", prompt)
        with charged(said.usage):
            reply = parse(said.text, FixReply)
        usage = said.usage or reply.usage.counted()
        with charged(usage):
            if not reply.ready_for_testing:
                raise AgentFailed(f"it is not ready for testing: {reply.summary}", kind="not_ready")
            carry_out(call.site.worktree, edits(reply.changes))
        return Work(
            summary=reply.summary,
            usage=usage,
            prompt=prompt,
            reply=said.text,
        )
