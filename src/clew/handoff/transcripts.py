"""An agent's transcript: whose turn it was, what was said in it, what a session spent.

Lines of JSON, written while they are read: a line that is torn or malformed is skipped, and hides
no other. A transcript may hold hundreds of megabytes, so the last turn is read from its end.
"""

from __future__ import annotations

import os
from stat import S_ISREG

from clew.handoff.quick import flag, number, parse, table, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["Turn", "last_turn", "spent", "typed_since"]

BLOCK = 1 << 16
FARTHEST = 1 << 26  # bytes from the end: no turn is longer, and no hook reads on for ever
USAGE = ("input_tokens", "cache_creation_input_tokens", "output_tokens")


class Turn:
    """The last turn of a session's main chain. Never changed."""

    __slots__ = ("message", "typed")

    def __init__(self, typed: str, message: str) -> None:
        self.typed = typed  # names what the person typed, as payloads do; "" if none was found
        self.message = message  # what the agent said last since then; "" if nothing yet


def last_turn(path: str) -> Turn:
    """Return the last turn; an empty one for a file that is not there or cannot be read."""
    message = ""
    for line in _backwards(path):
        record = _record(line)
        kind = text(record, "type")
        if kind not in ("user", "assistant") or flag(record, "isSidechain"):
            continue
        if kind == "user":
            if _typed(record):
                return Turn(_name(record), message)
        elif not message:
            message = _words(record)
    return Turn("", message)


def typed_since(path: str, name: str) -> str:
    """Return what a person typed last, if that was after the turn of that name; else nothing.

    A turn that the transcript does not hold yet has none after it.
    """
    last = ""
    for line in _backwards(path):
        record = _record(line)
        if text(record, "type") != "user" or flag(record, "isSidechain") or not _typed(record):
            continue
        if _name(record) == name:
            return last
        last = last or _words(record)
    return ""


def spent(path: str) -> int:
    """Return the tokens of a session and its subagents: input, cache writes and output.

    The agent repeats a message's usage on each line of it; each message counts once.
    """
    folder = os.path.join(path.removesuffix(".jsonl"), "subagents")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        names = []
    return sum(
        map(_spent, [path, *(os.path.join(folder, n) for n in names if n.endswith(".jsonl"))])
    )


def _spent(path: str) -> int:
    messages: dict[str, int] = {}
    for number_, line in enumerate(_forwards(path)):
        if b'"usage"' not in line:
            continue
        message = table(_record(line).get("message"))
        usage = table(message.get("usage"))
        used = sum(int(number(usage, name) or 0) for name in USAGE)
        key = text(message, "id") or str(number_)
        messages[key] = max(used, messages.get(key, 0))
    return sum(messages.values())


def _record(line: bytes) -> Mapping[str, object]:
    try:
        return table(parse(line))
    except ValueError:
        return {}


def _name(record: Mapping[str, object]) -> str:
    """Return the prompt's id, which payloads carry as well; older records have only their own."""
    return text(record, "promptId") or text(record, "uuid")


def _typed(record: Mapping[str, object]) -> bool:
    """Return whether a person typed it: no tool's result, and nothing that the agent put in."""
    if flag(record, "isMeta") or flag(record, "isCompactSummary"):
        return False
    content = table(record.get("message")).get("content")
    if isinstance(content, str):
        return True
    blocks = content if isinstance(content, list) else []
    return bool(blocks) and not any(table(b).get("type") == "tool_result" for b in blocks)


def _words(record: Mapping[str, object]) -> str:
    """Return the text of a line; a message of the agent has a line for each of its blocks."""
    content = table(record.get("message")).get("content")
    if isinstance(content, str):
        return content.strip()
    blocks = [table(block) for block in content] if isinstance(content, list) else []
    return "\n".join(text(b, "text") for b in blocks if b.get("type") == "text").strip()


def _open(path: str) -> int:
    """Open a regular file; a pipe of that name would keep the agent waiting. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{path} is no regular file")
    return handle


def _forwards(path: str) -> Iterator[bytes]:
    try:
        handle = _open(path)
    except OSError:
        return
    with os.fdopen(handle, "rb") as file:
        yield from file


def _backwards(path: str) -> Iterator[bytes]:
    """Yield the lines of a file from its end; a last one without its line end, too."""
    try:
        handle = _open(path)
    except OSError:
        return
    try:
        end = os.fstat(handle).st_size
        least, size = max(0, end - FARTHEST), BLOCK
        rest = b""
        while end > least:
            start = max(least, end - size)
            block = os.pread(handle, end - start, start) + rest
            end, size = start, size * 2  # so that one long line costs its length, not its square
            rest, *lines = block.split(b"\n")
            yield from reversed(lines)
        if least == 0:
            yield rest
    finally:
        os.close(handle)
