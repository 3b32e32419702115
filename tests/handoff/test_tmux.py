"""A tmux server, spoken to by ids and argument lists."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from clew.handoff.tmux import Gone, Terminal
from handoffkit import Tmux, until

SHOW = """\
import json, os, sys
with open(sys.argv[1], "w") as file:
    json.dump([sys.argv[2:], os.getcwd(), os.environ.get("MARK")], file)
"""


def speaking(terminal: Tmux) -> Terminal:
    session = terminal("display-message", "-p", "#{session_id}").removeprefix("$")
    return Terminal(f"{terminal.socket},1,{session}")


def test_words_folder_and_variables_reach_the_program_as_they_are(
    terminal: Tmux, tmp_path: Path
) -> None:
    """No shell, and no format of tmux, has a look at them."""
    odd = [
        "it's",
        "$(touch x)",
        "#(touch x)",
        "#{pane_id}",
        "a;b",
        ";",
        "x;",
        "y\\;",
        "\\",
        "%H",
        "-x",
        "",
    ]
    folder = tmp_path / "#(touch x) #{pane_id} %H"
    folder.mkdir()
    said = tmp_path / "said.json"
    server = speaking(terminal)
    server.open(
        (sys.executable, "-c", SHOW, str(said), *odd), str(folder), {"MARK": "#(x) ;"}, "%0"
    )
    until(lambda: said.exists() and said.read_text().endswith("]"))
    assert [odd, str(folder), "#(x) ;"] == json.loads(said.read_text())
    assert [] == list(tmp_path.rglob("x"))


def test_a_window_beside_a_pane_that_is_gone_opens_in_its_session(
    terminal: Tmux, tmp_path: Path
) -> None:
    """The session that asked has left already."""
    window, pane = terminal.open(tmp_path, "sleep", "900")
    terminal("kill-window", "-t", window)
    server = speaking(terminal)
    opened = server.open(("sleep", "900"), str(tmp_path), {}, pane)
    assert opened.window in terminal.panes()
    assert opened.pane in server.panes()


def test_a_message_runs_nothing(terminal: Tmux, tmp_path: Path) -> None:
    """What a person is told may hold words of an agent."""
    server = speaking(terminal)
    server.tell("%0", f"#(touch {tmp_path}/x) %H it's")
    server.tell("%99", "nobody")
    assert [] == list(tmp_path.rglob("x"))


def test_a_server_that_is_not_there_is_gone(tmp_path: Path) -> None:
    """With tmux's own words."""
    with pytest.raises(Gone, match="list-panes"):
        Terminal(f"{tmp_path}/none,1,0").panes()


TAKES_PASTES_WHOLE = """\
import os, sys, time, tty

tty.setraw(0)
sys.stdout.write("\\x1b[?2004hready")
sys.stdout.flush()
pasted, line = 0.0, b""
while not line.endswith(b"END"):
    read = os.read(0, 1024)
    if read.endswith(b"\\x1b[201~"):
        pasted = time.monotonic()
        sys.stdout.write("/quit")
        sys.stdout.flush()
    alone = read == b"\\r" and time.monotonic() - pasted > 0.05
    line += b"END" if alone else read
with open(sys.argv[1], "wb") as file:
    file.write(line)
"""


def test_an_enter_is_not_taken_for_a_part_of_the_paste(terminal: Tmux, tmp_path: Path) -> None:
    """Some agents begin a new line at one that comes right behind a paste."""
    _, pane = terminal.open(
        tmp_path, sys.executable, "-c", TAKES_PASTES_WHOLE, str(tmp_path / "line")
    )
    until(lambda: "ready" in terminal.shown(pane))
    speaking(terminal).type(pane, "/quit", ("C-u",))
    line = tmp_path / "line"
    until(lambda: line.exists() and line.read_bytes().endswith(b"END"))
    assert b"\x15\x1b[200~/quit\x1b[201~END" == line.read_bytes()
