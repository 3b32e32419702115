"""A function that is compiled alone is the function of its file, whatever its head looks like."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from clew.probe.search.baseline import between
from clew.probe.search.globals import same
from clew.probe.search.source import Source, Splice
from clew.probe.search.swapping import compile_unit, fingerprint

HEADS = '''
def plain(a, b=1, *rest, c, d=2, **more):
    """What it does."""
    return a, b, rest, c, d, more


def places(a, /, b: int, *, __c: "Any" = lambda: 1) -> dict[
    str, int
]:  # a head of several lines
    # and a remark
    return {a: b + __c}


def only(*, c=3): return c


def closed(
    a: int = 1,
): return a


async def later(a: int = 1, *rest: str) -> int:
    return [x async for x in a]


def made(n: int = 2):
    @print
    def inner(x: int = n):
        return x + n

    yield inner


class Outer:
    class Inner:
        def hidden(self, __name: str = "x") -> str:
            return super().hidden(self.__name, __name)

    if True:

        def deeper(self, *, a: int = 1):
            return a
'''


NAMES = ["plain", "places", "only", "closed", "later", "made", "hidden", "deeper"]

if sys.version_info >= (3, 12):
    HEADS += """
class Box[T, *Ts, **P]:
    def held[U: int](self, a: T, b: U) -> list[T]:
        return [T, U, a, b]


async def first[T: (str, bytes)](a: T, *rest: T) -> T:
    return T, a
"""
    NAMES += ["held", "first"]


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            yield from codes(each)


def test_a_function_compiled_alone_has_the_code_that_it_has_in_its_file() -> None:
    """What its head evaluates is left out, and makes no difference to the code."""
    source = Source("heads.py", HEADS)
    whole = {c.co_name: c for c in codes(compile(HEADS, "heads.py", "exec", dont_inherit=True))}
    alone = {unit.name: compile_unit(source, unit, (), 0) for unit in source.units}

    assert list(alone) == NAMES
    for name, code in alone.items():
        assert fingerprint(whole[name]) == fingerprint(code), name
        assert whole[name].co_flags == code.co_flags, name
        assert whole[name].co_argcount == code.co_argcount, name
        assert whole[name].co_kwonlyargcount == code.co_kwonlyargcount, name


def test_lines_keep_their_numbers_below_a_head_of_several_lines() -> None:
    """What a test ran, and where it crashed, is told by them."""
    text = "def f(\n    a,\n    b=1,\n):\n    # above the body\n\n    c = a + b\n    return c\n"
    source = Source("heads.py", text)

    code = compile_unit(source, source.units[0], (), 0)

    assert {7, 8} == {line for _, _, line in code.co_lines() if line != code.co_firstlineno}


def test_a_change_is_compiled_where_it_stands() -> None:
    """The head that is put in its place moves nothing of the body."""
    source = Source("heads.py", HEADS)
    start = HEADS.index("b + __c")
    changed = Splice(start, start + 1, "a")
    unit = source.unit_at(source.line_of(start))
    assert unit is not None

    names: dict[str, types.FunctionType] = {}
    exec(HEADS.replace('"Any"', "int"), names)  # noqa: S102 - the text above
    places = names["places"]
    places.__code__ = compile_unit(source, unit, (changed,), 0)

    assert {2: 7} == places(2, 3, __c=5)


@given(st.lists(st.integers(1, 60), unique=True).map(sorted), st.integers(1, 60), st.integers(0, 9))
def test_lines_between_two_are_found_as_by_looking_at_each(
    lines: list[int], first: int, more: int
) -> None:
    """The lines of a test are in order, so that few of them need be looked at."""
    assert any(first <= line <= first + more for line in lines) == between(
        lines, first, first + more
    )


def test_a_container_is_the_same_while_it_holds_the_very_same_things() -> None:
    """What compares equal may be another thing; a dictionary counts its keys and its values."""
    one, other = [1], [1]
    kept = {"a": one, "b": None}

    assert same({"a": one, "b": None}, kept)
    assert not same({"a": other, "b": None}, kept)
    assert not same({"b": None, "a": one}, kept)
    assert same([one, other], [one, other])
    assert not same([one, other], [other, one])
