"""Codex without a terminal: `codex exec`, one process a call, the prompt on its input.

Its home is a folder of its own, made anew for each call that does not go on with another; of the
person's it is lent the login.
What it may do is said on its command line, so that neither its own files nor those of the project
(`AGENTS.md`, `.codex`) have a say.

It reads by running commands, and puts each into a sandbox of its own: bubblewrap, which cannot be
built inside of Clew's. Where Clew's holds it, its own is switched off; nowhere else.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from clew.agents.about import About
from clew.agents.cli_agent import LONGEST, CliAgent, login_of
from clew.agents.external_agent import Said
from clew.agents.form import Count
from clew.agents.launching import Program
from clew.agents.listening import Notice, decoded, doing
from clew.agents.login_copy import Secret, fresh
from clew.agents.roles import Role
from clew.agents.schemas import strict
from clew.sandbox import confinement
from clew.sandbox.files import write_atomically
from clew.sandbox.processes import Completed
from clew.sandbox.temporary import remove
from clew.words.errors import AgentFailed
from clew.words.facts import Usage
from clew.words.retry_policy import kind_of, signs, told_wait

__all__ = ["Codex"]

HOME, LOGIN = "home", "auth.json"
# The first is the one that it reads without having been logged in.
LOGINS = ("CODEX_API_KEY", "OPENAI_API_KEY")
BASE_URL = "OPENAI_BASE_URL"
PROVIDER = "clew"  # the name that a base URL goes by

# Nothing that reaches beyond the call, waits for ever, or reads what the project says of itself.
QUIET = {
    "allow_login_shell": False,
    "analytics.enabled": False,
    "check_for_update_on_startup": False,
    "cli_auth_credentials_store": "file",
    "project_doc_max_bytes": 0,
    "shell_environment_policy.inherit": "core",
    "skills.bundled.enabled": False,
    "web_search": "disabled",
    **{
        f"features.{name}": False
        for name in (
            "apps",
            "goals",
            "hooks",
            "image_generation",
            "memories",
            "multi_agent",
            "plugins",
            "remote_plugin",
            "shell_snapshot",
            "skill_mcp_dependency_install",
            "tool_suggest",
            "unbounded_connection_retries",
        )
    },
}

SIGNS = signs(
    ("not_logged_in", r"\b401\b|incorrect api key|missing environment variable|codex login"),
    ("out_of_credit", r"insufficient_quota|quota exceeded|usage limit|out of credits"),
    ("context_too_long", r"context window|context_length_exceeded|maximum context length"),
    ("refusal", r"content_?policy|\bflagged\b|usage policies"),
    ("unknown_model", r"\bmodel\b.{0,80}(?:does not exist|is not supported)"),
    ("rate_limited", r"exceeded retry limit, last status: 429"),
)


class CodexTokens(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of a turn: what came from a cache is part of `input_tokens`."""

    input_tokens: Count = 0
    cached_input_tokens: Count = 0
    output_tokens: Count = 0


class CodexChange(msgspec.Struct, frozen=True, kw_only=True):
    """A file that it edits."""

    path: str = ""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """Something that it said or did."""

    type: str = ""
    text: str = ""
    command: str = ""
    changes: tuple[CodexChange, ...] = ()

    @property
    def about(self) -> dict[str, str]:
        """What it does something with."""
        if self.command:
            return {"command": self.command}
        return {"path": ", ".join(change.path for change in self.changes)}


class CodexProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Why a turn failed."""

    message: str = ""


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """An error of the model's API, as it comes through."""

    error: CodexProblem


class CodexEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `--json`."""

    type: str
    thread_id: str = ""
    message: str = ""
    item: Item | None = None
    usage: CodexTokens | None = None
    error: CodexProblem | None = None


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a login that is renewed."""

    access_token: Secret
    refresh_token: Secret


class CodexLogin(msgspec.Struct, frozen=True, kw_only=True):
    """The file that a login is kept in."""

    tokens: Held


class Codex(CliAgent):
    """Codex, started anew for each call; `model` is a full name."""

    about = About(
        word="codex",
        rest="[MODEL]",
        does="Codex, without a terminal",
        usage=True,
        models=True,
        resumes=True,
        streams=True,
        schema=True,
        program="codex",
        variables=(*LOGINS, BASE_URL),
        logins=LOGINS,
        login_file=f".codex/{LOGIN}",
        login_folder="CODEX_HOME",
        hosts=("*.openai.com", "chatgpt.com", "*.chatgpt.com"),
        next_step="install Codex, and log in with `codex login`, or set OPENAI_API_KEY",
    )
    login = CodexLogin
    own_login = f"{HOME}/{LOGIN}"

    def program(self, path: Path, role: Role[Any], own: Path) -> Program:
        """Return how it is started; its home lies beside its temporary files, not below them."""
        home, form = own / HOME, own / "answer.json"
        home.mkdir(exist_ok=True)
        temporary = fresh(own / "tmp")
        remove(form)
        write_atomically(form, msgspec.json.encode(strict(role.reply)))
        model = ("-m", self.model) if self.model else ()
        settings = QUIET | _provider()
        return Program(
            argv=(
                *(str(path), "exec", "--json", "--color", "never"),
                *("--skip-git-repo-check", "--ignore-user-config", "--ignore-rules"),
                *("--sandbox", _sandbox(role), "--output-schema", str(form)),
                *(word for name, value in settings.items() for word in _setting(name, value)),
                *(*model, "-"),
            ),
            visible=tuple(_belongings(path)),
            writable=(own,),
            environment={**_key(), "CODEX_HOME": str(home), "TMPDIR": str(temporary)},
        )

    def resumed(self, program: Program, conversation: str) -> Program:
        """Return the program as it goes on with a conversation."""
        *words, last = program.argv
        argv = (*words, "resume", conversation, last)
        return msgspec.structs.replace(program, argv=argv)

    def can_resume(self, scratch: Path, conversation: str) -> bool:
        """Tell whether a conversation that was cut off is still there."""
        kept = self._own(scratch) / HOME / "sessions"
        try:
            return super().can_resume(scratch, conversation) and any(
                kept.rglob(f"*{glob.escape(conversation)}.jsonl")
            )
        except (OSError, RecursionError):  # locked, or deeper than can be looked through
            return False

    def forget(self, own: Path) -> None:
        """Remove its home, with earlier conversations and whatever else was put there."""
        fresh(own / HOME)

    def notice(self, line: bytes) -> Notice | None:
        """Read what it does, that it waits for the model, and what a turn took."""
        event = decoded(line, CodexEvent)
        if event is None:
            return None
        item = event.item or Item()
        begun = event.type == "item.started"
        return Notice(
            doing=doing(item.type, item.about) if begun else "",
            waits=event.message if event.type == "error" else "",
            conversation=event.thread_id,
            usage=_usage([event.usage]) if event.usage else None,
        )

    def heard(self, done: Completed) -> Said:
        """Read the last that it said; the schema is no promise, so that is not believed here."""
        events = [e for line in done.stdout.splitlines() if (e := decoded(line, CodexEvent))]
        failed = [e.error.message for e in events if e.type == "turn.failed" and e.error]
        tokens = [event.usage for event in events if event.usage]
        usage = _usage(tokens)
        if failed:
            raise _failed(failed[-1], usage)
        said = [e.item.text for e in events if e.item and e.item.type == "agent_message"]
        if not tokens or not said:
            raise self.no_result(done)
        return Said(text=said[-1], usage=usage)


def _sandbox(role: Role[Any]) -> str:
    """Return its own sandbox: none inside of Clew's, where it could not be built."""
    if confinement.detect().level is not confinement.Level.NONE:
        return "danger-full-access"
    return "workspace-write" if role.edits else "read-only"


def _setting(name: str, value: object) -> tuple[str, str]:
    """Return a setting as its command line takes it: a name and a value of TOML."""
    return "-c", f"{name}={json.dumps(value)}"


def _provider() -> dict[str, object]:
    """Return where the model is, if the person says so: their variable alone is not heard."""
    url = os.environ.get(BASE_URL)
    if not url:
        return {}
    key = next((name for name in LOGINS if os.environ.get(name)), None)
    at = f"model_providers.{PROVIDER}"
    login: dict[str, object] = (
        {f"{at}.env_key": key} if key else {f"{at}.requires_openai_auth": True}
    )
    named = {f"{at}.name": PROVIDER, f"{at}.base_url": url, f"{at}.wire_api": "responses"}
    return {"model_provider": PROVIDER, **named, **login}


def _key() -> dict[str, str]:
    """Return the person's key by the name that it is read by; a login goes before one."""
    first, second = LOGINS
    key = os.environ.get(second)
    if os.environ.get(first) or not key or login_of(Codex.about).is_file():
        return {}
    return {first: key}


def _belongings(path: Path) -> Iterator[Path]:
    """Yield what it is made of: the shell tools that it brings, or node, if npm installed it."""
    real = path.resolve()
    yield path
    yield real.parent
    if (real.parent.parent / "codex-package.json").is_file():
        yield real.parent.parent
    if real.suffix == ".js":
        yield from (parent for parent in real.parents if parent.name == "node_modules")
        node = shutil.which("node")
        yield from (Path(node), Path(node).resolve()) if node else ()


def _failed(words: str, usage: Usage | None) -> AgentFailed:
    refusal = decoded(words, Refusal)
    words = refusal.error.message if refusal else words
    kind = kind_of(words, own=SIGNS)
    hint = "Log in with `codex login`, or set OPENAI_API_KEY." if kind == "not_logged_in" else ""
    after = told_wait(words) if kind == "rate_limited" else 0.0
    return AgentFailed(
        " ".join(words.split())[:LONGEST], kind=kind, hint=hint, after=after, usage=usage
    )


def _usage(turns: list[CodexTokens]) -> Usage | None:
    if not turns:
        return None
    return Usage(
        input=sum(turn.input_tokens for turn in turns),
        output=sum(turn.output_tokens for turn in turns),
        cached=sum(turn.cached_input_tokens for turn in turns),
    )
