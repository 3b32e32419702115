"""Calls that were cut off: gone on with where the agent can, and nobody's work is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from backends import BACK_ENDS, NOTHING, BackEnd, person, role, text
from clew.git.project import locate
from commandline import REPOSITORY, CommandLine, Said
from handoffkit import until
from modelserver import Asked, Reply
from projects import FIRST, diagnosis, fix, git, two_fixes, write
from soundness import heard, is_side
from treestate import fingerprint

AGENT = REPOSITORY / "tests" / "agents" / "acp_agent.py"
# As in the contract, Gemini CLI stands for the agents of the protocol.
RESUMING = {
    name: each for name, each in BACK_ENDS.items() if each.word != "llm" and name != "acp-opencode"
}
CUT_OFF = "You were cut off"


def happened(said: Said, kind: str) -> list[dict[str, Any]]:
    found = [line["event"] for line in said.events if "event" in line]
    return [event for event in found if event["type"] == kind]


def mending(clew: CommandLine, back_end: BackEnd, asked: Asked) -> Reply | str | None:
    """Read, diagnose and edit; after the edit there is nothing more to say."""
    file = clew.project / FIRST["file"]
    if is_side(asked) or role(asked) == "challenge":
        return "a title" if is_side(asked) else NOTHING
    if CUT_OFF in asked.said:
        return text(fix(FIRST) | {"reply": fix(FIRST)["reply"] | {"changes": []}})
    if not asked.all_results:
        return Reply(calls=(back_end.read(file),))
    if role(asked) == "diagnose":
        return text(diagnosis("a name that lacks", FIRST))
    if len(asked.all_results) == 1:
        return Reply(calls=(back_end.edit(file, FIRST),))
    return None


@pytest.mark.agents
@pytest.mark.parametrize("name", RESUMING)
def test_an_agent_that_was_cut_off_goes_on_with_its_conversation(
    clew: CommandLine, name: str
) -> None:
    """Its edit stands, it is told to go on, what tools had returned is there once.

    What both halves took is counted, where it is known.
    """
    running: list[subprocess.Popen[str]] = []
    back_end = RESUMING[name]
    written = back_end.written or (lambda _: 2)

    def script(asked: Asked) -> Reply | str:
        said = mending(clew, back_end, asked)
        if said is None:
            until(lambda: written(clew.state) == 2)
            if running:  # the agent may ask once more before it is gone
                running.pop().send_signal(signal.SIGKILL)
            return Reply(stalls=True)
        return said

    before = fingerprint(locate(clew.project))
    words = ("--max-iterations", "1", "--agent", back_end.agent)
    with heard(script) as server:
        own = person(clew, back_end, server)
        process = clew.start("fix", "--json", *words, env=own)
        running.append(process)
        process.communicate(timeout=120)
        said = clew.run("resume", "--json", env=own)
    assert -signal.SIGKILL == process.returncode
    assert happened(said, "FixApplied"), said.out[-3000:]
    (applied,) = happened(said, "FixApplied")
    assert [FIRST["file"]] == applied["files"], said.err
    lost = [kind for kind in ("Abandoned", "AgentErred", "EditsKept") if happened(said, kind)]
    assert [] == lost
    again = server.asked[-1]
    assert CUT_OFF in again.said
    assert "carry out the recommended fix" in again.whole
    assert 2 == len(again.all_results)
    took = applied["usage"]
    assert 300 == took["input"] or took["partial"], took
    assert before == fingerprint(locate(clew.project))


@pytest.mark.slow
@pytest.mark.parametrize(("load", "over"), [("all", 0), ("errs", 1)])
def test_an_agent_of_the_protocol_goes_on_or_begins_anew(
    clew: CommandLine, tmp_path: Path, load: str, over: int
) -> None:
    """By what it does when it is to load its session: else its edits are put back before it begins.

    The call that it does not go on with counts as cut off, and none fails.
    """
    file = clew.project / FIRST["file"]
    right = file.read_text().replace(FIRST["current"], FIRST["should_be"])
    mended = fix(FIRST) | {"reply": fix(FIRST)["reply"] | {"changes": []}}
    (tmp_path / "told").mkdir()
    for name, words in {
        "diagnose": text(diagnosis("a name that lacks", FIRST)),
        "fix": text(mended),
        "path": str(file),
        "edit": right,
        "load": load,
        "stays": "",
    }.items():
        (tmp_path / "told" / name).write_text(words)
    agent = f"acp:{sys.executable} -IS {AGENT} works {tmp_path / 'told'}"
    process = clew.start("fix", "--json", "--max-iterations", "1", "--agent", agent)
    worked_on = f"projects/*/worktrees/*/{FIRST['file']}"  # folders beside it come and go
    until(lambda: [p for p in clew.state.glob(worked_on) if p.read_text() == right])
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    (tmp_path / "told" / "stays").unlink()
    (tmp_path / "told" / "edit").write_text(right if over else "# it is told to go on, not this\n")
    said = clew.run("resume", "--json")
    assert (over, []) == (len(happened(said, "Abandoned")), happened(said, "AgentErred")), said.err
    (applied,) = happened(said, "FixApplied")
    assert [FIRST["file"]] == applied["files"]
    assert "green" != said.summary["status"]  # there is a second fault


@pytest.mark.agents
def test_what_a_person_edited_meanwhile_is_kept(clew: CommandLine, tmp_path: Path) -> None:
    """Nobody worked on the session: the edits are theirs, and are found again under a ref."""
    agent = two_fixes(tmp_path / "r.jsonl")
    crash = {"CLEW_CRASH_AT": "CallAgent.fix.intent"}
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
    assert "your edits of sums/add.py in the worktree are set aside" in clew.run("log").out


WRITES = """\
import pathlib, time

def test_that_writes():
    if not pathlib.Path("begun").exists():
        time.sleep(2.5)
        pathlib.Path("notes.txt").write_text("by a test")
        pathlib.Path("begun").touch()
        time.sleep(600)
"""


@pytest.mark.slow
def test_what_a_test_was_writing_when_clew_was_killed_is_nobodys_edit(
    clew: CommandLine, tmp_path: Path
) -> None:
    """A tracked file, some seconds after the run began: it is put back without a word."""
    write(clew.project, {"tests/test_writes.py": WRITES, ".gitignore": "begun\n"})
    agent = two_fixes(tmp_path / "r.jsonl")
    process = clew.start("fix", "--json", "--agent", agent)
    until(lambda: any(clew.state.glob("projects/*/worktrees/*/begun")))
    process.kill()
    process.communicate(timeout=60)
    said = clew.run("resume", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert [] == happened(said, "EditsKept")


@pytest.mark.slow
def test_what_another_session_wrote_down_is_nobodys_edit(clew: CommandLine, tmp_path: Path) -> None:
    """The knowledge base is Clew's own; who begins anew is told of the session that was cut off."""
    words = ("fix", "--json", "--agent", two_fixes(tmp_path / "r.jsonl"))
    killed = clew.run(*words, env={"CLEW_CRASH_AT": "CallAgent.diagnose.intent"})
    assert -signal.SIGKILL == killed.code
    first = killed.events[0]["session"]
    other = clew.run(*words)
    assert 0 == other.code, other
    told = f"session {first} was interrupted: `clew resume {first}` continues it"
    assert told in other.err.splitlines()
    assert (clew.project / "debug" / "knowledge-base.md").is_file()
    said = clew.run("resume", first, "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said
    assert [] == [*happened(said, "SnapshotOutdated"), *happened(said, "SnapshotTaken")]
    assert clew.run("diff", first).out == clew.run("diff").out
    for command in ("status", "show"):
        assert first == clew.run(command, "--json").summary["session_id"]
    assert first == clew.run("log", "--json").events[0]["session"]
    assert clew.run("checkpoints", first, "--json").out == clew.run("checkpoints", "--json").out
    applied = clew.run("apply", "--json")
    assert (0, first) == (applied.code, applied.summary["session_id"]), applied


@pytest.mark.slow
def test_a_log_that_clew_itself_writes_is_nobodys_edit(clew: CommandLine, tmp_path: Path) -> None:
    """`clew fix > clew.log`, in the project: what is said there meanwhile changes nothing."""
    log = clew.project / "clew.log"
    log.write_text("session begun\n")
    words = ("fix", "--json", "--agent", two_fixes(tmp_path / "r.jsonl"))
    killed = clew.run(*words, env={"CLEW_CRASH_AT": "CallAgent.diagnose.intent"})
    assert -signal.SIGKILL == killed.code
    log.write_text("session begun\nbaseline: 1 red\n")

    said = clew.run("resume", "--json")

    assert (0, "green") == (said.code, said.summary["status"]), said
    assert [] == [*happened(said, "SnapshotOutdated"), *happened(said, "SnapshotTaken")]
