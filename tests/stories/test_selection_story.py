"""What words after -- narrow: the goal, and not what a fix may break."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, Said
from projects import commit_all, diagnosis, fix, recording, write

SHOP = {
    "price.py": (
        "def total(items):\n    return sum(items) + 1\n\n\n"
        "def tip(bill):\n    return total([bill]) - 1\n\n\n"
        "def half(bill):\n    return bill / 3\n"
    ),
    "tests/test_price.py": (
        "from price import half, tip, total\n\n\n"
        "def test_total():\n    assert total([2, 3]) == 5\n\n\n"
        "def test_total_of_none():\n    assert total([]) == 0\n\n\n"
        "def test_tip():\n    assert tip(4) == 4\n\n\n"
        "def test_half():\n    assert half(8) == 4\n"
    ),
    "tests/test_rest.py": "def test_rest():\n    assert True\n",
    "conftest.py": "",
}
BREAKS: dict[str, Any] = {
    "file": "price.py",
    "line": 2,
    "current": "    return sum(items) + 1\n",
    "should_be": "    return sum(items)\n",
}
MENDS: dict[str, Any] = {
    "file": "price.py",
    "line": 6,
    "current": "    return total([bill]) - 1\n",
    "should_be": "    return total([bill])\n",
}
CLAIM = "no test of the whole suite is red"


@pytest.fixture
def shop(tmp_path: Path) -> CommandLine:
    """`total` is wrong, and `tip` counts on it; `half` is wrong, too."""
    return CommandLine(commit_all(write(tmp_path / "shop", SHOP)), tmp_path / "state")


def mended(shop: CommandLine, *words: str, changes: tuple[dict[str, Any], ...] = (BREAKS,)) -> Said:
    both = [line for each in changes for line in (diagnosis("one too many", each), fix(each))]
    first = both[0]["reply"]
    first["fix"]["changes"] = list(changes)
    both[1]["reply"]["changes"] = list(changes)
    agent = recording(shop.state.with_name("r.jsonl"), *both[:2])
    return shop.run("fix", "--json", "--max-iterations", "1", "--agent", agent, *words)


def rows(said: Said) -> dict[str, dict[str, Any]]:
    return {row["claim"]: row for row in said.summary["proof"]["rows"]}


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("words", [("-k", "total"), ("tests/test_price.py::test_total",)])
def test_a_fix_that_breaks_a_test_outside_of_the_words_is_none(
    shop: CommandLine, words: tuple[str, ...]
) -> None:
    """It is not green, and there is nothing to apply; the test that it broke is named."""
    said = mended(shop, "--", *words)
    assert (1, "waiting") == (said.code, said.summary["status"]), said.err
    assert "tests/test_price.py::test_tip" in shop.run("show").out
    applied = shop.run("apply")
    assert 0 != applied.code, applied.out
    assert SHOP["price.py"] == (shop.project / "price.py").read_text()


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("words", ["-k total", "tests/test_price.py::test_total"])
def test_what_was_red_before_outside_of_the_words_may_stay_so(
    shop: CommandLine, words: str
) -> None:
    """The goal is what they name; what else is red is known from a run of all, and said."""
    both = words if words.startswith("-k") else f"{words} {words}_of_none"
    said = mended(shop, "--", "-x", *both.split(), changes=(BREAKS, MENDS))
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    measured = f"4 pass; 1 red as before, not asked for by `{both}`"
    assert measured == rows(said)[CLAIM]["measured"]
    counts = {row["measured"] for row in rows(said).values()}
    assert {"5 of 5", "4 of 4", "2 of 2"} <= counts


UNLOADED = {
    "pkg/__init__.py": "",
    "pkg/a.py": "def double(x)\n    return x * 2\n",
    "tests/__init__.py": "",
    "tests/test_a.py": (
        "import unittest\n\nfrom pkg.a import double\n\n\n"
        "class Doubling(unittest.TestCase):\n"
        "    def test_double(self):\n        self.assertEqual(double(2), 4)\n\n"
        "    def test_zero(self):\n        self.assertEqual(double(0), 0)\n"
    ),
}


@pytest.mark.slow
def test_words_choose_nothing_in_the_trials_of_a_fix(tmp_path: Path) -> None:
    """A file that could not be loaded has tests that the words leave out; all of them are tried."""
    line = CommandLine(commit_all(write(tmp_path / "two", UNLOADED)), tmp_path / "state")
    said = line.run("fix", "--json", "--", "-k", "double")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    found = rows(said)
    assert "2 of 2" == found["they pass where the fix cannot recognise the test runner"]["measured"]
    tried = found["a test notices a small change of the fixed lines"]["measured"]
    assert tried.startswith("pkg/a.py:2 (beside them) "), tried
    assert "2 of 2" == found["deliberately broken copies of them fail"]["measured"]


@pytest.mark.slow
def test_what_leaves_tests_out_by_name_stays(shop: CommandLine) -> None:
    """A test that was excluded is no part of the suite, nor is what is said of it."""
    out = ("--deselect", "tests/test_price.py::test_half", "-p", "no:cacheprovider")
    said = mended(shop, "--", *out, changes=(BREAKS, MENDS))
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert "4 pass, 0 red" == rows(said)[CLAIM]["measured"]


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("command", ["fix", "ci"])
def test_with_only_the_words_bound_the_proof_as_well(shop: CommandLine, command: str) -> None:
    """Then the proof says how many of the tests were run."""
    both = (diagnosis("one too many", BREAKS), fix(BREAKS))
    agent = recording(shop.state.with_name("r.jsonl"), *both)
    said = shop.run(command, "--json", "--only", "--agent", agent, "--", "-k", "total")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert CLAIM not in rows(said)
    row = rows(said)["no selected test is red"]
    assert "only the selected 2 of 5 were run" == row["measured"]
    assert "only the selected 2 of 5 were run" in shop.run("show").out


def test_only_needs_words_that_choose(shop: CommandLine) -> None:
    """Without them there is nothing that it could bound."""
    said = shop.run("fix", "--only")
    assert 2 == said.code
    assert "clew fix --only -- -k total" in said.err


STAMPED = {
    "price.py": "def total(items):\n    return sum(items) + 1\n",
    "tests/test_price.py": (
        "import time\n\nimport pytest\n\nfrom price import total\n\n\n"
        "def test_total():\n    assert total([2, 3]) == 5\n\n\n"
        "@pytest.mark.parametrize('item', [str(time.time_ns()), str(time.time_ns() + 1)])\n"
        "def test_stamped(item):\n    assert len(item) == 19\n"
    ),
    "conftest.py": "",
}


@pytest.mark.slow
def test_tests_whose_names_change_from_run_to_run_are_not_gone(tmp_path: Path) -> None:
    """A time stands in them; the code without the fix has no such tests in the next run either."""
    clew = CommandLine(commit_all(write(tmp_path / "shop", STAMPED)), tmp_path / "state")
    said = mended(clew)
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert "1 of 1" == rows(said)["tests of the baseline are collected again"]["measured"]


@pytest.mark.slow
def test_a_fix_that_takes_one_of_such_tests_away_is_refused(tmp_path: Path) -> None:
    """Their names change, and not how many there are."""
    some = STAMPED | {
        "price.py": STAMPED["price.py"] + "\n\nTIMES = 2\n",
        "tests/test_price.py": STAMPED["tests/test_price.py"]
        .replace("import total", "import TIMES, total")
        .replace(
            "[str(time.time_ns()), str(time.time_ns() + 1)]",
            "[str(time.time_ns() + n) for n in range(TIMES)]",
        ),
    }
    clew = CommandLine(commit_all(write(tmp_path / "shop", some)), tmp_path / "state")
    fewer = {"file": "price.py", "line": 5, "current": "TIMES = 2\n", "should_be": "TIMES = 1\n"}
    said = mended(clew, changes=(BREAKS, fewer))
    assert "green" != said.summary["status"]


DISCOUNT = {
    "discount.py": "LARGE = 100\nRATE = 10\n\n\ndef discount(amount):\n    if amount > LARGE:\n"
    "        return amount * RATE // 100\n    return 0\n",
    "test_discount.py": "from discount import discount\n\n\n"
    "def test_small():\n    assert discount(50) == 0\n\n\n"
    "def test_large():\n    assert discount(200) == 20\n\n\n"
    "def test_at_the_limit():\n    assert discount(100) == 10\n",
}


@pytest.mark.slow
def test_the_repairer_takes_no_change_that_breaks_a_test_that_words_leave_out(
    tmp_path: Path,
) -> None:
    """`<=` passes the one test that was named, and neither of the two others."""
    clew = CommandLine(commit_all(write(tmp_path / "shop", DISCOUNT)), tmp_path / "state")

    said = clew.run("fix", "--json", "--", "test_discount.py::test_at_the_limit")

    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"])
    assert "+    if amount >= LARGE:" in clew.run("diff").out
