"""Several faults in one project, mended in one iteration."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine
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
