"""Real packages with their own tests, one mistake each: what a person gets who types `clew fix`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from clew.git.project import locate
from commandline import CommandLine
from packagekit import FAULTS, PACKAGES, changed, checkout, python, seed
from projects import git
from treestate import fingerprint


def person(tmp_path: Path, name: str, mistake: str, *, vcs: bool = True) -> CommandLine:
    folder = checkout(PACKAGES[name], tmp_path / name, git=vcs)
    seed(folder, FAULTS / name / f"{mistake}.diff")
    if vcs:
        git(folder, "commit", "-aqm", "go on")
    # The tools bring plug-ins that none of these suites uses, and every run would load them.
    return CommandLine(folder, tmp_path / "state", {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})


def suite(clew: CommandLine, tests: tuple[str, ...]) -> int:
    """Run the package's tests as its developers do."""
    done = subprocess.run(
        [python(clew.project), "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests],
        cwd=clew.project,
        env=clew.environment(),
        capture_output=True,
        check=False,
    )
    return done.returncode


@pytest.mark.slow
def test_a_mistake_in_a_real_package_is_mended(tmp_path: Path) -> None:
    """One file changes, by as many lines as the mistake; its own tests are green once applied."""
    name, mistake = "pyrsistent", "swapped-lists"
    tests = ("tests/deque_test.py", "tests/list_test.py")  # near it; the benchmark runs more
    clew = person(tmp_path, name, mistake)
    assert 1 == suite(clew, tests)
    before = fingerprint(locate(clew.project))

    said = clew.run("fix", "--json", "--", *tests)

    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert all(row["holds"] for row in said.summary["proof"]["rows"])
    assert before == fingerprint(locate(clew.project))
    assert 0 == clew.run("apply").code
    assert [changed(FAULTS / name / f"{mistake}.diff")] == git(
        clew.project, "diff", "--name-only"
    ).split()
    assert 0 == suite(clew, tests)


@pytest.mark.slow
def test_without_git_it_is_the_same(tmp_path: Path) -> None:
    """The source as it was released, in a folder that is no repository."""
    clew = person(tmp_path, "toolz", "swapped-zip", vcs=False)
    said = clew.run("fix", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert 0 == clew.run("apply").code
    assert 0 == suite(clew, ())


@pytest.mark.slow
def test_what_it_cannot_mend_it_says_and_names_the_file(tmp_path: Path) -> None:
    """It asks instead of giving a wrong fix, and the file at fault is among the suspects.

    No history has the block that was lost: with one, it is put back.
    """
    clew = person(tmp_path, "jinja2", "lost-block", vcs=False)
    tests = ("tests/test_filters.py",)
    said = clew.run(
        "fix", "--json", "--max-iterations", "1", "--", *tests, env={"CLEW_SEARCH_SECONDS": "6"}
    )
    assert (1, "waiting") == (said.code, said.summary["status"]), said.err
    (report,) = said.summary["reports"]
    assert "src/jinja2/filters.py" in (clew.project / report).read_text("utf-8")
