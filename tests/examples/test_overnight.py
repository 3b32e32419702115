"""The example of a program over `clew.api`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from clew import api
from projects import commit_all, write

PROGRAM = Path(__file__).parents[2] / "examples" / "overnight.py"
FILES = {
    "sums.py": "def add(a, b):\n    return a - b\n",
    "test_sums.py": (
        "import sums\n\n\n"
        "def test_one():\n    assert sums.add(1, 1) == 2\n\n\n"
        "def test_more():\n    assert sums.add(2, 5) == 7\n"
    ),
    "clew.toml": f'test-command = "{sys.executable} -m pytest"\n',
}


@pytest.mark.slow
def test_it_mends_what_it_can_and_says_what_it_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project with one fault is mended and applied; a folder that is none is said, and passed."""
    project = commit_all(write(tmp_path / "sums", FILES))
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    done = subprocess.run(
        [sys.executable, PROGRAM, project, tmp_path / "nowhere"],
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout.splitlines()
    assert (1, "") == (done.returncode, done.stderr)
    assert [
        str(project),
        "  cause: `add` returns 0 instead of 2",
        "  applied: sums.py",
        str(tmp_path / "nowhere"),
    ] == said[:4]
    assert "nowhere" in said[4]
    assert "return a + b" in (project / "sums.py").read_text()
    assert ["applied"] == [row.stands for row in api.list_sessions(api.sessions_at(project))]
