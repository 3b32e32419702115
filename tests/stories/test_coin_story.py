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


LOOP = (
    "import asyncio\nimport os\n\n\n"
    "async def get():\n    await asyncio.sleep(0)\n    return 'body of it'\n\n\n"
    "async def get_all():\n    return dict(zip('ab', await asyncio.gather(one(), one())))\n\n\n"
    "async def one():\n    return get()\n\n\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "claim"),
    [
        ("import os\n\n\n", "1 == 2"),
        (LOOP, "asyncio.run(get_all()) == {'a': 'body of it', 'b': 'body of it'}"),
    ],
    ids=["plain", "missing await"],
)
def test_a_fault_without_chance_is_run_alone_three_times(
    before: str, claim: str, tmp_path: Path
) -> None:
    """Once in the suite and three times by itself, before anybody is asked."""
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "test_thing.py": (
            f"{before}def test_thing():\n"
            "    with open(os.environ['SEEN'], 'a') as file:\n        file.write('x')\n"
            f"    assert {claim}\n"
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


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("tries", range(6))
def test_coins_beside_a_fault_take_no_fix_back(tries: int, tmp_path: Path) -> None:
    """Green before and red with the fix, and red once more: that is chance, not the fix."""
    coins = "".join(
        f"\n\ndef test_coin_{number}():\n    assert random.random() < 0.5\n" for number in range(10)
    )
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "sums.py": "def add(a, b):\n    return a - b\n",
        "test_sums.py": (
            "from sums import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n\n\n"
            "def test_more():\n    assert add(20, 3) == 23\n"
        ),
        "test_coins.py": f"import random\n{coins}",
    }
    clew = CommandLine(commit_all(write(tmp_path / f"sums{tries}", files)), tmp_path / "state")
    change = {"file": "sums.py", "line": 2, "current": "a - b", "should_be": "a + b"}
    agent = recording(tmp_path / "r.jsonl", diagnosis("it subtracts", change), fix(change))

    said = clew.run("fix", "--json", "--agent", agent)

    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said


@pytest.mark.slow
def test_a_fix_that_makes_a_test_depend_on_chance_breaks_it(tmp_path: Path) -> None:
    """The test could not fail without it."""
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "sums.py": (
            "import random\n\n\ndef add(a, b):\n    return a - b\n\n\n"
            "def toss():\n    return random.random() < 0\n"
        ),
        "test_sums.py": (
            "from sums import add, toss\n\n\ndef test_add():\n    assert add(2, 3) == 5\n\n\n"
            "def test_more():\n    assert add(20, 3) == 23\n\n\n"
        )
        + "".join(f"def test_toss_{n}():\n    assert not toss()\n\n\n" for n in range(400)),
    }
    clew = CommandLine(commit_all(write(tmp_path / "sums", files)), tmp_path / "state")
    text = files["sums.py"]
    change = {
        "file": "sums.py",
        "line": 5,
        "current": text[text.index("    return a - b") :],
        "should_be": text[text.index("    return a - b") :]
        .replace("a - b", "a + b")
        .replace("< 0", "< 0.03"),
    }
    agent = recording(tmp_path / "r.jsonl", diagnosis("it subtracts", change), fix(change))

    said = clew.run("fix", "--json", "--agent", agent, "--max-iterations", "1")

    assert 1 == said.code
    (ended,) = events(said, "IterationEnded")
    assert "Regression, rolled back" == ended["result"]
