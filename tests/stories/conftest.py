from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commandline import CommandLine
from leftovers import living, mounts
from moments import Moment
from projects import two_faults, two_fixes


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    """A person in a git repository with two faults, the first of which hides the second."""
    return CommandLine(two_faults(tmp_path), tmp_path / "state")


@pytest.fixture(scope="session")
def proof_of_both(tmp_path_factory: pytest.TempPathFactory) -> Moment:
    folder = tmp_path_factory.mktemp("proven")
    clew = CommandLine(two_faults(folder), folder / "state")
    said = clew.run("fix", "--json", "--agent", two_fixes(folder / "r.jsonl"))
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    return Moment(clew, said, folder)


@pytest.fixture
def proven(proof_of_both: Moment) -> Moment:
    """The same person when a recorded agent has mended both faults, and nothing is applied yet."""
    proof_of_both.again()
    return proof_of_both


@pytest.fixture(scope="session")
def escalated(tmp_path_factory: pytest.TempPathFactory) -> Moment:
    """One iteration of one: the first fault is mended, and that is kept; the second is left."""
    folder = tmp_path_factory.mktemp("escalated")
    clew = CommandLine(two_faults(folder), folder / "state")
    agent = two_fixes(folder / "r.jsonl")
    said = clew.run("fix", "--json", "--max-iterations", "1", "--agent", agent)
    assert (1, "waiting", 1) == (said.code, said.summary["status"], said.summary["iterations"])
    return Moment(clew, said, folder)


@pytest.fixture
def nothing_left(tmp_path: Path) -> Iterator[None]:
    """After the story no process runs for it, and nothing is mounted."""
    yield
    assert [] == living(tmp_path)
    assert [] == mounts(tmp_path)
