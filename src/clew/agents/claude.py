"""Claude Code without a terminal: `claude -p`, one process a call.

It gets a configuration of its own, so that hooks, plug-ins and permissions of the person's do not
act on Clew's behalf; of theirs it has the login alone. What it may do is a list of tools: for a
diagnosis those that read, for a fix those that edit as well. It runs no commands.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from clew.agents.launching import Program, launch, locate
from clew.agents.outside import Outside, Said
from clew.agents.protocol import Call
from clew.errors import AgentFailed
from clew.facts import Usage
from clew.processes import Completed
from clew.project import Project
from clew.setbacks import kind_of
from clew.store import write_atomically

__all__ = ["Claude", "heard", "lent_login"]

PROGRAM = "claude"
READING = ("Read", "Grep", "Glob")
EDITING = (*READING, "Edit", "Write")
LOGIN = ".credentials.json"
# What a login, a provider or a proxy is told by.
VARIABLES = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
)
LOGGED_OUT = ("Invalid API key", "/login", "Not logged in", "authentication_error")
LONGEST = 500  # characters of its words that are told
LARGEST = 1 << 20  # bytes of a login
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}

Count = Annotated[int, msgspec.Meta(ge=0)]


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as the API counts them: what was read from a cache is not part of `input_tokens`."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_creation_input_tokens: Count = 0
    cache_read_input_tokens: Count = 0


class Denial(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that it wanted and did not get; the run counts as a success all the same."""

    tool_name: str = ""


class Result(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="result"):
    """What `--output-format json` ends with."""

    subtype: str = ""
    is_error: bool = False
    result: str = ""
    usage: Tokens | None = None
    total_cost_usd: float | None = None
    permission_denials: tuple[Denial, ...] = ()
    errors: tuple[str, ...] = ()


class Token(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The part of a login that tells it from anything else."""

    access_token: str
    refresh_token: str


class Login(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The file that a login is kept in."""

    claude_ai_oauth: Token


class Claude(Outside):
    """Claude Code, started anew for each call; `model` is an alias or a full name."""

    next_step = "Install Claude Code, or put its folder on PATH."

    def __init__(self, model: str, *, project: Project, pass_env: tuple[str, ...] = ()) -> None:
        name = f"{PROGRAM}:{model}" if model else PROGRAM
        super().__init__(name, PROGRAM, project=project, pass_env=pass_env)
        self._model = model

    def ask(self, call: Call, role: str, prompt: str) -> Said:
        """Return what it ends with: for a diagnosis nothing but reading is offered."""
        path = locate(PROGRAM, self._project, call.site.worktree)
        own = call.scratch / "claude"
        own.mkdir(parents=True, exist_ok=True)
        with lent_login(own):
            done = launch(call, role, self._program(path, role, own), prompt)
        return heard(done)

    def _program(self, path: str, role: str, own: Path) -> Program:
        tools = ",".join(EDITING if role == "fix" else READING)
        model = ("--model", self._model) if self._model else ()
        allowed = (*VARIABLES, *self._pass_env)
        given = {name: os.environ[name] for name in allowed if name in os.environ}
        return Program(
            argv=(
                *(path, "-p", "--output-format", "json"),
                *("--tools", tools, "--allowedTools", tools, "--permission-mode", "dontAsk"),
                *("--setting-sources", "", "--strict-mcp-config", "--no-session-persistence"),
                *model,
            ),
            visible=(Path(path), Path(path).resolve().parent),
            writable=(own,),
            environment={**given, **QUIET, "CLAUDE_CONFIG_DIR": str(own)},
        )


def heard(done: Completed) -> Said:
    """Read what it printed. Raises AgentFailed where that is no answer, with its own words."""
    try:
        result = msgspec.json.decode(done.stdout, type=Result)
    except msgspec.DecodeError as error:
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise AgentFailed(
            f"it ended with exit code {done.exit_code}, and without a result:"
            f" {words[-1][:LONGEST] if words else 'no words'}",
            kind="error",
        ) from error
    if result.is_error or result.subtype != "success":
        words = [result.result, *result.errors, result.subtype]
        said = next(word for word in words if word.strip() or word is words[-1])
        unknown = any(sign in said for sign in LOGGED_OUT)
        raise AgentFailed(
            said[:LONGEST],
            kind="not_logged_in" if unknown else kind_of(said),
            hint="Log in with `claude`, or set ANTHROPIC_API_KEY." if unknown else "",
        )
    denied = sorted({denial.tool_name for denial in result.permission_denials})
    if denied and "{" not in result.result:
        raise AgentFailed(f"it was denied {', '.join(denied)}", kind="tool_access")
    return Said(text=result.result, usage=_usage(result))


def _usage(result: Result) -> Usage:
    tokens = result.usage
    if tokens is None:
        return Usage(usd=result.total_cost_usd)
    cached = tokens.cache_read_input_tokens
    return Usage(
        input=tokens.input_tokens + tokens.cache_creation_input_tokens + cached,
        output=tokens.output_tokens,
        cached=cached,
        usd=result.total_cost_usd,
    )


@contextlib.contextmanager
def lent_login(own: Path) -> Iterator[Path]:
    """Lend it the person's login; one that was renewed meanwhile goes back to them."""
    folder = os.environ.get("CLAUDE_CONFIG_DIR")
    theirs = (Path(folder) if folder else Path.home() / ".claude") / LOGIN
    lent, before = own / LOGIN, _read(theirs)
    lent.unlink(missing_ok=True)
    if before is None:
        yield lent
        return
    lent.touch(mode=0o600)
    lent.write_bytes(before)
    try:
        yield lent
    finally:
        after = _read(lent)
        if after not in (None, before) and _is_login(after) and _read(theirs) == before:
            write_atomically(theirs, after)
            theirs.chmod(0o600)
        lent.unlink(missing_ok=True)


def _read(path: Path) -> bytes | None:
    """Return what a file holds; links are not followed."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        return file.read(LARGEST)


def _is_login(content: bytes) -> bool:
    try:
        msgspec.json.decode(content, type=Login)
    except msgspec.DecodeError:
        return False
    return True
