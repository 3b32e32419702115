"""Requests and replies, whichever protocol brings them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

__all__ = ["Asked", "Body", "Message", "Reply", "ToolCall", "turns"]

Body = dict[str, Any]


@dataclass(frozen=True)
class ToolCall:
    """A tool that the model wants to have called."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """What the model says: texts, one content block each, then tool calls; or how it fails."""

    texts: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    tokens: tuple[int, int] = (100, 20)  # input, output
    cached: int = 0  # of the input
    status: int = 200  # another one is a refusal, in words of `error`
    error: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    stalls: bool = False  # no answer, for as long as the server runs
    drops: bool = False  # the connection breaks in the middle of the answer


@dataclass(frozen=True)
class Message:
    """One message of a conversation, whichever protocol brought it."""

    user: bool  # or the model's
    text: str = ""
    results: tuple[str, ...] = ()  # what tools returned
    calls: tuple[str, ...] = ()  # tools that the model wanted to have called


@dataclass(frozen=True)
class Asked:
    """One request: the conversation so far, and all of it as it came."""

    path: str
    body: Body
    messages: tuple[Message, ...]
    tools: tuple[str, ...]  # that the agent offers; side requests offer none
    number: int  # of its kind, from 1

    @property
    def said(self) -> str:
        """What the user said last; what an agent adds to it stands in it."""
        return self._users[-1].text

    @property
    def first(self) -> str:
        """What the user said first, and with it what the whole conversation is about."""
        return self._users[0].text

    @property
    def results(self) -> tuple[str, ...]:
        """What the tools returned that the last message brings."""
        return self._users[-1].results

    @property
    def all_results(self) -> tuple[str, ...]:
        """What all tools returned in this conversation."""
        return tuple(result for message in self.messages for result in message.results)

    @property
    def whole(self) -> str:
        """All that the user said."""
        return "\n".join(message.text for message in self._users)

    @property
    def _users(self) -> tuple[Message, ...]:
        return tuple(message for message in self.messages if message.user) or (Message(user=True),)


def turns(messages: Iterable[Message]) -> Iterator[Message]:
    """Join what one side says in a row, for protocols that take it apart."""
    for user, group in groupby(messages, key=lambda message: message.user):
        row = list(group)
        yield Message(
            user,
            "\n".join(message.text for message in row if message.text),
            tuple(result for message in row for result in message.results),
            tuple(call for message in row for call in message.calls),
        )
