"""What a protocol has to say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from modelserver.conversation import Body, Message, Reply

__all__ = ["JSON", "STREAM", "Wire", "events"]

JSON, STREAM = "application/json", "text/event-stream"


@dataclass(frozen=True)
class Wire:
    """One protocol: how a request is read, and how a reply is written.

    `side` answers what is asked beside messages, such as a count of tokens: JSON, or None if the
    request is for a message. `write` gets the reply, the request's path and body, and its number;
    it returns the kind of content and the content.
    """

    start: str  # of the paths that are its own
    side: Callable[[str, Body], bytes | None]
    messages: Callable[[Body], Iterable[Message]]
    tools: Callable[[Body], Iterable[str]]
    write: Callable[[Reply, str, Body, int], tuple[str, bytes]]
    error: Callable[[Reply], Body]


def events(*found: Body, named: bool = False, end: str = "\n\n") -> bytes:
    """Return server-sent events, each with its type as name if the protocol names them."""
    names = (f"event: {each['type']}\n" if named else "" for each in found)
    lines = (f"{name}data: {json.dumps(e)}{end}" for name, e in zip(names, found, strict=True))
    return "".join(lines).encode()
