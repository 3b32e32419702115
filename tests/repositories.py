"""Repositories of every shape, each with a wrong answer in it that a recorded agent puts right."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from clew.git.project import locate
from commandline import CommandLine, Said
from projects import commit_all, diagnosis, fix, git, recording, write
from treestate import TreeState, fingerprint

__all__ = ["ANSWER", "FILES", "RIGHT", "WRONG", "mend", "mended", "person", "stopped", "tree"]

ANSWER = "answer.txt"
WRONG, RIGHT = "3", "4"
FILES = {ANSWER: f"{WRONG}\n", "notes.txt": "mine\n"}
BRANCHES = ("refs/heads/clew", "logs/refs/heads/clew", "objects/")


def person(folder: Path, files: dict[str, str] | None = None, name: str = "shape") -> CommandLine:
    """Return a person in a repository with one commit: a wrong answer, and these files."""
    project = commit_all(write(folder / name, FILES | (files or {})))
    return CommandLine(project, folder / "state")


def stopped(root: Path, *words: str) -> None:
    """Let git begin something that it cannot complete."""
    with pytest.raises(subprocess.CalledProcessError):
        git(root, *words)


def tree(clew: CommandLine, *exempt: str) -> TreeState:
    """Describe what the person could notice of their tree and repository."""
    return fingerprint(locate(clew.project), exempt=(".clew", "debug", *exempt))


def mend(
    clew: CommandLine,
    *,
    needs: str = ANSWER,
    place: str = ANSWER,
    env: dict[str, str] | None = None,
) -> Said:
    """Let a recorded agent put the answer right.

    That is the only test, and it wants the file `needs` to be there. `place` is where the answer
    lies in the repository.
    """
    change = {"file": place, "line": 1, "current": WRONG, "should_be": RIGHT}
    found = diagnosis("the answer is three where four is wanted", change)
    agent = recording(clew.state.with_name("recording.jsonl"), *[found, fix(change)] * 2)
    script = f"test -e {shlex.quote(needs)} && grep -q {RIGHT} {ANSWER}"
    check = shlex.join(["sh", "-c", script])
    return clew.run("fix", "--test-command", check, "--agent", agent, "--json", env=env)


def mended(clew: CommandLine, *, place: str = ANSWER, exempt: tuple[str, ...] = ()) -> Said:
    """Mend the answer and apply the fix.

    Mending changes nothing of theirs; applying changes the file, and adds a branch.
    """
    before = tree(clew, *exempt)
    said = mend(clew, place=place)
    assert (0, "green") == (said.code, said.summary["status"]), said
    assert before == tree(clew, *exempt)
    applied = clew.run("apply", "--json")
    assert (0, "") == (applied.code, applied.err)
    after = tree(clew, *exempt)
    assert {place} == _differences(before.files, after.files)
    assert set() == {path for path in _differences(before.git, after.git) if not _branch(path)}
    assert RIGHT in (clew.project / ANSWER).read_text()
    return said


def _branch(path: str) -> bool:
    """Tell a branch of ours, and the folders and objects that come with it."""
    below = path.split("/", 1)[1]
    return below.startswith(BRANCHES) or any(own.startswith(f"{below}/") for own in BRANCHES)


def _differences(before: dict[str, str], after: dict[str, str]) -> set[str]:
    names = before.keys() | after.keys()
    return {name for name in names if before.get(name) != after.get(name)}
