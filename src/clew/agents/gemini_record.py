"""What Gemini CLI writes down of a conversation, and how that is put right before it goes on.

It keeps each result of a tool twice, and sends both when it goes on: its API refuses that. It also
begins a record as it starts, in the file of that minute, over the one that it was to go on with.

The agent may put links into its folder: none is followed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec

from clew.agents.lending import content_of, place
from clew.agents.listening import decoded
from clew.facts import Usage

__all__ = ["mend", "taken"]

RECORDS = ".gemini/tmp"  # below its home: a folder a project, in it `chats`
LARGEST = 64 << 20  # bytes of a record
NAME = 8  # characters of a conversation's name that stand in that of its file

Count = Annotated[int, msgspec.Meta(ge=0)]


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of one answer: what came from a cache is input, the total has thoughts as well."""

    input: Count = 0
    output: Count = 0
    cached: Count = 0
    total: Count = 0


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """A line that is an answer of the model; a later one with its id stands in its place."""

    id: str
    type: str
    tokens: Tokens | None = None


def taken(home: Path, conversation: str) -> Usage | None:
    """Add up what the answers took that are written down; None if there are none."""
    answers = {
        message.id: message.tokens
        for line in b"\n".join(content for _, content in _records(home, conversation)).splitlines()
        if (message := decoded(line, Message)) and message.type == "gemini" and message.tokens
    }
    if not answers:
        return None
    took = [
        Usage(input=t.input, output=max(t.output, t.total - t.input), cached=t.cached)
        for t in answers.values()
    ]
    return Usage.total(took)


def mend(home: Path, conversation: str) -> None:
    """Put each record of a conversation right, under a name that no new one gets."""
    for path, content in tuple(_records(home, conversation)):
        lines = (decoded(line, dict[str, Any]) for line in content.splitlines())
        mended = b"".join(msgspec.json.encode(_once(line)) + b"\n" for line in lines if line)
        with contextlib.suppress(OSError), place(home, str(path.relative_to(home))) as (at, last):
            name = f"session-0-{conversation[:NAME]}.jsonl"
            os.unlink(last, dir_fd=at)
            descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=at)
            with os.fdopen(descriptor, "wb") as file:
                file.write(mended)


def _once(line: dict[str, Any]) -> dict[str, Any]:
    """Return a line without the results of tools that stand in its messages a second time."""
    match line:
        case {"toolCalls": [*calls]}:
            kept = [{k: v for k, v in call.items() if k != "result"} for call in calls]
            return {**line, "toolCalls": kept}
        case {"$set": {"messages": [*messages], **more}}:
            return {**line, "$set": {**more, "messages": [_once(each) for each in messages]}}
        case _:
            return line


def _records(home: Path, conversation: str) -> Iterator[tuple[Path, bytes]]:
    """Yield the records that hold an answer; one that was begun and left holds none."""
    for path in sorted((home / RECORDS).glob(f"*/chats/session-*-{conversation[:NAME]}.jsonl")):
        with contextlib.suppress(OSError), place(home, str(path.relative_to(home))) as (at, last):
            content = content_of(last, at, most=LARGEST)
            if content and conversation.encode() in content and b'"type":"gemini"' in content:
                yield path, content
