"""A coding agent of the command line: one process a call, with a configuration of its own.

Of the person's it is lent the login, and the variables that its `About` names. A back-end says how
the program is started, and how its answer is read.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from clew.agents.about import About
from clew.agents.external_agent import ExternalAgent, Said, charged
from clew.agents.launching import Program, launch, locate
from clew.agents.listening import Listener, Notice
from clew.agents.login_copy import lent, looks_like, reclaim
from clew.agents.protocol import Call
from clew.agents.roles import Role
from clew.git.project import Project
from clew.sandbox.processes import Completed
from clew.words.errors import AgentFailed
from clew.words.facts import Tick, Usage
from clew.words.retry_policy import kind_of

__all__ = ["CliAgent", "login_of", "telling", "together"]

# What a proxy is told by: an agent's model lives elsewhere.
PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "NODE_EXTRA_CA_CERTS", "NO_PROXY")
LONGEST = 500  # characters of its words that are told


class CliAgent(ExternalAgent):
    """Started anew for each call; `model` is what its own option for models takes, or empty."""

    about: ClassVar[About]
    login: ClassVar[Any]  # a type: the parts that tell its login from anything else
    quiet: ClassVar[Mapping[str, str]] = {}  # keeps it from what nobody asked for, as updates
    tells_last: ClassVar[bool] = False  # by the protocol: what its last request took, of many

    def __init__(self, model: str, *, project: Project, pass_env: tuple[str, ...] = ()) -> None:
        word = self.about.word
        super().__init__(
            f"{word}:{model}" if model else word,
            self.about.program,
            project=project,
            pass_env=pass_env,
        )
        self.model = model
        self.next_step = f"{self.about.next_step[:1].upper()}{self.about.next_step[1:]}."

    def ask(self, call: Call[Any], prompt: str) -> Said:
        """Return what it ends with, and what it took: one that goes on, since it first began."""
        if not call.resuming:
            return self._asked(call, prompt)
        before = self.taken(self._own(call.scratch), call.conversation)
        try:
            said = self._asked(call, prompt)
        except AgentFailed as error:
            error.usage = together(before, error.usage)
            raise
        return msgspec.structs.replace(said, usage=together(before, said.usage))

    def _asked(self, call: Call[Any], prompt: str) -> Said:
        path = Path(locate(self.about.program, self._project, call.site.worktree))
        own = self._own(call.scratch)
        own.mkdir(parents=True, exist_ok=True)
        theirs, good = login_of(self.about), looks_like(self.login)
        self.reclaim(call.scratch)
        program = self._begun(call, path, own)
        allowed = (*self.about.variables, *PROXIES, *self._pass_env)
        given = {name: os.environ[name] for name in allowed if name in os.environ}
        program = msgspec.structs.replace(program, environment={**given, **program.environment})
        program = msgspec.structs.replace(program, hosts=self.hosts)
        with lent(theirs, own, self.own_login, good, telling(call)) as loan:
            listener = Listener(call, self.name, self.notice) if self.about.streams else None
            done = launch(call.meanwhile(loan.take_back), program, prompt, listener)
        with charged(listener.usage if listener else None):
            said = self.heard(done)
        usage = said.usage or (listener.usage if listener else None)
        return msgspec.structs.replace(said, usage=usage)

    def reclaim(self, scratch: Path) -> None:
        """Put a login back that a call has renewed, and could not put back."""
        good = looks_like(self.login)
        reclaim(login_of(self.about), self._own(scratch), self.own_login, good)

    def can_resume(self, scratch: Path, conversation: str) -> bool:
        """Tell whether a conversation that was cut off is still there."""
        return bool(self.about.resumes and conversation) and self._own(scratch).is_dir()

    def _own(self, scratch: Path) -> Path:
        return scratch / self.about.word

    def _begun(self, call: Call[Any], path: Path, own: Path) -> Program:
        if call.resuming:
            self.mend(own, call.conversation)
            return self.resumed(self.program(path, call.role, own), call.conversation)
        self.forget(own)
        program = self.program(path, call.role, own)
        return self.named(program, call.conversation) if call.conversation else program

    @property
    def own_hosts(self) -> tuple[str, ...]:
        """The hosts of its provider, where that is known."""
        return self.about.hosts

    @property
    def hosts(self) -> tuple[str, ...]:
        """Those of its provider, and those that the person names."""
        return (*self.own_hosts, *self.more_hosts)

    @property
    def own_login(self) -> str:
        """Where its login lies, below its own configuration."""
        return Path(self.about.login_file).name

    def told(self, role: Role[Any]) -> Mapping[str, str]:  # noqa: ARG002 -- by default
        """Return the variables that tell it how to behave in a role, whoever speaks with it."""
        return self.quiet

    @abstractmethod
    def program(self, path: Path, role: Role[Any], own: Path) -> Program:
        """Return how the program at `path` is started; `own` is its configuration's folder."""

    def named(self, program: Program, conversation: str) -> Program:  # noqa: ARG002 -- by default
        """Return the program with a name of our choice for its conversation, if it takes one."""
        return program

    def resumed(self, program: Program, conversation: str) -> Program:
        """Return the program as it goes on with a conversation; see `About.resumes`."""
        raise NotImplementedError(f"{self.name} does not continue {conversation}: {program.argv}")

    def forget(self, own: Path) -> None:
        """Remove what earlier calls left in its configuration: each begins afresh."""

    @classmethod
    def furnish(cls, home: Path) -> None:
        """Put into a home what it needs to find the login that it is lent, or a key."""

    @classmethod
    def mend(cls, own: Path, conversation: str) -> None:
        """Put right what would keep it from going on with a conversation that was cut off."""

    def taken(self, own: Path, conversation: str) -> Usage | None:  # noqa: ARG002 -- by default
        """Return what a conversation took before it was cut off, where that is kept."""
        return None

    def notice(self, line: bytes) -> Notice | None:  # noqa: ARG002 -- by default
        """Read a line that it prints while it works; see `About.streams`."""
        return None

    @abstractmethod
    def heard(self, done: Completed) -> Said:
        """Read what it printed. Raises AgentFailed where that is no answer, with its own words."""

    def no_result(self, done: Completed) -> AgentFailed:
        """Return the error for an end without a result, told with the program's last words."""
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()
        return AgentFailed(
            f"it ended with exit code {done.exit_code}, and without a result:"
            f" {words[-1][:LONGEST] if words else 'no words'}",
            kind=kind_of("\n".join(words[-5:])),
        )


def together(before: Usage | None, since: Usage | None) -> Usage | None:
    """Add up both parts of a call; what is known of one alone is told as a part."""
    if before is None or since is None:
        known = before or since
        return msgspec.structs.replace(known, partial=True) if known else None
    return Usage.total((before, since))


def telling(call: Call[Any]) -> Callable[[str], None]:
    """Return what shows the person something about their login."""
    return lambda words: call.tick(Tick(phase="login", text=words))


def login_of(about: About) -> Path:
    """Return where the person's login lies, if there is one."""
    folder = os.environ.get(about.login_folder, "") if about.login_folder else ""
    if folder:
        return Path(folder) / Path(about.login_file).name
    home = os.environ.get(about.login_home, "") if about.login_home else ""
    return Path(home or Path.home()) / about.login_file
