from __future__ import annotations

import os
from pathlib import Path

import pytest

from commandline import CommandLine
from projects import commit_all, diagnosis, fix, git, recording, write
from repositories import ANSWER, RIGHT, WRONG, mended, person, tree
from shapes import CONFIG, answer, program

NAMES = (
    b" a b .dat",
    b"two\nlines.dat",
    b"-rf",
    b":(top)*?[x].dat",
    "ünïcödé/日本.dat".encode(),
    *(b"Same.dat", b"same.dat"),  # one file on disks that do not tell letters apart
    b"caf\xe9/\xff.dat",
)
DIAGNOSIS = {
    "failure_classification": "test_failure",
    "root_cause": "the answer in the other file is three where four is wanted",
    "root_cause_location": {"file": ANSWER, "line": 1},
    "fix": {"description": "put the other file right"},
    "options": [{"title": "another way", "pros": ["it differs"]}],
    "confidence": "high",
    "confidence_reason": "it stands there",
}
MENDER = """\
import os, sys

sys.stdin.read()
if os.environ["CLEW_ROLE"] == "fix":
    for name in {names!r}:
        with open(name, "r+b") as file:
            file.write(b"{right}")
"""


@pytest.mark.slow
def test_files_of_any_name_are_mended(tmp_path: Path) -> None:
    """Found in the worktree, committed, proved, shown and applied, whatever bytes a name has."""
    odd = [os.fsdecode(name) for name in NAMES]
    clew = person(tmp_path, dict.fromkeys(odd, f"{WRONG}\n") | {f"other {odd[-1]}": "mine\n"})
    text = MENDER.format(names=NAMES, right=RIGHT) + f"    {answer(changes_made='done')}"
    text += f"else:\n    {answer(**DIAGNOSIS)}"
    agent = program(tmp_path / "agent" / "mender.py", text)
    before = tree(clew)
    said = clew.run("fix", "--agent", agent, "--test-command", f"grep -rqx {RIGHT} .", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said
    assert before == tree(clew)
    for words in (("show",), ("log",), ("diff",), ("diff", "--json"), ("apply",)):
        assert (0, "") == ((told := clew.run(*words)).code, told.err)
    assert {f"{RIGHT}\n"} == {(clew.project / name).read_text() for name in odd}
    assert clew.run("apply", "--json").summary["already"]


@pytest.mark.slow
def test_a_cause_in_a_file_of_any_name_is_taken(tmp_path: Path) -> None:
    """The place counts that the agent names; no words of its have to show it too."""
    odd = "my lib/[id] (it's #1)"
    clew = person(tmp_path, {ANSWER: f"{RIGHT}\n", odd: f"{WRONG}\n"})
    change = {"file": odd, "line": 1, "current": WRONG, "should_be": RIGHT}
    found = diagnosis("three is answered where four is wanted", change)
    agent = recording(tmp_path / "recording.jsonl", found, fix(change))
    command = f"grep -rqx --include='[[]id*' {RIGHT} ."

    said = clew.run("fix", "--agent", agent, "--test-command", command, "--json")

    assert (0, "green") == (said.code, said.summary["status"]), said


@pytest.mark.slow
def test_a_test_file_of_any_name_is_asked_about_once(tmp_path: Path) -> None:
    """A person lets the fix change it; the proof names it, and nothing asks again."""
    odd = os.fsdecode(b"tests/caf\xe9.py")
    clew = person(tmp_path, {odd: f"{WRONG}\n", "tests/other.py": "1\n"})
    blamed = {"root_cause_location": {"file": "tests/other.py", "line": 1}}
    text = MENDER.format(names=(b"tests/caf\xe9.py",), right=RIGHT)
    text += f"    {answer(changes_made='done')}else:\n    {answer(**DIAGNOSIS | blamed)}"
    agent = program(tmp_path / "agent" / "mender.py", text)
    said = clew.run("fix", "--agent", agent, "--test-command", f"grep -rqx {RIGHT} .", "--json")
    assert (1, "waiting") == (said.code, said.summary["status"]), said
    done = clew.run("answer", said.summary["session_id"], "approve", "--json")
    assert (0, "green") == (done.code, done.summary["status"]), done
    assert ["tests/caf\\xe9.py"] == done.summary["proof"]["approved"]


@pytest.mark.slow
def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    """A file that is too large is not copied; its name, whatever that is, its size and why."""
    clew = person(tmp_path)
    name = os.fsdecode(b"caf\xe9.bin")
    with (clew.project / name).open("wb") as file:
        file.truncate(2 << 30)
    said = mended(clew, exempt=(name,))
    left_out = {"path": "caf\\xe9.bin", "reason": "too large", "bytes": 2 << 30}
    assert [left_out] == said.summary["left_out"]
    assert "left out: caf\\xe9.bin (too large, 2,147.5 MB)" in clew.run("log").out
    assert 2 << 27 > sum(path.stat().st_size for path in clew.state.rglob("*") if path.is_file())


@pytest.mark.slow
def test_tests_in_files_of_any_name_are_run_and_mended(tmp_path: Path) -> None:
    """The built-in repairer finds the fault; ends of lines stay as they are."""
    odd = os.fsdecode(b"caf\xe9 \xff")
    clew = CommandLine(tmp_path / "shape", tmp_path / "state")
    write(clew.project, {"pyproject.toml": CONFIG, f"{odd}/notes.txt": "mine\n"})
    tests = "from thing import less\n\n\ndef test_less():\n    assert less({}) == {}\n"
    for number, name in enumerate(("ünïcödé", "with space"), 3):
        path = clew.project / name / f"test_{number}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(tests.format(number, number - 1).replace("\n", "\r\n").encode())
    (clew.project / "thing.py").write_bytes(b"def less(a):\r\n    return a + 1\r\n")
    (clew.project / ".gitattributes").write_text("*.py text eol=crlf\n")
    commit_all(clew.project)
    git(clew.project, "config", "core.autocrlf", "true")
    before = tree(clew)
    said = clew.run("fix", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert before == tree(clew)
    assert 0 == clew.run("apply").code
    assert b"def less(a):\r\n    return a - 1\r\n" == (clew.project / "thing.py").read_bytes()
    assert " M thing.py\n" == git(clew.project, "status", "--short", "--", "thing.py")
