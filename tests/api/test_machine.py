"""What `clew doctor` finds of a project."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clew import api
from projects import write

TESTS = {"test_a.py": "def test_a():\n    assert 1\n", "clew.toml": ""}
UNIT = f"{sys.executable} -m unittest"


def shown_by(folder: Path) -> api.Finding:
    return next(each for each in api.examine(folder) if each.name == "tests")


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("CLEW_TEST_COMMAND", raising=False)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("clew.toml", f'test_command = "{UNIT}"\n'),
        ("clew.toml", f'test-command = "{UNIT}"\n'),
        ("pyproject.toml", f'[tool.clew]\ntest_command = "{UNIT}"\n'),
    ],
)
def test_the_doctor_shows_the_command_of_the_settings(tmp_path: Path, name: str, text: str) -> None:
    """As `clew fix` takes it, and where it is set."""
    project = write(tmp_path / "project", TESTS | {name: text})
    assert f"{UNIT} (settings: {project / name}) with " in shown_by(project).says


def test_the_doctor_shows_what_a_variable_and_reports_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = write(tmp_path / "project", TESTS | {"clew.toml": 'junit = "out/*.xml"\n'})
    monkeypatch.setenv("CLEW_TEST_COMMAND", "make check")
    found = shown_by(project).says
    assert found.startswith("make check (settings: environment): each test")


def test_the_doctor_refuses_a_command_that_fix_refuses(tmp_path: Path) -> None:
    project = write(tmp_path / "project", TESTS | {"clew.toml": 'test_command = "a | b"\n'})
    found = shown_by(project)
    assert (False, True) == (found.good, found.needed)
