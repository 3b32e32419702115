"""What a project's test command sets is set for the tests, and for nothing around them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.sandbox.confinement import Level, examine, is_heeded_first
from clew.words.facts import Verdict
from projectplay import Play

# To programs that see it the loader of glibc leaves a file each, wherever they may write.
PROGRAM = re.compile(r"initialize program: (.+)")
SHELL = """#!/bin/sh
echo "loader $LD_DEBUG $GLIBC_TUNABLES"
test -n "$LD_DEBUG_OUTPUT" && exit 1
"""


@pytest.mark.parametrize("level", Level)
def test_what_a_command_tells_the_loader_is_told_inside_alone(
    play: Play, tmp_path: Path, level: Level
) -> None:
    """A library that a repository names for its tests is not loaded by what confines them."""
    if why := examine(level):
        pytest.skip(" ".join(why))
    play.write({"run.sh": SHELL})
    (play.root / "run.sh").chmod(0o755)
    told = tmp_path / "told"
    told.mkdir()
    set_there = f"LD_DEBUG=files LD_DEBUG_OUTPUT={told}/by GLIBC_TUNABLES=none=1"

    run = play.run(flag=f"{set_there} ./run.sh", level=level)

    assert Verdict.FAILED == run.verdict, run.reason
    assert "loader files none=1" in run.output
    begun = {name for file in told.iterdir() for name in PROGRAM.findall(file.read_text())}
    assert set() == {name for name in begun if "python" in name or "bwrap" in name}


def test_where_a_person_keeps_libraries_is_told_inside_alone(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty entry stands for the folder one is in, which is the worktree's."""
    play.write({"run.sh": '#!/bin/sh\ntest "$LD_LIBRARY_PATH" = :/none\n'})
    (play.root / "run.sh").chmod(0o755)
    told = tmp_path / "told"
    told.mkdir()
    monkeypatch.setenv("LD_LIBRARY_PATH", ":/none")

    run = play.run(flag=f"LD_DEBUG=libs LD_DEBUG_OUTPUT={told}/by ./run.sh")

    assert (Verdict.PASSED, []) == (run.verdict, list(told.iterdir())), run.reason


def test_what_no_loader_heeds_stands_on_no_command_line() -> None:
    """Everybody on a machine may read those; a key's name may begin as the loader's own do."""
    named = ("LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "MALLOC_ARENA_MAX", "LD_SDK_KEY")

    assert [True, True, True, True, False] == [is_heeded_first(name) for name in named]
