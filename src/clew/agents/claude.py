"""Claude Code without a terminal: `claude -p`, one process a call.

It gets a configuration of its own, so that hooks, plug-ins and permissions of the person's do not
act on Clew's behalf; of theirs it has the login alone. What it may do is a list of tools: for a
diagnosis those that read, for a fix those that edit as well. It runs no commands.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from clew.agents.about import About
from clew.agents.assistant import Assistant
from clew.agents.launching import Program
from clew.agents.outside import Said
from clew.errors import AgentFailed
from clew.facts import Usage
from clew.processes import Completed
from clew.setbacks import kind_of

__all__ = ["Claude"]

READING = ("Read", "Grep", "Glob")
EDITING = (*READING, "Edit", "Write")
LOGIN = ".credentials.json"
LOGINS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
LOGGED_OUT = ("Invalid API key", "/login", "Not logged in", "authentication_error")
LONGEST = 500  # characters of its words that are told
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


class Claude(Assistant):
    """Claude Code, started anew for each call; `model` is an alias or a full name."""

    about = About(
        word="claude",
        rest="[MODEL]",
        does="Claude Code, without a terminal",
        reads_only_by="its tools",
        usage=True,
        money=True,
        models=True,
        program="claude",
        variables=(*LOGINS, "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL"),
        logins=LOGINS,
        login_file=f".claude/{LOGIN}",
        login_folder="CLAUDE_CONFIG_DIR",
        next_step="install Claude Code, and log in with `claude`",
    )
    login = Login

    def program(self, path: Path, role: str, own: Path) -> Program:
        """Return how it is started: for a diagnosis nothing but reading is offered."""
        tools = ",".join(EDITING if role == "fix" else READING)
        model = ("--model", self.model) if self.model else ()
        return Program(
            argv=(
                *(str(path), "-p", "--output-format", "json"),
                *("--tools", tools, "--allowedTools", tools, "--permission-mode", "dontAsk"),
                *("--setting-sources", "", "--strict-mcp-config", "--no-session-persistence"),
                *model,
            ),
            visible=(path, path.resolve().parent),
            writable=(own,),
            environment={**QUIET, "CLAUDE_CONFIG_DIR": str(own)},
        )

    def heard(self, done: Completed) -> Said:
        """Read the result that it ends with."""
        try:
            result = msgspec.json.decode(done.stdout, type=Result)
        except msgspec.DecodeError as error:
            raise self.no_result(done) from error
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
