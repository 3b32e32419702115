"""A regression is mended by what was there before, if a commit still has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.probe.search.fixers.earlier import pieces
from clew.probe.search.source import Source, apply_changes
from searchplay import DebugRun

BEFORE = """LIMIT = 100


def grouped(rows):
    totals = {}
    for name, amount in rows:
        if amount < 0:
            continue
        key = name.strip().lower()
        totals[key] = totals.get(key, 0) + amount
    return totals


def first(rows=None):
    return list(rows or ())[:1]
"""
NOW = """LIMIT = 100


def grouped(rows):
    totals = {}
    for name, amount in rows:
        key = name.strip()
        totals.setdefault(key, amount)
    return totals


def first(rows=[]):
    return rows[:1]


def newer(rows):
    return sorted(grouped(rows))
"""
TESTS = """from code_ import grouped, newer


def test_refunds_do_not_count():
    assert grouped([("Ann", 9), ("Bob", 4), ("bob", 4), ("Bob", -9)]) == {"ann": 9, "bob": 8}


def test_newer():
    assert newer([("b", 1), ("a", 2)]) == ["a", "b"]
"""


def test_functions_and_files_are_put_back_whole_and_in_parts() -> None:
    now, before = Source("a.py", NOW), Source("a.py", BEFORE)
    found = {
        what: apply_changes(NOW, changes)
        for what, _, _, changes in pieces(now, before)
        if not what.startswith("a part")
    }
    both = "`grouped` and `first` as they were"
    assert ["`grouped` as it was", "`first` as it was", both, "the file as it was"] == list(found)
    assert BEFORE == found["the file as it was"]
    assert (
        "LIMIT = 100" + BEFORE.partition("100")[2]
        == found[both].partition("\n\n\ndef newer")[0] + "\n"
    )
    assert [] == list(pieces(now, now))


def test_of_many_functions_that_are_put_back_together_three_are_named() -> None:
    now, before = (
        Source("a.py", "\n\n".join(f"def {name}():\n    return {value}\n" for name in "abcde"))
        for value in (1, 2)
    )
    said = [what for what, *_ in pieces(now, before) if " and " in what]
    assert ["`a`, `b`, `c` and 2 more as they were"] == said


@pytest.mark.parametrize("commit", ["1a2b3c4d5e", "your uncommitted changes"])
def test_a_function_of_several_lines_comes_back(tmp_path: Path, commit: str) -> None:
    """What came after it stays; a text that is no Python any more is passed over."""
    shop = DebugRun(tmp_path)
    shop.write({"code_.py": NOW, "test_code.py": TESTS})
    earlier = [("code_.py", "0" * 10, "def ("), ("code_.py", commit, BEFORE)]

    answer = shop.search("test_code.py::test_refunds_do_not_count", earlier=earlier)

    assert f"put back `grouped` as it was before {commit}" == answer.first["description"]
    assert "totals.get(key, 0)" in shop.repaired(answer.first)["code_.py"]
    assert "def newer" in shop.repaired(answer.first)["code_.py"]


def test_what_is_outside_of_functions_comes_back_too(tmp_path: Path) -> None:
    """A default and a constant are tried in a new import, and win over what happens to pass."""
    shop = DebugRun(tmp_path)
    before = "LIMIT = 100\n\n\ndef free(items=None):\n    return sum(items or ()) >= LIMIT\n"
    shop.write(
        {
            "cart.py": before.replace("100", "10"),
            "test_cart.py": "from cart import free\n\n\ndef test_free():\n"
            "    assert not free([50])\n\n\ndef test_limit():\n    assert free([100])\n",
        }
    )

    answer = shop.search("test_cart.py::test_free", earlier=[("cart.py", "1a2b3c4d5e", before)])

    assert "put back the file as it was before 1a2b3c4d5e" == answer.first["description"]
    assert before == shop.repaired(answer.first)["cart.py"]
