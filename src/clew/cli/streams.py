"""The three streams, as a person or a script may have left them: closed, full, of few letters."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys

import click

from clew.words.printable import escaped, one_line, printable
from clew.words.printable import shortened as cut

__all__ = [
    "finish",
    "fitted",
    "indented",
    "json_line",
    "make_ready",
    "print_json",
    "say",
    "shortened",
]

LONGEST = 2_000  # characters of a message; the rest of a megabyte helps nobody
DEEPER = "      "
MARGIN = 12  # characters at most that stand before a fitted text


def make_ready() -> None:
    """Open what is closed on nothing, so that no file of Clew's takes its number; say all letters.

    A letter that the terminal's encoding does not have is written as its number.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
    sys.stdin = sys.stdin or os.fdopen(0)
    sys.stdout = sys.stdout or os.fdopen(1, "w")
    sys.stderr = sys.stderr or os.fdopen(2, "w")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def finish() -> None:
    """Write out what is left; where nobody reads it, let it go without a word."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with contextlib.suppress(OSError, ValueError):
                os.dup2(nothing, stream.fileno())
    os.close(nothing)


def shortened(text: str) -> str:
    """Return a message with the middle left out, if it is very long."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2
    return f"{text[:half]} [... {len(text) - 2 * half} characters ...] {text[-half:]}"


def fitted(text: str, least: int = 160) -> str:
    """Return a text as one line: whole in a file or a pipe, cut to its width on a terminal.

    On a narrow terminal it still has `least` characters.
    """
    if not sys.stdout.isatty():
        return one_line(text)
    return cut(text, max(least, shutil.get_terminal_size().columns - MARGIN))


def indented(text: str) -> str:
    """Return text from outside as it may be shown: whatever it says, its lines stand below ours."""
    return printable(text).replace("\n", f"\n{DEEPER}")


def say(text: str = "", *, err: bool = False) -> None:
    """Print text that may be from outside."""
    click.echo(indented(text), err=err)


def json_line(record: object) -> bytes:
    """Return a record as JSON that no terminal obeys, and that ends no line."""
    import msgspec

    return escaped(msgspec.json.encode(record))


def print_json(record: object) -> None:
    """Print one JSON object on a line of its own."""
    click.echo(json_line(record))
