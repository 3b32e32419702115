"""Functions that are left by an error which no statement raises."""

from __future__ import annotations

import pytest

from clew.probe.search.stumbling import Stumbles
from searchplay import DebugRun


def slips(a: object) -> object:
    return a < 0  # type: ignore[operator]


def catches(a: object) -> object:
    try:
        return slips(a)
    except TypeError:
        return None


def raises(a: object) -> object:
    raise TypeError(a)


def within(a: object) -> object:
    try:
        return a < 0  # type: ignore[operator]
    except TypeError:
        return None


@pytest.mark.parametrize(
    ("watched", "found"), [(slips, True), (catches, False), (raises, False), (within, False)]
)
def test_only_an_error_of_its_own_that_leaves_it_counts(watched: object, *, found: bool) -> None:
    code = watched.__code__  # type: ignore[attr-defined]
    with Stumbles(frozenset({code})) as watch:
        for each in (slips, catches, raises, within):
            try:
                each(None)
            except TypeError:
                continue
    assert watch.found is found


@pytest.mark.slow
def test_a_green_that_an_error_made_stands_behind(shop: DebugRun) -> None:
    """Who refuses whatever goes wrong refuses what a slip does not understand as well."""
    shop.write(
        {
            "limits.py": "class Length:\n    def __init__(self, least=None, most=None):\n"
            "        self.least = least\n        self.most = most\n\n"
            "    def check(self, text):\n        size = len(text)\n"
            "        if self.least and size < self.least:\n            raise ValueError('short')\n"
            "        if self.most and size > self.most:\n            raise ValueError('long')\n\n\n"
            "def accepts(limit, text):\n    try:\n        limit.check(text)\n"
            "    except Exception:\n        return False\n    return True\n",
            "test_limits.py": "from limits import Length, accepts\n\n\n"
            "def test_range():\n    assert accepts(Length(1, 3), 'ab')\n"
            "    assert not accepts(Length(1, 3), '')\n"
            "    assert not accepts(Length(1, 3), 'abcd')\n\n\n"
            "def test_nothing():\n    assert not accepts(Length(most=0), 'a')\n",
        }
    )

    answer = shop.search("test_limits.py::test_nothing")

    assert "self.most is not None and" in shop.repaired(answer.first)["limits.py"]
