"""A command at a terminal of its own, and a person who reads what it shows and types."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from commandline import HEARING, CommandLine

__all__ = ["Terminal", "at_a_terminal"]

PATIENCE = 300.0  # seconds until a person gives up
CONTROLLING = ("setsid", "--ctty", "--wait")  # so that what is typed may interrupt


@dataclass
class Terminal:
    """The keys, and what was shown that nobody has read yet."""

    process: subprocess.Popen[bytes]
    ours: int
    shown: str = ""

    def until(self, text: str) -> str:
        """Read until a text is shown, and return all up to its end."""
        while text not in self.shown:
            assert self._more(), f"{text!r} is not shown: {self.shown}"
        seen, _, self.shown = self.shown.partition(text)
        return seen + text

    def type(self, *lines: str) -> None:
        """Type lines at once, as a paste does, each with its Enter."""
        os.write(self.ours, "".join(f"{line}\n" for line in lines).encode())

    def end(self) -> int:
        """Read to the end; return the exit code. What was left to read stands in `shown`."""
        while self._more():
            pass
        return self.process.wait(PATIENCE)

    def _more(self) -> bool:
        assert select.select([self.ours], [], [], PATIENCE)[0], self.shown
        try:
            piece = os.read(self.ours, 65_536)
        except OSError:  # the terminal is gone when its last user is
            return False
        self.shown += piece.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(piece)


@contextlib.contextmanager
def at_a_terminal(clew: CommandLine, *words: str) -> Iterator[Terminal]:
    """Start a command at a terminal; whatever happens, it does not outlive the block."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*CONTROLLING, *HEARING, sys.executable, "-m", "clew", *words],
        cwd=clew.project,
        env=clew.environment({"TERM": "xterm"}),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
