"""Measuring an agent, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psutil
import pytest

from commandline import CommandLine, Said
from projects import diagnosis, fix, recording
from suiteplay import MOST, json_lines

CHANGE: dict[str, Any] = {"file": "most.py", "line": 4, "current": "<", "should_be": ">"}
WRONG = CHANGE | {"should_be": "=="}


@pytest.fixture
def person(tmp_path: Path) -> CommandLine:
    """A person with a suite of two tasks, in a folder that is no project."""
    folder = tmp_path / "bench"
    tasks = [MOST | {"id": f"most-{n}", "kind": "ab"[n]} for n in range(2)]
    json_lines(folder / "mine.jsonl", *tasks)
    (tmp_path / "tmp").mkdir()
    return CommandLine(folder, tmp_path / "state", {"TMPDIR": str(tmp_path / "tmp")})


def replaying(person: CommandLine, name: str, change: dict[str, Any]) -> str:
    return recording(
        person.project / name, diagnosis("the comparison is the wrong way", change), fix(change)
    )


def results(person: CommandLine, folder: str) -> list[dict[str, Any]]:
    lines = (person.project / folder / "results.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def good(said: Said) -> Said:
    assert 0 == said.code, said.err
    return said


@pytest.mark.slow
def test_two_agents_are_measured_and_compared(person: CommandLine) -> None:
    """Run, show, compare, plot: each with the figures of those before."""
    able = replaying(person, "able.jsonl", CHANGE)
    unable = replaying(person, "unable.jsonl", WRONG)
    first = good(person.run("bench", "run", "mine.jsonl", "--agent", able, "--out", "able"))
    assert "2 = 100%" in first.out
    assert 2 == first.err.count("right")
    options = ("--iterations", "1", "--limit", "1", "--jobs", "2", "--json")
    second = person.run(
        "bench", "run", "mine.jsonl", "--agent", unable, "--out", "unable", *options
    )
    assert {"mine"} == {outcome["suite"] for outcome in good(second).events}
    assert ["waiting"] == [outcome["end"] for outcome in second.events]

    shown = good(person.run("bench", "show", "able", "unable", "--by", "kind", "--json"))
    tasks = {line["name"]: line["summary"]["tasks"] for line in shown.events}
    assert [1, 1, 2, 1, 1] == list(tasks.values())
    sure = good(person.run("bench", "show", "able", "--by", "confidence", "--json"))
    assert "high" in [line["name"].split()[-1] for line in sure.events]
    compared = good(person.run("bench", "compare", "unable", "able", "--json")).summary
    assert ["mine/most-0"] == compared["gained"]
    assert (1, 1, 1.0) == (
        compared["tasks"],
        compared["left_out"],
        compared["plausible"]["difference"],
    )
    good(person.run("bench", "plot", "able", "unable", "--out", "both.png"))
    assert b"\x89PNG" == (person.project / "both.png").read_bytes()[:4]
    assert [] == list((person.project.parent / "tmp").glob("clew-bench-*"))
    assert not person.state.exists()


@pytest.mark.slow
def test_a_killed_run_goes_on(person: CommandLine) -> None:
    """Tasks that were done stay as they are, the others are done; nobody works on meanwhile."""
    (person.project / "clew.toml").write_text('pass-env = ["LANG"]\n')
    words = (
        *("bench", "run", "mine.jsonl", "--out", "run"),
        *("--agent", replaying(person, "able.jsonl", CHANGE)),
    )
    process = person.start(*words)
    assert process.stderr is not None
    assert "right" in process.stderr.readline()
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    assert [] == psutil.wait_procs(children, timeout=60)[1]
    before = results(person, "run")
    good(person.run(*words))
    after = results(person, "run")
    assert before == after[: len(before)]
    assert ["most-0", "most-1"] == [outcome["task"] for outcome in after]


def test_what_cannot_be_measured_is_said(person: CommandLine) -> None:
    """A suite that is not there, a folder without results, a picture of no known kind."""
    absent = person.run("bench", "run", "absent.jsonl")
    assert (2, True) == (absent.code, "there is no suite at" in absent.err)
    empty = person.run("bench", "show", ".")
    assert (2, True) == (empty.code, "holds no results" in empty.err)


def test_a_task_that_ends_in_an_error_shows_in_the_exit_code(person: CommandLine) -> None:
    """Its figures are printed all the same."""
    json_lines(person.project / "broken.jsonl", MOST | {"folder": "gone"})
    said = person.run("bench", "run", "broken.jsonl", "--out", "run")
    assert (1, ["error"]) == (said.code, [outcome["end"] for outcome in results(person, "run")])
    assert "results: run" in said.out
