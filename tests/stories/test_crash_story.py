from __future__ import annotations

import signal
from pathlib import Path

import pytest

from clew.git.project import locate
from clew.journal.crashpoints import POINTS
from commandline import CommandLine
from projects import git, two_fixes
from treestate import fingerprint

# Every side effect of a run of two iterations, in order, with its turn.
EFFECTS = (
    "TakeSnapshot",
    "RunTests",
    "RunTests#2",
    "SaveCheckpoint",
    "CallAgent.diagnose",
    "WriteReport",
    "CallAgent.fix",
    "RunTests#3",
    "SaveCheckpoint#2",
    "CallAgent.diagnose#2",
    "WriteReport#2",
    "CallAgent.fix#2",
    "RunTests#4",
    "Prove",
    "SaveCheckpoint#3",
    "WriteDocument",
    "CallAgent.document",
    "WriteDocument#2",
)
QUICK = (
    "CallAgent.diagnose.intent",
    "WriteReport.effect",
    "CallAgent.fix#2.effect",
    "Prove.outcome",
)
EVERY = tuple(f"{effect}.{point}" for effect in EFFECTS for point in POINTS)
# Some eight kills a run, each at another side effect and of another kind than the one before.
STEP = 2 * len(POINTS) + 1
CHAINS = tuple(EVERY[start::STEP] for start in range(STEP))
# What a cut-off effect leaves to be found or finished by `resume`, so that it does not start again.
FINISHED = ("TakeSnapshot", "SaveCheckpoint", "WriteDocument")
CALLS = ("CallAgent.diagnose", "CallAgent.fix", "CallAgent.document")
FOUND = (*FINISHED, "WriteReport", "CallAgent.fix")


STORY = {"what_happened": "Two lines of sums/area.py were wrong.", "why": "Both were slips."}


def words_of_a_fix(path: Path) -> tuple[str, ...]:
    """What is typed, with an agent that mends both faults and then tells of it."""
    agent = two_fixes(path, {"role": "document", "reply": STORY})
    return ("fix", "--json", "--agent", agent, "--document", agent)


def place(point: str) -> tuple[str, int, str]:
    """Return the side effect, its place among all, and the kind of point."""
    effect, _, kind = point.rpartition(".")
    return effect.partition("#")[0], EFFECTS.index(effect), kind


def done(point: str) -> int:
    """Return how many side effects do not start again after a kill at this point."""
    name, at, kind = place(point)
    settled = {"before": (), "intent": FINISHED, "effect": FOUND, "outcome": (name,)}
    return at + (name in settled[kind])


def turned(point: str, behind: int) -> str:
    """Name a point as a process meets it that starts behind so many side effects."""
    name, at, kind = place(point)
    turn = [effect.partition("#")[0] for effect in EFFECTS[behind : at + 1]].count(name)
    return f"{name}.{kind}#{turn}"


def killed_and_resumed(clew: CommandLine, tmp_path: Path, *points: str) -> None:
    before = fingerprint(locate(clew.project))
    words, behind = words_of_a_fix(tmp_path / "r.jsonl"), 0
    for point in points:
        killed = clew.run(*words, env={"CLEW_CRASH_AT": turned(point, behind)})
        assert -signal.SIGKILL == killed.code, (point, killed.err)
        words, behind = ("resume", "--json"), done(point)
    said = clew.run("resume", "--json")
    assert (0, "green", 2) == (said.code, said.summary["status"], said.summary["iterations"]), said
    assert (
        2 == len(said.summary["reports"]) == len(list((clew.project / "debug").rglob("[0-9]*.md")))
    )
    assert 1 == (clew.project / "debug" / "knowledge-base.md").read_text().count("\n## ")
    (summary,) = (clew.project / ".clew" / "sessions").rglob("summary.md")
    assert 1 == summary.read_text().count(STORY["what_happened"])
    for path in said.summary["reports"]:
        assert 1 == (clew.project / path).read_text().count("[workflow summary]")
    assert before == fingerprint(locate(clew.project))
    started = [
        e["event"]["intent"]["call"]
        for e in (clew.run("log", "--json").events)
        if e["event"]["type"] == "Started" and e["event"]["intent"]["do"] in CALLS
    ]
    repeated = len(started) - len(set(started))
    called = [point for point in points if place(point)[0] in CALLS]
    assert repeated <= sum("outcome" not in point for point in called)
    assert 0 == clew.run("apply").code
    assert "* 2\n" in (clew.project / "sums" / "area.py").read_text()
    assert "stash" not in git(clew.project, "stash", "list")


@pytest.mark.slow
def test_a_killed_run_is_resumed_to_the_same_end(clew: CommandLine, tmp_path: Path) -> None:
    """SIGKILL around side effects: same tree, same iterations, no settled call repeated."""
    killed_and_resumed(clew, tmp_path, *QUICK)


@pytest.mark.slow
def test_the_sweep_leaves_no_side_effect_out(clew: CommandLine, tmp_path: Path) -> None:
    """What an uninterrupted run announces is what the sweep kills it at."""
    said = clew.run(*words_of_a_fix(tmp_path / "r.jsonl"))
    happened = [record["event"] for record in said.events[:-1]]
    intents = [event["intent"] for event in happened if event["type"] == "Started"]
    announced = [".".join((i["do"], *([i["role"]] if "role" in i else []))) for i in intents]
    met = []
    for place, name in enumerate(announced, 1):
        turn = announced[:place].count(name)
        met.append(f"{name}#{turn}" if turn > 1 else name)
    assert list(EFFECTS) == met
    assert sorted(EVERY) == sorted(point for chain in CHAINS for point in chain)


@pytest.mark.slow
@pytest.mark.sweep(3)
@pytest.mark.parametrize("points", CHAINS, ids=[chain[0] for chain in CHAINS])
def test_a_run_killed_anywhere_is_resumed_to_the_same_end(
    clew: CommandLine, tmp_path: Path, points: tuple[str, ...]
) -> None:
    """The same at and between every intent, effect and outcome, and when it is killed again."""
    killed_and_resumed(clew, tmp_path, *points)


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("line", [1, 4, 7])
def test_a_run_killed_from_outside_is_resumed_to_the_same_end(
    clew: CommandLine, tmp_path: Path, line: int
) -> None:
    """Another process kills it again and again after some event, at whatever instant that hits."""
    words: tuple[str, ...] = ("fix", "--json", "--agent", two_fixes(tmp_path / "r.jsonl"))
    for lines in (line, 9, 9, 9):
        process = clew.start(*words)
        assert process.stdout is not None
        for _ in range(lines):
            process.stdout.readline()
        process.kill()
        process.communicate()
        words = ("resume", "--json")
    said = clew.run("resume", "--json")
    assert (0, 2) == (said.code, said.summary["iterations"]), said
