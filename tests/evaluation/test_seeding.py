"""Suites of seeded faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.evaluation.seeding import seed_faults
from clew.evaluation.suites import open_suite
from clew.evaluation.tasks import Version, lay
from clew.git.project import locate
from clew.words.errors import UsageError
from clew.words.settings import Settings
from projects import TWO_FAULTS, write

SHOP = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "shop/__init__.py": "",
    "shop/cart.py": (
        "class Cart:\n"
        "    def __init__(self, prices):\n"
        "        self.prices = prices\n"
        "        self.items = []\n\n"
        "    def add(self, name):\n"
        "        if not name:\n"
        '            raise ValueError("which?")\n'
        "        self.items.append(name.strip().lower())\n\n"
        "    def total(self):\n"
        "        return sum([self.prices.get(name, 0) for name in self.items])\n"
    ),
    "shop/unused.py": "def unused(a):\n    a.sort()\n    return a\n",
    "tests/test_cart.py": (
        "import pytest\n\nfrom shop.cart import Cart\n\n\n"
        'def test_total():\n    cart = Cart({"tea": 3})\n    cart.add("Tea ")\n'
        '    cart.add("salt")\n    assert cart.total() == 3\n\n\n'
        'def test_nothing():\n    with pytest.raises(ValueError):\n        Cart({}).add("")\n'
    ),
}


def seeded(root: Path, out: Path, *, count: int, seed: int) -> int:
    return seed_faults(
        locate(root),
        out,
        Settings(),
        count=count,
        seed=seed,
        runner_args=(),
        report=lambda *_: None,
    )


@pytest.mark.slow
def test_every_seeded_fault_turns_a_green_project_red(tmp_path: Path) -> None:
    """One file differs, in a line that tests run; the same seed gives the same suite."""
    root = write(tmp_path / "shop", SHOP)
    write(root, {".venv/pyvenv.cfg": ""})
    assert 3 == seeded(root, tmp_path / "one", count=3, seed=5)
    assert 3 == seeded(root, tmp_path / "two", count=3, seed=5)
    lines = (tmp_path / "one" / "suite.jsonl").read_text()
    assert lines == (tmp_path / "two" / "suite.jsonl").read_text()
    suite = open_suite(tmp_path / "one")
    assert "one" == suite.name
    assert len({name.partition("-")[2] for name in suite.ids}) > 1
    for name in suite.ids:
        task = suite.task(name)
        assert {"shop/cart.py"} == task.buggy.keys() == task.fixed.keys()
        assert SHOP["shop/cart.py"] == task.fixed["shop/cart.py"] != task.buggy["shop/cart.py"]
        laid = lay(task, Version.FIXED, tmp_path / name)
        assert SHOP["tests/test_cart.py"] == (laid / "tests" / "test_cart.py").read_text()
        assert not (laid / ".venv").exists()


def test_a_red_project_is_refused(tmp_path: Path) -> None:
    """A second fault on top of one would have no right version."""
    root = write(tmp_path / "sums", TWO_FAULTS)
    with pytest.raises(UsageError, match="not green: tests/test_area"):
        seeded(root, tmp_path / "out", count=1, seed=0)
    assert not (tmp_path / "out").exists()


def test_a_suite_is_never_written_over(tmp_path: Path) -> None:
    """The folder has to be new."""
    with pytest.raises(UsageError, match="already exists"):
        seeded(write(tmp_path / "shop", SHOP), tmp_path, count=1, seed=0)
