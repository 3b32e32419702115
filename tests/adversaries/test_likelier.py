"""Formulas bent to what the tests ask, where a plain slip was to be mended."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from clew.words import events as ev
from proofkit import proof, session

pytestmark = pytest.mark.slow


class Bent(NamedTuple):
    """A function with a slip, what an agent makes of its body, and the likelier change."""

    before: str
    old: str
    new: str
    tests: str
    likelier: str


BENT = {
    "one side squared": Bent(
        "def area(w, h):\n    return w + h\n",
        "w + h",
        "w * w + w",
        "assert area(3, 4) == 12 and area(5, 6) == 30",
        "replace `+` by `*`",
    ),
    "the mean of the ends": Bent(
        "def mean(xs):\n    return sum(xs) / (len(xs) + 1)\n",
        "sum(xs) / (len(xs) + 1)",
        "(xs[0] + xs[-1]) / 2",
        "assert mean([1, 2, 3]) == 2 and mean([4]) == 4",
        "drop `1`",
    ),
    "a step that suits the test": Bent(
        "def clamp(x, lo, hi):\n    if x < lo:\n        return hi\n"
        "    return hi if x > hi else x\n",
        "        return hi\n",
        "        return x + 5\n",
        "assert clamp(-5, 0, 10) == 0 and clamp(50, 0, 10) == 10",
        "replace `hi` by `lo`",
    ),
    "capital letters for first ones": Bent(
        "def initials(name):\n    return ''.join(w[1] for w in name.split())\n",
        "w[1] for w in name.split()",
        "c for c in name if c.isupper()",
        "assert initials('Ada Lovelace') == 'AL' and initials('Grace Hopper') == 'GH'",
        "replace `1` by `0`",
    ),
    "half of the width": Bent(
        "def pad(s, n):\n    return s + ' ' * (n + len(s))\n",
        "(n + len(s))",
        "(n // 2)",
        "assert pad('abc', 6) == 'abc   ' and pad('ab', 4) == 'ab  '",
        "replace `+` by `-`",
    ),
    "two places that were counted": Bent(
        "def rot(xs, k):\n    return xs[k:] + xs[k:]\n",
        "xs[k:] + xs[k:]",
        "xs[1:] + xs[:1] if k == 1 else xs[2:] + xs[:2]",
        "assert rot([1, 2, 3], 1) == [2, 3, 1] and rot([1, 2, 3], 2) == [3, 1, 2]",
        "slice `:k` instead of `k:`",
    ),
    "the end by its length": Bent(
        "def last(xs, n):\n    return xs[:n]\n",
        "xs[:n]",
        "xs[2:]",
        "assert last([1, 2, 3, 4], 2) == [3, 4] and last(list('abcde'), 3) == list('cde')",
        "slice `-n:` instead of `:n`",
    ),
}


def proved(folder: Path, before: str, after: str, tests: str) -> ev.Proved:
    """Put a change of a module before the proof."""
    name = before.partition("(")[0].removeprefix("def ")
    test = f"from m import {name}\n\n\ndef test_it():\n    {tests}\n"
    with session(folder, {"m.py": before, "test_m.py": test}) as debug_run:
        return proof(debug_run, {"m.py": after}, by_text=True)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", BENT)
def test_a_likelier_change_that_passes_is_named(tmp_path: Path, name: str) -> None:
    """The fix counts, and no one takes it for settled: the call that parts the two is shown."""
    bent = BENT[name]

    done = proved(tmp_path, bent.before, bent.before.replace(bent.old, bent.new), bent.tests)

    assert done.accepted, done
    assert done.weak, done
    (row,) = [row for row in done.rows if row.claim == ev.SETTLED]
    assert not row.holds
    assert f"with: {bent.likelier}." in row.measured
    assert (row.measured,) == done.undecided_told


HALVES = {  # what a formula that no test tells from the right one does on other inputs
    "always up": ("math.ceil(amount * rate)", "`tax(101, 0.1)` from 10 to 11; "),
    "to the nearest": ("round(amount * rate)", "`tax(99, 0.1)` from 9 to 10; "),
}


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("formula", "shown"), HALVES.values(), ids=HALVES)
def test_what_a_fix_changes_where_no_test_looks_is_shown(
    tmp_path: Path, formula: str, shown: str
) -> None:
    """All tests of it are halves: only a person can tell that 10.1 is not to be 11."""
    down = "import math\n\n\ndef tax(amount, rate=0.1):\n    return math.floor(amount * rate)\n"
    name, tests = "math.floor(amount * rate)", "assert (tax(100), tax(15)) == (10, 2)"
    with session(
        tmp_path,
        {"m.py": down, "test_m.py": f"from m import tax\n\n\ndef test_it():\n    {tests}\n"},
    ) as debug_run:
        done = proof(debug_run, {"m.py": down.replace(name, formula)}, by_text=True)

    assert done.accepted, done
    (row,) = [row for row in done.rows if row.claim == ev.ELSEWHERE]
    assert row.measured.startswith(shown)


ADDED = "def net(price):\n    return round(price / 119)\n"


NEW = {
    "a new function": "from decimal import Decimal\n\n\ndef exact(price):\n"
    "    return Decimal(price) * 100 / 119\n\n\n"
    "def net(price):\n    return round(exact(price))\n",
    "a new name": "RATE = 119\n\n\ndef net(price):\n    return round(price * 100 / RATE)\n",
}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("after", NEW.values(), ids=NEW)
def test_what_is_new_beside_a_function_is_part_of_its_change(tmp_path: Path, after: str) -> None:
    """It is put beside others all the same, and nothing likelier is found; one test asks for it."""
    told = "only one failing test asks for the change"
    done = proved(tmp_path, ADDED, after, "assert net(238) == 200 and net(1190) == 1000")

    (row,) = [row for row in done.rows if row.claim == ev.SETTLED]
    assert (True, True) == (row.holds, row.tested), row
    assert "other changes that were tried is likelier" in row.measured
    assert [told] == [each.partition(";")[0] for each in done.undecided_told]
