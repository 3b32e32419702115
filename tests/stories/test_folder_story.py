"""Clew in another folder than one stands in, and what it shows of one checkpoint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commandline import CommandLine
from moments import Moment
from projects import commit_all, diagnosis, fix, recording, write
from shapes import program


@pytest.fixture
def elsewhere(proven: Moment) -> CommandLine:
    """Somebody who stands beside a project that was taken to green, the nearest checkpoint last."""
    return CommandLine(proven.clew.project.parent, proven.clew.state)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        *("status", "list", "show", "log", "diff", "checkpoints", "doctor", "localize", "prompts"),
        *("chain status", "hooks verify", "agents"),
    ],
)
def test_the_folder_may_stand_before_the_command_or_behind_it(
    elsewhere: CommandLine, words: str
) -> None:
    """Both mean the same, as where one goes there first."""
    there = CommandLine(elsewhere.project / "sums", elsewhere.state).run(*words.split())
    before = elsewhere.run("-C", "sums", *words.split())
    behind = elsewhere.run(*words.split(), "-C", "sums")
    codes = [there.code, before.code, behind.code]

    assert [there.code] * 3 == codes, (before.err, behind.err)
    if words not in ("doctor", "hooks verify"):  # they tell how much room and time there is
        assert there.out == before.out == behind.out


def test_a_folder_that_is_not_there_is_named(elsewhere: CommandLine) -> None:
    """Wherever it stands."""
    for words in (
        ("-C", "nowhere", "status"),
        ("fix", "-C", "nowhere"),
        ("status", "-C", "nowhere"),
    ):
        said = elsewhere.run(*words)

        assert (2, True) == (said.code, "nowhere" in said.err), said


def test_one_checkpoint_is_shown(elsewhere: CommandLine) -> None:
    """By its name, of the newest session or of one that is named: its commit, and what is red."""
    there = CommandLine(elsewhere.project / "sums", elsewhere.state)
    rows = there.run("checkpoints", "--json").events
    session = there.run("status", "--json").summary["session_id"]
    name = rows[0]["name"]
    said = there.run("checkpoints", name)

    assert said == there.run("checkpoints", session, name)
    assert said.out.startswith(f"{name}  {rows[0]['commit'][:10]}"), said
    assert f"clew rollback {session} {name}" in said.out
    told = there.run("checkpoints", name, "--json").summary
    kept = json.loads(Path(rows[0]["path"]).read_text())
    assert (name, kept) == (told["name"], told["checkpoint"])

    missing = there.run("checkpoints", session, "no-such")
    assert (2, True) == (missing.code, "there is no checkpoint 'no-such'" in missing.err)


SERVICE = {
    "svc/core.py": "def double(n):\n    return n * 3\n",
    "svc/tested.py": "from core import double\nassert double(3) == 6\n",
}


@pytest.mark.slow
def test_a_script_in_a_folder_of_the_repository_runs_the_fix(tmp_path: Path) -> None:
    """It goes to its own folder, and finds the code there as the fix has it."""
    script = '#!/bin/sh\ncd "$(dirname "$0")"\npython3 tested.py\n'
    root = write(tmp_path / "all", SERVICE | {"svc/check.sh": script})
    (root / "svc" / "check.sh").chmod(0o755)
    commit_all(root)
    change = {"file": "svc/core.py", "line": 2, "current": "n * 3", "should_be": "n * 2"}
    found = diagnosis("three times is given where twice is wanted", change)
    agent = recording(tmp_path / "recording.jsonl", found, fix(change))
    clew = CommandLine(root / "svc", tmp_path / "state")

    said = clew.run("fix", "--test-command", "./check.sh", "--agent", agent, "--json")

    assert (0, "green") == (said.code, said.summary["status"]), said


AGENT = """\
import json, os, sys

told = sys.stdin.read()
known = "folder you are in: svc; paths count from the project's root above it, as svc/NAME" in told
refused = "is no file here: paths count from the project's root" in told
path = "svc/core.py" if known and refused else "core.py"
change = {"file": path, "line": 2, "current": "n * 3", "should_be": "n * 2"}
if os.environ["CLEW_ROLE"] == "fix":
    print(json.dumps({"changes_made": "twice it is", "changes": []}))
else:
    found = {
        "failure_classification": "test_failure",
        "root_cause": "three times is given where twice is wanted",
        "root_cause_location": {"file": path, "line": 2},
        "fix": {"description": "give twice", "changes": [change]},
        "options": [{"title": "another way", "pros": ["it differs"]}],
        "confidence": "high",
        "confidence_reason": "it stands there",
    }
    print(json.dumps(found))
"""


@pytest.mark.slow
def test_an_agent_in_a_folder_of_the_repository_is_told_what_paths_count_from(
    tmp_path: Path,
) -> None:
    """The prompt names its folder, and the refusal says what was wrong with a path from there."""
    root = commit_all(write(tmp_path / "all", SERVICE))
    agent = program(tmp_path / "agent" / "mender.py", AGENT)
    clew = CommandLine(root / "svc", tmp_path / "state")

    said = clew.run("fix", "--test-command", "python3 tested.py", "--agent", agent, "--json")

    assert (0, "green") == (said.code, said.summary["status"]), said
