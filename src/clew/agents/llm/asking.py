"""One conversation with a model: it ends with an answer that holds, or a failure of a known kind.

An answer that does not hold goes back to the model, with what is wrong with it as data, at most
twice. All that is spent is counted, whatever comes of it.
"""

from __future__ import annotations

import asyncio
import json
import math
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from clew.agents import prompts
from clew.agents.llm.tools import Tool
from clew.words.errors import AgentFailed
from clew.words.facts import Usage

if TYPE_CHECKING:
    from pydantic_ai import Agent, RunContext
    from pydantic_ai.models import Model
    from pydantic_ai.usage import RunUsage

__all__ = ["ModelAnswered", "Question", "converse"]

MOST_REQUESTS = 60
RETRIES = 2
LONGEST = 500  # characters of a provider's words that are told
ANSWER = "answer"


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is asked, and what it may do; `check` raises AgentFailed for an answer."""

    prompt: str
    nonce: str
    schema: dict[str, Any]
    tools: Mapping[str, Tool]
    check: Callable[[str], None]
    seconds: float
    tokens: int | None = None


class ModelAnswered(msgspec.Struct, frozen=True, kw_only=True):
    """JSON that the check let pass."""

    text: str
    usage: Usage


def converse(model: Model, question: Question) -> ModelAnswered:
    """Ask, let it look around, and take its answer. Raises AgentFailed, with its usage."""
    from pydantic_ai.usage import RunUsage  # noqa: PLC0415 - an extra, and slow

    usage, problems = RunUsage(), list[str]()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", UserWarning
            )  # a bound that cannot be held: see `counted`
            text = asyncio.run(_run(model, question, usage, problems))
    except Exception as error:  # each is told by its kind; what is none of a model's goes on
        failed = failure(error, problems)
        if failed is None:
            raise
        failed.usage = counted(usage, lost=_lost(error))
        raise failed from error
    return ModelAnswered(text=text, usage=counted(usage))


async def _run(model: Model, question: Question, usage: RunUsage, problems: list[str]) -> str:
    from pydantic_ai.usage import UsageLimits  # noqa: PLC0415 - as above

    agent = _agent(model, question, problems)
    async with agent:
        ended = await agent.run(
            question.prompt,
            usage=usage,
            usage_limits=UsageLimits(
                request_limit=MOST_REQUESTS, total_tokens_limit=question.tokens
            ),
            timeout=question.seconds if math.isfinite(question.seconds) else None,
        )
    return _text(ended.output)


def _agent(model: Model, question: Question, problems: list[str]) -> Agent[None, Any]:
    from pydantic_ai import Agent, ModelRetry, StructuredDict, Tool, ToolOutput  # noqa: PLC0415 - as above

    agent: Agent[None, Any] = Agent(
        model,
        output_type=[ToolOutput(StructuredDict(question.schema, ANSWER), name=ANSWER), str],
        tools=[
            Tool(tool, name=name, takes_ctx=False, max_retries=MOST_REQUESTS)
            for name, tool in question.tools.items()
        ],
        retries={"tools": MOST_REQUESTS, "output": RETRIES},
        # Whether and when to try again is decided, journalled and shown by the loop.
        model_settings={"max_retries": 0, "cache": True},
    )

    @agent.output_validator
    def checked(_: RunContext[None], output: str | dict[str, Any]) -> str | dict[str, Any]:
        try:
            question.check(_text(output))
        except AgentFailed as error:
            problems.append(error.message)
            raise ModelRetry(
                "Your last answer could not be used:\n"
                + prompts.wrap_data("what is wrong", error.message, question.nonce)
            ) from error
        return output

    return agent


def _text(output: str | dict[str, Any]) -> str:
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)


def counted(usage: RunUsage, *, lost: bool = False) -> Usage:
    """Return what was spent; `lost` says that a request was left that may have cost as well."""
    told = usage.requests > usage.unmeasured_requests
    if not told and (lost or usage.unmeasured_requests):
        return Usage()
    return Usage(
        input=usage.input_tokens,
        output=usage.output_tokens,
        cached=usage.cache_read_tokens,
        cache_write=usage.cache_write_tokens,
        partial=bool(lost or usage.unmeasured_requests),
    )


def _lost(error: Exception) -> bool:
    """Whether a request was left without its answer."""
    from pydantic_ai import exceptions as ex  # noqa: PLC0415 - as above

    return isinstance(error, ex.RunTimedOut | ex.ModelConnectionError)


def failure(error: Exception, problems: list[str]) -> AgentFailed | None:
    """Return what an error means for the loop; None for one that is none of a model's."""
    from pydantic_ai import exceptions as ex  # noqa: PLC0415 - as above

    words = str(getattr(error, "message", "") or error)[:LONGEST]
    after = getattr(error, "retry_after", None) or 0.0
    kinds: tuple[tuple[type[Exception], str, str], ...] = (
        (ex.RunTimedOut, "timeout", ""),
        (ex.ModelTimeoutError, "timeout", ""),
        (ex.ModelRequestTimeout, "timeout", ""),
        (ex.ModelRateLimitError, "rate_limited", ""),
        (ex.ModelQuotaExceededError, "out_of_credit", "Look at the account's credit."),
        (ex.ModelAuthenticationError, "not_logged_in", "Look at the key, and at what it may do."),
        (ex.ModelNotFoundError, "unknown_model", "Look at the model's name and the base URL."),
        (ex.ModelContextWindowExceededError, "context_too_long", "Lower `context-tokens`."),
        (ex.ModelUnavailableError, "unavailable", ""),
        (ex.ModelServerError, "unavailable", ""),
        (ex.ModelConnectionError, "unavailable", ""),
        (ex.ContentFilterError, "refusal", ""),
        (ex.UsageLimitExceeded, "error", ""),
        (ex.UnexpectedModelBehavior, "invalid_output", ""),
        (ex.AgentRunError, "error", ""),
        (ex.UserError, "error", ""),
    )
    for kind, name, hint in kinds:
        if isinstance(error, kind):
            if name == "invalid_output" and problems:
                words = problems[-1]
            return AgentFailed(words, kind=name, hint=hint, after=after)
    return None
