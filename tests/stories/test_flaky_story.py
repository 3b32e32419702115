from __future__ import annotations

import sys
from pathlib import Path

import pytest

from commandline import CommandLine
from projects import commit_all, diagnosis, fix, recording, write

CHANGE = {"file": "thing.py", "line": 2, "current": "return 2", "should_be": "return 1"}
# Of all runs of `test_other` the third one, in the proof, is red.
FILES = {
    "pyproject.toml": "[tool.pytest.ini_options]\n",
    "thing.py": "def one():\n    return 2\n",
    "test_thing.py": (
        "import os, pathlib\n\nfrom thing import one\n\n"
        "SEEN = pathlib.Path(os.environ['SEEN'])\n\n\n"
        "def test_one():\n    assert one() == 1\n\n\n"
        "def test_other():\n    with SEEN.open('a') as file:\n        file.write('x')\n"
        "    assert len(SEEN.read_text()) != 3\n"
    ),
}


@pytest.mark.slow
def test_a_flake_in_the_proof_is_no_failure_of_the_fix(tmp_path: Path) -> None:
    """Red, then green in the same checkout: the test is named, the fix accepted."""
    project = commit_all(write(tmp_path / "thing", FILES))
    seen = tmp_path / "seen"
    env = {"SEEN": str(seen), "CLEW_PASS_ENV": "SEEN", "CLEW_SANDBOX": "none"}
    clew = CommandLine(project, tmp_path / "state", env)
    agent = recording(tmp_path / "r.jsonl", diagnosis("one is two here", CHANGE), fix(CHANGE))
    command = f"{sys.executable} -m pytest"
    said = clew.run("fix", "--json", "--agent", agent, "--test-command", command)
    assert (0, 1) == (said.code, said.summary["iterations"]), said
    assert ["test_thing.py::test_other"] == said.summary["flaky"]
    assert "xxxx" == seen.read_text()
