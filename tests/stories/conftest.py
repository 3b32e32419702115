from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commandline import CommandLine
from leftovers import living, mounts
from projects import TWO_FAULTS, commit_all, write


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    """A person in a git repository with two faults, the first of which hides the second."""
    project = commit_all(write(tmp_path / "sums", TWO_FAULTS))
    (project / "notes.txt").write_text("changed, not committed\n")
    (project / "new.txt").write_text("not tracked\n")
    return CommandLine(project, tmp_path / "state")


@pytest.fixture
def nothing_left(tmp_path: Path) -> Iterator[None]:
    """After the story no process runs for it, and nothing is mounted."""
    yield
    assert [] == living(tmp_path)
    assert [] == mounts(tmp_path)
