"""Which sizes stand between those that tests give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from clew.probe.search.inputs import Input
from clew.probe.search.shapes import Shapes

if TYPE_CHECKING:
    from types import FunctionType


def given(a: object, *more: object, b: object = None) -> object:
    return a, more, b


def call(*values: object, **named: object) -> Input:
    return Input(cast("FunctionType", given), "given", values, named)


class Box:
    def __init__(self, *items: int) -> None:
        self.items = list(items)


@pytest.mark.parametrize(
    ("known", "one", "between"),
    [
        ([([],), ([1, 2, 3],)], [7], True),
        ([([],), ([1, 2, 3],)], [7, 8, 9], False),  # as long as one that is known
        ([([],), ([1, 2, 3],)], [7, 8, 9, 0], False),
        ([([1],), ([1, 2, 3],)], [], False),
        ([((),), ((1, 2, 3),)], (1,), False),
        ([([[1, 2]],), ([[1, 2], [1, 2], [3, 4]],)], [[1, 2], [3]], False),
        ([([[1, 2]],), ([[1, 2], [1, 2], [3, 4]],)], [[1, 2], [3, 4]], True),
        ([({},), ({"a": 1, "b": 2},)], {"a": 1}, True),
        ([({"a": 1},), ({"a": 1, "b": 2, "c": 3},)], {"b": 1, "c": 2}, False),
        ([(set(),), ({1, 2, 3},)], {1}, True),
        ([(Box(),), (Box(1, 2),)], Box(1), True),
        ([(1,), (3,)], 2, False),
        ([], [1], False),
    ],
)
def test_a_size_between_two_that_are_known_is_told(
    known: list[tuple[Any, ...]], one: object, *, between: bool
) -> None:
    shapes = Shapes([call(*each) for each in known])

    assert between == shapes.between(call(one))


def test_a_value_is_known_by_its_parameter_however_it_is_given() -> None:
    shapes = Shapes([call([]), call(a=[1, 2])])

    assert shapes.between(call([1]))
    assert not shapes.between(call([1], b=[2]))
