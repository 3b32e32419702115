"""What settings say of which files are tests, and what of that is believed."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.probe.naming import named
from clew.probe.stacks import Root
from projects import write

PATTERNS = ("test_*.py", "check_*.py")
CODE = {"disc.py": "def area():\n    return 1\n"}
CHECK = "import disc\nfrom common import same\n\n\ndef test_area():\n    same(disc.area(), 1)\n"
SAME = "def same(one, other):\n    assert one == other\n"


def told(root: Path, folders: tuple[str, ...], patterns: tuple[str, ...] = PATTERNS) -> list[str]:
    """Return what is named in a project whose root is imported from."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(root))
        return named(patterns, folders, str(root), Root(str(root), []))


def test_a_pattern_tells_if_it_does_not_fit_any_module(tmp_path: Path) -> None:
    """The usual ones need not be told."""
    patterns = ("*.py", "*", "[a-z]*.py", "test_*.py", "check_*.py", "spec/*_spec.py")
    assert ["check_*.py", "spec/*_spec.py"] == told(tmp_path, (), patterns)


@pytest.mark.parametrize(
    ("files", "folders", "expected"),
    [
        ({"checks/check_a.py": CHECK, "checks/common.py": SAME}, ("checks",), ["checks/"]),
        ({"checks/unit/test_a.py": CHECK, "checks/common.py": SAME}, ("che*/",), ["checks/"]),
        # Nothing that is tested is there.
        ({"checks/check_a.py": "def test_a():\n    pass\n"}, ("checks",), []),
        # More modules than tests.
        ({"checks/check_a.py": CHECK, "checks/b.py": SAME, "checks/c.py": ""}, ("checks",), []),
        # The code is where its tests are.
        ({"app_a/cart.py": "", "app_a/check_cart.py": "import app_a.cart\n"}, ("app_a",), []),
        (
            {
                "app_b/__init__.py": "",
                "app_b/test_b.py": "import app_b, app_c\n",
                "app_c/test_c.py": "import app_b, app_c\n",
            },
            ("app_b", "app_c"),
            [],
        ),
        ({"check_a.py": CHECK}, (".", "..", "gone"), []),
    ],
)
def test_a_folder_of_tests_is_told_from_one_of_code(
    tmp_path: Path, files: dict[str, str], folders: tuple[str, ...], expected: list[str]
) -> None:
    """Its tests are not fewer than its other modules, and test what lies elsewhere."""
    assert ["check_*.py", *expected] == told(write(tmp_path, CODE | files), folders)


def test_nothing_is_loaded(tmp_path: Path) -> None:
    """Neither tests nor code, and what cannot be parsed says nothing."""
    files = {
        "raising.py": "raise SystemExit\n",
        "checks/check_a.py": "import raising\nraise SystemExit\n",
        "checks/check_b.py": "import (\n",
    }
    assert ["check_*.py", "checks/"] == told(write(tmp_path, files), ("checks",))
