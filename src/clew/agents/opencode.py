"""opencode without a terminal: `opencode run`, one process a call, the prompt on its input.

Its folders are of its own; of the person's files it is lent the login. What it may do is a list of
permissions: for a diagnosis to read, for a fix to edit as well. It runs no commands, and what the
project has in `opencode.json` and `.opencode` does not act.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from clew.agents.about import About
from clew.agents.claude import Claude
from clew.agents.cli_agent import LONGEST, CliAgent, login_of
from clew.agents.codex import Codex
from clew.agents.external_agent import Said
from clew.agents.form import Count
from clew.agents.gemini import Gemini
from clew.agents.launching import Program
from clew.agents.listening import Notice, decoded, doing
from clew.agents.login_copy import Secret, fresh
from clew.agents.roles import Role
from clew.sandbox.processes import Completed
from clew.words.errors import AgentFailed
from clew.words.facts import Usage
from clew.words.retry_policy import kind_of, told_wait

__all__ = ["Opencode"]

LOGIN = "opencode/auth.json"
# What each provider is reached at, and the variable that logs in there.
PROVIDERS = {
    "anthropic": ("ANTHROPIC_API_KEY", Claude.about.hosts),
    "google": ("GEMINI_API_KEY", Gemini.about.hosts),
    "openai": ("OPENAI_API_KEY", Codex.about.hosts),
    "opencode": ("OPENCODE_API_KEY", ("opencode.ai",)),
    "openrouter": ("OPENROUTER_API_KEY", ("openrouter.ai",)),
}
MAKERS = "opencode"
LOGINS = tuple(variable for variable, _ in PROVIDERS.values())
BASE_URL = "OPENAI_BASE_URL"
READING = ("glob", "grep", "list", "read")
FOLDERS = ("cache", "config", "data", "state")
QUIET = {
    f"OPENCODE_{name}": "1"
    for name in (
        "DISABLE_AUTOUPDATE",
        "DISABLE_CLAUDE_CODE",
        "DISABLE_DEFAULT_PLUGINS",
        "DISABLE_EXTERNAL_SKILLS",
        "DISABLE_LSP_DOWNLOAD",
        "DISABLE_MODELS_FETCH",
        "DISABLE_PROJECT_CONFIG",
        "EXPERIMENTAL_DISABLE_FILEWATCHER",
    )
}
# A package that it would fetch for plug-ins, which there are none of: it is told that it has it.
FETCHED = "@opencode-ai/plugin"


class Cache(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of the input that were read from a cache, and written to it."""

    read: Count = 0
    write: Count = 0


class OpencodeTokens(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of a step: those of a cache are not part of `input`."""

    input: Count = 0
    output: Count = 0
    reasoning: Count = 0
    cache: Cache = Cache()


class OpencodeState(msgspec.Struct, frozen=True, kw_only=True):
    """How a call of a tool stands."""

    input: dict[str, Any] = {}


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Something that it said or did."""

    id: str = ""
    text: str = ""
    tool: str = ""
    state: OpencodeState | None = None
    tokens: OpencodeTokens | None = None
    cost: float | None = None


class Details(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What is known of an error; the status is HTTP's."""

    message: str = ""
    status_code: int | None = None


class OpencodeProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Why it failed."""

    name: str = ""
    data: Details = Details()


class OpencodeEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `--format json`."""

    type: str
    session: str = msgspec.field(default="", name="sessionID")
    part: Part = Part()
    error: OpencodeProblem | None = None


class OpencodeLogin(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept for one provider: a key, or what stands for one."""

    type: str
    key: Secret | None = None
    refresh: Secret | None = None


class Opencode(CliAgent):
    """opencode, started anew for each call; `model` is a provider and a model."""

    tells_last = True

    about = About(
        word="opencode",
        rest="[PROVIDER/MODEL]",
        does="opencode, without a terminal",
        reads_only_by="its permissions",
        usage=True,
        money=True,
        models=True,
        resumes=True,
        streams=True,
        program="opencode",
        variables=(*LOGINS, BASE_URL),
        logins=LOGINS,
        login_file=f".local/share/{LOGIN}",
        next_step="install opencode, and log in with `opencode auth login`, or set a key",
    )
    login = Annotated[dict[str, OpencodeLogin], msgspec.Meta(min_length=1)]
    quiet = QUIET
    own_login = f"data/{LOGIN}"

    @property
    def own_hosts(self) -> tuple[str, ...]:
        """Those of the model's provider; without a model, of all that the person is logged in at.

        None where one of them is not known, or where it may be told of others.
        """
        meant = self._meant()
        if not meant <= PROVIDERS.keys():
            return ()
        return tuple(host for name in sorted(meant) for host in PROVIDERS[name][1])

    def _meant(self) -> set[str]:
        """Return the providers that it may ask; none where it may be told of others."""
        provider = self.model.partition("/")[0]
        if provider:
            return {provider}
        return set() if self._pass_env else self._logged_in()

    def _logged_in(self) -> set[str]:
        found = {name for name, (key, _) in PROVIDERS.items() if os.environ.get(key)}
        if os.environ.get(BASE_URL):
            found.add("openai")  # what is served there may need no key
        with contextlib.suppress(OSError, ValueError, RecursionError):
            kept = login_of(self.about).read_bytes()
            found |= msgspec.json.decode(kept, type=self.login).keys()
        return found

    def told(self, role: Role[Any]) -> Mapping[str, str]:
        """Return the variables that hold its configuration: what it may do, and where it asks."""
        configuration = _configuration(role, self.model, self._meant())
        # Its makers have models that need no login: who is logged in elsewhere has not chosen them.
        if not self.model and (found := self._logged_in()) and MAKERS not in found:
            configuration["disabled_providers"] = [MAKERS]
        return {**self.quiet, "OPENCODE_CONFIG_CONTENT": json.dumps(configuration)}

    @classmethod
    def furnish(cls, home: Path) -> None:
        """Spare it what it would fetch."""
        _without_plugins(home / ".config" / "opencode")

    def program(self, path: Path, role: Role[Any], own: Path) -> Program:
        """Return how it is started: for a diagnosis nothing but reading is allowed."""
        _without_plugins(fresh(own / "config") / "opencode")
        for name in (*FOLDERS, "tmp"):
            if (own / name).is_symlink() or not (own / name).is_dir():
                fresh(own / name)
        model = ("--model", self.model) if self.model else ()
        places = {f"XDG_{name.upper()}_HOME": str(own / name) for name in FOLDERS}
        return Program(
            argv=(*(str(path), "run", "--format", "json", "--pure", "--title", "clew"), *model),
            visible=(path, path.resolve().parent),
            writable=(own,),
            environment={
                **self.told(role),
                **places,
                "TMPDIR": str(own / "tmp"),
            },
        )

    def resumed(self, program: Program, conversation: str) -> Program:
        """Return the program as it goes on with a conversation."""
        return program.told("--session", conversation)

    def forget(self, own: Path) -> None:
        """Remove earlier conversations, and what it remembers of them."""
        for name in ("data", "state"):
            fresh(own / name)

    def notice(self, line: bytes) -> Notice | None:
        """Read what it does, and what each step took."""
        event = decoded(line, OpencodeEvent)
        if event is None:
            return None
        part = event.part
        return Notice(
            doing=doing(part.tool, part.state.input) if part.tool and part.state else "",
            conversation=event.session,
            usage=_usage([part]),
            message=part.id,
        )

    def heard(self, done: Completed) -> Said:
        """Read what it said in its last step."""
        events = [e for line in done.stdout.splitlines() if (e := decoded(line, OpencodeEvent))]
        usage = _usage([event.part for event in events])
        failed = next((event.error for event in events if event.error), None)
        if failed:
            raise _failed(failed, usage)
        begun = max((n for n, event in enumerate(events) if event.type == "step_start"), default=0)
        said = [event.part.text for event in events[begun:] if event.type == "text"]
        if not said:
            raise self.no_result(done)
        return Said(text="\n".join(said), usage=usage)


def _without_plugins(folder: Path) -> None:
    (folder / "node_modules").mkdir(parents=True)
    needs = {"dependencies": {FETCHED: "*"}}
    for name, content in (
        ("package.json", needs),
        ("package-lock.json", {"packages": {"": needs}}),
    ):
        (folder / name).write_text(json.dumps(content), encoding="utf-8")


def _configuration(role: Role[Any], model: str, providers: set[str]) -> dict[str, object]:
    allowed = (*READING, "edit") if role.edits else READING
    settings: dict[str, object] = {
        "autoupdate": False,
        "permission": {"*": "deny", **dict.fromkeys(allowed, "allow")},
        "share": "disabled",
        "snapshot": False,
    }
    provider, _, name = model.partition("/")
    if providers:
        settings["enabled_providers"] = sorted(providers)
    url = os.environ.get(BASE_URL)
    if url and provider in ("", "openai"):
        # What is served there, it cannot know.
        models: dict[str, object] = {"models": {name: {}}} if name else {}
        settings["provider"] = {"openai": {"options": {"baseURL": url}, **models}}
    return settings


def _failed(problem: OpencodeProblem, usage: Usage | None) -> AgentFailed:
    words = problem.data.message or problem.name
    kind = kind_of(words, problem.data.status_code)
    hint = "Log in with `opencode auth login`, or set a key." if kind == "not_logged_in" else ""
    after = told_wait(words) if kind == "rate_limited" else 0.0
    return AgentFailed(
        " ".join(words.split())[:LONGEST], kind=kind, hint=hint, after=after, usage=usage
    )


def _usage(parts: list[Part]) -> Usage | None:
    """Return what the steps among these parts took; a price of nothing is one that it lacks."""
    steps = [(part.tokens, part.cost) for part in parts if part.tokens]
    if not steps:
        return None
    return Usage(
        input=sum(tokens.input + tokens.cache.read + tokens.cache.write for tokens, _ in steps),
        output=sum(tokens.output + tokens.reasoning for tokens, _ in steps),
        cached=sum(tokens.cache.read for tokens, _ in steps),
        cache_write=sum(tokens.cache.write for tokens, _ in steps),
        usd=sum(cost or 0.0 for _, cost in steps) or None,
    )
