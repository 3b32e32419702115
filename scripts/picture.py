"""Record the README's pictures: the demos in a real terminal, drawn as SVG.

    .venv/bin/python scripts/picture.py [NAME…]

tmux is the terminal: it applies every movement of the live display, and hands over what a person
would see on the screen in the end. Nothing of it is retouched.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
DEMOS = {"fix": "demo", "plan-run": "demo-plan"}
"""Pictures, and the scripts that they show: each is what `make` calls by that name."""
COLUMNS = 100
ROWS = 60
TIMEOUT = 300

THEME = TerminalTheme(
    (24, 26, 31),
    (214, 218, 224),
    [
        (60, 64, 72),
        (229, 104, 104),
        (129, 199, 132),
        (229, 192, 123),
        (110, 168, 254),
        (198, 146, 233),
        (94, 200, 205),
        (200, 204, 212),
    ],
)

# Rich's own frame, without the fonts that it would fetch from elsewhere.
FORMAT = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
    "Fira Code", "ui-monospace, Menlo, Consolas"
)


def record(command: list[str]) -> str:
    """Run a command in a terminal of its own; return what it shows, colours as escape codes."""
    with tempfile.TemporaryDirectory() as folder:
        socket = ["tmux", "-S", f"{folder}/tmux", "-f", os.devnull]

        def tmux(*words: str) -> str:
            done = subprocess.run(
                [*socket, *words],
                check=True,
                capture_output=True,
                encoding="utf-8",
                timeout=TIMEOUT,
                env=os.environ | {"LC_ALL": "C.UTF-8", "CLEW_STATE_HOME": f"{folder}/state"},
            )
            return done.stdout

        # The first window only keeps the server alive while options are set.
        tmux("new-session", "-d", "-s", "picture", "-x", str(COLUMNS), "-y", str(ROWS))
        try:
            tmux("set-option", "-g", "history-limit", "2000")
            tmux("set-option", "-g", "remain-on-exit", "on")
            tmux("set-option", "-g", "status", "off")
            tmux("set-option", "-g", "default-terminal", "tmux-256color")
            tmux("new-window", "-t", "picture:", "-n", "work", "--", *command)
            ends = time.monotonic() + TIMEOUT
            while tmux("display-message", "-p", "-t", "picture:work", "#{pane_dead}") != "1\n":
                if time.monotonic() > ends:
                    raise SystemExit(f"{command[0]} took longer than {TIMEOUT} s")
                time.sleep(0.1)
            return tmux("capture-pane", "-t", "picture:work", "-e", "-p", "-J", "-S", "-")
        finally:
            tmux("kill-server")


def draw(screen: str, title: str) -> str:
    """Return the SVG of a recorded screen."""
    kept = re.sub(r"Pane is dead.*", "", screen).rstrip()
    kept = kept.replace(f"{ROOT}/.venv/bin/", "")  # where it was recorded is nobody's path
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), legacy_windows=False)  # noqa: PTH123, SIM115 -- closed with the process
    console.print(Text.from_ansi(kept), soft_wrap=True)
    return console.export_svg(title=title, theme=THEME, code_format=FORMAT, unique_id="clew")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*DEMOS, []], metavar="NAME")
    for name in parser.parse_args(arguments).names or DEMOS:
        svg = draw(record([str(ROOT / "scripts" / DEMOS[name])]), f"make {DEMOS[name]}")
        picture = PICTURES / f"{name}.svg"
        picture.write_text(svg, encoding="utf-8")
        print(f"{picture}: {svg.count('<text')} pieces of text")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
