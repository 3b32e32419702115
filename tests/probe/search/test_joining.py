"""Several faults at once: the fixes of each, put together."""

from __future__ import annotations

import pytest

from clew.probe.search.joining import unions
from clew.probe.search.ranking import Survivor
from clew.probe.search.source import Patch, Splice
from searchplay import DebugRun

FAULTS = {
    "add": ("return a - b", "return a + b", "assert add(2, 3) == 5"),
    "least": ("return max(a, b)", "return min(a, b)", "assert least(2, 3) == 2"),
    "first": ("return (a, b)[1]", "return (a, b)[0]", "assert first(2, 3) == 2"),
    "equal": ("return a != b", "return a == b", "assert equal(2, 2) is True"),
    "twice": ("return (a + b) * 3", "return (a + b) * 2", "assert twice(1, 2) == 6"),
    "less": ("return a >= b", "return a < b", "assert less(1, 2) is True"),
    "both": ("return a or b", "return a and b", "assert both(0, 2) == 0"),
    "size": ("return len(a) - len(b)", "return len(a) + len(b)", "assert size('a', 'bc') == 3"),
}


def write(shop: DebugRun, names: list[str], files: int) -> list[str]:
    """Write functions with a fault each, over some files, and their tests; return these."""
    texts = dict.fromkeys((f"part{n}.py" for n in range(files)), "")
    for index, name in enumerate(names):
        texts[f"part{index % files}.py"] += f"def {name}(a, b):\n    {FAULTS[name][0]}\n\n\n"
    tests = "".join(f"def test_{name}():\n    {FAULTS[name][2]}\n\n\n" for name in names)
    shop.write(
        {**texts, "test_all.py": "".join(f"from {p[:-3]} import *\n" for p in texts) + tests}
    )
    return [f"test_all.py::test_{name}" for name in names]


@pytest.mark.slow
@pytest.mark.parametrize("files", [1, 3])
def test_eight_faults_in_any_files_are_mended_together(shop: DebugRun, files: int) -> None:
    """Each is named with the tests that it made red."""
    red = write(shop, list(FAULTS), files)
    first = shop.search(*red).first
    assert first["complete"], first
    assert set(red) == set(first["turns_green"])
    parts = {part["function"]: part["turns_green"] for part in first["parts"]}
    assert parts == {name: [f"test_all.py::test_{name}"] for name in FAULTS}
    mended = "".join(shop.repaired(first).values())
    assert FAULTS["add"][1] in mended
    assert FAULTS["least"][1] in mended


def test_a_fault_that_another_hides_spoils_no_fix_of_the_others(shop: DebugRun) -> None:
    """What made up for the other fault alone is left out again."""
    red = write(shop, ["add", "least", "first"], 1)
    shop.write(
        {
            "mean.py": "from part0 import add\n\n\ndef mean(n):\n    return add(n, 4) / (n + 3)\n",
            "test_mean.py": "from mean import mean\n\n\n"
            "def test_mean():\n    assert mean(6) == 1\n    assert mean(1) == 1\n",
        }
    )
    first = shop.search(*red, "test_mean.py::test_mean").first
    assert set(red) <= set(first["turns_green"])
    assert FAULTS["add"][1] in shop.repaired(first)["part0.py"]
    assert first["complete"] == ("mean.py" in shop.repaired(first))


def mends(family: str, at: int, *greens: str) -> Survivor:
    patch = Patch("a.py", at, family, 1.0, f"{family} {at}", (Splice(at, at + 1, "x"),))
    return Survivor(patch, greens, ("rest",), 1.0, at)


def test_one_odd_change_is_held_against_plain_ones_that_mend_the_same_together() -> None:
    """`quantity += 1` before two conditions that both are to be `>=`."""
    odd, plain = mends("insert", 5, "a", "b"), mends("comparison", 6, "a")
    also, tax = mends("comparison", 9, "b"), mends("offset", 20, "c")

    joined = [set(patch.parts) for patch in unions([odd, plain, also, tax])]

    assert {odd.patch, tax.patch} in joined
    assert {plain.patch, also.patch, tax.patch} in joined
    both = mends("comparison", 5, "a", "b")  # one plain change needs no others in its place
    alone = {frozenset(patch.parts) for patch in unions([both, plain, also, tax])}
    assert frozenset([plain.patch, also.patch, tax.patch]) not in alone


def test_the_same_parts_in_another_order_are_the_same_change() -> None:
    one, other = mends("comparison", 5, "a"), mends("offset", 20, "b")
    (joined,) = unions([one, other])
    assert {one.patch, other.patch} == set(joined.parts)


def test_what_passes_in_the_place_of_one_part_is_no_less_a_rival(shop: DebugRun) -> None:
    """Beside a fault that is plain, one that the tests leave open stays open."""
    red = write(shop, ["add", "least"], 1)
    shop.write(
        {
            "money.py": "def discount(amount, percent):\n"
            "    return amount - amount * percent / 10\n",
            "test_money.py": "from money import discount\n\n\n"
            "def test_one():\n    assert discount(200, 10) == 180\n\n\n"
            "def test_other():\n    assert discount(100, 10) == 90\n",
        }
    )
    answer = shop.search(*red, "test_money.py::test_one", "test_money.py::test_other", seconds=40)
    complete = [each for each in answer.candidates if each["complete"]]
    texts = {shop.repaired(each)["money.py"] for each in complete}
    assert len(texts) > 1, answer.candidates
    assert any(each["parting"] for each in complete)
