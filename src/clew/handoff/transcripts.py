"""An agent's transcript: whose turn it was, what was said in it, what a session spent.

Lines of JSON, written while they are read: a line that is torn or malformed is skipped, and hides
no other. A transcript may hold hundreds of megabytes, so the last turn is read from its end.

    Claude Code  type user or assistant, message {content, id, usage}; promptId names the turn, as
                 in payloads; a message has a line for each of its blocks, each with all its usage
    Gemini CLI   type user or gemini, content, id, timestamp, tokens; payloads name a turn by the
                 time of its end; a message is written again, whole, when something is added to it
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


class TranscriptLine:
    """What one line of the main chain says, whichever agent wrote it. Never changed."""

    __slots__ = ("at", "name", "typed", "words")

    def __init__(self, *, typed: bool, name: str = "", at: str = "", words: str = "") -> None:
        self.typed = typed  # by a person; else the agent said it
        self.name = name  # of what was typed
        self.at = at  # when it was typed, where turns are named by their time
        self.words = words


def last_turn(path: str) -> Turn:
    """Return the last turn; an empty one for a file that is not there or cannot be read."""
    message = ""
    for line in _lines(path):
        if line.typed:
            return Turn(line.name, message)
        message = message or line.words
    return Turn("", message)


def typed_since(path: str, name: str) -> str:
    """Return what a person typed last, if that was after the turn of that name; else nothing.

    A turn that the transcript does not hold yet has none after it.
    """
    last = ""
    for line in _lines(path):
        if line.typed:
            if line.name == name or (line.at and line.at <= name):
                return last
            last = last or line.words
    return ""


def spent(path: str, session: str) -> int:
    """Return the tokens of a session and its subagents: input, cache writes and output.

    A message may stand on several lines; it counts once.
    """
    below = os.path.join(os.path.dirname(path), session)
    folders = (os.path.join(below, "subagents"), below)
    return _spent(path) + sum(_spent(each) for folder in folders for each in _transcripts(folder))


def _transcripts(folder: str) -> list[str]:
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".jsonl")]


def _spent(path: str) -> int:
    messages: dict[str, int] = {}
    for number_, line in enumerate(_forwards(path)):
        if b'"usage"' not in line and b'"tokens"' not in line:
            continue
        record = _record(line)
        message = table(record.get("message"))
        usage, tokens = table(message.get("usage")), table(record.get("tokens"))
        used = sum(int(number(usage, name) or 0) for name in USAGE)
        used += int((number(tokens, "total") or 0) - (number(tokens, "cached") or 0))
        key = text(message or record, "id") or str(number_)
        messages[key] = max(used, messages.get(key, 0))
    return sum(messages.values())


# --- lines ----------------------------------------------------------------------------------------


def _lines(path: str) -> Iterator[TranscriptLine]:
    """Yield from its end what a transcript's main chain says, without what agents put in."""
    for bytes_ in _backwards(path):
        record = _record(bytes_)
        line = _of_claude(record) if "message" in record else _of_gemini(record)
        if line is not None:
            yield line


def _record(line: bytes) -> Mapping[str, object]:
    try:
        return table(parse(line))
    except ValueError:
        return {}


def _of_claude(record: Mapping[str, object]) -> TranscriptLine | None:
    kind, content = text(record, "type"), table(record.get("message")).get("content")
    if kind not in ("user", "assistant") or flag(record, "isSidechain"):
        return None
    words = _words(content)
    if kind == "assistant":
        return TranscriptLine(typed=False, words=words)
    if flag(record, "isMeta") or flag(record, "isCompactSummary") or not _is_typed(content):
        return None
    # Older records have only a name of their own.
    name = text(record, "promptId") or text(record, "uuid")
    return TranscriptLine(typed=True, name=name, words=words)


def _is_typed(content: object) -> bool:
    """Return whether a person wrote it: what a tool returned comes in the person's name, too."""
    if isinstance(content, str):
        return True
    blocks = [table(block) for block in content] if isinstance(content, list) else []
    return bool(blocks) and not any(
        b.get("type") == "tool_result" or "functionResponse" in b for b in blocks
    )


def _of_gemini(record: Mapping[str, object]) -> TranscriptLine | None:
    kind, content = text(record, "type"), record.get("content")
    words = _words(content)
    if kind == "gemini":
        return TranscriptLine(typed=False, words=words)
    if kind != "user" or not _is_typed(content):
        return None
    return TranscriptLine(
        typed=True, name=text(record, "id"), at=text(record, "timestamp"), words=words
    )


def _words(content: object) -> str:
    """Return the text of a message, which is a text or has blocks of it."""
    if isinstance(content, str):
        return content.strip()
    blocks = [table(block) for block in content] if isinstance(content, list) else []
    return "\n".join(text(b, "text") for b in blocks if b.get("type", "text") == "text").strip()


# --- bytes ----------------------------------------------------------------------------------------


def _open(path: str) -> int:
    """Open a regular file; a pipe of that name would keep the agent waiting. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    if not S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(f"{path} is not a regular file")
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
