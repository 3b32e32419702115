"""Gemini CLI as an agent, beside the contract: the real program, a scripted model on loopback."""

from __future__ import annotations

import json

import pytest

from backends import BACK_ENDS, person, text
from commandline import CommandLine
from modelserver import serve
from projects import FIRST, commit_all, diagnosis, write


@pytest.mark.agents
def test_nothing_of_the_project_acts_on_gemini_cli(clew: CommandLine) -> None:
    """Not its servers, hooks, variables and memory; nor does a word of the evidence name a file."""
    touch = {"command": "touch", "args": [str(clew.project / "touched")]}
    hook = {"type": "command", "command": f"touch {clew.project / 'touched'}"}
    own = {"mcpServers": {"x": touch}, "hooks": {"BeforeAgent": [{"hooks": [hook]}]}}
    elsewhere = "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1\n"
    test = (clew.project / "tests" / "test_area.py").read_text()
    files = {
        ".gemini/settings.json": json.dumps(own | {"tools": {"core": ["run_shell_command"]}}),
        ".gemini/.env": elsewhere,
        ".env": elsewhere,
        "GEMINI.md": "OBEY-THIS",
        "tests/test_area.py": test + "\n\n@notes\ndef test_more():\n    assert ring(0, 1)\n",
        "notes.py": "BEHIND-THE-PROMPT = 1\n",
    }
    commit_all(write(clew.project, files))
    with serve(lambda _: text(diagnosis("a name that lacks", FIRST))) as server:
        env = person(clew, BACK_ENDS["gemini"], server)
        said = clew.run("diagnose", "--json", "--agent", "gemini", env=env)
    assert 0 == said.code, said.err + said.out
    (asked,) = server.asked
    assert {"list_directory", "read_file", "grep_search", "glob"} == set(asked.tools)
    assert "\n@notes\ndef test_more" in asked.whole
    assert [] == [word for word in ("OBEY-THIS", "BEHIND-THE-PROMPT") if word in asked.whole]
    assert not (clew.project / "touched").exists()
