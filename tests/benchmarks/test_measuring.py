"""The benchmarks at their smallest: every part loads, and what needs no peer runs."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from benchmarks.document import document, table
from benchmarks.figures import Bound, Figure, Measured, Part, Spread, paired
from benchmarks.localisation import rank
from benchmarks.measuring import ROOT, Contender, clean, turns

from benchmarks import scale, subjects
from clew.words import events as ev

PARTS = (
    *("journal", "candidates", "localisation", "tracing", "reruns"),
    *("commands", "share", "session", "scale", "overheads", "plans"),
)
TWICE = Figure(
    what="a thing",
    unit="ms",
    clew=Spread.of([1.0, 2.0, 3.0]),
    peer="another",
    theirs=Spread.of([4.0]),
    value=2.0,
    bound=Bound(at_least=True, number=5),
)
PART = Part(title="Things", how="In turns.", figures=(TWICE,))


@pytest.mark.parametrize("name", PARTS)
def test_every_part_can_be_run(name: str) -> None:
    """A part is a module with a function that measures it in a folder."""
    assert callable(importlib.import_module(f"benchmarks.{name}").run)


def test_a_part_that_is_not_there_is_refused() -> None:
    """The parts there are stand in the message."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--only", "weather"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "there is no part weather" in done.stderr
    assert "journal" in done.stderr


def test_a_missed_target_is_said_first_and_in_its_line() -> None:
    """The document names what was missed; a part without its peer says how to get it."""
    things = Measured(date="2026-03-14", commit="0123456789", seconds=60.0, part=PART)
    others = Measured(date="", commit="", seconds=0.0, trouble="not installed")
    text = document({"things": things, "others": others})
    assert "0 of 1 targets were reached; missed: a thing against another." in text
    assert (
        "| a thing | 2 ms (1.5\N{EN DASH}2.5) | another | 4 ms | 2 times | ≥ 5 times | **missed** |"
        in text
    )
    assert "## others\n\nNot measured: not installed" in text


def test_a_figure_without_a_bound_is_not_judged() -> None:
    """It stands in the table, and counts neither way."""
    assert msgspec.structs.replace(TWICE, bound=None).reached is None
    assert table(PART).count("missed") == 1


def test_contenders_take_turns() -> None:
    """Each goes first in every other round, so that none always meets the warmer machine."""
    seen: list[str] = []

    def contender(name: str) -> Callable[[], float]:
        def measure() -> float:
            seen.append(name)
            return 1.0

        return measure

    turns(2, one=contender("one"), two=contender("two"))
    assert seen == ["one", "two", "two", "one"]


def test_a_ratio_is_taken_within_a_round() -> None:
    """A machine that slows down half way changes no ratio."""
    assert paired([2.0, 20.0, 200.0], [1.0, 10.0, 100.0]) == 2.0


def test_lines_that_share_a_score_have_the_worst_rank_of_them() -> None:
    """So that a ranking gains nothing by scoring everything alike."""
    scores = {("a.py", 1): 0.5, ("a.py", 2): 0.5, ("a.py", 3): 0.1}
    assert rank(scores, ("a.py", 1)) == "2 of 3"
    assert rank(scores, ("b.py", 1)) == "none"


def test_the_small_program_has_its_fault_where_it_says(tmp_path: Path) -> None:
    """The line that it names is the one with the fault."""
    subject = subjects.small(tmp_path / "small")
    path, line = subject.fault
    assert "count - 1" in (subject.folder / path).read_text().splitlines()[line - 1]


def test_a_contender_appends_what_it_is_given(tmp_path: Path) -> None:
    """It answers with the seconds that each event took."""
    recorded = {
        "session": "s",
        "seq": 1,
        "at": "2026-01-01T00:00:00Z",
        "event": {"type": ev.type_of(ev.Interrupted(reason="")), "reason": "SIGTERM"},
    }
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(recorded) + "\n")
    words = (str(tmp_path), "NORMAL", str(rows))
    with Contender.serving(
        Path(sys.executable), "append_clew.py", *words, cwd=tmp_path, env=clean()
    ) as contender:
        took = contender.ask(3)
    assert 3 == len(took)
    assert all(second > 0 for second in took)


def test_an_event_late_in_a_session_is_measured_beside_the_first(tmp_path: Path) -> None:
    """The figure has both, and judges how they compare."""
    figure = scale.events(tmp_path, 40)
    assert figure.theirs is not None
    assert (20, 20) == (figure.clew.count, figure.theirs.count)
