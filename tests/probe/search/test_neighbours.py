"""What is near a value, of its type."""

from __future__ import annotations

import datetime as dt
import enum
from dataclasses import dataclass
from decimal import Decimal

import pytest

from clew.probe.search.neighbours import neighbours
from clew.probe.search.wholes import whole


@dataclass
class Span:
    start: int
    end: int


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@pytest.mark.parametrize("value", [0, 7, -2.5, "", "ab", b"x", [], [1, [2]], (1,), {"a": 1}, {3}])
def test_neighbours_are_of_the_same_type_and_another_value(value: object) -> None:
    """A test that gives a list says nothing of a function that is given a number."""
    near = list(neighbours(value, 2))

    assert {type(value)} == {type(each) for each in near} or value in ("", [], {})
    assert all(whole(each, 5) != whole(value, 5) for each in near if value)


@pytest.mark.parametrize(
    ("value", "one"),
    [
        (dt.date(2024, 2, 28), dt.date(2024, 2, 29)),
        (dt.datetime(2024, 2, 28, 9, tzinfo=dt.UTC), dt.datetime(2024, 2, 28, 10, tzinfo=dt.UTC)),
        (dt.timedelta(hours=2), dt.timedelta(hours=1)),
        (Decimal("2.50"), Decimal("3.50")),
    ],
)
def test_days_times_and_amounts_have_neighbours(value: object, one: object) -> None:
    """Those of the next hour or day; the last day has no next one."""
    near = list(neighbours(value, 2))
    assert one in near
    assert {type(value)} == {type(each) for each in near}
    assert value not in near
    assert dt.date.max - dt.timedelta(days=1) in list(neighbours(dt.date.max, 2))


def test_an_object_is_varied_in_its_attributes_and_stays_as_it_was() -> None:
    span = Span(1, 4)

    near = [(each.start, each.end) for each in neighbours(span, 2)]

    assert (2, 4) in near
    assert (1, 5) in near
    assert Span(1, 4) == span
    assert [Colour.BLUE] == list(neighbours(Colour.RED, 2))
