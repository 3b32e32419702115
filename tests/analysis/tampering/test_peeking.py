from __future__ import annotations

import pytest

from clew.analysis.tampering import peeks

FILES = ("shop.py", "data/a.txt", "tests/test_shop.py", "tests/helpers.py", "tests/unit/test_a.py")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A = open('tests/test_shop.py')\n", "reads 'tests/test_shop.py'"),
        ("A = ROOT / 'tests' / name\n", "reads 'tests'"),
        ("A = ROOT.joinpath('tests')\n", "reads 'tests'"),
        ("A = os.path.join(ROOT, 'tests')\n", "reads 'tests'"),
        ("A = ROOT.rglob('test_*.py')\n", "reads 'test_*.py'"),
        ("A = (ROOT / f'test_{name}.py').read_text()\n", "reads f'test_{name}.py'"),
        ("A = open(ROOT + '/test_' + 'shop.py')\n", "reads ROOT + '/test_' + 'shop.py'"),
        ("A = 'test_shop.py'\n", "reads 'test_shop.py'"),
        ("from tests.test_shop import A\n", "imports tests.test_shop"),
        ("import test_shop\n", "imports test_shop"),
        ("A = import_module('test_shop')\n", "reads 'test_shop'"),
    ],
)
def test_what_reads_the_tests_is_named(text: str, said: str) -> None:
    """Once, with its line; what the file did before is nothing new."""
    found = peeks("", text, FILES)
    assert found[0].startswith(f"line 1: {said}")
    assert () == peeks(text, "# moved\n" + text, FILES)


@pytest.mark.parametrize(
    "text",
    [
        '"""See tests/test_shop.py."""\n',
        "A = open('data/a.txt')\n",
        "A = ROOT / 'latest' / 'contest.py'\n",
        "A = mode == 'tests'\n",
        "import helpers\nfrom app import helpers\n",
        "A = open(path)\nB = open(f'{path}.txt')\n",
        "def f(:\n",
    ],
)
def test_other_code_does_not(text: str) -> None:
    """A word in a sentence is no path, and a helper of the product none of the tests'."""
    assert () == peeks("", text, FILES)
