"""Agents that leave more behind than anybody asked for: the session goes on, and says so."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.sandbox.temporary import remove
from commandline import CommandLine, Said
from projects import write

AGENT = """\
import json, os, pathlib, sys

habit = sys.argv[1]
role = os.environ["CLEW_ROLE"]
if role == "diagnose":
    reply = {
        "failure_classification": "import_error",
        "root_cause": "area.py imports a name that add.py does not have",
        "root_cause_location": {"file": "sums/area.py", "line": 1},
        "fix": {"description": "write the module anew", "changes": []},
        "confidence": "high",
        "confidence_reason": "it is plain to see",
    }
    if habit == "talks":
        reply["root_cause"] += " and " + "x" * int(sys.argv[2])
else:
    pathlib.Path("sums/area.py").write_text(
        "from sums.add import add\\n\\n\\ndef ring(w, h):\\n    return add(w, h) * 2\\n"
    )
    if habit == "digs":
        for _ in range(1500):
            os.mkdir("d")
            os.chdir("d")
        open("treasure", "w").close()
    if habit == "litters":
        for number in range(int(sys.argv[2])):
            folder = pathlib.Path("left", str(number // 1000))
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{number}.txt").write_text(str(number))
    if habit == "hoards":
        with open("hoard.bin", "wb") as file:
            file.truncate(3_500_000_000)
    if habit == "links":
        os.symlink("sums", "debug")
    reply = {"changes_made": "wrote it anew", "files_modified": []}
print(json.dumps(reply))
"""


def mended_by_one_who(habit: str, clew: CommandLine, *words: str) -> Said:
    write(clew.project, {"tools/agent.py": AGENT})
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    agent = " ".join((f"command:{sys.executable} tools/agent.py", habit, *words))
    return clew.run("fix", "--json", "--agent", agent)


@pytest.fixture
def cleared(tmp_path: Path) -> Iterator[None]:
    """Remove what is too deep for what clears temporary folders, however the test ends."""
    yield
    remove(tmp_path)


@pytest.mark.slow
@pytest.mark.usefixtures("cleared")
def test_folders_of_any_depth_are_no_fault_of_clew(clew: CommandLine) -> None:
    """The session ends as it would without them, and the fix can be applied."""
    said = mended_by_one_who("digs", clew)
    assert (0, "green") == (said.code, said.summary["status"]), said
    assert 0 == clew.run("apply").code


@pytest.mark.slow
def test_many_new_files_take_no_process_each(clew: CommandLine, tmp_path: Path) -> None:
    """However many an agent leaves behind, git is asked about all of them at once."""
    log, shim = tmp_path / "git.log", tmp_path / "bin" / "git"
    write(tmp_path, {"bin/git": f'#!/bin/sh\necho >> {log}\nexec {shutil.which("git")} "$@"\n'})
    shim.chmod(0o755)
    clew.env["PATH"] = f"{shim.parent}:{clew.environment()['PATH']}"
    said = mended_by_one_who("litters", clew, "1000")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert 1000 > len(log.read_text().splitlines())


@pytest.mark.slow
def test_what_no_commit_holds_is_named(clew: CommandLine) -> None:
    """A new file of 3.5 GB is no part of the fix, and one reads that where the fix is told of."""
    said = mended_by_one_who("hoards", clew)
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert "left out: hoard.bin (too large, 3,500.0 MB)" in clew.run("log").out


@pytest.mark.slow
def test_a_link_in_the_place_of_the_reports_is_no_part_of_a_fix(clew: CommandLine) -> None:
    """It is left out and named; what is accepted can be applied."""
    said = mended_by_one_who("links", clew)
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert "left out: debug (the folder of the reports has this name)" in clew.run("log").out
    assert (0, True) == (clew.run("apply").code, (clew.project / "debug").is_dir())


@pytest.mark.slow
def test_a_long_answer_is_kept_once(clew: CommandLine) -> None:
    """Reports, session and journal have its beginning, and say how much more there is."""
    said = mended_by_one_who("talks", clew, "5000000")
    assert (0, "green") == (said.code, said.summary["status"]), said.err[-1000:]
    places = (clew.project / ".clew", clew.project / "debug", clew.state)
    every = [path for place in places for path in place.rglob("*") if path.is_file()]
    (large,) = (path for path in every if path.stat().st_size > 1_000_000)
    assert ("blobs", True) == (large.parent.parent.name, b"x" * 5_000_000 in large.read_bytes())
    assert "more characters; the answer is kept whole" in read_report(clew, said)


def read_report(clew: CommandLine, said: Said) -> str:
    report: str = said.summary["reports"][0]
    return (clew.project / report).read_text()
