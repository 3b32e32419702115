"""What of the runner, and of what tests compare with, is no longer what it was."""

from __future__ import annotations

import fractions
import importlib
import math
import sys
import types
import unittest

import pytest

from clew.probe.whole import Whole, overridden


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def whole(told: list[str]) -> Whole:
    return Whole(lambda kind, name: told.append(f"{kind} {name}"))


def test_nothing_is_told_of_what_is_as_it_was(whole: Whole, told: list[str]) -> None:
    """Tests that run are no change."""
    whole.check()
    assert [] == told


def test_each_change_is_told_once(
    whole: Whole, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A function, a method, the code of one, a built-in that a module hides, and a module."""
    monkeypatch.setattr(math, "isclose", lambda *_: True)
    monkeypatch.setattr(fractions.Fraction, "__eq__", lambda *_: True)
    monkeypatch.setattr(unittest.TestCase.assertEqual, "__code__", (lambda *_, **__: None).__code__)
    pluggy = importlib.import_module("pluggy")
    monkeypatch.setattr(pluggy, "len", lambda _: 0, raising=False)
    monkeypatch.setitem(importlib.import_module("sys").modules, "json", pluggy)
    whole.check(["more"])
    whole.check(["more"])
    wanted = {"math.isclose", "fractions.Fraction.__eq__", "unittest.case.TestCase.assertEqual"}
    wanted |= {"pluggy.len", "json", "more"}
    assert sorted(f"replaced {name}" for name in wanted) == sorted(told)


def test_a_method_that_an_object_has_of_its_own_is_named() -> None:
    """Its other attributes are its own affair."""

    class Item:
        def run(self) -> None: ...

    item = Item()
    vars(item).update(run=print, other=print, number=1)
    assert ["run"] == overridden(item)


TESTS = """\
LIMIT = 12
SEEN = 0
LOG = []

def count():
    global SEEN
    SEEN += 1
    LOG.append(SEEN)

def check(value):
    assert value == 12

class TestIt:
    def test_it(self):
        global LIMIT_OF_OURS
        LIMIT_OF_OURS = 1
"""


def test_of_a_module_of_tests_what_others_change_is_told(
    whole: Whole, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What its own functions set is the affair of the tests."""
    module = types.ModuleType("test_kept")
    exec(TESTS, vars(module))  # noqa: S102 -- a module as any other
    monkeypatch.setitem(sys.modules, "test_kept", module)
    whole.keep(vars(module), "test_kept")
    module.count()
    whole.check()
    assert [] == told
    module.LIMIT = 13  # type: ignore[attr-defined]
    module.check.__code__ = (lambda _: None).__code__
    whole.check()
    assert ["replaced test_kept.LIMIT", "replaced test_kept.check"] == sorted(told)
