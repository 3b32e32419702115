"""The two questions that every outside agent is asked, and how its answers are taken."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from clew import prompts
from clew.agents.filing import carry_out, check
from clew.agents.protocol import Answer, Call, Work
from clew.agents.replies import DiagnosisReply, FixReply, as_diagnosis, edits, parse
from clew.errors import AgentFailed
from clew.facts import Usage

__all__ = ["Ask", "Said", "ask_for_diagnosis", "ask_for_fix"]


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent said; without `usage` its reply may tell what the call took."""

    text: str
    usage: Usage | None = None


Ask = Callable[[str, str], Said]
"""Role and prompt to what the agent said. Raises AgentFailed."""


def ask_for_diagnosis(call: Call, ask: Ask) -> Answer:
    """Return the diagnosis of an agent; its edits fit the files. Raises AgentFailed."""
    prompt = prompts.diagnose_prompt(call.brief)
    said = ask("diagnose", prompt)
    reply = parse(said.text, DiagnosisReply)
    diagnosis = as_diagnosis(reply)
    check(call.site.worktree, diagnosis)
    return Answer(
        diagnosis=diagnosis,
        proposes=not diagnosis.elsewhere,
        usage=said.usage or reply.usage.counted(),
        prompt=prompt,
        reply=said.text,
    )


def ask_for_fix(call: Call, ask: Ask) -> Work:
    """Have an agent carry the fix out; changes that it only names are made here.

    Raises AgentFailed.
    """
    prompt = prompts.fix_prompt(call.brief)
    said = ask("fix", prompt)
    reply = parse(said.text, FixReply)
    if not reply.ready_for_testing:
        raise AgentFailed(f"it is not ready for testing: {reply.summary}", kind="not_ready")
    carry_out(call.site.worktree, edits(reply.changes))
    return Work(
        summary=reply.summary,
        usage=said.usage or reply.usage.counted(),
        prompt=prompt,
        reply=said.text,
    )
