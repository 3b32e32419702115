"""A project that is moved or removed while Clew is at work: said in words, and gone on with."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from commandline import CommandLine

AGENT = """\
import json, os, pathlib, shutil, sys

project, other = map(pathlib.Path, sys.argv[1:])
if project.exists():
    project.rename(other) if str(other) != "/" else shutil.rmtree(project)
if os.environ["CLEW_ROLE"] == "diagnose":
    reply = {
        "failure_classification": "import_error",
        "root_cause": "area.py imports a name that add.py does not have",
        "root_cause_location": {"file": "sums/area.py", "line": 1},
        "fix": {"description": "write the module anew", "changes": []},
        "confidence": "high",
        "confidence_reason": "it is plain to see",
    }
else:
    pathlib.Path("sums/area.py").write_text(
        "from sums.add import add\\n\\n\\ndef ring(w, h):\\n    return add(w, h) * 2\\n"
    )
    reply = {"changes_made": "wrote it anew", "files_modified": []}
print(json.dumps(reply))
"""
GONE = "is gone: it was moved or removed while Clew was working"


def fixed_by_one_who_moves_it(clew: CommandLine, folder: Path, other: Path) -> str:
    (folder / "agent.py").write_text(AGENT)
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    command = f"command:{sys.executable} {folder}/agent.py {clew.project} {other}"
    said = clew.run("fix", "--agent", command)
    assert (1, False) == (said.code, clew.project.exists()), said
    return said.err


@pytest.mark.slow
def test_a_moved_project_is_gone_on_with_where_it_is(clew: CommandLine, tmp_path: Path) -> None:
    """Nothing is written at the old place; the session is found at the new one, and ends there."""
    other = tmp_path / "other"
    told = fixed_by_one_who_moves_it(clew, tmp_path, other)
    assert (True, False) == (f"{clew.project} {GONE}" in told, "bug in Clew" in told), told
    moved = CommandLine(other, clew.state, clew.env)
    assert 0 == moved.run("resume").code
    assert 0 == moved.run("apply").code


def test_a_removed_project_is_told_of(clew: CommandLine, tmp_path: Path) -> None:
    """With the next step; no fault of Clew's."""
    told = fixed_by_one_who_moves_it(clew, tmp_path, Path("/"))
    assert (True, False) == (f"{clew.project} {GONE}" in told, "bug in Clew" in told), told
    assert "put it back, and `clew resume` there" in told
