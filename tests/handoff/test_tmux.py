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
