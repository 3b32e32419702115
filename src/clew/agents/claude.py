"""Claude Code without a terminal: `claude -p`, one process a call.

It gets a configuration of its own, so that hooks, plug-ins and permissions of the person's do not
act on Clew's behalf; of theirs it has the login alone. What it may do is a list of tools: for a
diagnosis those that read, for a fix those that edit as well. It runs no commands.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import msgspec

from clew.agents.about import About
from clew.agents.cli_agent import CliAgent
from clew.agents.external_agent import Said
from clew.agents.form import Count
from clew.agents.launching import Program
from clew.agents.listening import Notice, decoded, doing
from clew.agents.login_copy import Secret, content_of, place
from clew.agents.roles import Role
from clew.sandbox.processes import Completed
from clew.sandbox.temporary import remove, unlock
from clew.words.errors import AgentFailed
from clew.words.facts import Usage
from clew.words.retry_policy import kind_of, told_wait

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

LARGEST = 64 << 20  # bytes of a conversation that it has kept
CONVERSATIONS = "projects"  # where its configuration keeps them


class ClaudeTokens(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as the API counts them: what was read from a cache is not part of `input_tokens`."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_creation_input_tokens: Count | None = None
    cache_read_input_tokens: Count = 0


class Denial(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that it wanted and did not get; the run counts as a success all the same."""

    tool_name: str = ""


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a message."""

    type: str = ""
    name: str = ""  # of a tool
    input: dict[str, Any] = {}


class Spoken(msgspec.Struct, frozen=True, kw_only=True):
    """One message, or a part of it; each part repeats the usage of the whole."""

    id: str = ""
    content: str | tuple[Block, ...] = ()
    usage: ClaudeTokens | None = None


class ClaudeLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `--output-format stream-json`."""

    type: str
    subtype: str = ""
    message: Spoken | None = None
    retry_delay_ms: float = 0.0
    error_status: int | None = None
    error: str = ""


class ClaudeResult(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="result"):
    """The last line."""

    subtype: str = ""
    is_error: bool = False
    result: str = ""
    stop_reason: str | None = None
    api_error_status: int | None = None  # HTTP's
    usage: ClaudeTokens | None = None
    total_cost_usd: float | None = None
    permission_denials: tuple[Denial, ...] = ()
    errors: tuple[str, ...] = ()


class ClaudeToken(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The part of a login that tells it from anything else."""

    access_token: Secret
    refresh_token: Secret


class ClaudeLogin(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The file that a login is kept in."""

    claude_ai_oauth: ClaudeToken


class Claude(CliAgent):
    """Claude Code, started anew for each call; `model` is an alias or a full name."""

    about = About(
        word="claude",
        rest="[MODEL]",
        does="Claude Code, without a terminal",
        reads_only_by="its tools",
        usage=True,
        money=True,
        models=True,
        resumes=True,
        streams=True,
        tiers={"cheap": "haiku", "middle": "sonnet", "strong": "opus"},
        program="claude",
        variables=(*LOGINS, "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL"),
        hosts=("*.anthropic.com", "claude.ai", "*.claude.com"),
        logins=LOGINS,
        login_file=f".claude/{LOGIN}",
        login_folder="CLAUDE_CONFIG_DIR",
        next_step="install Claude Code, and log in with `claude`",
    )
    login = ClaudeLogin
    quiet = QUIET

    def program(self, path: Path, role: Role[Any], own: Path) -> Program:
        """Return how it is started: for a diagnosis nothing but reading is offered."""
        tools = ",".join(EDITING if role.edits else READING)
        model = ("--model", self.model) if self.model else ()
        # No --json-schema: it costs a request more where the answer is printed, as it is asked for.
        return Program(
            argv=(
                *(str(path), "-p", "--output-format", "stream-json", "--verbose"),
                *("--tools", tools, "--allowedTools", tools, "--permission-mode", "dontAsk"),
                *("--setting-sources", "", "--strict-mcp-config"),
                *model,
            ),
            visible=(path, path.resolve().parent),
            writable=(own,),
            environment={**self.quiet, "CLAUDE_CONFIG_DIR": str(own)},
        )

    def named(self, program: Program, conversation: str) -> Program:
        """Return the program with a name of our choice for its conversation."""
        return program.told("--session-id", conversation)

    def resumed(self, program: Program, conversation: str) -> Program:
        """Return the program as it goes on with a conversation."""
        return program.told("--resume", conversation)

    def can_resume(self, scratch: Path, conversation: str) -> bool:
        """Tell whether it has kept a conversation that was cut off."""
        kept = _kept(self._own(scratch), conversation)
        return super().can_resume(scratch, conversation) and kept is not None

    def taken(self, own: Path, conversation: str) -> Usage | None:
        """Add up what the messages took that it has kept."""
        kept, usages = _kept(own, conversation), dict[str, Usage]()
        content = None
        with contextlib.suppress(OSError):
            if kept:
                with place(own, str(kept.relative_to(own))) as (at, last):
                    content = content_of(last, at, most=LARGEST)
        for line in (content or b"").splitlines():
            notice = self.notice(line)
            if notice and notice.usage:
                usages[notice.message] = notice.usage
        return Usage.total(usages.values())

    def forget(self, own: Path) -> None:
        """Remove earlier conversations, and what it remembers of them."""
        with contextlib.suppress(OSError):
            unlock(own)
            remove(own / CONVERSATIONS)

    def notice(self, line: bytes) -> Notice | None:
        """Read what it does, what it has taken so far, and that it waits for the model."""
        told = decoded(line, ClaudeLine)
        if told is None:
            return None
        if told.subtype == "api_retry":
            why = told.error or str(told.error_status)
            return Notice(waits=f"{why}, for {told.retry_delay_ms / 1000:.0f} s")
        message = told.message
        if told.type != "assistant" or message is None:
            return None
        calls = [each for each in message.content if isinstance(each, Block) and each.name]
        return Notice(
            doing=doing(calls[-1].name, calls[-1].input) if calls else "",
            usage=_usage(message.usage) if message.usage else None,
            message=message.id,
        )

    def heard(self, done: Completed) -> Said:
        """Read the result that it ends with."""
        result = _result(done.stdout)
        if result is None:
            raise self.no_result(done)
        usage = _usage(result.usage, result.total_cost_usd)
        if result.is_error or result.subtype != "success":
            raise _failure(result, usage)
        denied = sorted({denial.tool_name for denial in result.permission_denials})
        if denied and "{" not in result.result:
            told = f"it was denied {', '.join(denied)}"
            raise AgentFailed(told, kind="tool_access", usage=usage)
        return Said(text=result.result, usage=usage)


def _kept(own: Path, conversation: str) -> Path | None:
    with contextlib.suppress(OSError):  # its folder may be locked
        return next((own / CONVERSATIONS).glob(f"*/{conversation}.jsonl"), None)
    return None


def _result(out: str) -> ClaudeResult | None:
    found = (decoded(line, ClaudeResult) for line in reversed(out.splitlines()))
    return next((result for result in found if result), None)


def _failure(result: ClaudeResult, usage: Usage) -> AgentFailed:
    words = [result.result, *result.errors, result.subtype]
    said = next(word for word in words if word.strip() or word is words[-1])
    kind = kind_of(said, result.api_error_status)
    if result.stop_reason == "refusal":
        kind = "refusal"
    if any(sign in said for sign in LOGGED_OUT):
        kind = "not_logged_in"
    return AgentFailed(
        said[:LONGEST],
        kind=kind,
        hint="Log in with `claude`, or set ANTHROPIC_API_KEY." if kind == "not_logged_in" else "",
        after=told_wait(said) if kind == "rate_limited" else 0.0,
        usage=usage,
    )


def _usage(tokens: ClaudeTokens | None, usd: float | None = None) -> Usage:
    if tokens is None:
        return Usage(usd=usd)
    cached, written = tokens.cache_read_input_tokens, tokens.cache_creation_input_tokens
    return Usage(
        input=tokens.input_tokens + (written or 0) + cached,
        output=tokens.output_tokens,
        cached=cached,
        cache_write=written,
        usd=usd,
    )
