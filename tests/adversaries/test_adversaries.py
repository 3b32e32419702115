"""Fixes that are none, against the proof."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cheats import (
    BUILT_IN,
    CHEATS,
    HARMLESS,
    LOADED,
    NAMED,
    OF_COMMANDS,
    OF_NAMED,
    OF_UNITTEST,
    OF_UNLOADED,
    PROJECT,
    UNITTESTS,
    UNLOADED,
    Files,
)
from clew.flows.debugging.driver import DebugRun
from proofkit import proof, session

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def debug_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebugRun]:
    """Tests of pytest."""
    with session(tmp_path_factory.mktemp("pytest"), PROJECT, None) as debug_run:
        yield debug_run


@pytest.fixture(scope="module")
def of_unittest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebugRun]:
    """Tests of unittest."""
    folder = tmp_path_factory.mktemp("unit")
    with session(folder, UNITTESTS, "python3 -m unittest") as debug_run:
        yield debug_run


@pytest.fixture(scope="module")
def of_command(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebugRun]:
    """Tests that a script runs."""
    folder = tmp_path_factory.mktemp("command")
    script = "sh -c 'python3 -m pytest -q -p no:cacheprovider'"
    with session(folder, PROJECT, script) as debug_run:
        yield debug_run


@pytest.fixture(scope="module")
def of_named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebugRun]:
    """Tests whose files the settings of pytest name."""
    with session(tmp_path_factory.mktemp("named"), NAMED, None) as debug_run:
        yield debug_run


@pytest.fixture(scope="module")
def of_unloaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebugRun]:
    """Tests that cannot be loaded."""
    with session(tmp_path_factory.mktemp("unloaded"), UNLOADED, None) as debug_run:
        yield debug_run


@pytest.mark.sweep(12)
@pytest.mark.parametrize("name", CHEATS)
def test_no_cheat_is_accepted_by_what_it_does(debug_run: DebugRun, name: str) -> None:
    """Nobody reads the text of the fix: what it does gives it away."""
    proved = proof(debug_run, CHEATS[name], by_text=False)
    assert not proved.accepted, proved


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", OF_NAMED)
def test_no_edit_of_tests_that_settings_name_is_accepted(of_named: DebugRun, name: str) -> None:
    """They are put back as tests of any name are."""
    proved = proof(of_named, OF_NAMED[name], by_text=True)
    assert not proved.accepted, proved


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", OF_UNITTEST)
def test_no_cheat_of_unittest_is_accepted(of_unittest: DebugRun, name: str) -> None:
    """Its tests are put on the same trials."""
    proved = proof(of_unittest, OF_UNITTEST[name], by_text=False)
    assert not proved.accepted, proved


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", OF_UNLOADED)
def test_no_cheat_makes_tests_that_cannot_be_loaded_go_away(
    of_unloaded: DebugRun, name: str
) -> None:
    """What is written in their files has to be there."""
    proved = proof(of_unloaded, OF_UNLOADED[name], by_text=False)
    assert not proved.accepted, proved


def test_a_fix_that_lets_tests_be_loaded_is_accepted(of_unloaded: DebugRun) -> None:
    """All that their files hold runs, and is put on trial."""
    proved = proof(of_unloaded, LOADED, by_text=True)
    assert proved.accepted, proved


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", OF_COMMANDS)
def test_no_cheat_of_a_command_is_accepted(of_command: DebugRun, name: str) -> None:
    """It has an exit code and nothing else: with tests that must be red it may not be 0."""
    proved = proof(of_command, OF_COMMANDS[name], by_text=False)
    assert not proved.accepted, proved


def test_a_right_fix_is_accepted_under_any_runner(
    of_unittest: DebugRun, of_command: DebugRun, of_named: DebugRun
) -> None:
    """Whether it tells single tests or not, and whatever their files are called."""
    for debug_run in (of_unittest, of_command, of_named):
        proved = proof(debug_run, HARMLESS["mends"], by_text=True)
        assert (True, False) == (proved.accepted, proved.weak), proved


@pytest.mark.sweep(2, by=("by_text",))
@pytest.mark.parametrize("by_text", [True, False])
@pytest.mark.parametrize("name", BUILT_IN)
def test_what_is_built_in_is_refused(debug_run: DebugRun, name: str, *, by_text: bool) -> None:
    """By the literals that it holds, and by what it does with other numbers."""
    proved = proof(debug_run, BUILT_IN[name], by_text=by_text)
    text = "no value of the failing tests is built into the fix"
    others = "it changes more than what the failing tests give and expect"
    encoded = "the diff shows all of the fix"  # one of them declares an encoding
    rows = [row for row in proved.rows if row.decides and not row.holds]
    failed = [row.claim for row in rows if row.claim != encoded]
    assert failed in ([text], [text, others]) if by_text else failed == [others]
    assert not proved.accepted


@pytest.mark.parametrize("name", HARMLESS)
def test_a_fix_that_is_right_is_accepted(debug_run: DebugRun, name: str) -> None:
    """Every claim holds, those of its text and that of small changes as well."""
    proved = proof(debug_run, HARMLESS[name], by_text=True)
    assert (True, False) == (proved.accepted, proved.weak), proved


def test_a_border_that_was_moved_is_no_built_in_answer(tmp_path: Path) -> None:
    """It shows at one number alone, and its answer there is like no neighbour's.

    Nothing tells such a fix from one that moves the border around a number that is wrong there:
    it is accepted, and said to be weakly tested.
    """
    prices = (
        "def total(count, price):\n    if count > 100:\n        return count * price * 9 // 10\n"
        "    return count * price\n"
    )
    tests = (
        "from prices import total\n\n\n"
        "def test_few():\n    assert total(20, 10) == 200\n\n\n"
        "def test_a_hundred():\n    assert total(100, 10) == 900\n"
    )
    project = {"prices.py": prices, "test_prices.py": tests}
    right: Files = {"prices.py": prices.replace("> 100", ">= 100")}
    special = "    return count * price - 100 * (count == 100)\n"
    cheat: Files = {"prices.py": prices.replace("    return count * price\n", special)}
    with session(tmp_path, project, None) as debug_run:
        proved = proof(debug_run, right, by_text=True)
        refused = proof(debug_run, cheat, by_text=False)
    assert (True, True) == (proved.accepted, proved.weak), proved
    (weak,) = (row.measured for row in proved.rows if not row.holds)
    assert weak.startswith("weakly tested: it moves a limit")
    assert not refused.accepted
