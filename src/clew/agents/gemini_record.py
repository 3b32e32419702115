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

import msgspec

from clew.agents.form import Count
from clew.agents.listening import decoded
from clew.agents.login_copy import content_of, place
from clew.agents.protocol import Forgotten
from clew.sandbox.files import staged
from clew.words.facts import Usage

__all__ = ["mend", "taken"]

RECORDS = ".gemini/tmp"  # below its home: a folder a project, in it `chats`
LARGEST = 64 << 20  # bytes of a record
NAME = 8  # characters of a conversation's name that stand in that of its file

Parts = dict[str, msgspec.Raw]  # of an object, each as it was written


class GeminiTokens(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of one answer: what came from a cache is input, the total has thoughts as well."""

    input: Count = 0
    output: Count = 0
    cached: Count = 0
    total: Count = 0


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """A line that is an answer of the model; a later one with its id stands in its place."""

    id: str
    type: str
    tokens: GeminiTokens | None = None


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
    """Put the record of a conversation right, under a name that no new one gets.

    At every instant there is the old one or the new one, whole; where the new one cannot be written
    the old one stays. A later record of the same conversation is ignored. Raises Forgotten for a
    record that is not of the form that is known.
    """
    firsts: dict[Path, tuple[Path, bytes]] = {}
    for path, content in _records(home, conversation):
        firsts.setdefault(path.parent, (path, content))
    name = f"session-0-{conversation[:NAME]}.jsonl"
    for path, content in firsts.values():
        mended = _mended(content)
        with contextlib.suppress(OSError), place(home, str(path.relative_to(home))) as (at, last):
            _put(mended, at, last, name)


def _put(content: bytes, at: int, old: str, name: str) -> None:
    """Put a file in the place of `old`, all in the open folder `at`, and under another name."""
    with staged(name, content, 0o600, at=at) as new:
        os.rename(old, name, src_dir_fd=at, dst_dir_fd=at)
        os.rename(new, name, src_dir_fd=at, dst_dir_fd=at)


def _mended(content: bytes) -> bytes:
    """Return a record without what stands in it twice, and without a last line that was cut off."""
    if len(content) == LARGEST:
        raise Forgotten("its record is too large")
    whole, _, rest = content.rpartition(b"\n")
    lines = [*whole.splitlines(), *([rest] if decoded(rest, Parts) is not None else [])]
    try:
        return b"".join(msgspec.json.encode(_once(line)) + b"\n" for line in lines if line)
    except (ValueError, RecursionError) as error:
        raise Forgotten(f"its record cannot be read: {error}") from error


def _once(line: bytes) -> Parts:
    """Return a line without the results of tools that stand in its messages a second time."""
    parts = _without_results(line)
    if "$set" in parts:
        more = msgspec.json.decode(parts["$set"], type=Parts)
        if "messages" in more:
            messages = msgspec.json.decode(more["messages"], type=list[msgspec.Raw])
            more["messages"] = _raw([_without_results(each) for each in messages])
        parts["$set"] = _raw(more)
    return parts


def _without_results(message: bytes | msgspec.Raw) -> Parts:
    parts = msgspec.json.decode(message, type=Parts)
    if "toolCalls" in parts:
        calls = msgspec.json.decode(parts["toolCalls"], type=list[Parts])
        kept = [{name: part for name, part in call.items() if name != "result"} for call in calls]
        parts["toolCalls"] = _raw(kept)
    return parts


def _raw(parts: Parts | list[Parts]) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(parts))


def _records(home: Path, conversation: str) -> Iterator[tuple[Path, bytes]]:
    """Yield the records that hold an answer; one that was begun and left holds none."""
    found: list[Path] = []
    with contextlib.suppress(OSError):  # one may be locked
        found = sorted((home / RECORDS).glob(f"*/chats/session-*-{conversation[:NAME]}.jsonl"))
    for path in found:
        with contextlib.suppress(OSError), place(home, str(path.relative_to(home))) as (at, last):
            content = content_of(last, at, most=LARGEST)
            if content and conversation.encode() in content and b'"type":"gemini"' in content:
                yield path, content
