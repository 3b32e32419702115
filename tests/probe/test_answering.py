"""Values as plain data, and back."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import json
import math
import types
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from clew.probe.answering import Unplain, exact, reachable, value_of


class Lacking:
    """What stands for nothing."""


LACKING = Lacking()


class Kind(enum.Enum):
    TEA = 1


@dataclasses.dataclass
class Item:
    kind: Kind
    price: Decimal


@dataclasses.dataclass(frozen=True, slots=True)
class Narrow:
    price: int


class Money(int):
    def __repr__(self) -> str:
        return "much"

    def __eq__(self, _: object) -> bool:
        return True

    __hash__ = int.__hash__


class Shelf(list[int]):
    """A list with a name of its own."""


class OutOfStock(ValueError):
    """Carries words."""


Pair = namedtuple("Pair", "left right")  # noqa: PYI024 -- as projects have them
VALUES = [
    *(None, True, -(2**90), 0.1, -0.0, math.inf, "a\udc80", b"\0\xff", 1 + 2j, ..., NotImplemented),
    *([1, [2]], (1,), {1, 2}, frozenset("ab"), {"a": {1: None}}, range(3), slice(1, 2)),
    *(Counter("aab"), OrderedDict(a=1), defaultdict(list, a=[1]), deque([1, 2], 3)),
    *(Decimal("1.50"), Fraction(1, 3), Path("/a/b"), UUID(int=7), bytearray(b"ab")),
    *(dt.date(2020, 1, 2), dt.datetime(2020, 1, 2, tzinfo=dt.UTC), dt.timedelta(3, 4)),
    *(
        dt.datetime(2020, 1, 2, 3),  # noqa: DTZ001 -- as below
        dt.datetime(2020, 1, 2, 3, 0, 5, 7),  # noqa: DTZ001 -- as programs have them
        dt.time(0),
        dt.time(1, 2, 3),
    ),
    *(dt.datetime(2020, 10, 25, 2, fold=1, tzinfo=dt.UTC), dt.time(2, tzinfo=dt.UTC)),
    *(Kind.TEA, Item(Kind.TEA, Decimal(2)), Narrow(3), Pair(1, "b"), int, json.dumps, Item),
]


def again(value: object) -> Any:  # noqa: ANN401 -- as it was
    return value_of(json.loads(json.dumps(exact(value, lambda _: True))))


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_is_made_again_from_what_is_told_of_it(value: object) -> None:
    """With its exact type."""
    made = again(value)
    assert (type(value), repr(value)) == (type(made), repr(made))
    assert value == made


def test_a_value_is_told_by_no_method_of_its_own() -> None:
    """Neither how it compares nor how it is shown has a say."""
    one, two = (exact(Money(number), lambda _: True) for number in (1, 2))
    assert Money(1) == Money(2)
    assert one != two
    assert 1 == int.__index__(again(Money(1)))


def test_a_subclass_keeps_items_and_attributes() -> None:
    """Of a built-in type, and of exceptions."""
    shelf = Shelf([1, 2])
    shelf.name = "top"  # type: ignore[attr-defined] # as projects do
    error = OutOfStock("tea", 3)
    assert ([1, 2], "top") == (list(again(shelf)), again(shelf).name)
    assert (OutOfStock, ("tea", 3)) == (type(again(error)), again(error).args)


@pytest.mark.parametrize(
    "value",
    [iter(()), (i for i in [1]), lambda: 1, open, object, json],
    ids=lambda value: type(value).__name__,
)
def test_what_no_plain_data_stand_for_is_refused(value: object) -> None:
    """And so is what lies in a module that is not to be loaded."""
    with pytest.raises(Unplain):
        exact(value, lambda name: name == "nowhere")


def test_an_object_that_holds_nothing_is_the_one_that_its_module_keeps() -> None:
    """It is compared by what it is: another one of its class is not it."""
    told = exact(LACKING, lambda _: True)
    assert value_of(told) is LACKING
    other = exact(Lacking(), lambda _: True)
    assert value_of(other) is not LACKING
    with pytest.raises(Unplain, match="nothing but itself"):
        exact(object(), lambda _: True)


def test_what_goes_round_in_itself_is_refused() -> None:
    """It has no end."""
    value: list[Any] = []
    value.append(value)
    with pytest.raises(Unplain):
        exact(value, lambda _: True)


def test_a_function_is_found_by_the_code_that_ran() -> None:
    """In a module, and in a class of it."""
    import clew.probe.answering as module  # noqa: PLC0415 -- it is the example

    assert ("exact", exact) == reachable(module, exact.__code__)
    inner = Kind.__new__.__code__
    assert reachable(module, inner) is None


def test_objects_that_refuse_to_be_asked_are_not_asked() -> None:
    """The question comes while a test runs: it would fail by it."""

    class Refusing:
        def __getattr__(self, name: str) -> object:
            raise ValueError(name)

    class Lying:
        def __getattribute__(self, name: str) -> object:
            raise ValueError(name)

    module = types.ModuleType("refusing")
    vars(module).update(a=Refusing(), b=Lying(), found=exact)
    assert ("found", exact) == reachable(module, exact.__code__)
