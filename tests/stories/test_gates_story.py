"""`clew gates`: what decides whether a result counts, on a person's tree as it is."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clew.git.project import locate
from commandline import CommandLine, Said
from projects import commit_all, write
from treestate import fingerprint

FILES = {
    "pyproject.toml": (
        "[tool.ruff.lint]\nselect = ['F']\n[tool.pyright]\n[tool.pytest.ini_options]\n"
        "[tool.clew.gates]\nlicence = 'test -s LICENCE'\ntypes = ''\n"
    ),
    "LICENCE": "free\n",
    "a.py": "import os\n",
    "tests/test_a.py": "def test_a():\n    assert 1\n",
}


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    """A person whose tools are those that these tests are run with."""
    project = commit_all(write(tmp_path / "project", FILES))
    return CommandLine(project, tmp_path / "state", {"VIRTUAL_ENV": sys.prefix})


def statuses(said: Said) -> dict[str, str]:
    return {e["name"]: e["status"] for e in said.events if e["type"] == "GateResult"}


def test_gates_are_run_on_the_tree_as_it_is(clew: CommandLine) -> None:
    """Uncommitted work included; the tree is not touched, and what was red before warns."""
    write(clew.project, {"b.py": "import re\n"})
    before = fingerprint(locate(clew.project))

    red = clew.run("gates", "--json")
    assert (1, "") == (red.code, red.err)
    assert {"secrets": "pass", "ruff": "fail", "tests": "pass", "licence": "pass"} == statuses(red)
    assert ("Summary", "fail", 1) == tuple(red.summary[key] for key in ("type", "verdict", "fail"))

    (clew.project / "b.py").write_text("")
    old = clew.run("gates", "--base", "HEAD", "--only", "lint", "--only", "licence")
    assert (0, "") == (old.code, old.err)
    assert ["warn", "pass"] == [
        line.split()[0] for line in old.out.splitlines() if line.startswith(("warn", "pass"))
    ]
    assert old.out.endswith("No gate fails; read their warnings.\n")

    (clew.project / "b.py").write_text("import re\n")
    assert before == fingerprint(locate(clew.project))


def test_gates_are_listed_without_being_run(clew: CommandLine) -> None:
    """With what each runs, and who says so."""
    said = clew.run("gates", "--list")
    assert (0, "") == (said.code, said.err)
    assert ["secrets", "ruff", "tests", "licence"] == [
        line.split()[1] for line in said.out.splitlines()
    ]
    assert "test -s LICENCE  (settings)" in said.out
    listed = clew.run("gates", "--list", "--json", "--only", "ruff").events
    assert [("Gate", "ruff")] == [(each["type"], each["name"]) for each in listed]


def test_a_gate_that_has_to_run_and_cannot_is_told_by_the_exit_code(clew: CommandLine) -> None:
    """And so is a name or a revision that there is not."""
    write(clew.project, {"clew.toml": "[gates]\ntypes = 'pyright'\n"})
    lost = clew.run("gates", "--only", "types")
    assert (3, True) == (lost.code, "pip install pyright" in lost.out)
    unknown = clew.run("gates", "--only", "lnit")
    assert (2, True) == (unknown.code, "there is no gate 'lnit'" in unknown.err)
    assert 2 == clew.run("gates", "--base", "nowhere", "--only", "types").code


def test_a_project_without_tests_is_told_so_and_fails_where_they_are_asked_for(
    tmp_path: Path,
) -> None:
    """They need not run where there are none, but nobody takes that for a pass."""
    project = commit_all(write(tmp_path / "project", {"a.py": "x = 1\n"}))
    clew = CommandLine(project, tmp_path / "state")
    said = clew.run("gates")
    assert (0, "No gate fails.") == (said.code, said.out.splitlines()[-2])
    assert "Of what did not run nothing is known: tests." == said.out.splitlines()[-1]
    said = clew.run("gates", "--only", "tests")
    assert (3, "Some gates that have to run could not.") == (said.code, said.out.splitlines()[-2])
    (lost,) = clew.run("gates", "--only", "tests", "--json").events[:-1]
    assert (True, "did_not_run") == (lost.get("required", True), lost["status"])
