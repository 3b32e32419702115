"""A results folder outlives whoever writes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from clew.evaluation.records import (
    BenchRequest,
    Machine,
    TaskOutcome,
    append,
    check_run,
    open_run,
    read_run,
)
from clew.words.errors import UsageError

ASKED = BenchRequest(
    suites=("/data/mine.jsonl",),
    agents=("repair",),
    settings={"max_iterations": 2},
    timeout=60.0,
    seed=0,
    clew_version="1",
    begun="2026-01-01T00:00:00+00:00",
    machine=Machine(system="Linux", processor="x", cores=2, python="3.11"),
)
DONE = TaskOutcome(suite="mine", task="a", end="green", plausible=True, correct=None)


def test_results_are_read_back(tmp_path: Path) -> None:
    """What was asked, and each outcome; what is unknown stays unknown."""
    run = open_run(tmp_path / "run", ASKED)
    append(run, DONE)
    again = read_run(tmp_path / "run")
    assert (ASKED, (DONE,)) == (again.asked, again.outcomes)
    assert again.outcomes[0].correct is None


def test_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    """A reader passes over it; whoever goes on writes in its place."""
    run = open_run(tmp_path / "run", ASKED)
    append(run, DONE)
    results = tmp_path / "run" / "results.jsonl"
    with results.open("ab") as file:
        file.write(b'{"suite":"mine","task":"b","en')
    assert (DONE,) == read_run(tmp_path / "run").outcomes
    run = open_run(tmp_path / "run", ASKED)
    other = replace(DONE, task="b")
    append(run, other)
    assert (DONE, other) == read_run(tmp_path / "run").outcomes


def test_a_damaged_line_within_is_no_torn_one(tmp_path: Path) -> None:
    """It is named, not passed over."""
    run = open_run(tmp_path / "run", ASKED)
    (tmp_path / "run" / "results.jsonl").write_bytes(b"{}\n")
    append(run, DONE)
    with pytest.raises(UsageError, match=r"results\.jsonl, line 1"):
        read_run(tmp_path / "run")


def test_a_folder_goes_on_with_what_it_began(tmp_path: Path) -> None:
    """Another time and machine do not matter; another agent, suite, seed or cap does."""
    open_run(tmp_path / "run", ASKED)
    check_run(tmp_path / "run", replace(ASKED, begun="2027-01-01T00:00:00+00:00"))
    with pytest.raises(UsageError, match=r"timeout = 60\.0, not 90\.0"):
        check_run(tmp_path / "run", replace(ASKED, timeout=90.0))
    with pytest.raises(UsageError, match="agents"):
        check_run(tmp_path / "run", replace(ASKED, agents=("mine",)))


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    """Results never mingle with other files."""
    (tmp_path / "notes.txt").write_text("mine\n")
    with pytest.raises(UsageError, match="holds no run"):
        check_run(tmp_path, ASKED)
    with pytest.raises(UsageError, match=r"notes\.txt is not a folder"):
        check_run(tmp_path / "notes.txt", ASKED)
    with pytest.raises(UsageError, match="holds no results"):
        read_run(tmp_path)
    assert ["notes.txt"] == [path.name for path in tmp_path.iterdir()]


@pytest.mark.parametrize("place", ["file/below", "link", "/proc/run"])
def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path, place: str) -> None:
    """Before anybody works: another one is to be named."""
    (tmp_path / "file").write_text("mine\n")
    (tmp_path / "link").symlink_to("nowhere/at/all")
    with pytest.raises(UsageError, match=f"{place} (is not a folder|cannot be written)") as refused:
        check_run(tmp_path / place, ASKED)
    assert "Name another with --out." == refused.value.hint


def test_a_folder_that_another_process_begins_is_no_strange_one(tmp_path: Path) -> None:
    """What is asked is written aside and moved into place; a kill leaves that, too."""
    (tmp_path / ".run.json.k1ll3d").write_text("{")
    check_run(tmp_path, ASKED)
    assert () == open_run(tmp_path, ASKED).outcomes
