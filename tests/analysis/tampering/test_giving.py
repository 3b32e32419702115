from __future__ import annotations

from clew.analysis.tampering import given_by, lends

TEST = """\
import pytest
from helpers import opened
from shop import Account

RATE = 4
UNUSED = 5

def make():
    return Account("cash", RATE)

@pytest.fixture
def full(size):
    return make().fill(size)

class TestIt:
    def setup_method(self):
        self.day = 11

    def test_one(self, full):
        assert opened(full) == 12

    def test_other(self):
        assert 13
"""
HELPERS = "def opened(account):\n    return account.at(21)\n\n\ndef closed():\n    return 22\n"
CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef size():\n    return 31\n"


def test_a_test_gives_what_its_helpers_give() -> None:
    """Functions, fixtures, what runs before it, and values; what it does not use is not its."""
    said = "\n".join(given_by((TEST, HELPERS, CONFTEST), "TestIt.test_one"))
    for word in ("'cash'", "4", "11", "12", "21", "31"):
        assert word in said
    for word in ("5", "13", "22"):
        assert word not in said


def test_helpers_are_lent_by_what_is_imported_of_the_tests() -> None:
    """And by the conftests above, not by the product."""
    files = (
        "conftest.py",
        "shop.py",
        "src/helpers.py",
        "tests/conftest.py",
        "tests/helpers.py",
        "tests/test_shop.py",
        "tests/unit/conftest.py",
    )
    lent = lends("tests/test_shop.py", TEST, files)
    assert ("conftest.py", "tests/conftest.py", "tests/helpers.py") == lent


def test_a_file_that_does_not_parse_gives_nothing() -> None:
    """As it names nothing."""
    assert () == given_by(("def f(:\n",), "test_one")
    assert () == lends("tests/test_a.py", "def f(:\n", ("tests/helpers.py",))
