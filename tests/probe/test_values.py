from __future__ import annotations
import __future__

import datetime as dt
import decimal
import enum
import pathlib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from clew.probe.values import WIDTH, picture, pictures


class Hostile:
    """Runs code whenever it can."""

    def __init__(self) -> None:
        object.__setattr__(self, "held", 1)

    def __getattribute__(self, name: str) -> Any:  # noqa: ANN401 - as the language has it
        raise RuntimeError(name)

    def __repr__(self) -> str:
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError


class Tricky(dict[str, int]):
    def __repr__(self) -> str:
        raise RuntimeError

    def items(self) -> Any:  # noqa: ANN401
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError


class Colour(enum.Enum):
    RED = 1


class Point:
    def __init__(self) -> None:
        self.x = 1
        self.me = self


class Slotted:
    __slots__ = ("x", "y")

    def __init__(self) -> None:
        self.x = 1


ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=20,
)


@given(ANYTHING)
def test_every_picture_is_short_and_clean(value: object) -> None:
    """A picture is one line of bounded length that UTF-8 can hold."""
    shown = picture(value)

    assert WIDTH * 6 >= len(shown.encode())
    assert "\n" not in shown


@given(st.integers(-1000, 1000) | st.text("abc ", max_size=20).map(str.strip) | st.booleans())
def test_small_plain_values_are_shown_as_they_are(value: object) -> None:
    """A plain value's picture is its repr."""
    assert repr(value) == picture(value)


def test_no_code_of_the_project_runs() -> None:
    """Objects are shown without asking them anything."""
    assert "Hostile(held=1)" == picture(Hostile())
    assert "Tricky({'a': 1})" == picture(Tricky(a=1))


def test_known_kinds_have_a_telling_picture() -> None:
    """Enumerations, dates, paths, slots and loops in data are shown as people write them."""
    assert "Colour.RED" == picture(Colour.RED)
    assert "datetime.date(2024, 1, 2)" == picture(dt.date(2024, 1, 2))
    assert "Decimal('1.5')" == picture(decimal.Decimal("1.5"))
    assert "PosixPath('/a')" == picture(pathlib.Path("/a"))
    assert "Slotted(x=1)" == picture(Slotted())
    assert "Point(x=1, me=Point(x=1, me=Point(x=1, me=<Point>)))" == picture(Point())


def test_objects_in_a_list_of_an_object_are_shown_where_there_is_room() -> None:
    """A list of many is shown by the names of their classes, so that its length is seen."""
    few, many = Slotted(), Slotted()
    few.x, many.x = [Slotted(), Slotted()], [Slotted() for _ in range(8)]  # type: ignore[assignment]
    assert "Slotted(x=[Slotted(x=1), Slotted(x=1)])" == picture(few)
    setattr(many, "y", "y" * 60)  # noqa: B010 - a slot that holds nothing at first
    shown = ", ".join(["<Slotted>"] * 8)
    assert picture(many).startswith(f"Slotted(x=[{shown}], y='yyy")


def test_big_values_are_cut_with_their_size() -> None:
    """What is left out is said."""
    assert "<int of 9966 bits>" == picture(10**3000)
    assert picture("x" * 5000).endswith("of 5000 characters")
    assert "… 100 in all]" in picture(list(range(100)))


def test_locals_that_go_without_saying_are_left_out() -> None:
    """Modules, classes, functions and what steers Python or pytest are no values of the program."""
    values = {"x": 1, "@py_assert1": 2, "dt": dt, "Point": Point, "f": lambda: 1}
    values["annotations"] = __future__.annotations

    assert {"x": "1"} == pictures(values)
