from __future__ import annotations

import pytest

from clew.analysis.flakes import doubtful, own_text
from failurekit import crash, failed, frame

SOURCE = """\
import random


def test_plain():
    assert one() == 1


class TestThings:
    async def test_inner(
        self,
    ):
        now = datetime.now()

        assert now

    def test_next(self):
        pass
"""


def test_the_text_of_a_test_ends_where_the_next_thing_begins() -> None:
    """Neither what stands before nor what comes after is read."""
    assert own_text(SOURCE, "test_a.py::test_plain") == (
        "def test_plain():\n    assert one() == 1\n\n"
    )
    inner = own_text(SOURCE, "test_a.py::TestThings::test_inner[a.b]")
    assert "datetime.now()" in inner
    assert "test_next" not in inner
    assert own_text(SOURCE, "tests.test_a.TestThings.test_next") != ""
    assert own_text(SOURCE, "test_a.py::test_gone") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("assert one() == 1", False),
        ("assert random.choice(x)", True),
        ("assert datetime.now() > then", True),
        ("threading.Thread(target=x)", True),
        ("assert timeout == 3", False),
        ("time.sleep(1)", True),
        ("await asyncio.sleep(0)", False),
    ],
)
def test_a_test_that_speaks_of_chance_is_looked_at_closer(text: str, *, expected: bool) -> None:
    """So is one whose traceback does."""
    result = failed("t::a", crash("AssertionError", "assert 1 == 2"))
    told = failed("t::a", crash("AssertionError", "x", frame("shop.py:3", "f", text)))
    assert expected == doubtful(result, result, text)
    assert expected == doubtful(told, told, "")


def test_a_test_that_fails_in_another_way_is_looked_at_closer() -> None:
    """The same code, another failure."""
    one = failed("t::a", crash("AssertionError", "assert 1 == 2"))
    other = failed("t::a", crash("KeyError", "'x'"))
    assert doubtful(one, other, "")
