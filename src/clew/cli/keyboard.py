"""What a person types at a terminal: a paste is one answer, and nothing answers before it is asked.

forget   what was typed while work went on; then the question is shown
typed    one of the words that are offered, its number, or a text of any lines
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
from collections.abc import Collection

import click

__all__ = ["forget", "is_at_terminal", "typed"]

PASTE = 0.1  # seconds in which the rest of a paste has come


def is_at_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def forget() -> None:
    """Forget what was typed so far; what is in the background leaves the terminal alone."""
    import termios

    with contextlib.suppress(OSError, ValueError, termios.error):
        if os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp():
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


def typed(prompt: str, offered: Collection[str], begin: tuple[str, ...] = ()) -> str:
    """Return what a person answers: a word that is offered, its number, or any text of theirs.

    Lines that come at once are one text. One that begins like these ends with an empty line.
    """
    first: str = click.prompt(prompt, default="", show_default=False).strip()
    if first in ("", *offered, *map(str, range(1, len(offered) + 1))):
        return first
    lines, several = [first], first.startswith(begin)
    with contextlib.suppress(EOFError):
        while (several and lines[-1].strip()) or _is_more():
            lines.append(input())
    return "\n".join(lines).strip()


def _is_more() -> bool:
    return bool(select.select([sys.stdin], [], [], PASTE)[0])
