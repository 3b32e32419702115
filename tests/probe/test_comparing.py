"""By which methods values are judged, told in the process that has them."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import typing
from collections import Counter, OrderedDict, UserDict, UserString
from collections.abc import Set as AbstractSet
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from unittest.mock import ANY, MagicMock

import pytest

from clew.probe.comparing import Comparing
from clew.probe.stacks import Root


class Kind(enum.Enum):
    TEA = 1


class Word(str, enum.Enum):  # noqa: UP042 -- as projects have it
    TEA = "tea"


@dataclasses.dataclass(order=True, unsafe_hash=True)
class Item:
    limit: typing.ClassVar[int] = 3
    kind: str
    price: int = 0


@dataclasses.dataclass(frozen=True)
class Partly:
    kind: str
    price: int = dataclasses.field(default=0, compare=False)


class Row(typing.NamedTuple):
    number: int


class Shelf(AbstractSet[int]):
    def __contains__(self, one: object) -> bool:
        return False

    def __iter__(self) -> typing.Iterator[int]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Bare(int):
    pass


class Lent(int):
    __eq__ = int.__ge__  # type: ignore[assignment]
    __hash__ = int.__hash__


class Near(list[int]):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None


class Inner(Near):
    pass


class Shout(str):
    __slots__ = ()

    def upper(self) -> str:
        return self + "!"

    def louder(self) -> str:
        return self + "!"


class Meta(type):
    def __instancecheck__(cls, _: object) -> bool:
        return True


class Anyone(metaclass=Meta):
    pass


def told(*values: object, given: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []

    def tell(_: str, **words: object) -> None:
        wanted = ("type", "slot", "holder", "lent", "wild")
        found.append(tuple(words[name] for name in wanted if name in words))

    comparing = Comparing(Root(str(Path(__file__).parent), []), tell)
    for value in values:
        comparing.look(value, given)
    return found


def test_of_plain_values_nothing_is_told() -> None:
    """Python's own methods judge them, or those that a decorator writes."""
    plain = [1, "a", None, [1.0], {"a": {2}}, Kind.TEA, Word.TEA, Item("tea"), Row(1), Bare(1)]
    library = [Decimal(1), Fraction(1), Path("a"), Counter("a"), OrderedDict(a=1), dt.date.min]
    plain += [UserDict(a=1), UserString("a"), {}.keys(), range(2), len, Item]
    assert [] == told(*plain, *library, MagicMock(), ValueError("a"), object())


def test_what_the_runner_is_made_of_is_no_wild_card(request: pytest.FixtureRequest) -> None:
    """Plug-ins hand it on, and modules that it loads lead to it."""
    assert [] == told(request.node.keywords, pytest.mark.slow, pytest.raises)


def test_equality_of_a_library_s_base_is_the_library_s() -> None:
    """What the class defines itself is told, though."""
    assert {"__contains__", "__iter__", "__len__"} == {words[1] for words in told(Shelf())}


def test_what_a_kind_of_text_answers_otherwise_than_text_is_told() -> None:
    """What it can do beside that is its own."""
    assert ["upper"] == [words[1] for words in told([Shout("a")])]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Lent(1), ("Lent", "__eq__", "Lent", "int.__ge__")),
        ([{"a": (Near(),)}], ("Near", "__eq__", "Near")),
        (Inner(), ("Inner", "__eq__", "Near")),
        (Item(Near()), ("Near", "__eq__", "Near")),  # type: ignore[arg-type]
        (Partly("a"), ("Partly", "__eq__", "Partly")),
        (Anyone, ("Meta", "__instancecheck__", "Meta")),
        (ANY, ("_ANY", "__eq__", "_ANY", True)),
        (pytest.approx(1), ("ApproxScalar", "__eq__", "ApproxScalar", True)),
    ],
)
def test_what_judges_otherwise_is_told(value: object, words: tuple[object, ...]) -> None:
    """Wherever it lies in a value, and once."""
    found = told(value, [value])
    assert 1 == found.count(words), found


def test_a_wild_card_that_was_given_is_none_of_the_code() -> None:
    """Tests hand them in, and get them back."""
    assert [] == told([ANY], given=([ANY],))
