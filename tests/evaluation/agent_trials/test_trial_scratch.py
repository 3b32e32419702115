"""An agent that is named in one folder is the same in the trial's."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from clew.evaluation.agent_trials.scratch import from_elsewhere
from clew.words.settings import Settings

LONG = "print(1)  # " + "x" * 300


@pytest.mark.parametrize("word", ["command", "acp", "replay"])
def test_a_word_that_is_too_long_for_a_file_names_none(tmp_path: Path, word: str) -> None:
    """Such as a program that is written on the command line."""
    name = f"{word}:{shlex.join(('python', '-c', LONG))}"
    assert name == from_elsewhere(name, Settings(), tmp_path)[0]


def test_only_the_command_that_is_tried_gets_whole_paths(tmp_path: Path) -> None:
    """The others stay as they are written."""
    (tmp_path / "agent.py").touch()
    line = f"python agent.py {shlex.quote(LONG)}"
    settings = Settings(commands={"mine": line, "other": "./other agent.py"})
    told, (name, found) = (
        f"python {tmp_path}/agent.py {shlex.quote(LONG)}",
        from_elsewhere("mine", settings, tmp_path),
    )

    assert ("mine", {"mine": told, "other": "./other agent.py"}) == (name, found.commands)
    assert settings == from_elsewhere("claude", settings, tmp_path)[1]
