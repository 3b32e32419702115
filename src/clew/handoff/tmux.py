"""tmux, by argument lists and ids: `@7` is a window, `%9` a pane, for as long as the server lives.

Names and indexes are never used: windows are renumbered, names are shared, and what is focused is
not what is meant. Nothing from outside is put where tmux would run it: formats are escaped (`#(…)`
is a command), and so is a `;` at the end of a word, which begins another command.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from typing import NamedTuple

__all__ = ["Gone", "Pane", "Terminal", "Window"]

SECONDS = 10.0
BUFFER = "clew-hand-off"
SHOWN = 2.0  # seconds that a pane may take to show what was pasted
SETTLED = 0.2  # an Enter right behind a paste is a new line to some, not the end of it


class Gone(Exception):
    """tmux cannot do it; the words say why."""


class Pane(NamedTuple):
    """One pane, as tmux lists it."""

    window: str
    pane: str
    pid: int
    dead: bool
    in_mode: bool  # copy mode and the like: it does not take keys


class Window(NamedTuple):
    """A window that was opened, with the one pane in it."""

    window: str
    pane: str
    pid: int


class Terminal:
    """One tmux server, as `$TMUX` names it."""

    def __init__(self, variable: str) -> None:
        rest, _, session = variable.rpartition(",")
        self.socket = rest.rpartition(",")[0]
        self.session = f"${session}"

    @staticmethod
    def here() -> Terminal | None:
        """Return the server that this process runs in."""
        variable = os.environ.get("TMUX", "")
        return Terminal(variable) if variable and shutil.which("tmux") else None

    def panes(self) -> dict[str, Pane]:
        """Return all panes of the server by id. Raises Gone."""
        said = self._ask(
            "list-panes",
            "-a",
            "-F",
            "#{window_id} #{pane_id} #{pane_pid} #{pane_dead} #{pane_in_mode}",
        )
        found = {}
        for line in said.splitlines():
            window, pane, pid, dead, mode = [*line.split(), "0"][:5]
            found[pane] = Pane(window, pane, int(pid), dead == "1", mode != "0")
        return found

    def open(
        self, words: tuple[str, ...], folder: str, environment: dict[str, str], beside: str
    ) -> Window:
        """Run a program in a new window behind the one of a pane, without a change of focus.

        If that pane is gone, the window is the last one of its session. The words reach the program
        as they are: with two or more, tmux starts it without a shell. Raises Gone.
        """
        if len(words) < 2:  # noqa: PLR2004 -- one word would go through a shell
            words = ("env", *words)
        there = self.panes().get(beside)
        settings = [
            word for name, value in environment.items() for word in ("-e", f"{name}={value}")
        ]
        said = self._ask(
            "new-window",
            *("-d", "-P", "-F", "#{window_id} #{pane_id} #{pane_pid}"),
            *(("-a", "-t", there.window) if there else ("-t", f"{self.session}:")),
            *("-c", _literal(folder)),
            *settings,
            "--",
            *words,
        )
        window, pane, pid = said.split()
        return Window(window, pane, int(pid))

    def leave_mode(self, pane: str) -> None:
        """Bring a pane back from copy mode. Raises Gone."""
        found = self.panes().get(pane)
        if found is None:
            raise Gone(f"pane {pane} is gone")
        if found.in_mode:
            self._ask("copy-mode", "-q", "-t", pane)

    def type(self, pane: str, words: str, before: tuple[str, ...] = ()) -> None:
        """Press keys, paste words, press Enter once they are shown. Raises Gone."""
        self.leave_mode(pane)
        for key in before:
            self._ask("send-keys", "-t", pane, key)
        self._ask("set-buffer", "-b", BUFFER, "--", words)
        self._ask("paste-buffer", "-d", "-p", "-b", BUFFER, "-t", pane)
        end = time.monotonic() + SHOWN
        while words not in self._ask("capture-pane", "-p", "-t", pane) and time.monotonic() < end:
            time.sleep(SETTLED / 4)
        time.sleep(SETTLED)
        self._ask("send-keys", "-t", pane, "Enter")

    def tell(self, pane: str, words: str) -> None:
        """Show a line to whoever looks at a pane, until they press a key.

        Silent if nobody can be told.
        """
        try:
            self._ask("display-message", "-d", "0", "-t", pane, _literal(words).replace("%", "%%"))
        except Gone:
            return

    def _ask(self, *words: str) -> str:
        environment = {n: v for n, v in os.environ.items() if n not in ("TMUX", "TMUX_PANE")}
        try:
            done = subprocess.run(
                ["tmux", "-S", self.socket, *map(_one_word, words)],
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Gone(f"tmux {words[0]}: {error}") from error
        if done.returncode != 0:
            raise Gone(f"tmux {words[0]}: {done.stderr.strip() or f'exit {done.returncode}'}")
        return done.stdout


def _one_word(word: str) -> str:
    """Return a word that tmux does not take for the end of a command: `;` at its end is one."""
    return word[:-1] + "\\;" if word.endswith(";") else word


def _literal(words: str) -> str:
    """Return a text that tmux's formats leave as it is."""
    return words.replace("#", "##")
