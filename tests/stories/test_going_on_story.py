"""Calls that were cut off: gone on with where the agent can, and nobody's work is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from backends import BACK_ENDS, person, role, text
from clew.project import locate
from commandline import CommandLine, Said
from handoffkit import until
from modelserver import Asked, Reply, serve
from projects import FIRST, diagnosis, fix, git, two_fixes
from treestate import fingerprint

CLAUDE = BACK_ENDS["claude"]
CUT_OFF = "You were cut off"


def happened(said: Said, kind: str) -> list[dict[str, Any]]:
    found = [line["event"] for line in said.events if "event" in line]
    return [event for event in found if event["type"] == kind]


def results(conversation: Path) -> int:
    """Return how many results of tools are written down, which comes a while after them."""
    return conversation.read_bytes().count(b'"type":"tool_result"')


@pytest.mark.agents
def test_claude_code_that_was_cut_off_goes_on_with_its_conversation(clew: CommandLine) -> None:
    """Its edit stands, it is told to go on, and what both halves took is counted."""
    running: list[subprocess.Popen[str]] = []
    file = clew.project / FIRST["file"]

    def script(asked: Asked) -> Reply | str:
        if CUT_OFF in asked.said:
            return text(fix(FIRST) | {"reply": fix(FIRST)["reply"] | {"changes": []}})
        if not asked.all_results:
            return Reply(calls=(CLAUDE.read(file),))
        if role(asked) == "diagnose":
            return text(diagnosis("a name that lacks", FIRST))
        if len(asked.all_results) == 1:
            return Reply(calls=(CLAUDE.edit(file, FIRST),))
        until(lambda: max(map(results, clew.state.rglob("projects/*/*.jsonl"))) == 2)
        running.pop().send_signal(signal.SIGKILL)
        return Reply(stalls=True)

    before = fingerprint(locate(clew.project))
    words = ("--max-iterations", "1", "--agent", CLAUDE.agent)
    with serve(script) as server:
        own = person(clew, CLAUDE, server)
        process = clew.start("fix", "--json", *words, env=own)
        running.append(process)
        process.communicate(timeout=120)
        said = clew.run("resume", "--json", env=own)
    assert -signal.SIGKILL == process.returncode
    (applied,) = happened(said, "FixApplied")
    assert [FIRST["file"]] == applied["files"], said.err
    assert [] == happened(said, "Abandoned") + happened(said, "EditsKept")
    again = server.asked[-1]
    assert CUT_OFF in again.said
    assert "carry out the recommended fix" in again.first
    assert 2 == len(again.all_results)
    assert 300 == applied["usage"]["input"]
    assert before == fingerprint(locate(clew.project))


@pytest.mark.agents
def test_what_a_person_edited_meanwhile_is_kept(clew: CommandLine, tmp_path: Path) -> None:
    """Nobody worked on the session: the edits are theirs, and are found again under a ref."""
    agent = two_fixes(tmp_path / "r.jsonl")
    crash = {"CLEW_CRASH_AT": "ApplyFix.intent"}
    begun = clew.run("fix", "--json", "--agent", agent, env=crash)
    worktree = Path(happened(begun, "SnapshotTaken")[0]["worktree"])
    edited = worktree / "sums" / "add.py"
    edited.write_text("# mine\n" + edited.read_text())
    later = time.time() + 60
    os.utime(edited, (later, later))
    said = clew.run("resume", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    (kept,) = happened(said, "EditsKept")
    assert ["sums/add.py"] == kept["files"]
    private = worktree.parent.parent / "repository.git"
    assert "# mine" in git(private, "show", f"{kept['commit']}:sums/add.py")
    refs = git(private, "for-each-ref", "--format=%(refname)", "--points-at", kept["commit"])
    assert refs.strip().endswith(f"/{kept['ref']}")
    assert "# mine" not in clew.run("diff").out
    assert "your edits of sums/add.py in the worktree are kept" in clew.run("log").out
