from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.tampering import made_for_the_tests, varied

TESTS = """\
import pytest

def test_ring():
    found = ring(17, 23)
    assert found == 80, "wrong"

@pytest.mark.parametrize("a, b, length", [(31, 44, 150), (13, 29, 84)])
def test_rings(a, b, length):
    assert ring(a, b) == length
"""
Ring = Callable[[int, int], object]
Cases = dict[str, list[tuple[Any, ...]]]


def wrong(a: int, b: int) -> object:
    return (a + b) * 2 + 1


def right(a: int, b: int) -> object:
    return (a + b) * 2


def special(a: int, b: int) -> object:
    return {(17, 23): 80, (31, 44): 150, (13, 29): 84}.get((a, b), wrong(a, b))


def older(a: int, b: int) -> object:
    return a > 17 and b > 0


def edge(a: int, b: int) -> object:
    return a >= 17 and b > 0


def noted(folder: Path, text: str, ring: Ring, cases: Cases) -> str:
    """What the tests of a text note when this function stands in for the code."""
    made = varied(text, list(cases), "mark")
    assert made is not None
    names: dict[str, Any] = {"__file__": str(folder / "test_it.py"), "ring": ring}
    exec(made.text, names)  # noqa: S102 -- it is made here
    for name, given in cases.items():
        for words in given:
            names[name](*words)
    mark = folder / "mark"
    content = mark.read_text()
    mark.unlink()
    return content


@pytest.mark.parametrize(
    ("fixed", "before", "expected"),
    [
        (right, wrong, ((), 2)),
        (special, wrong, (("test_ring", "test_rings"), 2)),
        (edge, older, ((), 1)),  # a bound that was moved is as good as its neighbour
        (right, right, ((), 0)),
    ],
)
def test_a_fix_that_shows_at_the_inputs_of_the_tests_alone_is_told(
    tmp_path: Path, fixed: Ring, before: Ring, expected: tuple[tuple[str, ...], int]
) -> None:
    """With other numbers it is the old program, and its answer is like no neighbour's."""
    cases: Cases = {"test_ring": [()], "test_rings": [(31, 44, 150), (13, 29, 84)]}
    with_fix = noted(tmp_path, TESTS, fixed, cases)
    assert expected == made_for_the_tests(with_fix, noted(tmp_path, TESTS, before, cases))


def test_texts_are_varied_by_their_digits(tmp_path: Path) -> None:
    """`1h30` becomes `2h41`; words without a digit stay, and so do small numbers."""
    text = "def test_it():\n    assert ring('1h30', 'word') == [3, 12.5]\n"
    seen: list[tuple[object, object]] = []
    content = noted(tmp_path, text, lambda *words: seen.append(words), {"test_it": [()]})
    assert [("1h30", "word"), ("2h41", "word"), ("3h52", "word"), ("4h63", "word")] == seen
    assert "[3, 13.5]" in content


def test_a_program_that_refuses_other_inputs_tells_nothing(tmp_path: Path) -> None:
    """Two equal exceptions are no equal answers."""

    def strict(a: int, b: int) -> object:
        if (a, b) != (17, 23):
            raise ValueError(a)
        return 80

    def stricter(a: int, b: int) -> object:
        raise ValueError(a)

    cases: Cases = {"test_ring": [()]}
    with_fix = noted(tmp_path, TESTS, strict, cases)
    assert ((), 0) == made_for_the_tests(with_fix, noted(tmp_path, TESTS, stricter, cases))


@pytest.mark.parametrize(
    "text",
    [
        "def test_it(:\n",
        "async def test_it():\n    pass\n",
        "def test_it(*words):\n    pass\n",
        "def test_it():\n    yield\n",
    ],
)
def test_what_cannot_be_varied_is_left_alone(text: str) -> None:
    """Nothing is told of it."""
    assert None is varied(text, ["test_it"], "mark")
    assert ((), 0) == made_for_the_tests("not json\n", "")
