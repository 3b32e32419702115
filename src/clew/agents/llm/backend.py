"""A model of any provider as an agent.

It runs in Clew's own process, over the person's network: what keeps it from writing, and from all
that is not the project, is that its tools can do no such thing.
"""

from __future__ import annotations

from typing import Any

from clew.agents import prompts
from clew.agents.about import About
from clew.agents.external_agent import ExternalAgent, Said
from clew.agents.filing import checked, try_out
from clew.agents.llm.asking import Question, converse
from clew.agents.llm.providers import EXTRA, MODULE, PROVIDERS, access, installed
from clew.agents.llm.tools import Toolbox
from clew.agents.protocol import Call
from clew.agents.replies import Changing, DiagnosisReply, as_diagnosis, edits, parse
from clew.agents.schemas import strict
from clew.git.project import Project
from clew.words.errors import AgentFailed, UsageError
from clew.words.facts import Tick
from clew.words.settings import Settings

__all__ = ["Llm"]


class Llm(ExternalAgent):
    """One model, asked anew for each call; `words` are PROVIDER:MODEL."""

    about = About(
        word="llm",
        rest="PROVIDER:MODEL",
        does="a model through its API, in Clew's own process",
        reads_only_by="its tools",
        usage=True,
        models=True,
        schema=True,
        streams=True,
        extra=EXTRA,
        module=MODULE,
        logins=tuple(
            dict.fromkeys(
                name for each in PROVIDERS.values() for name in (*each.keys, each.base_url)
            )
        ),
        next_step="set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or the base URL of a"
        " server of yours",
    )

    def __init__(self, words: str, *, settings: Settings, project: Project) -> None:
        super().__init__(f"llm:{words}", "", project=project)
        self._access = access(words, settings)

    def look(self) -> None:
        """Raise UsageError if the extra is not installed."""
        if not installed():
            raise UsageError(f"{self.name} needs an extra", hint=f"pip install 'clew[{EXTRA}]'")

    def ask(self, call: Call[Any], prompt: str) -> Said:
        """Return the JSON that it answers with."""
        self.look()
        asked, worktree = call.role, call.site.worktree
        made = call.failing.made if call.failing else ()
        nonce = prompts.nonce_of(call.brief)

        def holds(text: str) -> None:
            reply = parse(text, asked.reply)
            if isinstance(reply, DiagnosisReply):
                checked(worktree, as_diagnosis(reply), made)
            elif isinstance(reply, Changing):
                try_out(worktree, edits(reply.changes), call.before)

        box = Toolbox(
            worktree,
            nonce,
            call.site.root,
            may_edit=lambda path: not asked.beyond([path]),
            told=lambda words: call.tick(Tick(phase=asked.name, text=words)),
        )
        model = self._access.model()
        call.sent(prompt)
        try:
            answered = converse(
                model,
                Question(
                    prompt=prompt,
                    nonce=nonce,
                    schema=strict(asked.reply),
                    tools=box.tools(writes=asked.edits),
                    check=holds,
                    seconds=call.seconds,
                    tokens=call.tokens,
                ),
            )
        except AgentFailed as error:
            error.message = self._access.hidden(error.message)
            raise
        return Said(text=answered.text, usage=answered.usage)
