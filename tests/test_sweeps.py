"""A run takes a part of each sweep, and some runs in a row take all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sweeps

TESTS = """
import pytest

pytestmark = pytest.mark.slow

@pytest.mark.sweep(2, by=("letter",))
@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("letter", "abc")
def test_swept(letter, number):
    print("ran", letter, number)

@pytest.mark.sweep(1)
@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_few(number):
    print("ran", number)

@pytest.mark.parametrize("number", range(8))
def test_no_sweep(number):
    print("ran", number)
"""
CASES = st.lists(st.integers(), unique=True, min_size=1, max_size=40)
MOST = st.integers(1, 12)
RUNS = st.integers(0, 30_000)


@given(cases=CASES, most=MOST, through=RUNS)
def test_runs_in_a_row_take_every_case(cases: list[int], most: int, through: int) -> None:
    """As many runs as there are parts; twice as many are enough, whichever is the first."""
    many = -(-len(cases) // most)
    runs = range(through * many, (through + 1) * many)
    assert set(cases) == {case for run in runs for case in sweeps.part(cases, most, run)}


@pytest.mark.parametrize("days", [2, 3, 7])
def test_who_runs_seldom_takes_every_case_as_well(days: int) -> None:
    """The days between may be a multiple of the parts."""
    taken = {case for run in range(0, 60 * days, days) for case in sweeps.part("abcdef", 1, run)}
    assert set("abcdef") == taken


@given(cases=CASES, most=MOST, run=RUNS)
def test_a_part_has_its_size_and_each_kind(cases: list[int], most: int, run: int) -> None:
    """The same number takes the same part; kinds may make it larger, by no more than they are."""
    chosen = sweeps.part(cases, most, run)
    assert min(most, len(cases)) == len(chosen)
    assert [case for case in cases if case in chosen] == chosen == sweeps.part(cases, most, run)

    kinds: list[Callable[[int], int]] = [lambda case: case % 3, lambda case: case > 0]
    more = sweeps.part(cases, most, run, kinds)
    assert {*chosen} <= {*more}
    assert len(more) <= len(chosen) + 3 + 2
    for kind in kinds:
        assert {kind(case) for case in cases} == {kind(case) for case in more}


@given(cases=CASES, most=MOST)
def test_without_a_number_all_is_run(cases: list[int], most: int) -> None:
    """A sample is taken only where it was asked for."""
    assert cases == sweeps.part(cases, most, None)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A small suite under the same rules."""
    for rules in ("conftest.py", "sweeps.py"):
        shutil.copy(Path(__file__).with_name(rules), tmp_path)
    (tmp_path / "test_tests.py").write_text(TESTS)
    marks = "markers =\n  slow\n  sweep\n"
    (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = --strict-markers\n{marks}")
    return tmp_path


def said(suite: Path, *words: str, sweep: str | None) -> tuple[int, str]:
    kept = {name: value for name, value in os.environ.items() if name != "CLEW_SWEEP"}
    kept["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    own = {} if sweep is None else {"CLEW_SWEEP": sweep}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rP", *words]
    done = subprocess.run(
        command, env=kept | own, cwd=suite, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_a_run_with_a_number_says_it_and_leaves_the_rest_out(suite: Path) -> None:
    """Each letter is there; of what is no sweep one in three is run."""
    code, out = said(suite, sweep="7")
    assert 0 == code, out
    assert "sweeps: part 7 of each; CLEW_SWEEP=7 runs it again" in out
    assert all(f"ran {letter} " in out for letter in "abc")
    assert out.count("ran ") == 3 + 1 + 3, out
    assert f"{22 - 7} deselected" in out


def test_a_run_without_a_number_is_whole(suite: Path) -> None:
    """On a developer's machine nothing is left out."""
    code, out = said(suite, sweep=None)
    assert (0, 22) == (code, out.count("ran "))
    assert "sweeps: whole" in out


def test_a_case_that_is_named_is_run(suite: Path) -> None:
    """Whatever the part of this run is."""
    named = [f"test_tests.py::test_few[{number}]" for number in (1, 2)]
    for name in named:
        code, out = said(suite, name, sweep="7")
        assert (0, 1) == (code, out.count("ran ")), out


def test_what_is_no_number_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """`all` is one for which everything is run."""
    monkeypatch.setenv("CLEW_SWEEP", "all")
    assert (None, 7) == (sweeps.number(), sweeps.rounds(3, of=7))
    monkeypatch.setenv("CLEW_SWEEP", "0")
    assert (0, 3) == (sweeps.number(), sweeps.rounds(3, of=7))
    monkeypatch.setenv("CLEW_SWEEP", "some")
    with pytest.raises(pytest.UsageError, match="CLEW_SWEEP is 'some': neither a number nor `all`"):
        sweeps.header()
