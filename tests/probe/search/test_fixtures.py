"""Tests with fixtures are tried as quickly as tests without, and mean the same."""

from __future__ import annotations

from pathlib import Path

from searchplay import DebugRun

CODE = """\
class Basket:
    def __init__(self, limit):
        self.limit = limit
        self.items = []

    def add(self, item):
        if len(self.items) > self.limit:
            raise ValueError("full")
        self.items.append(item)


OPEN = []


def opened():
    return len(OPEN) + 1
"""
TESTS = """\
import basket
import pytest


@pytest.fixture
def limit(request):
    return request.param


@pytest.fixture
def filled(limit, counted):
    found = basket.Basket(limit)
    for number in range(limit):
        found.add(number)
    return found


@pytest.fixture
def counted(monkeypatch):
    monkeypatch.setattr(basket, "OPEN", [1])
    basket.OPEN.append(2)
    yield
    basket.OPEN.clear()


@pytest.mark.parametrize("limit", [1, 3], indirect=True)
def test_full(filled):
    with pytest.raises(ValueError):
        filled.add("more")
    assert len(filled.items) == filled.limit


class TestOpen:
    def setup_method(self, method):
        self.name = method.__name__

    @pytest.fixture
    def named(self):
        return self.name

    def test_count(self, counted, named):
        assert (named, basket.opened()) == ("test_count", 3)
"""


def test_fixtures_are_made_anew_for_each_candidate(tmp_path: Path) -> None:
    """What a fixture fills, patches or clears is fresh for the next one, in classes as well."""
    debug_run = DebugRun(tmp_path)
    debug_run.write({"basket.py": CODE, "test_basket.py": TESTS})
    ids = ["test_basket.py::test_full[1]", "test_basket.py::test_full[3]"]
    found = debug_run.search(*ids)
    assert ("basket.py", 7, "replace `>` by `>=`", ids) == (
        found.first["path"],
        found.first["line"],
        found.first["description"],
        found.first["turns_green"],
    )


def test_the_runner_is_left_out_where_fixtures_are_the_tests_own(tmp_path: Path) -> None:
    """A test whose fixtures outlive it is run by the runner, any other one bare."""
    debug_run = DebugRun(tmp_path)
    debug_run.write(
        {
            "test_fast.py": "import pytest\n\n\n"
            "@pytest.fixture\ndef one():\n    yield 1\n\n\n"
            "@pytest.fixture(scope='module')\ndef two():\n    return 2\n\n\n"
            "@pytest.fixture\ndef three(one, two):\n    return one + two\n\n\n"
            "def test_one(one):\n    assert one == 1\n\n\n"
            "def test_two(two):\n    assert two == 2\n\n\n"
            "def test_three(three):\n    assert three == 3\n\n\n"
            "class TestFour:\n    def setup_method(self):\n        self.four = 4\n\n"
            "    def test_four(self):\n        assert self.four == 4\n",
        }
    )
    assert {"test_one": True, "test_two": False, "test_three": False, "test_four": True} == {
        identity.rpartition("::")[2]: bare for identity, bare in debug_run.bare().items()
    }
