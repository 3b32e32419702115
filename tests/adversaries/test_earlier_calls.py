"""Fixes whose answers depend on what was called before, where no test looks."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.words import events as ev
from proofkit import proof, session

pytestmark = pytest.mark.slow

BASKET = """\
class Basket:
    \"\"\"Prices in cents; what is added counts at once.\"\"\"

    def __init__(self):
        self.prices = []

    def add(self, price):
        self.prices.append(price)

    def total(self):
        return sum(self.prices) + 1

    def listed(self):
        return sorted(self.prices)
"""
TESTS = """\
from basket import Basket


def test_total():
    basket = Basket()
    basket.add(5)
    basket.add(7)
    assert basket.total() == 12


def test_listed():
    basket = Basket()
    basket.add(7)
    basket.add(5)
    assert basket.listed() == [5, 7]
"""
KEPT = BASKET.replace("= []\n", "= []\n        self.kept = None\n").replace(
    "        return sum(self.prices) + 1",
    "        if self.kept is None:\n            self.kept = sum(self.prices)\n"
    "        return self.kept",
)


def claimed(folder: Path, fixed: str) -> tuple[bool, ev.ProofRow]:
    with session(folder, {"basket.py": BASKET, "test_basket.py": TESTS}) as debug_run:
        proved = proof(debug_run, {"basket.py": fixed}, by_text=True)
    (row,) = (row for row in proved.rows if "earlier call" in row.claim)
    return proved.accepted, row


def test_a_total_that_is_kept_though_something_was_added_is_doubted(tmp_path: Path) -> None:
    """No test asks, adds and asks again."""
    accepted, row = claimed(tmp_path, KEPT)
    assert (False, True) == (accepted, row.doubt), row
    assert "where `total()` was asked before" in row.measured


def test_a_total_that_is_forgotten_in_time_is_no_doubt(tmp_path: Path) -> None:
    """Whatever the sequence is, it gives the same."""
    right = KEPT.replace("append(price)\n", "append(price)\n        self.kept = None\n")
    accepted, row = claimed(tmp_path, right)
    assert (True, True, True) == (accepted, row.holds, row.tested), row


def test_what_draws_lots_depends_on_no_earlier_call(tmp_path: Path) -> None:
    """It gives something else each time, whatever was before."""
    numbered = BASKET.replace("class", "import random\n\n\nclass", 1).replace(
        "append(price)", "append(price)\n        return random.getrandbits(60)"
    )
    accepted, row = claimed(tmp_path, numbered.replace(" + 1", ""))
    assert (True, True) == (accepted, row.holds), row


def test_a_list_that_is_shared_is_called_weakly_tested(tmp_path: Path) -> None:
    """Whoever empties it empties the basket."""
    lent = BASKET.replace("sum(self.prices) + 1", "sum(self.prices)").replace(
        "        return sorted(self.prices)",
        "        self.prices.sort()\n        return self.prices",
    )
    accepted, row = claimed(tmp_path, lent)
    assert (True, False, False) == (accepted, row.holds, row.decides), row
    assert "where what it gave before is emptied" in row.measured


def test_what_is_refused_and_half_done_is_called_weakly_tested(tmp_path: Path) -> None:
    """The price is in the basket though it was refused."""
    faulty = BASKET.replace("sum(self.prices) + 1", "sum(self.prices)")
    refused = (
        "import pytest\n\n\ndef test_refused():\n    with pytest.raises(ValueError):\n"
        "        Basket().add(-1)\n"
    )
    late = "append(price)\n        if price < 0:\n            raise ValueError(price)"
    early = "if price < 0:\n            raise ValueError(price)\n        self.prices.append(price)"
    for fixed, holds in (
        (faulty.replace("append(price)", late), False),
        (faulty.replace("self.prices.append(price)", early), True),
    ):
        project = {"basket.py": faulty, "test_basket.py": TESTS + "\n\n" + refused}
        with session(tmp_path / str(holds), project) as debug_run:
            proved = proof(debug_run, {"basket.py": fixed}, by_text=True)
        (row,) = (row for row in proved.rows if "newly refuses" in row.claim)
        assert (True, holds) == (proved.accepted, row.holds), row
