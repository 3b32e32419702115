"""What lies in a project passes for no program of Clew's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine
from projects import write

PROGRAMS = ("bwrap", "cc", "git", "node", "python3", "sh", "tmux", "uname")


@pytest.mark.slow
def test_a_folder_on_the_path_that_is_wherever_one_stands_is_passed_over(
    clew: CommandLine, tmp_path: Path
) -> None:
    """An empty entry is made by a variable that is not set."""
    canary = tmp_path / "canary"
    for name in PROGRAMS:
        trap = write(clew.project, {name: f'#!/bin/sh\necho "$0 $*" >> {canary}\nexit 1\n'})
        (trap / name).chmod(0o755)
    clew.env["PATH"] = f":.:{clew.environment()['PATH']}"
    clew.run("doctor")
    said = clew.run("fix", "--json", "--max-iterations", "1")

    assert not canary.exists(), canary.read_text()
    assert "TestsRan" in {each["event"]["type"] for each in said.events[:-1]}, said.err
