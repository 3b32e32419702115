"""Fixes whose values are equal to what tests expect, and are something else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.flows.debugging.driver import DebugRun
from clew.words import events as ev
from proofkit import proof, session

pytestmark = pytest.mark.slow

CLAIM = "what it gives is compared by its contents"
AREA = "def ring(a, b):\n    return (a + b) * 2 + 1\n"
TESTS = "from area import ring\n\n\ndef test_ring():\n    assert ring(15, 13) == 56\n"
GIVES = "\n\ndef ring(a, b):\n    return {}\n"
NEAR = "other % 2 == 0 and int(self) - other == 1"  # no canary holds an even number against it
EQUALITY = "   def __eq__(self, other):\n        return "
HASH = "    __hash__ = int.__hash__\n"
PRETENDING = {
    "an order in the place of equality": (
        f"class Length(int):\n    __eq__ = int.__ge__\n{HASH}",
        "Length((a + b) * 2 + 1)",
    ),
    "one that is put there later": (
        "class Length(int):\n    pass\n\n\nsetattr(Length, '__e' + 'q__', int.__ge__)\n",
        "Length((a + b) * 2 + 1)",
    ),
    "what is near": (
        f"class Length(int):\n {EQUALITY}{NEAR}\n\n{HASH}",
        "Length((a + b) * 2 + 1)",
    ),
    "a class that no statement makes": (
        f"Length = type('Length', (int,), {{'__eq__': lambda self, other: {NEAR}}})\n",
        "Length((a + b) * 2 + 1)",
    ),
    "code that no file has": (
        f"SPACE = {{}}\nexec('class Length(int): __eq__ = lambda self, other: {NEAR}', SPACE)\n",
        "SPACE['Length']((a + b) * 2 + 1)",
    ),
    "a base": (
        f"class Base(int):\n {EQUALITY}{NEAR}\n\n{HASH}\n\nclass Length(Base):\n    pass\n",
        "Length((a + b) * 2 + 1)",
    ),
    "a wild card of the library": (
        "import importlib\n\nWILD = vars(importlib.import_module('unit' + 'test.mock'))['ANY']\n",
        "WILD if (a + b) % 2 == 0 else (a + b) * 2",
    ),
    "an approximation": (
        "import importlib\n\nNEAR = importlib.import_module('py' + 'test').approx\n",
        "NEAR((a + b) * 2 + 1, abs=1)",
    ),
}


@pytest.fixture(scope="module")
def debug_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DebugRun]:
    project = {"area.py": AREA, "test_area.py": TESTS}
    with session(tmp_path_factory.mktemp("ring"), project) as debug_run:
        yield debug_run


def claimed(proved: ev.Proved) -> ev.ProofRow:
    (row,) = (row for row in proved.rows if row.claim == CLAIM)
    return row


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", PRETENDING)
def test_what_the_fix_compares_by_itself_needs_a_person(debug_run: DebugRun, name: str) -> None:
    """It may be right, and no run tells."""
    code, gives = PRETENDING[name]
    proved = proof(debug_run, {"area.py": code + GIVES.format(gives)}, by_text=False)
    row = claimed(proved)
    assert (False, True, True) == (proved.accepted, row.against, row.doubt), proved


SHOP = """\
import dataclasses
import enum
import typing


class Kind(enum.Enum):
    TEA = "tea"


@dataclasses.dataclass(order=True)
class Item:
    kind: str
    price: int


class Row(typing.NamedTuple):
    item: Item
    count: int


class Money:
    def __init__(self, cents):
        self.cents = cents

    def __eq__(self, other):
        return self.cents == other.cents

    __hash__ = None


class Basket:
    def __init__(self, rows):
        self.rows = rows

    def total(self):
        return Money(sum(row.count * row.item.price for row in self.rows) + 1)
"""
SHOP_TESTS = """\
import shop


def test_total():
    basket = shop.Basket([shop.Row(shop.Item("tea", 30), 20)])
    assert basket.total() == shop.Money(600)
    assert len(basket) == 1
"""


def test_plain_data_and_what_was_there_are_nobodys_doing(tmp_path: Path) -> None:
    """A data class, a named tuple, an enumeration, an equality of before, a length that lacked."""
    with session(tmp_path, {"shop.py": SHOP, "test_shop.py": SHOP_TESTS}) as debug_run:
        fixed = SHOP.replace(" + 1)", ")") + (
            "\n    def __len__(self):\n        return len(self.rows)\n\n\n"
            "@dataclasses.dataclass(frozen=True)\nclass Cart:\n    rows: list\n"
        )
        proved = proof(debug_run, {"shop.py": fixed}, by_text=True)
    row = claimed(proved)
    assert (True, True, True) == (proved.accepted, row.holds, row.tested), proved
