from __future__ import annotations

import sys

import pytest

from commandline import CommandLine
from handoffkit import until
from projects import write

AGENT = """\
import json, os, pathlib, subprocess, sys

git = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost"]
if os.environ["CLEW_ROLE"] == "diagnose":
    if sys.argv[1] == "commits a look" and os.environ["CLEW_CALL"] == "1":
        pathlib.Path("sums/area.py").write_text("")
        subprocess.run([*git, "commit", "-qam", "looked"], check=True)
    reply = {
        "failure_classification": "import_error",
        "root_cause": "area.py imports a name that add.py does not have",
        "root_cause_location": {"file": "sums/area.py", "line": 1},
        "fix": {"description": "write the module anew", "changes": []},
        "options": [{"title": "another way", "pros": ["it differs"]}],
        "confidence": "high",
        "confidence_reason": "it is plain to see",
    }
else:
    if sys.argv[1] != "only deletes":
        pathlib.Path("sums/area.py").write_text(
            "from sums.add import add\\n\\n\\ndef ring(w, h):\\n    return add(w, h) * 2\\n"
        )
    if sys.argv[1] == "commits":
        subprocess.run([*git, "commit", "-qam", "mine"], check=True)
    if sys.argv[1] == "commits elsewhere":
        subprocess.run([*git, "checkout", "-q", "-b", "other"], check=True)
        subprocess.run([*git, "commit", "-qam", "mine"], check=True)
    if sys.argv[1] == "rewrites history":
        subprocess.run([*git, "commit", "-q", "--amend", "-am", "mine"], check=True)
        subprocess.run([*git, "config", "core.fsmonitor", "touch PWNED"], check=True)
        subprocess.run([*git, "config", "core.worktree", "/"], check=True)
        pathlib.Path(".git").unlink()
    if sys.argv[1] == "unlinks history":
        branch = subprocess.run([*git, "symbolic-ref", "HEAD"], capture_output=True, text=True)
        subprocess.run([*git, "update-ref", "-d", branch.stdout.strip()], check=True)
    if "deletes" in sys.argv[1]:
        pathlib.Path("notes.txt").unlink()
    if sys.argv[1] == "hides":
        pathlib.Path("sums/__pycache__").mkdir(exist_ok=True)
        pathlib.Path("sums/__pycache__/left.pyc").write_text("x")
    reply = {"changes_made": "wrote it anew", "files_modified": []}
print(json.dumps(reply))
"""


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("habit", "strays"),
    [
        ("commits", ["made commits"]),
        ("commits elsewhere", ["checked out something else"]),
        ("also deletes", []),
        ("hides", []),
        ("rewrites history", ["rewrote history", "removed or replaced .git"]),
        ("unlinks history", ["rewrote history"]),
    ],
)
def test_what_an_agent_did_is_what_git_says(
    clew: CommandLine, habit: str, strays: list[str]
) -> None:
    """Whatever it does with git, deleted files and ignored ones, its fix is one commit.

    What it did beyond its task is told with the call, in the log, and in the summary.
    """
    files = ["notes.txt", "sums/area.py"] if habit == "also deletes" else ["sums/area.py"]
    write(clew.project, {"tools/agent.py": AGENT})
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    agent = f"command:{sys.executable} tools/agent.py '{habit}'"
    said = clew.run("fix", "--json", "--agent", agent)
    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said
    fixes = [e["event"] for e in said.events[:-1] if e["event"]["type"] == "FixApplied"]
    assert [(files, strays)] == [(f["files"], f.get("strays", [])) for f in fixes]
    log = clew.run("log").out
    (summary,) = clew.project.glob(".clew/sessions/*/summary.md")
    if strays:
        assert f"; by itself it {' and '.join(strays)}" in log
        assert f"- {fixes[0]['agent']}, iteration 1: {', '.join(strays)}" in summary.read_text()
    else:
        assert "by itself" not in log


@pytest.mark.slow
def test_a_commit_does_not_hide_what_a_diagnosis_changed(clew: CommandLine) -> None:
    """The worktree is as its branch says, but the branch is not where it was: it is asked again."""
    write(clew.project, {"tools/agent.py": AGENT})
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    agent = f"command:{sys.executable} tools/agent.py 'commits a look'"
    said = clew.run("fix", "--json", "--agent", agent)
    assert (0, "green") == (said.code, said.summary["status"]), said
    (erred,) = (e["event"] for e in said.events[:-1] if e["event"]["type"] == "AgentErred")
    assert "it changed sums/area.py" in erred["message"]
    assert ["made commits"] == erred["strays"]


@pytest.mark.slow
def test_a_fix_that_only_deletes_is_judged_like_any_other(clew: CommandLine) -> None:
    """It is tested, found useless and rolled back: the file is there again."""
    write(clew.project, {"tools/agent.py": AGENT})
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    agent = f"command:{sys.executable} tools/agent.py 'only deletes'"
    said = clew.run("fix", "--json", "--agent", agent, "--max-iterations", "1")
    ended = [e["event"] for e in said.events[:-1] if e["event"]["type"] == "IterationEnded"]
    assert [("Still failing", ["notes.txt"])] == [(e["result"], e["files"]) for e in ended]
    assert "" == clew.run("diff").out


@pytest.mark.slow
def test_no_prompt_is_left_after_a_kill(clew: CommandLine) -> None:
    """The next command on the session removes the file that a killed call had its prompt in."""
    agent = "command:/bin/sh -c 'cat $CLEW_PROMPT_FILE; sleep 600'"
    process = clew.start("fix", "--agent", agent)
    until(lambda: any(clew.state.glob("projects/*/runs/*/prompt.md")))
    process.kill()
    process.communicate(timeout=60)
    clew.run("terminate")
    assert [] == list(clew.state.rglob("prompt.md"))
