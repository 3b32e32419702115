"""Gemini CLI as an agent: the real program, a scripted model on loopback."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from clew.project import locate
from commandline import REPOSITORY, CommandLine, Said
from modelserver import Asked, ModelServer, Reply, ToolCall, serve
from projects import FIRST, SECOND, diagnosis, fix
from treestate import fingerprint

pytestmark = pytest.mark.slow

PATH = f"{REPOSITORY / '.venv' / 'agents' / 'bin'}:{os.environ['PATH']}"


def role(asked: Asked) -> str:
    return "fix" if "carry out the recommended fix" in asked.first else "diagnose"


def text(line: dict[str, Any]) -> str:
    return json.dumps(line["reply"])


def run(clew: CommandLine, server: ModelServer, *words: str, **env: str) -> Said:
    home = clew.state.parent / "home"
    home.mkdir(exist_ok=True)
    own = {
        "PATH": PATH,
        "HOME": str(home),
        "GOOGLE_GEMINI_BASE_URL": server.url,
        "GEMINI_API_KEY": "AIza-none-0123456789abcdef",
        "SECRET_OF_THE_PERSON": "hunter2",
    }
    return clew.run("fix", "--json", "--agent", "gemini", *words, env=own | env)


def test_gemini_cli_mends_two_faults_in_two_iterations(clew: CommandLine) -> None:
    """It reads before it speaks, edits with its own tool, and what it took is counted."""

    def script(asked: Asked) -> Reply | str:
        second = "Earlier attempts" in asked.first
        change = SECOND if second else FIRST
        if not asked.results:
            return Reply(calls=(ToolCall("read_file", {"file_path": change["file"]}),))
        if role(asked) == "diagnose":
            return text(diagnosis("one too many" if second else "a name that lacks", change))
        if len(asked.all_results) == 1:
            edit = {"old_string": change["current"], "new_string": change["should_be"]}
            where = {"file_path": change["file"], "instruction": "mend it"}
            return Reply(("I edit.",), (ToolCall("replace", where | edit),))
        return text(fix(change) | {"reply": fix(change)["reply"] | {"changes": []}})

    before = fingerprint(locate(clew.project))
    with serve(script) as server:
        said = run(clew, server)
    assert (0, 2) == (said.code, said.summary["iterations"]), said.err + said.out[-2000:]
    assert before == fingerprint(locate(clew.project))
    assert {"gemini-2.5-pro"} == {asked.path.rpartition("/")[2][:14] for asked in server.asked}
    offered = {role(asked): set(asked.tools) for asked in server.asked}
    assert {"list_directory", "read_file", "grep_search", "glob"} == offered["diagnose"]
    assert {"replace", "write_file"} == offered["fix"] - offered["diagnose"]
    assert "hunter2" not in json.dumps([asked.body for asked in server.asked])
    usages = [e["event"]["usage"] for e in said.events if e.get("event", {}).get("usage")]
    assert [(200, 40), (300, 60)] * 2 == [(u["input"], u["output"]) for u in usages]
