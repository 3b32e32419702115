"""Any agent that speaks the Agent Client Protocol: one process and one prompt a call.

It runs as every other agent does, in the sandbox, with a home of its own that is made anew for each
call that does not go on with another. Whether one can go on is seen when it does: what it says of
that is no promise. It reads and writes files by itself; what it asks permission for is answered by
a table. If it is the protocol's side of an agent that Clew knows, it is lent that one's login and
variables, and told how to behave as that one is.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from clew.agents.about import About
from clew.agents.acp.permitting import GRANTED, by_policy
from clew.agents.cli_agent import PROXIES, CliAgent, login_of, telling, together
from clew.agents.command import Command
from clew.agents.external_agent import Said
from clew.agents.launching import Program, launch, locate
from clew.agents.listening import Listener, Notice
from clew.agents.login_copy import fresh, lent, looks_like, reclaim
from clew.agents.protocol import Call
from clew.agents.roles import Role
from clew.git.project import Project
from clew.sandbox.processes import Completed
from clew.words.errors import AgentFailed, UsageError
from clew.words.facts import Usage
from clew.words.retry_policy import kind_of

__all__ = ["Acp"]

EXTRA = "acp"
LONGEST = 500  # characters of its words that are told
STOPS = {"refusal": "refusal", "max_tokens": "context_too_long", "cancelled": "timeout"}


class Acp(Command):
    """One program that speaks the protocol; `kin` is the agent whose login it is lent.

    `granted` are kinds of tools that it may use beside those of its role, if it asks. Raises
    UsageError for one that cannot be granted.
    """

    about = About(
        word="acp",
        rest="LINE",
        does="any agent that speaks the Agent Client Protocol",
        reads_only_by="what it asks leave for",
        usage=True,
        money=True,
        resumes=None,
        streams=True,
        extra=EXTRA,
        module="acp",
    )

    def __init__(
        self,
        argv: tuple[str, ...],
        *,
        project: Project,
        pass_env: tuple[str, ...] = (),
        kin: type[CliAgent] | None = None,
        granted: tuple[str, ...] = (),
    ) -> None:
        super().__init__(argv, project=project, pass_env=pass_env)
        self._kin = kin("", project=project, pass_env=pass_env) if kin else None
        self._granted = granted
        if unknown := set(granted) - set(GRANTED):
            raise UsageError(
                f"agent_leave names {', '.join(sorted(unknown))}, for which none can be given",
                hint=f"There is leave for {', '.join(GRANTED)}.",
            )

    @property
    def hosts(self) -> tuple[str, ...]:
        """Those of the agent that it speaks for, and those that the person names."""
        return (*(self._kin.own_hosts if self._kin else ()), *self.more_hosts)

    def look(self) -> None:
        """Raise UsageError if the program is not there, or the extra."""
        if find_spec(self.about.module) is None:
            raise UsageError(f"{self.name} needs an extra", hint=f"pip install 'clew[{EXTRA}]'")
        super().look()

    def ask(self, call: Call[Any], prompt: str) -> Said:
        """Return what it says after it last used a tool."""
        from clew.agents.acp.conversation import converse  # noqa: PLC0415 -- an extra, and slow
        from clew.agents.acp.talking import AcpTalk  # noqa: PLC0415 -- asyncio is slow as well

        path = locate(self._word, self._project, call.site.worktree)
        own = self._own(call.scratch)
        self.reclaim(call.scratch)
        if not call.resuming:
            fresh(own)
            if self._kin:
                self._kin.furnish(own)
        elif self._kin:
            self._kin.mend(own, call.conversation)
        asked = threading.Event()
        talk = AcpTalk(
            partial(
                converse,
                prompt=prompt,
                judge=by_policy(edits=call.role.edits, granted=self._granted),
                seconds=call.seconds,
                earlier=call.conversation if call.resuming else "",
                asking=asked.set,
            )
        )

        def read(line: bytes) -> Notice | None:
            return _notice(talk.hear(line), new=asked.is_set())

        with self._login(own, telling(call)) as take_back:
            try:
                listener = Listener(call, self.name, read)
                program, watched = self._program(path, own, call.role), call.meanwhile(take_back)
                done = launch(watched, program, prompt, listener, talk=talk)
            finally:
                talk.close()
        try:
            heard = talk.result()
        except ConnectionError as error:
            raise _gone(done) from error
        usage = self._taken(heard.usage, worked=heard.worked, resuming=call.resuming)
        if heard.stopped != "end_turn" and "{" not in heard.text:
            raise AgentFailed(
                f"it stopped before it answered: {heard.stopped}",
                kind=STOPS.get(heard.stopped, "error"),
                usage=usage,
            )
        if heard.refused and "{" not in heard.text:
            told = f"it was denied {', '.join(heard.refused)}"[:LONGEST]
            raise AgentFailed(told, kind="tool_access", usage=usage)
        return Said(text=heard.text, usage=usage)

    def _taken(self, told: Usage | None, *, worked: bool, resuming: bool) -> Usage | None:
        """Return what a prompt took, told as a part where there was more."""
        last = self._kin is not None and self._kin.tells_last and worked
        return together(None, told) if resuming or last else told

    def reclaim(self, scratch: Path) -> None:
        """Put a login back that a call has renewed, and could not put back."""
        if self._kin:
            about, good = self._kin.about, looks_like(self._kin.login)
            reclaim(login_of(about), self._own(scratch), about.login_file, good)

    def can_resume(self, scratch: Path, conversation: str) -> bool:
        """Tell whether it may be asked: its answer is known when it has loaded the session."""
        return bool(conversation) and self._own(scratch).is_dir()

    def _own(self, scratch: Path) -> Path:
        return scratch / self.about.word

    def _program(self, path: str, own: Path, role: Role[Any]) -> Program:
        variables = self._kin.about.variables if self._kin else ()
        told = self._kin.told(role) if self._kin else {}
        allowed = (*variables, *PROXIES, *self._pass_env)
        given = {name: os.environ[name] for name in allowed if name in os.environ}
        return Program(
            argv=(path, *self._argv[1:]),
            visible=self._visible(path),
            writable=(own,),
            environment={**told, **given, "HOME": str(own), "NO_COLOR": "1"},
            hosts=self.hosts,
        )

    @contextlib.contextmanager
    def _login(self, own: Path, tell: Callable[[str], None]) -> Iterator[Callable[[], None]]:
        if self._kin is None:
            yield lambda: None
            return
        about, good = self._kin.about, looks_like(self._kin.login)
        with lent(login_of(about), own, about.login_file, good, tell) as loan:
            yield loan.take_back


def _notice(message: dict[str, Any] | None, *, new: bool) -> Notice | None:
    """Read what it does, unless that is nothing new, and the name of its conversation."""
    match message:
        case {
            "params": {"update": {"sessionUpdate": "tool_call", "title": str(title), **more}}
        } if new:
            kind = more.get("kind")
            return Notice(doing=f"{kind if isinstance(kind, str) else ''} {title}".strip())
        case {"result": {"sessionId": str(name)}}:
            return Notice(conversation=name)
        case _:
            return None


def _gone(done: Completed) -> AgentFailed:
    """Return the error for a program that ended before it answered, with its last words."""
    words = done.stderr.strip().splitlines()
    return AgentFailed(
        f"it ended with exit code {done.exit_code} before it answered:"
        f" {words[-1][:LONGEST] if words else 'no words'}",
        kind=kind_of("\n".join(words[-5:])),
    )
