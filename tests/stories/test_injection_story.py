from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from commandline import CommandLine
from injections import INJECTIONS, obeyed
from projects import commit_all, diagnosis, fix, recording, write

NAMES = ("colours", "title", "clipboard", "other screen", "overwriting", "direction")
HOSTILE = "\n".join(INJECTIONS[name] for name in NAMES)
FILES = {
    "thing.py": "def one():\n    return 2\n",
    "test_thing.py": (
        "import sys\n\nimport pytest\n\nfrom thing import one\n\n"
        f"HOSTILE = {HOSTILE!a}\n\n\n"
        "@pytest.mark.parametrize('text', [HOSTILE])\n"
        "def test_one(text):\n    print(text, file=sys.stderr)\n    assert one() == 1, text\n"
    ),
}
CHANGE = {
    "file": "thing.py",
    "line": 2,
    "current": "    return 2\n",
    "should_be": f"    return 3  # {INJECTIONS['title']}\n",
}


def in_a_terminal(clew: CommandLine, *words: str) -> str:
    """What a command sends to a terminal of its own."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "clew", *words],
        cwd=clew.project,
        env=clew.environment({"TERM": "xterm"}),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    seen = bytearray()
    try:
        while piece := os.read(ours, 4096):
            seen += piece
    except OSError:
        pass  # the terminal is gone when its last user is
    process.wait()
    os.close(ours)
    return seen.decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_a_hostile_project_commands_no_terminal(tmp_path: Path) -> None:
    """Tests, their output, the agent's words and its change: shown, in a terminal and in a pipe."""
    clew = CommandLine(commit_all(write(tmp_path / "hostile", FILES)), tmp_path / "state")
    agent = recording(tmp_path / "r", diagnosis(HOSTILE, CHANGE), fix(CHANGE))
    said = clew.run("fix", "--agent", agent, "--max-iterations", "1")
    assert 1 == said.code, said
    assert [] == obeyed(said.out + said.err)
    (session,) = (path.name for path in clew.project.glob(".clew/sessions/*"))
    for command in ("evidence", "diagnose", "context"):
        assert [] == obeyed(in_a_terminal(clew, command, session)), command
    for command in ("show", "status", "list", "log", "diff"):
        assert [] == obeyed(in_a_terminal(clew, command)), command
        if command != "diff":
            assert [] == obeyed(clew.run(command).out), command
        assert [] == obeyed(clew.run(command, "--json").out), command
    said = clew.run("ci", "--agent", agent, "--max-iterations", "1")
    assert [] == obeyed(said.out + said.err)
    (page,) = clew.project.glob(".clew/ci/*.md")
    assert [] == obeyed(page.read_text())
    for document in clew.project.glob(".clew/sessions/*/*.md"):
        assert [] == obeyed(document.read_text()), document
    for document in clew.project.glob("debug/*/*.md"):
        assert [] == obeyed(document.read_text()), document
