"""Gemini CLI without a terminal: the prompt on its input, one process a call.

Its home is a folder of its own, made anew for each call, with the settings that are written here.
The project counts as a folder that is not trusted, so that nothing of it acts: neither settings,
servers and hooks in `.gemini`, nor `.env` files, nor `GEMINI.md`. What it may do is a list of
tools: for a diagnosis those that read, for a fix those that edit as well. It runs no commands.

Of a prompt it would take each `@word` for the name of a file, put that file's text behind the
prompt, and another name in the place of the word. So the prompt is given to a command, whose name
nobody can guess: what a command is told stays as it is.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from pathlib import Path
from typing import Annotated, Any

import msgspec

from clew.agents.about import About
from clew.agents.assistant import Assistant, login_of
from clew.agents.launching import Program
from clew.agents.outside import Said
from clew.agents.roles import ROLES
from clew.errors import AgentFailed
from clew.facts import Usage
from clew.processes import Completed
from clew.setbacks import kind_of

__all__ = ["MODEL", "Gemini"]

MODEL = "gemini-2.5-pro"  # without one that is named, another request would choose
READING = ("list_directory", "read_file", "grep_search", "glob")
EDITING = (*READING, "replace", "write_file")
HOME, FOLDER = "GEMINI_CLI_HOME", ".gemini"
LOGIN = f"{FOLDER}/oauth_creds.json"
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

# What it fails with: a status of the model's API, or an exit code of its own.
KINDS: dict[object, str] = {
    41: "not_logged_in",
    401: "not_logged_in",
    403: "permission_denied",
    404: "unknown_model",
    429: "rate_limited",
    500: "temporary",
    503: "unavailable",
}
WORDS = tuple(
    (kind, re.compile(words, re.IGNORECASE))
    for kind, words in (
        ("not_logged_in", r"api key (?:not valid|expired)|API_KEY_INVALID"),
        ("context_too_long", r"exceeds the maximum number of tokens|input token count"),
        ("refused", r"\bblocked due to\b|\bsafety settings\b|\bprohibited content\b"),
        ("unknown_model", r"\bmodels?/\S+ is not (?:found|supported)"),
    )
)

Count = Annotated[int, msgspec.Meta(ge=0)]


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as the API counts them: what came from a cache is part of `prompt`."""

    prompt: Count = 0
    candidates: Count = 0
    thoughts: Count = 0
    tool: Count = 0
    cached: Count = 0


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """What one model was asked for."""

    tokens: Tokens = Tokens()


class Stats(msgspec.Struct, frozen=True, kw_only=True):
    """What the whole call took, by model."""

    models: dict[str, Model] = {}


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no answer."""

    message: str
    code: int | str | None = None


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What it ends with: on its output, or where that cannot be, the error after its last words."""

    response: str | None = None
    stats: Stats | None = None
    error: Problem | None = None


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """An error of the model's API, as it comes through."""

    error: Problem


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a login that tell it from anything else."""

    access_token: str
    refresh_token: str


class Auth(msgspec.Struct, frozen=True, kw_only=True):
    """The way to log in that the person chose."""

    selected_type: str = msgspec.field(default="", name="selectedType")


class Security(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the person's settings."""

    auth: Auth = Auth()


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The person's settings, as far as they matter here."""

    security: Security = Security()


class Gemini(Assistant):
    """Gemini CLI, started anew for each call; `model` is a full name or an alias of its."""

    about = About(
        word="gemini",
        rest="[MODEL]",
        does="Gemini CLI, without a terminal",
        reads_only_by="its tools",
        usage=True,
        models=True,
        tiers={"cheap": "flash-lite", "middle": "flash", "strong": "pro"},
        program="gemini",
        variables=VARIABLES,
        logins=LOGINS,
        login_file=LOGIN,
        login_home=HOME,
        next_step="install Gemini CLI, and log in with `gemini`, or set GEMINI_API_KEY",
    )
    login = Login
    own_login = LOGIN

    def program(self, path: Path, role: str, own: Path) -> Program:
        """Return how it is started: for a diagnosis nothing but reading is offered."""
        node = shutil.which("node")
        if node is None:
            raise AgentFailed(
                "Gemini CLI runs by node, which was not found",
                kind="not_installed",
                hint="Put node's folder on PATH.",
            )
        editing = ROLES[role].edits
        command = f"clew-{secrets.token_hex(8)}"
        _configure(own / FOLDER, EDITING if editing else READING, command)
        key_file = os.environ.get(FILE, "")
        return Program(
            argv=(
                *(str(path), "-m", self.model or MODEL, "--output-format", "json"),
                *("--approval-mode", "auto_edit" if editing else "plan"),
            ),
            opening=f"/{command}\n\n",
            visible=(
                *(path, path.resolve().parent, Path(node), Path(node).resolve()),
                *((Path(key_file),) if key_file else ()),
            ),
            writable=(own,),
            environment={**QUIET, HOME: str(own)},
        )

    def heard(self, done: Completed) -> Said:
        """Read the result that it ends with."""
        for text in (done.stdout, _last_object(done.stderr)):
            try:
                result = msgspec.json.decode(text, type=Result)
            except msgspec.DecodeError:
                continue
            if result.error:
                raise _failed(result.error)
            if result.response is not None:
                return Said(text=result.response, usage=_usage(result.stats))
        raise self.no_result(done)


def _configure(folder: Path, tools: tuple[str, ...], command: str) -> None:
    """Write its settings, into a folder that holds nothing of an earlier call."""
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
    chosen = _chosen()
    auth = {"auth": {"selectedType": chosen}} if chosen else {}
    settings = SETTINGS | {
        "security": {"folderTrust": {"enabled": False}, **auth},
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
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def _chosen() -> str:
    """Return the way to log in: the person's choice, else what their variables stand for."""
    login = login_of(Gemini.about)
    try:
        theirs = msgspec.json.decode((login.parent / "settings.json").read_bytes(), type=Settings)
    except (OSError, msgspec.DecodeError):
        theirs = Settings()
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


def _last_object(text: str) -> str:
    """Return the last JSON object that stands on lines of its own, from its brace on."""
    _, brace, rest = f"\n{text}".rpartition("\n{\n")
    return brace + rest


def _failed(problem: Problem) -> AgentFailed:
    """Return the error in its own words, which may be those of the model's API."""
    with contextlib.suppress(msgspec.DecodeError):
        problem = msgspec.json.decode(problem.message, type=Refusal).error
    told = problem.message
    kind = next((kind for kind, words in WORDS if words.search(told)), None)
    kind = kind or KINDS.get(problem.code) or kind_of(told)
    hint = f"Log in with `gemini`, or set {KEY}." if kind == "not_logged_in" else ""
    return AgentFailed(" ".join(told.split())[:LONGEST], kind=kind, hint=hint)


def _usage(stats: Stats | None) -> Usage | None:
    if stats is None or not stats.models:
        return None
    tokens = [model.tokens for model in stats.models.values()]
    return Usage(
        input=sum(t.prompt + t.tool for t in tokens),
        output=sum(t.candidates + t.thoughts for t in tokens),
        cached=sum(t.cached for t in tokens),
    )
