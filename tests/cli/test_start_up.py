"""What a command imports: whoever only looks does not wait for what work takes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from clew import cli
from clew.sandbox import clean_environment

WATCHED = """
import atexit, sys
atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))
from clew.cli import main
main(sys.argv[1:])
"""
SLOW = {"jinja2", "rich", "ruamel.yaml", "psutil", "asyncio", "urllib.request"}
WORK = {"clew.agents", "clew.debugging", "clew.explain", "clew.repair", "clew.runners"}
LOOKING = {"msgspec", "sqlite3", "platformdirs", "clew.events", "clew.sessions"}


@pytest.mark.parametrize(
    ("words", "left_out"),
    [
        (("--help",), SLOW | WORK | LOOKING),
        (("fix", "--help"), SLOW | WORK | LOOKING),
        (("status",), SLOW | WORK),
        (("list",), SLOW | WORK),
    ],
    ids=["--help", "fix --help", "status", "list"],
)
def test_a_command_that_only_looks_imports_little(
    words: tuple[str, ...], left_out: set[str], tmp_path: Path
) -> None:
    """`--help` needs click alone; the newest session is shown without agents, runners and loop."""
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *words],
        cwd=tmp_path,
        env={**os.environ, "CLEW_STATE_HOME": str(tmp_path / "state")},
        capture_output=True,
        text=True,
        check=True,
    )
    modules = set(done.stderr.splitlines()[-1].split())
    assert "click" in modules
    assert set() == modules & left_out


def test_a_look_at_the_tests_loads_nothing_of_agents(tmp_path: Path) -> None:
    """`clew localize` runs Python's tests: no network, no other runner's words, no evidence."""
    code = "import sys; from clew import localizing; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    others = {"clew.context", "clew.failures", "clew.gathering", "clew.runners.dialects"}
    assert set() == set(done.stdout.split()) & (SLOW | others)


@pytest.mark.parametrize("path", ["", ".", ":bin"])
def test_a_path_of_nothing_but_relative_folders_is_the_systems(
    monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """An empty one would stand for the folder where each program is started."""
    monkeypatch.setenv("PATH", path)
    inside = clean_environment()["PATH"]
    cli._stand_nowhere()

    assert (os.defpath, os.defpath) == (inside, os.environ["PATH"])
