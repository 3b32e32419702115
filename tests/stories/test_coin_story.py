"""Red tests that may be coins, from the command line."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, Said
from projects import commit_all, diagnosis, fix, recording, write

TEST = "test_game.py::test_toss"
GAME = "import random\n\n\ndef toss():\n    return random.choice({sides!r})\n"
TOSS = "from game import toss\n\n\ndef test_toss():\n    assert toss() == 'heads'\n"
CHANGE = {"file": "game.py", "line": 5, "current": "'tails'", "should_be": "'heads'"}


def game(folder: Path, sides: list[str]) -> Path:
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "game.py": GAME.format(sides=sides),
        "test_game.py": TOSS,
    }
    return commit_all(write(folder / "game", files))


def events(said: Said, kind: str) -> list[dict[str, Any]]:
    found = [line["event"] for line in said.events if "event" in line]
    return [event for event in found if event["type"] == kind]


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("tails", [1, 3, 6])
def test_a_coin_is_not_mended(tails: int, tmp_path: Path) -> None:
    """However it falls, no agent is called: all pass, or a person is told that it is flaky."""
    clew = CommandLine(game(tmp_path, ["heads", *["tails"] * tails]), tmp_path / "state")
    said = clew.run("fix", "--json")
    assert [] == events(said, "Started") or not events(said, "Diagnosed"), said
    assert said.summary["status"] in ("nothing_to_do", "waiting"), said
    if said.summary["status"] == "waiting":
        assert [TEST] == said.summary["flaky"]
        assert ["flaky"] == [asked["kind"] for asked in events(said, "QuestionAsked")]


@pytest.mark.slow
def test_what_may_be_a_coin_is_asked_about_and_mended_on_demand(tmp_path: Path) -> None:
    """Red each time, and no time to rule chance out; the command in the question has it mended."""
    clew = CommandLine(game(tmp_path, ["tails"]), tmp_path / "state", {"CLEW_RERUN_SECONDS": "0"})
    agent = recording(tmp_path / "r.jsonl", diagnosis("only tails", CHANGE), fix(CHANGE))
    said = clew.run("fix", "--json", "--agent", agent)
    assert (1, "waiting", 0) == (said.code, said.summary["status"], said.summary["iterations"])
    (asked,) = events(said, "QuestionAsked")
    assert "Perhaps flaky, and not fixed: test_game.py::test_toss (red in all of 2" in asked["text"]
    assert "random numbers" in asked["text"]
    first = asked["options"][0]
    assert "fault" == first["word"]
    answered = clew.run(*shlex.split(first["command"])[1:])
    assert 0 == answered.code, answered
    ended = clew.run("status", "--json")
    assert "green" in ended.out, (answered, ended)


@pytest.mark.slow
def test_a_fault_without_chance_is_run_alone_three_times(tmp_path: Path) -> None:
    """Once in the suite and three times by itself, before anybody is asked."""
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "test_thing.py": (
            "import os\n\n\ndef test_thing():\n"
            "    with open(os.environ['SEEN'], 'a') as file:\n        file.write('x')\n"
            "    assert 1 == 2\n"
        ),
    }
    seen = tmp_path / "seen"
    env = {"SEEN": str(seen), "CLEW_PASS_ENV": "SEEN", "CLEW_SANDBOX": "none"}
    clew = CommandLine(commit_all(write(tmp_path / "thing", files)), tmp_path / "state", env)
    agent = recording(tmp_path / "r.jsonl")
    command = f"{sys.executable} -m pytest"
    said = clew.run("fix", "--json", "--agent", agent, "--test-command", command)
    assert 1 == said.code, said
    assert "xxxx" == seen.read_text()
