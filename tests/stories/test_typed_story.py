"""The blocks of the documentation, typed as they stand there.

A comment before a block says where it is typed: `<!-- typed: red -->` where tests fail,
`green` after a session that ended green, `waiting` where a session waits for a person; each line on
its own, unless the comment ends in `in turn`.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from commandline import CommandLine, Said
from moments import Moment
from projects import TWO_FAULTS, commit_all, two_faults, two_fixes, write

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"<!-- typed: (\w+)( in turn)? -->\n((?:\n|(?: {4}.*\n))+)")


@dataclass(frozen=True)
class Typed:
    """What is typed in one go, and where."""

    page: str
    place: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        """As the test is called."""
        return f"{self.page}: {'; '.join(self.lines)}"


def blocks() -> list[Typed]:
    """Return what the pages ask to be typed."""
    found = []
    for page in PAGES:
        for place, in_turn, block in BLOCK.findall(page.read_text("utf-8")):
            said = [re.split(r"\s{2,}", line.strip())[0] for line in block.splitlines()]
            lines = tuple(line for line in said if line.startswith("clew "))
            each = [lines] if in_turn else [(line,) for line in lines]
            found += [Typed(str(page.relative_to(ROOT)), place, typed) for typed in each]
    return found


TYPED = blocks()


@pytest.fixture(scope="module")
def red(tmp_path_factory: pytest.TempPathFactory) -> Moment:
    """A project with one fault, in a repository whose last commit but one was green."""
    folder = tmp_path_factory.mktemp("red")
    right = (
        TWO_FAULTS["sums/area.py"].replace("ad", "add").replace(" + 1", "").replace("addd", "add")
    )
    project = commit_all(write(folder / "sums", TWO_FAULTS | {"sums/area.py": right}))
    wrong = right.replace("* 2", "* 3")
    write(project, {"sums/area.py": wrong})
    return Moment(CommandLine(project, folder / "state"), Said(0, "", ""), folder)


@pytest.fixture(scope="module")
def green(tmp_path_factory: pytest.TempPathFactory) -> Moment:
    """A session that ended green, and was not applied yet."""
    folder = tmp_path_factory.mktemp("green")
    clew = CommandLine(two_faults(folder), folder / "state")
    said = clew.run("fix", "--json", "--agent", two_fixes(folder / "r.jsonl"))
    assert (0, "green") == (said.code, said.summary["status"]), said
    return Moment(clew, said, folder)


@pytest.fixture
def waiting(escalated: Moment) -> Moment:
    """A session that waits after its last iteration."""
    return escalated


def test_there_are_blocks_to_type() -> None:
    """The README's tour is one of them."""
    assert {"red", "green", "waiting"} == {typed.place for typed in TYPED}
    assert "README.md" in {typed.page for typed in TYPED}


@pytest.mark.slow
@pytest.mark.sweep(12)
@pytest.mark.parametrize("typed", TYPED, ids=str)
def test_what_is_documented_works_as_it_is_typed(
    typed: Typed, request: pytest.FixtureRequest
) -> None:
    """Each line does something, and none is refused as wrong usage or ends in a fault.

    An agent that is not on this machine is named, with how to get it.
    """
    moment: Moment = request.getfixturevalue(typed.place)
    clew, session = moment.again(), ""
    if moment.said.out:
        session = moment.said.summary["session_id"]
    for line in typed.lines:
        said = clew.run(*words(line, session))
        missing = "--agent" in line and "was not found\n      Install" in said.err
        assert said.code in {0, 1} or missing, (line, said)
        assert (said.out + said.err).strip(), (line, said)
        assert "Traceback" not in said.err


@pytest.mark.slow
def test_the_tour_ends_in_a_project_that_is_green(red: Moment) -> None:
    """The README's first lines, in a project whose tests fail: at their end they pass."""
    tour = next(t for t in TYPED if t.page == "README.md" and len(t.lines) > 1)
    clew = red.again()
    assert [0] * len(tour.lines) == [clew.run(*words(line)).code for line in tour.lines]
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    subprocess.run(tests, cwd=clew.project, env=clew.environment(), check=True)


def words(line: str, session: str = "") -> list[str]:
    """Return the words of a command; ID is that of the session at hand."""
    plain = line.replace(" [ID]", f" {session}").replace(" ID", f" {session}")
    return shlex.split(plain)[1:]
