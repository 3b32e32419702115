from __future__ import annotations

import signal
from pathlib import Path

import pytest

from clew.crashpoints import POINTS
from clew.project import locate
from commandline import CommandLine
from projects import git, two_fixes
from treestate import fingerprint

# Every side effect of a run of two iterations, in order, with its turn.
EFFECTS = (
    "TakeSnapshot",
    "RunTests",
    "RunTests#2",
    "SaveCheckpoint",
    "Diagnose",
    "WriteReport",
    "ApplyFix",
    "RunTests#3",
    "SaveCheckpoint#2",
    "Diagnose#2",
    "WriteReport#2",
    "ApplyFix#2",
    "RunTests#4",
    "Prove",
    "SaveCheckpoint#3",
    "WriteDocument",
    "WriteDocument#2",
)
QUICK = ("ApplyFix.effect", "WriteReport.effect", "Diagnose.intent", "Prove.outcome")
EVERY = tuple(
    f"{name}.{point}" + (f"#{turn}" if turn else "")
    for effect in EFFECTS
    for name, _, turn in [effect.partition("#")]
    for point in POINTS
)


def killed_and_resumed(clew: CommandLine, tmp_path: Path, point: str) -> None:
    before = fingerprint(locate(clew.project))
    agent = two_fixes(tmp_path / "r.jsonl")
    first = clew.run("fix", "--json", "--agent", agent, env={"CLEW_CRASH_AT": point})
    assert -signal.SIGKILL == first.code, (point, first.err)
    said = clew.run("resume", "--json")
    assert (0, "green", 2) == (said.code, said.summary["status"], said.summary["iterations"]), said
    assert (
        2 == len(said.summary["reports"]) == len(list((clew.project / "debug").rglob("[0-9]*.md")))
    )
    assert 1 == (clew.project / "debug" / "knowledge-base.md").read_text().count("\n## ")
    assert before == fingerprint(locate(clew.project))
    started = [
        e["event"]["intent"]["call"]
        for e in (clew.run("log", "--json").events)
        if e["event"]["type"] == "Started"
        and e["event"]["intent"]["do"] in ("Diagnose", "ApplyFix")
    ]
    repeated = len(started) - len(set(started))
    allowed = point.split(".", maxsplit=1)[0] in ("Diagnose", "ApplyFix") and "outcome" not in point
    assert repeated <= (1 if allowed else 0)
    assert 0 == clew.run("apply").code
    assert "* 2\n" in (clew.project / "sums" / "area.py").read_text()
    assert "stash" not in git(clew.project, "stash", "list")


@pytest.mark.parametrize("point", QUICK)
def test_a_killed_run_is_resumed_to_the_same_end(
    clew: CommandLine, tmp_path: Path, point: str
) -> None:
    """SIGKILL around a side effect: same tree, same iterations, no settled call repeated."""
    killed_and_resumed(clew, tmp_path, point)


def test_the_sweep_leaves_no_side_effect_out(clew: CommandLine, tmp_path: Path) -> None:
    """What an uninterrupted run announces is what the sweep kills it at."""
    said = clew.run("fix", "--json", "--agent", two_fixes(tmp_path / "r.jsonl"))
    happened = [record["event"] for record in said.events[:-1]]
    announced = [event["intent"]["do"] for event in happened if event["type"] == "Started"]
    met = []
    for place, name in enumerate(announced, 1):
        turn = announced[:place].count(name)
        met.append(f"{name}#{turn}" if turn > 1 else name)
    assert list(EFFECTS) == met


@pytest.mark.slow
@pytest.mark.parametrize("point", [p for p in EVERY if p not in QUICK])
def test_a_run_killed_anywhere_is_resumed_to_the_same_end(
    clew: CommandLine, tmp_path: Path, point: str
) -> None:
    """The same at and between every intent, effect and outcome."""
    killed_and_resumed(clew, tmp_path, point)


@pytest.mark.slow
@pytest.mark.parametrize("line", range(1, 36, 3))
def test_a_run_killed_from_outside_is_resumed_to_the_same_end(
    clew: CommandLine, tmp_path: Path, line: int
) -> None:
    """Another process kills it after any event, at whatever instant that hits."""
    process = clew.start("fix", "--json", "--agent", two_fixes(tmp_path / "r.jsonl"))
    assert process.stdout is not None
    for _ in range(line):
        process.stdout.readline()
    process.kill()
    process.communicate()
    said = clew.run("resume", "--json")
    assert (0, 2) == (said.code, said.summary["iterations"]), said
