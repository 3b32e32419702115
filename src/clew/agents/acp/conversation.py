"""One prompt and what comes of it, in the Agent Client Protocol."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec
from acp import PROTOCOL_VERSION, RequestError, connect_to_agent, text_block
from acp.interfaces import Client
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    Implementation,
    PermissionOption,
    PromptResponse,
    RequestPermissionResponse,
    TextContentBlock,
    ToolCallUpdate,
)
from pydantic import ValidationError

import clew
from clew.agents.acp.permitting import Choice, Judge, Wish
from clew.agents.acp.talking import AcpLines
from clew.agents.form import Count
from clew.agents.protocol import Forgotten
from clew.words.errors import AgentFailed
from clew.words.facts import Usage
from clew.words.retry_policy import kind_of, told_wait

__all__ = ["Heard", "converse"]

AUTH_REQUIRED = -32000
LONGEST = 500  # characters of its words that are told
LEAVE = 2.0  # seconds to end by itself, when time is up
LOADING = 60.0  # seconds to remember a conversation
SETTLED = 0.3  # seconds of silence after which it has told what it remembers
T = TypeVar("T")


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent said, and how it ended."""

    text: str
    stopped: str  # end_turn, refusal, max_tokens …
    usage: Usage | None = None
    refused: tuple[str, ...] = ()  # what it was not allowed to do
    worked: bool = False  # it used tools, so that its model was asked more than once


class AcpTokens(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as some agents tell them beside the protocol."""

    input_tokens: Count
    output_tokens: Count


class Quota(msgspec.Struct, frozen=True, kw_only=True):
    """A part of what stands beside the protocol."""

    token_count: AcpTokens


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    """What stands beside the protocol in an answer to a prompt."""

    quota: Quota | None = None


async def converse(
    lines: AcpLines,
    inside: Path,
    *,
    prompt: str,
    judge: Judge,
    seconds: float,
    earlier: str = "",
    asking: Callable[[], None] = lambda: None,
) -> Heard:
    """Ask an agent that finds itself in the folder `inside`, in its `earlier` session if named.

    `asking` is called before the prompt is sent: what was told until then is nothing new. Raises
    AgentFailed, Forgotten before anything was asked, or ConnectionError if it goes away.
    """
    begun = time.monotonic()
    until = begun + seconds - min(LEAVE, seconds / 8)
    loaded = begun + min(LOADING, seconds / 4)
    client = _Client(judge)
    with _quiet():
        connection = connect_to_agent(cast("Client", client), lines)
        try:
            able = await _meet(connection, until)
            if earlier:
                await _remember(connection, client, inside, earlier if able else "", loaded)
                name = earlier
            else:
                opening = connection.new_session(cwd=str(inside), mcp_servers=[])
                name = (await _in_time(until, opening)).session_id
            asking()
            return await _ask(connection, client, name, prompt, until)
        except RequestError as error:
            raise _failed(error) from error
        except (ValidationError, msgspec.ValidationError) as error:
            told = "what it said does not follow the protocol"
            raise AgentFailed(told, kind="invalid_output") from error
        except TimeoutError as error:
            raise AgentFailed(f"no answer within {seconds:.0f} s", kind="timeout") from error
        finally:
            await connection.close()


async def _meet(agent: Any, until: float) -> bool:  # noqa: ANN401 -- the SDK's decorator hides it
    """Agree on the protocol; return whether it says that it can load a session."""
    began = await _in_time(
        until,
        agent.initialize(
            protocol_version=PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(),  # none: files are its own to read
            client_info=Implementation(name="clew", title="Clew", version=clew.__version__),
        ),
    )
    if began.protocol_version != PROTOCOL_VERSION:
        raise AgentFailed(
            f"it speaks version {began.protocol_version} of the protocol, not {PROTOCOL_VERSION}",
            kind="not_installed",
            hint="Install a version of the agent that speaks this one.",
        )
    can = began.agent_capabilities
    return bool(can and can.load_session)


async def _remember(
    agent: Any,  # noqa: ANN401 -- as above
    client: _Client,
    inside: Path,
    name: str,
    until: float,
) -> None:
    """Load a session. Some say that they did, and know nothing of it: so what they tell counts.

    Raises Forgotten.
    """
    if not name:
        raise Forgotten("it loads no sessions")
    try:
        loading = agent.load_session(cwd=str(inside), session_id=name, mcp_servers=[])
        await _in_time(until, loading)
    except (RequestError, ValidationError, TimeoutError, ConnectionError) as error:
        raise Forgotten(f"it did not load {name}") from error
    told = -1
    while told < client.told:  # what it tells may come after its answer
        if time.monotonic() >= until:
            raise Forgotten(f"it loaded {name}, and does not stop telling of it")
        told = client.told
        await asyncio.sleep(SETTLED)
    if not client.remembered:
        raise Forgotten(f"it loaded {name}, and repeated nothing of it")


async def _ask(
    agent: Any,  # noqa: ANN401 -- as above
    client: _Client,
    name: str,
    prompt: str,
    until: float,
) -> Heard:
    client.begin()
    asking = asyncio.ensure_future(agent.prompt(session_id=name, prompt=[text_block(prompt)]))
    await asyncio.wait((asking,), timeout=max(until - time.monotonic(), 0.0))
    late = not asking.done()
    if late:
        await agent.cancel(session_id=name)
        await asyncio.wait((asking,), timeout=LEAVE)
        if not asking.done():
            asking.cancel()
            raise TimeoutError
    answer = asking.result()
    usage = _usage(answer, client.usd)
    if late:
        raise AgentFailed("it was cancelled, for its time was up", kind="timeout", usage=usage)
    return Heard(
        text=client.text,
        stopped=answer.stop_reason,
        usage=usage,
        refused=tuple(client.refused),
        worked=client.worked,
    )


async def _in_time(until: float, doing: Awaitable[T]) -> T:
    return await asyncio.wait_for(doing, max(until - time.monotonic(), 0.0))


class _Client:
    """Our side: answers requests for permission, and listens. It reads and writes no files."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._kinds: dict[str, str] = {}
        self._last: list[str] = []
        self._all: list[str] = []
        self.refused: list[str] = []
        self.usd: float | None = None
        self.told = 0  # updates
        self.worked = False  # with a tool
        self.remembered = False  # something that it was told before

    def begin(self) -> None:
        """Forget what was said before the prompt."""
        self._last, self._all = [], []
        self.worked = False

    @property
    def text(self) -> str:
        """What it said after it last used a tool, or all if that is nothing."""
        return "".join(self._last).strip() or "".join(self._all)

    async def request_permission(
        self,
        session_id: str,  # noqa: ARG002 -- there is one
        tool_call: ToolCallUpdate,
        options: Sequence[PermissionOption],
        **_: Any,  # noqa: ANN401 -- as the protocol grows
    ) -> RequestPermissionResponse:
        """Answer as the judge does."""
        self._note(tool_call)
        choices = tuple(Choice(id=each.option_id, kind=each.kind) for each in options)
        kind = tool_call.kind or self._kinds.get(tool_call.tool_call_id, "")
        wish = Wish(kind=kind, title=tool_call.title or kind or "something", choices=choices)
        allowed = self._judge(wish)
        if not allowed:
            self.refused.append(wish.title)
        answer = wish.answer(allowed=allowed)
        if answer is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(
            outcome=AllowedOutcome(outcome="selected", option_id=answer)
        )

    async def session_update(
        self,
        session_id: str,  # noqa: ARG002 -- as above
        update: Any,  # noqa: ANN401 -- one of many
        **_: Any,  # noqa: ANN401 -- as above
    ) -> None:
        """Take note of what it says, uses and spends, and of what it was told before."""
        self.told += 1
        match update.session_update:
            case "agent_message_chunk":
                if isinstance(update.content, TextContentBlock):
                    self._last.append(update.content.text)
                    self._all.append(update.content.text)
            case "user_message_chunk":
                self.remembered = True
            case "tool_call" | "tool_call_update":
                self.worked = True
                self._note(update)
            case "usage_update":
                if update.cost and update.cost.currency == "USD":
                    self.usd = update.cost.amount
            case _:
                pass

    def _note(self, call: Any) -> None:  # noqa: ANN401 -- begun, or updated
        if call.kind:
            self._kinds[call.tool_call_id] = call.kind
        self._last = []


def _usage(answer: PromptResponse, usd: float | None) -> Usage | None:
    """Return what a prompt took, by the protocol, else by what stands beside it; None if unknown.

    Where the kinds of tokens add up to the total, the input is told without what came from a cache.
    Raises ValidationError, msgspec's, for what is no count.
    """
    told = answer.usage
    if told is None:
        beside = _beside(answer.field_meta)
        if beside is None:
            return None if usd is None else Usage(usd=usd)
        return Usage(input=beside.input_tokens, output=beside.output_tokens, usd=usd)
    msgspec.convert(told.model_dump(exclude={"field_meta"}), dict[str, Count | None])
    cached, written = told.cached_read_tokens or 0, told.cached_write_tokens or 0
    thoughts = told.thought_tokens or 0
    parts = told.input_tokens + told.output_tokens + cached + written + thoughts
    apart = parts == told.total_tokens
    return Usage(
        input=told.input_tokens + (cached + written if apart else 0),
        output=told.output_tokens + (thoughts if apart else 0),
        cached=told.cached_read_tokens,
        cache_write=told.cached_write_tokens,
        usd=usd,
    )


def _beside(meta: dict[str, Any] | None) -> AcpTokens | None:
    try:
        quota = msgspec.convert(meta or {}, Beside).quota
    except msgspec.ValidationError:
        return None
    return quota.token_count if quota else None


def _failed(error: RequestError) -> AgentFailed:
    """Return an error of the agent's in its own words; its code may be that of its model's API."""
    words: list[object] = [
        *error.args,
        error.data.get("details") if isinstance(error.data, dict) else None,
    ]
    told = " ".join(" ".join(each for each in words if isinstance(each, str)).split())[:LONGEST]
    told_code: object = error.code  # nothing holds it to its type
    code = told_code if isinstance(told_code, int) else None
    kind = "not_logged_in" if code == AUTH_REQUIRED else kind_of(told, code)
    hint = "Log in with the agent itself, or let its key through: `pass_env` in clew.toml."
    return AgentFailed(
        told or "it says that it failed, and not why",
        kind=kind,
        hint=hint if kind == "not_logged_in" else "",
        after=told_wait(told) if kind == "rate_limited" else 0.0,
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep the SDK from writing to the terminal what it makes of malformed messages."""
    silence, root = logging.NullHandler(), logging.getLogger()
    root.addHandler(silence)
    try:
        yield
    finally:
        root.removeHandler(silence)
