"""Gemini CLI without a terminal: the prompt on its input, one process a call.

Its home is a folder of its own, with the settings that are written here, made anew for each call
that does not go on with another.
The project counts as a folder that is not trusted, so that nothing of it acts: neither settings,
servers and hooks in `.gemini`, nor `.env` files, nor `GEMINI.md`. What it may do is a list of
tools: for a diagnosis those that read, for a fix those that edit as well. It runs no commands.

Of a prompt it would take each `@word` for the name of a file, put that file's text behind the
prompt, and another name in the place of the word. So the prompt is given to a command, whose name
nobody can guess: what a command is told stays as it is.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
from pathlib import Path
from typing import Any

import msgspec

from clew.agents import gemini_record
from clew.agents.about import About
from clew.agents.cli_agent import CliAgent, login_of
from clew.agents.external_agent import Said
from clew.agents.form import Count
from clew.agents.launching import Program
from clew.agents.listening import Notice, decoded, doing
from clew.agents.login_copy import Secret, fresh
from clew.agents.roles import Role
from clew.sandbox.processes import Completed
from clew.sandbox.temporary import remove, unlock
from clew.words.errors import AgentFailed
from clew.words.facts import Usage
from clew.words.retry_policy import kind_of, signs, told_wait

__all__ = ["MODEL", "Gemini"]

MODEL = "gemini-2.5-pro"  # without one that is named, another request would choose
READING = ("list_directory", "read_file", "grep_search", "glob")
EDITING = (*READING, "replace", "write_file")
HOME, FOLDER = "GEMINI_CLI_HOME", ".gemini"
LOGIN = f"{FOLDER}/oauth_creds.json"
CONVERSATIONS = ("history", "projects.json", "tmp")  # where it keeps them, and finds them by
KEY, FILE = "GEMINI_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"
LOGINS = (KEY, "GOOGLE_API_KEY", FILE, "GOOGLE_CLOUD_ACCESS_TOKEN")
VARIABLES = (
    *LOGINS,
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_GEMINI_BASE_URL",
    "GOOGLE_GENAI_USE_GCA",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_VERTEX_BASE_URL",
)
QUIET = {
    "GEMINI_CLI_NO_RELAUNCH": "true",  # it would start itself again, with more memory
    "GEMINI_CLI_TRUST_WORKSPACE": "false",
    "GEMINI_TELEMETRY_ENABLED": "false",
    "NO_BROWSER": "true",
    "NO_COLOR": "1",
}
SETTINGS: dict[str, Any] = {
    "advanced": {"ignoreLocalEnv": True},
    "experimental": {"enableAgents": False},
    "general": {
        "enableAutoUpdate": False,
        "enableAutoUpdateNotification": False,
        "maxAttempts": 3,  # of a request that fails; then Clew waits, and says so
    },
    "hooksConfig": {"enabled": False},
    "privacy": {"usageStatisticsEnabled": False},
    "skills": {"enabled": False},
    "telemetry": {"enabled": False},
}
LONGEST = 500  # characters of its words that are told

NOBODY = 41  # its exit code where nobody is logged in
STATUSES = {status % 256: status for status in (400, 401, 403, 404, 429, 500, 503)}
WRAPPED = re.compile(r"\[API Error: (.*)\]", re.DOTALL)
SIGNS = signs(
    ("not_logged_in", r"api key (?:not valid|expired)|API_KEY_INVALID"),
    ("context_too_long", r"exceeds the maximum number of tokens|input token count"),
    ("refusal", r"\bblocked due to\b|\bsafety settings\b|\bprohibited content\b"),
    ("unknown_model", r"\bmodels?/\S+ is not (?:found|supported)"),
)


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """What all models took: what came from a cache is input, the total has thoughts as well."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    total_tokens: Count = 0
    cached: Count = 0

    def counted(self) -> Usage:
        """Return it as it is journalled; thoughts are output."""
        output = max(self.output_tokens, self.total_tokens - self.input_tokens)
        return Usage(input=self.input_tokens, output=output, cached=self.cached)


class GeminiProblem(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no answer."""

    message: str


class GeminiLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `--output-format stream-json`; the last one is a `result`."""

    type: str
    role: str = ""
    content: str = ""
    tool_name: str = ""
    parameters: dict[str, Any] = {}
    message: str = ""  # of an error
    error: GeminiProblem | None = None
    stats: Stats | None = None
    status: str = ""


class GeminiRefused(msgspec.Struct, frozen=True, kw_only=True):
    """An error of the model's API, as it comes through."""

    error: GeminiProblem


class GeminiLogin(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a login that tell it from anything else."""

    access_token: Secret
    refresh_token: Secret


class Auth(msgspec.Struct, frozen=True, kw_only=True):
    """The way to log in that the person chose."""

    selected_type: str = msgspec.field(default="", name="selectedType")


class Security(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the person's settings."""

    auth: Auth = Auth()


class GeminiSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The person's settings, as far as they matter here."""

    security: Security = Security()


class Gemini(CliAgent):
    """Gemini CLI, started anew for each call; `model` is a full name or an alias of its."""

    about = About(
        word="gemini",
        rest="[MODEL]",
        does="Gemini CLI, without a terminal",
        reads_only_by="its tools",
        usage=True,
        models=True,
        tiers={"cheap": "flash-lite", "middle": "flash", "strong": "pro"},
        resumes=True,
        streams=True,
        program="gemini",
        variables=VARIABLES,
        hosts=("*.googleapis.com", "accounts.google.com"),
        logins=LOGINS,
        login_file=LOGIN,
        login_home=HOME,
        next_step="install Gemini CLI, and log in with `gemini`, or set GEMINI_API_KEY",
    )
    login = GeminiLogin
    quiet = QUIET
    own_login = LOGIN

    def program(self, path: Path, role: Role[Any], own: Path) -> Program:
        """Return how it is started: for a diagnosis nothing but reading is offered."""
        node = shutil.which("node")
        if node is None:
            raise AgentFailed(
                "Gemini CLI runs by node, which was not found",
                kind="not_installed",
                hint="Put node's folder on PATH.",
            )
        editing = role.edits
        command = f"clew-{secrets.token_hex(8)}"
        _configure(own / FOLDER, EDITING if editing else READING, command)
        key_file = os.environ.get(FILE, "")
        return Program(
            argv=(
                *(str(path), "-m", self.model or MODEL, "--output-format", "stream-json"),
                *("--approval-mode", "auto_edit" if editing else "plan"),
            ),
            opening=f"/{command}\n\n",
            visible=(
                *(path, path.resolve().parent, Path(node), Path(node).resolve()),
                *((Path(key_file),) if key_file else ()),
            ),
            writable=(own,),
            environment={**self.quiet, HOME: str(own)},
        )

    def named(self, program: Program, conversation: str) -> Program:
        """Return the program with a name of our choice for its conversation."""
        return program.told("--session-id", conversation)

    def resumed(self, program: Program, conversation: str) -> Program:
        """Return the program as it goes on with a conversation."""
        return program.told("--resume", conversation)

    def can_resume(self, scratch: Path, conversation: str) -> bool:
        """Tell whether it has written down a conversation that was cut off, and an answer in it."""
        told = self.taken(self._own(scratch), conversation)
        return super().can_resume(scratch, conversation) and told is not None

    def taken(self, own: Path, conversation: str) -> Usage | None:
        """Add up what the answers took that it has written down."""
        return gemini_record.taken(own, conversation)

    @classmethod
    def furnish(cls, home: Path) -> None:
        """Choose the way to log in, without which it loads no session, and uses no login."""
        settings = {"security": _auth()}
        _write(home / FOLDER, "settings.json", msgspec.json.encode(settings).decode())

    @classmethod
    def mend(cls, own: Path, conversation: str) -> None:
        """Put right what it has written down: it would send each result of a tool twice."""
        gemini_record.mend(own, conversation)

    def forget(self, own: Path) -> None:
        """Remove earlier conversations, and whatever else was put there."""
        fresh(own / FOLDER)

    def notice(self, line: bytes) -> Notice | None:
        """Read what it does."""
        told = decoded(line, GeminiLine)
        if told is None or not told.tool_name:
            return None
        return Notice(doing=doing(told.tool_name, told.parameters))

    def heard(self, done: Completed) -> Said:
        """Read what it said after it last used a tool, and the result that it ends with."""
        texts: list[str] = []
        problem, result = "", None
        for line in filter(None, (decoded(text, GeminiLine) for text in done.stdout.splitlines())):
            if line.type == "tool_use":
                texts.clear()
            elif line.type == "message" and line.role == "assistant":
                texts.append(line.content)
            elif line.type == "error":
                problem = line.message
            elif line.type == "result":
                result = line
        if result is None:
            silent = self.no_result(done)
            raise _failed(silent.message, done) if done.exit_code == NOBODY else silent
        usage = result.stats.counted() if result.stats else None
        if result.status != "success":
            raise _failed(result.error.message if result.error else problem, done, usage)
        return Said(text="".join(texts), usage=usage)


def _configure(folder: Path, tools: tuple[str, ...], command: str) -> None:
    """Write its settings, into a folder that holds conversations at most."""
    if folder.is_symlink() or not folder.is_dir():
        fresh(folder)
    unlock(folder)
    for path in folder.iterdir():
        if path.name not in CONVERSATIONS:
            remove(path)
    settings = SETTINGS | {
        "security": {"folderTrust": {"enabled": False}, **_auth()},
        "tools": {"core": tools},
    }
    rules = (
        f"[[rule]]\ntoolName = {msgspec.json.encode(tools).decode()}\n"
        'decision = "allow"\npriority = 500\n\n'
        '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 400\n'
    )
    for name, text in (
        ("settings.json", msgspec.json.encode(settings).decode()),
        ("policies/clew.toml", rules),
        (f"commands/{command}.toml", 'prompt = "What is to be done:"\n'),
    ):
        _write(folder, name, text)


def _write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def _auth() -> dict[str, Any]:
    chosen = _chosen()
    return {"auth": {"selectedType": chosen}} if chosen else {}


def _chosen() -> str:
    """Return the way to log in: the person's choice, else what their variables stand for."""
    login = login_of(Gemini.about)
    try:
        theirs = msgspec.json.decode(
            (login.parent / "settings.json").read_bytes(), type=GeminiSettings
        )
    except (OSError, ValueError, RecursionError):
        theirs = GeminiSettings()
    env = os.environ
    ways = (
        (theirs.security.auth.selected_type, True),
        ("oauth-personal", env.get("GOOGLE_GENAI_USE_GCA") == "true"),
        ("vertex-ai", env.get("GOOGLE_GENAI_USE_VERTEXAI") == "true"),
        ("gemini-api-key", env.get(KEY)),
        ("vertex-ai", env.get("GOOGLE_API_KEY") or env.get(FILE)),
        ("oauth-personal", login.is_file()),
    )
    return next((way for way, chosen in ways if way and chosen), "")


def _failed(told: str, done: Completed, usage: Usage | None = None) -> AgentFailed:
    """Return the error in its own words, which may be those of the model's API."""
    wrapped = WRAPPED.search(told)
    told = wrapped[1] if wrapped else told
    refused = decoded(told, GeminiRefused)
    told = refused.error.message if refused else told
    kind = kind_of(told, STATUSES.get(done.exit_code or 0), own=SIGNS)
    if done.exit_code == NOBODY:
        kind = "not_logged_in"
    return AgentFailed(
        " ".join(told.split())[:LONGEST] or "it says that it failed, and not why",
        kind=kind,
        hint=f"Log in with `gemini`, or set {KEY}." if kind == "not_logged_in" else "",
        after=told_wait(told) if kind == "rate_limited" else 0.0,
        usage=usage,
    )
