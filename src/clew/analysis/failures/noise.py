"""Text without what changes from run to run."""

from __future__ import annotations

import re

from clew.words.printable import printable

__all__ = ["legible", "normalise"]

PATH_STOP = r"\s'\"`,:;()<>\[\]{}"
TEMPORARY = r"(?:/private)?/(?:tmp|var/tmp|dev/shm|run/user/\d+|var/folders/\w+/\w+/t)"
# What says nothing to a person either, and is no value that a test could name.
PLACES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<=\bat )0x[0-9a-f]+\b", re.IGNORECASE), "<address>"),
    (
        re.compile(rf"{TEMPORARY}/[^/{PATH_STOP}]+(?:/pytest-(?:\d+|current))?", re.IGNORECASE),
        "<tmp>",
    ),
)
NOISE: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), stand_in)
    for pattern, stand_in in (
        (r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "<uuid>"),
        (r"\b0x[0-9a-f]{6,16}\b|(?<=\bat )0x[0-9a-f]+\b", "<address>"),
        (r"(?<=\.\.\.)x?[0-9a-f]{3,16}(?=>)", "<address>"),  # the end of one that was cut
        (r"\b1[34]\d{13}\b", "<address>"),  # id() in decimal
        (
            r"\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:z\b|[+-]\d\d:?\d\d\b)?",
            "<time>",
        ),
        (r"\bdatetime\.datetime\([^()]*\)", "<time>"),
        (r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b", "<time>"),
        (
            r"\b\d+(?:\.\d+)?(?:e-?\d+)? ?(?:ns|[uµ]s|ms|s|secs?|seconds?|mins?|minutes?|hours?)\b",
            "<duration>",
        ),
        (rf"{TEMPORARY}/[^/{PATH_STOP}]+(?:/pytest-(?:\d+|current))?", "<tmp>"),
        (r"\btmp[a-z0-9_]{8}\b", "<tmp>"),
        (r"\bpytest-\d+\b", "<tmp>"),
        (r"\b(pid|process|tid|thread|worker)([ =:#-]{1,2})\d+\b", r"\1\2<n>"),
        (
            r"\b(localhost|\d{1,3}(?:\.\d{1,3}){3}|\[?::1\]?)((?:['\"]?, ?|:)(?:port=)?)\d{2,5}\b",
            r"\1\2<port>",
        ),
        (r"\b(port)([ =:]{1,2})\d{2,5}\b", r"\1\2<port>"),
        (r"\b(line )\d+\b", r"\1<n>"),
        (r"(\.(?:pyi?|pyx|js|ts|go|rs|c|lua))(:\d+)+\b", r"\1:<n>"),
        (r"\b1[5-9]\d{8}(?:\.\d+)?\b", "<time>"),  # seconds since the epoch, where it is no other
    )
)
VERSIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), stand_in)
    for pattern, stand_in in (
        (r"\.? Did you (?:mean|forget)\b[^?\n]*\?", ""),
        (
            r"cannot access local variable '(\w+)' where it is not associated with a value",
            r"local variable '\1' referenced before assignment",
        ),
        (r"\b(?:\w+\.)+(\w+\(\) (?:missing|takes|got))", r"\1"),
        (
            r"cannot access free variable '(\w+)' where it is not associated.*",
            r"free variable '\1' referenced before assignment in enclosing scope",
        ),
        (r" \((?:unknown location|/[^()\n]*|<tmp>[^()\n]*)\)", ""),
        (r"(?m)^\s*(?:Use -v+ to get .*|\.\.\.Full output truncated.*)$\n?", ""),
    )
)
OPENERS = {"{": "}", "(": ")", "[": "]"}
CLOSERS = frozenset(OPENERS.values())
PIECES = re.compile(
    r"""(?<!\w)'(?:[^'\\]|\\.)*'|(?<!\w)"(?:[^"\\]|\\.)*"|[^{}()\[\],'"]+|.""", re.DOTALL
)


def legible(text: str) -> str:
    """Return the text to show: its values as they are, without places in memory and in `/tmp`."""
    text = printable(text)
    for pattern, stand_in in (*PLACES, *VERSIONS):
        text = pattern.sub(stand_in, text)
    return text.strip()


def normalise(text: str) -> str:
    """Return the text to compare with others: stand-ins for what differs from run to run.

    Addresses, times, durations, temporary paths, process and port numbers, UUIDs, line numbers, the
    order inside `{…}`, and what interpreters of different versions word differently.
    """
    text = printable(text)
    for pattern, stand_in in NOISE:
        text = pattern.sub(stand_in, text)
    for pattern, stand_in in VERSIONS:
        text = pattern.sub(stand_in, text)
    return "\n".join(_ordered(line).rstrip() for line in text.splitlines()).strip()


def _ordered(line: str) -> str:
    """Sort the items of every `{…}` of the line; return it as it is when brackets do not match."""
    if "{" not in line:
        return line
    groups: list[tuple[str, list[str]]] = [("", [""])]
    for piece in PIECES.findall(line):
        if piece in OPENERS:
            groups.append((piece, [""]))
        elif piece in CLOSERS:
            opener, items = groups.pop()
            if OPENERS.get(opener) != piece:
                return line
            items = [item.strip() for item in items]
            inner = ", ".join(sorted(items) if opener == "{" else items)
            groups[-1][1][-1] += f"{opener}{inner}{piece}"
        elif piece == "," and len(groups) > 1:
            groups[-1][1].append("")
        else:
            groups[-1][1][-1] += piece
    return line if len(groups) > 1 else groups[0][1][0]
