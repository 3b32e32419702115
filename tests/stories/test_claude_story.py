"""Claude Code as an agent: the real program, a scripted model on loopback."""

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
        "ANTHROPIC_BASE_URL": server.url,
        "ANTHROPIC_API_KEY": "sk-none-0123456789abcdef",
        "SECRET_OF_THE_PERSON": "hunter2",
    }
    return clew.run("fix", "--json", "--agent", "claude:model-1", *words, env=own | env)


@pytest.mark.slow
def test_claude_code_mends_two_faults_in_two_iterations(clew: CommandLine) -> None:
    """It reads before it speaks, edits with its own tool, and what it took is counted."""

    def script(asked: Asked) -> Reply | str:
        second = "Earlier attempts" in asked.first
        change = SECOND if second else FIRST
        file = str(clew.project / change["file"])
        if not asked.results:
            return Reply(calls=(ToolCall("Read", {"file_path": file}),))
        if role(asked) == "diagnose":
            return text(diagnosis("one too many" if second else "a name that lacks", change))
        if len(asked.all_results) == 1:
            edit = {"old_string": change["current"], "new_string": change["should_be"]}
            return Reply(calls=(ToolCall("Edit", {"file_path": file, **edit}),))
        return text(fix(change) | {"reply": fix(change)["reply"] | {"changes": []}})

    before = fingerprint(locate(clew.project))
    with serve(script) as server:
        said = run(clew, server)
    assert (0, 2) == (said.code, said.summary["iterations"]), said.err + said.out[-2000:]
    assert before == fingerprint(locate(clew.project))
    assert {"model-1"} == {asked.body["model"] for asked in server.asked}
    offered = {role(asked): set(asked.tools) for asked in server.asked}
    assert {"Read", "Grep", "Glob"} == offered["diagnose"]
    assert {"Read", "Grep", "Glob", "Edit", "Write"} == offered["fix"]
    assert "hunter2" not in json.dumps([asked.body for asked in server.asked])
    usages = [e["event"]["usage"] for e in said.events if e.get("event", {}).get("usage")]
    assert [(200, 40), (300, 60)] * 2 == [(u["input"], u["output"]) for u in usages]


@pytest.mark.slow
def test_a_diagnosis_of_claude_code_cannot_write(clew: CommandLine) -> None:
    """The tools for it are not offered, and a model that calls them is told so."""
    file = clew.project / "planted.py"

    def script(asked: Asked) -> Reply | str:
        if not asked.results:
            names = ("Write", "Bash")
            arguments = ({"file_path": str(file), "content": "x"}, {"command": f"touch {file}"})
            return Reply(calls=tuple(map(ToolCall, names, arguments)))
        return text(diagnosis("a name that lacks", FIRST) | {"role": "diagnose"})

    with serve(script) as server:
        said = run(clew, server, "--max-iterations", "1")
    (told,) = (
        asked.results for asked in server.asked if asked.results and role(asked) == "diagnose"
    )
    assert ["No such tool available"] * 2 == [words.partition(": ")[2][:22] for words in told]
    assert not file.exists()
    assert "planted.py" not in json.dumps([e["event"].get("files") for e in said.events[:-1]])


@pytest.mark.slow
def test_claude_code_that_is_not_logged_in_says_so(clew: CommandLine) -> None:
    """The message is its own, the next step ours; no iteration is spent on trying again."""
    with serve(lambda _: "never asked") as server:
        said = run(clew, server, "--max-iterations", "1", ANTHROPIC_API_KEY="")
    erred = [e["event"] for e in said.events[:-1] if e["event"]["type"] == "AgentErred"]
    assert ["not_logged_in"] == [event["kind"] for event in erred]
    assert "Log in with `claude`" in erred[0]["message"]
    assert [] == server.asked
