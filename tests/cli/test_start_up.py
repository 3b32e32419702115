"""What a command imports: whoever only looks does not wait for what work takes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import starts
from clew import cli
from clew.sandbox.confinement import clean_environment
from projects import commit_all, write

WATCHED = """
import atexit, sys
atexit.register(lambda: print(*sorted(sys.modules), file=sys.stderr))
from clew.cli import main
main(sys.argv[1:])
"""
SLOW = {"jinja2", "rich", "ruamel.yaml", "psutil", "asyncio", "urllib.request"}
WORK = {
    "clew.agents",
    "clew.flows.debugging.driver",
    "clew.evidence.explain",
    "clew.agents.repair",
    "clew.runners",
}
GITS = 12  # none of them for each file or test
LOOKING = {
    "msgspec",
    "sqlite3",
    "platformdirs",
    "clew.words.events",
    "clew.flows.debugging.sessions",
}


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
    """`clew localize` runs Python's tests: no network, no session, no other runner, no evidence."""
    code = "import sys; from clew.flows.debugging import localizing; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    others = {
        "clew.analysis.context",
        "clew.analysis.failures",
        "clew.flows.debugging.collect",
        "clew.runners.dialects",
    }
    others |= {
        "clew.words.events",
        "clew.journal.streams",
        "clew.analysis.spending",
        "clew.flows.debugging.states",
        "tomllib",
    }
    assert set() == set(done.stdout.split()) & (SLOW | others)


def test_a_look_at_a_session_loads_no_library() -> None:
    """`clew show` and `clew status` exchange no files, and need nothing of the kernel for that."""
    code = "import sys; import clew.cli.showing; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "ctypes" not in done.stdout.split()


def test_a_look_at_the_tests_starts_few_programs(tmp_path: Path) -> None:
    """The tests are run once, confined; the sandbox is tried once, and git asked a few times."""
    files = {"sums.py": "def add(a, b):\n    return a - b\n", "pytest.ini": "[pytest]\n"}
    files["test_sums.py"] = "import sums\n\n\ndef test():\n    assert sums.add(1, 1) == 2\n"
    project = commit_all(write(tmp_path / "sums", files))
    state = {"CLEW_STATE_HOME": str(tmp_path / "state"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    record = tmp_path / "starts"
    words = [sys.executable, starts.__file__, str(record), "localize", "--json"]
    words += ["--test-command", f"{sys.executable} -m pytest"]

    def look() -> str:
        record.unlink(missing_ok=True)
        env = {**os.environ, **state}
        done = subprocess.run(words, cwd=project, env=env, capture_output=True, check=True)
        return done.stdout.decode()

    look()  # the first one also makes the private repository
    said = look()
    started = Counter(starts.kind_of(words) for words, _ in starts.read(record))
    assert '"path":"sums.py","line":2' in said
    assert started.pop("git") <= GITS
    assert {"bwrap": 1, "confined sh": 1, "confined pytest": 1} == started


@pytest.mark.parametrize("path", ["", ".", ":bin"])
def test_a_path_of_nothing_but_relative_folders_is_the_systems(
    monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """An empty one would stand for the folder where each program is started."""
    monkeypatch.setenv("PATH", path)
    inside = clean_environment()["PATH"]
    cli._stand_nowhere()

    assert (os.defpath, os.defpath) == (inside, os.environ["PATH"])
