"""Several faults in one project, mended in one session."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine, Said
from projects import commit_all, git, write

RIGHT = {
    "shop/__init__.py": "",
    "shop/cart.py": "def total(prices):\n    return sum(prices)\n\n\n"
    "def largest(prices):\n    return max(prices)\n",
    "shop/tax.py": "def gross(net, percent):\n    return net + net * percent / 100\n",
}
FAULTS = {"max(": "min(", "net + net": "net - net"}
TESTS = {
    "test_cart.py": "from shop.cart import largest, total\n\n\n"
    "def test_total():\n    assert total([1, 2]) == 3\n\n\n"
    "def test_largest():\n    assert largest([1, 3, 2]) == 3\n",
    "test_tax.py": "from shop.tax import gross\n\n\n"
    "def test_gross():\n    assert gross(100, 19) == 119\n\n\n"
    "def test_other():\n    assert gross(200, 10) == 220\n",
}

FIVE = {
    "prices.py": """'''Prices in cents.'''

RATES = {"standard": 19, "reduced": 7}


def with_tax(cents, rate="standard"):
    return cents + cents * RATES[rate] // 10


def total(lines):
    return sum(with_tax(cents, rate) for cents, rate in lines)


def rebate(cents, percent):
    return cents - cents * percent // 100
""",
    "words.py": """'''Words of a text.'''

import re


def words(text):
    return re.findall(r"[a-z]+", text.lower())


def longest(text):
    return min(words(text), key=len, default="")


def counted(text):
    found = {}
    for word in words(text):
        found[word] = found.get(word, 0) + 1
    return found
""",
    "queues.py": """'''A queue whose entries are worked off in turns.'''


def drained(queue, size):
    '''Return the entries in batches of a size.'''
    found, start = [], 0
    while start < len(queue):
        found.append(queue[start : start + size])
        start += 0
    return found


def first(queue, default=None):
    return queue[0] if queue else default
""",
    "dates.py": """'''Days and weeks.'''


def is_leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in(month, year):
    if month == 2:
        return 29 if is_leap(month) else 28
    return 30 if month in (4, 6, 9, 11) else 31
""",
    "stack.py": """'''A bounded stack.'''


class Stack:
    def __init__(self, size):
        self.size = size
        self.items = []

    def push(self, item):
        if len(self.items) > self.size:
            raise OverflowError("the stack is full")
        self.items.append(item)

    def pop(self):
        return self.items.pop()
""",
}
FAULT_OF = {  # in each file, with what is right
    "prices.py": ("// 10\n", "// 100\n"),
    "words.py": ("min(", "max("),
    "queues.py": ("start += 0", "start += size"),
    "dates.py": ("is_leap(month) else", "is_leap(year) else"),
    "stack.py": ("> self.size", ">= self.size"),
}
FIVE_TESTS = {
    "tests/test_dates.py": """import pytest

from dates import days_in, is_leap


@pytest.mark.parametrize(
    ("month", "year", "wanted"),
    [
        (2, 2024, 29),
        (2, 2000, 29),
        (2, 2020, 29),
        (2, 1996, 29),
        (2, 2023, 28),
        (4, 2023, 30),
        (1, 2023, 31),
    ],
)
def test_days_in(month, year, wanted):
    assert days_in(month, year) == wanted


def test_is_leap():
    assert is_leap(2000)
    assert not is_leap(1900)
""",
    "tests/test_prices.py": """import pytest

from prices import rebate, total, with_tax


@pytest.mark.parametrize(
    ("cents", "rate", "wanted"),
    [
        (1000, "standard", 1190),
        (1000, "reduced", 1070),
        (200, "standard", 238),
        (5000, "reduced", 5350),
    ],
)
def test_with_tax(cents, rate, wanted):
    assert with_tax(cents, rate) == wanted


def test_total():
    assert total([(1000, "standard"), (1000, "reduced")]) == 2260


def test_rebate():
    assert rebate(1000, 10) == 900
""",
    "tests/test_queues.py": """import pytest

from queues import drained, first


@pytest.mark.parametrize(
    ("queue", "size", "wanted"),
    [([1, 2, 3], 2, [[1, 2], [3]]), ([1], 1, [[1]]), ([1, 2, 3, 4], 2, [[1, 2], [3, 4]])],
)
def test_drained(queue, size, wanted):
    assert drained(queue, size) == wanted


def test_drained_of_nothing():
    assert drained([], 2) == []


def test_first():
    assert first([4, 5]) == 4
    assert first([]) is None
""",
    "tests/test_stack.py": """import pytest

from stack import Stack


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_full(size):
    stack = Stack(size)
    for number in range(size):
        stack.push(number)
    with pytest.raises(OverflowError):
        stack.push(size)


def test_pop():
    stack = Stack(2)
    stack.push("a")
    assert stack.pop() == "a"
""",
    "tests/test_words.py": """import pytest

from words import counted, longest


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("a bee sees", "sees"), ("one three", "three"), ("so it goes", "goes"), ("on and on", "and")],
)
def test_longest(text, wanted):
    assert longest(text) == wanted


def test_longest_of_nothing():
    assert longest("") == ""


def test_counted():
    assert counted("on and on") == {"on": 2, "and": 1}
""",
    "pytest.ini": "[pytest]\npythonpath = .\n",
    "clew.toml": "test-timeout = 2\n",
}


@pytest.mark.slow
def test_each_has_a_commit_of_its_own_on_the_branch(tmp_path: Path) -> None:
    """Which a person can take or leave by itself; together they are the proven fix."""
    wrong = dict(RIGHT)
    for path, text in RIGHT.items():
        for right, fault in FAULTS.items():
            text = text.replace(right, fault)  # noqa: PLW2901 - a fault more
        wrong[path] = text
    clew = CommandLine(commit_all(write(tmp_path / "shop", wrong | TESTS)), tmp_path / "state")

    done = clew.run("fix", "--json")
    applied = clew.run("apply")

    assert 0 == done.code, done.out + done.err
    assert 0 == applied.code, applied.err
    branch = f"clew/{done.summary['session_id']}"
    log = git(clew.project, "log", "--format=%s", "--name-only", f"HEAD..{branch}").split("\n")
    assert ["shop/cart.py", "shop/tax.py"] == sorted(line for line in log if "/" in line)
    assert 2 == sum(line.startswith("fix: replace ") for line in log), log
    assert "" == git(clew.project, "diff", branch, "--", "shop")
    assert RIGHT["shop/tax.py"] == git(clew.project, "show", f"{branch}:shop/tax.py")


@pytest.mark.slow
def test_a_crash_and_what_it_hid_are_mended_in_one_iteration(tmp_path: Path) -> None:
    """No test turns green with either repair alone; each has its commit and its paragraph."""
    files = {
        "tax.py": "def taxed(price):\n    return price + 19\n",
        "bill.py": "from tax import taxed\n\n\n"
        "def bill(prices):\n    total = sum(pricse)\n    return taxed(total)\n",
        "test_bill.py": "from bill import bill\n\n\n"
        "def test_one():\n    assert bill([2]) == 38\n\n\n"
        "def test_two():\n    assert bill([2, 3]) == 95\n",
    }
    clew = CommandLine(commit_all(write(tmp_path / "bill", files)), tmp_path / "state")

    done = clew.run("fix", "--json")
    applied = clew.run("apply")

    assert (0, 0) == (done.code, applied.code), done.out + done.err
    assert 1 == done.summary["iterations"]
    assert "return price * 19" in (clew.project / "tax.py").read_text()
    assert "sum(prices)" in (clew.project / "bill.py").read_text()
    branch = f"clew/{done.summary['session_id']}"
    log = git(clew.project, "log", "--format=%s", f"HEAD..{branch}").split("\n")
    assert 2 == sum(line.startswith("fix: replace ") for line in log), log
    report = next((clew.project / "debug").rglob("001_*.md")).read_text()
    assert "There are 2 faults on the way of the same tests, and one hides another" in report


@pytest.mark.slow
def test_twenty_red_tests_of_five_causes_three_of_them_hanging_end_right(tmp_path: Path) -> None:
    """In one session, each cause in its file, and by what a reader would write."""
    clew = CommandLine(commit_all(write(tmp_path / "five", FIVE | FIVE_TESTS)), tmp_path / "state")
    process = clew.start("fix", "--json")
    done = Said(process.returncode, *process.communicate(timeout=900))
    assert (0, 0) == (process.returncode, clew.run("apply").code), done.out + done.err
    baseline = next(e["event"] for e in done.events if e["event"]["type"] == "TestsRan")
    assert (30, 20) == (baseline["total"], len(baseline["red"]))
    found = {path: (clew.project / path).read_text() for path in FIVE}
    assert {path: FIVE[path].replace(*FAULT_OF[path]) for path in FIVE} == found
