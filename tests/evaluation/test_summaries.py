"""The figures of a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from clew.evaluation.plots import draw
from clew.evaluation.records import BenchRequest, BenchRun, Machine, TaskOutcome
from clew.evaluation.summaries import contrast, grouped, summarise
from clew.words.errors import UsageError
from clew.words.facts import Usage

FREE = Usage(input=0, output=0, cached=0, usd=0.0)
SOLVED = TaskOutcome(
    suite="s",
    task="a",
    kind="one",
    end="green",
    plausible=True,
    correct=True,
    iteration=2,
    agent="repair",
    line_rank=3,
    file_rank=1,
    suspects=9,
    truth=("a.py:1",),
    seconds=4.0,
    usage=FREE,
)
UNKNOWN = replace(SOLVED, task="b", correct=None, iteration=1, line_rank=None, seconds=6.0)
WRONG = replace(SOLVED, task="c", correct=False, iteration=1, kind="two", seconds=8.0)
RED = TaskOutcome(suite="s", task="d", kind="two", end="waiting", seconds=30.0, usage=FREE)
ALL = (SOLVED, UNKNOWN, WRONG, RED)


def run(name: str, *outcomes: TaskOutcome) -> BenchRun:
    asked = BenchRequest(
        suites=("s",),
        agents=("repair",),
        settings={},
        timeout=60.0,
        seed=0,
        clew_version="1",
        begun="2026-01-01T00:00:00+00:00",
        machine=Machine(system="Linux", processor="x", cores=2, python="3.11"),
    )
    return BenchRun(Path(name), asked, outcomes)


def test_green_right_wrong_and_unknown_are_kept_apart() -> None:
    """What cannot be told is not right, and not wrong either."""
    found = summarise(ALL)
    assert (3, 1, 1, 1) == (
        found.plausible.hits,
        found.correct.hits,
        found.wrong,
        found.unknown,
    )
    assert [2, 3, 3] == [found.iterations[n].hits for n in (1, 2, 3)]
    assert {"green": 3, "waiting": 1} == found.ends
    assert (7.0, 6.0) == (found.seconds, found.seconds_solved)


def test_localisation_counts_what_was_ranked() -> None:
    """A task without a ranking is left out; one whose lines are not in it is a miss."""
    found = summarise(ALL)
    assert 3 == found.ranked
    assert [0, 2, 2, 2] == [found.lines[n].hits for n in (1, 3, 5, 10)]
    assert (3, 3) == (found.files[1].hits, found.files[1].total)


def test_a_sum_with_an_unknown_part_is_unknown() -> None:
    """Tokens are never guessed; where all are known they add up."""
    told = replace(SOLVED, usage=Usage(input=5, output=2, cached=None, usd=0.5))
    found = summarise([told, RED])
    assert Usage(input=5, output=2, cached=None, usd=0.5) == found.usage


def test_groups_are_by_name() -> None:
    """Each outcome is in one."""
    assert {"one": (SOLVED, UNKNOWN), "two": (WRONG, RED)} == grouped(ALL, lambda o: o.kind)


def test_runs_are_compared_on_the_tasks_of_both() -> None:
    """Task by task, with those gained and lost by name."""
    second = run("b", replace(SOLVED, plausible=False), UNKNOWN, replace(RED, plausible=True))
    found = contrast(run("a", *ALL), second)
    assert (3, 1) == (found.tasks, found.left_out)
    assert (("s/d",), ("s/a",)) == (found.gained, found.lost)
    assert (1, 1, 1) == (found.plausible.both, found.plausible.first, found.plausible.second)
    with pytest.raises(UsageError, match="no task in common"):
        contrast(run("a", SOLVED), run("b", RED))


def test_a_task_that_was_changed_between_runs_is_not_compared() -> None:
    """It is named; one of which a run does not know how it was counts as the same."""
    first = [replace(SOLVED, digest="1"), replace(RED, digest="1"), UNKNOWN]
    second = [replace(SOLVED, digest="2"), replace(RED, digest="1"), replace(UNKNOWN, digest="1")]
    found = contrast(run("a", *first), run("b", *second))
    assert (2, 0, ("s/a",)) == (found.tasks, found.left_out, found.changed)
    with pytest.raises(UsageError, match="no task in common"):
        contrast(run("a", *first[:1]), run("b", *second[:1]))


def test_pictures_are_the_same_each_time(tmp_path: Path) -> None:
    """Two runs side by side, as text that can be searched."""
    runs = [run("one", *ALL), run("two", SOLVED, RED)]
    for name in ("a.svg", "b.svg"):
        draw(runs, tmp_path / name)
    text = (tmp_path / "a.svg").read_text()
    assert text == (tmp_path / "b.svg").read_text()
    assert "repair (two, 2)" in text


def test_a_picture_has_a_format_and_something_to_show(tmp_path: Path) -> None:
    """Otherwise it says what is lacking."""
    with pytest.raises(UsageError, match="is not one of"):
        draw([run("one", *ALL)], tmp_path / "a.txt")
    with pytest.raises(UsageError, match="no result yet"):
        draw([run("one")], tmp_path / "a.svg")
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r"b\.svg cannot be written: "):
        draw([run("one", *ALL)], tmp_path / "file" / "b.svg")
