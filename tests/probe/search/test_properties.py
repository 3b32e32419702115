"""Property-based tests in a search."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from clew.probe.search.properties import hasten
from searchplay import DebugRun

PATCHING = "hypothesis.extra._patching"
WAITS = "def wait(first, failures):\n    return first + 2.0 ** failures\n"
PROPERTY = (
    "from hypothesis import given, settings, strategies as st\n\nfrom waits import wait\n\n\n"
    "@settings(max_examples=1000)\n"
    "@given(st.floats(0, 60), st.integers(1, 5))\ndef {name}({words}first, failures):\n"
    "    assert first == wait(first, 0)\n"
    "    assert 2 * wait(first, failures) == wait(first, failures + 1)\n"
)


@pytest.fixture(autouse=True)
def patching(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests run in the process whose own counterexamples may want a patch."""
    monkeypatch.setitem(sys.modules, PATCHING, sys.modules.get(PATCHING))
    monkeypatch.delitem(sys.modules, PATCHING)


@pytest.fixture
def waits(tmp_path: Path) -> DebugRun:
    shop = DebugRun(tmp_path)
    shop.write({"waits.py": WAITS})
    return shop


def test_a_red_property_is_red_at_its_first_counterexample(tmp_path: Path) -> None:
    """It is not made small; the next run tries it first, also after one that it did not refute."""
    tried: list[int] = []
    limit = 20

    @settings(database=None)
    @given(st.integers(0, 1000))
    def small(number: int) -> None:
        tried.append(number)
        assert number < limit

    with pytest.raises(AssertionError):
        small()
    whole = len(tried)

    assert hasten(small, str(tmp_path))
    tried.clear()
    with pytest.raises(AssertionError):
        small()
    found = tried[-1]
    limit = 2000
    small()
    limit = 20
    tried.clear()
    with pytest.raises(AssertionError):
        small()

    assert found == tried[-1]
    assert len(tried) < min(whole, 10)


def test_no_patch_is_written_for_a_counterexample(tmp_path: Path) -> None:
    """What would write it takes seconds to import, and every candidate would pay them."""

    @given(st.integers())
    def each(number: int) -> None:
        del number

    assert hasten(each, str(tmp_path))
    with pytest.raises(ImportError):
        importlib.import_module(PATCHING)


def test_a_property_keeps_what_its_own_settings_say(tmp_path: Path) -> None:
    """One that tries its explicit examples alone tries no others; one without chance has none."""

    @settings(phases=[Phase.explicit], derandomize=True, max_examples=7)
    @given(st.integers())
    def explicit(number: int) -> None:
        del number

    assert hasten(explicit, str(tmp_path))
    kept = explicit._hypothesis_internal_use_settings  # type: ignore[attr-defined]

    assert ((Phase.explicit,), None, 7) == (kept.phases, kept.database, kept.max_examples)


def test_a_test_without_examples_is_left_as_it_is(tmp_path: Path) -> None:
    """Whatever a collection may hold in a test's place."""
    assert not any(hasten(each, str(tmp_path)) for each in (None, len, Path, tmp_path.exists))


@pytest.mark.slow
def test_a_fault_that_a_property_notices_is_mended(waits: DebugRun) -> None:
    """A right candidate is given the time that all examples take, not that of a counterexample."""
    waits.write({"test_waits.py": PROPERTY.format(name="test_doubles", words="")})

    answer = waits.search("test_waits.py::test_doubles", seconds=40, test_timeout=10)

    assert "replace `+` by `*`" == answer.first["description"]


@pytest.mark.slow
def test_a_property_of_a_case_of_unittest_is_quick_as_well(waits: DebugRun) -> None:
    """Each of the runners that Python has."""
    body = PROPERTY.format(name="test_doubles", words="self, ")
    head, _, rest = body.partition("@settings")
    case = "class Waits(unittest.TestCase):\n" + "".join(
        f"    {line}\n" for line in ("@settings" + rest).splitlines()
    )
    waits.write({"test_waits.py": f"import unittest\n{head}{case}"})

    answer = waits.search(
        "test_waits.Waits.test_doubles", runner="unittest", seconds=40, test_timeout=10
    )

    assert "replace `+` by `*`" == answer.first["description"]
