"""A traceback from another machine and another day, found again in this version."""

from __future__ import annotations

import pytest

from clew.analysis.failures.pasted import find_again, read_traceback

PASTED = """\
2026-03-14 ERROR worker failed
Traceback (most recent call last):
  File "/srv/app/releases/41/shop/web.py", line 88, in handle
    return total(order)
  File "/srv/app/releases/41/shop/total.py", line 9, in total
    return sum(lines) / len(lines)
           ~~~~~~~~~~~^~~~~~~~~~~~
  File "/usr/lib/python3.12/statistics.py", line 3, in mean
ZeroDivisionError: division by zero
"""
FILES = {
    "shop/web.py": "def handle(order):\n    return total(order)\n",
    "shop/total.py": "\n" * 13 + "def total(lines):\n    return sum(lines) / len(lines)\n",
    "tests/total.py": "",
    "admin/web.py": "",
}


def test_a_pasted_traceback_is_read() -> None:
    """Its frames, with their code, and the exception."""
    pasted = read_traceback(PASTED)
    assert pasted
    assert "ZeroDivisionError: division by zero" == pasted.error
    assert [("handle", 88), ("total", 9), ("mean", 3)] == [
        (frame.function, frame.line) for frame in pasted.frames
    ]
    assert "return sum(lines) / len(lines)" == pasted.frames[1].code


def test_its_frames_are_found_at_the_lines_of_today() -> None:
    """A file by the end of its path, a line by its code; other programs are left out."""
    pasted = read_traceback(PASTED)
    assert pasted
    found = find_again(pasted, FILES, FILES.get)
    assert [("shop/web.py", 2), ("shop/total.py", 15)] == [(f.path, f.line) for f in found]
    gone = find_again(pasted, FILES, lambda _: "")
    assert [None, None] == [frame.line for frame in gone]


RAISING = """\
def other(name):
    raise Refused(
        f"wrong end: {name}"
    )


def take(name):
    if not name:
        raise Refused(
            f"empty: {name}"
        )
    check(name)
    if name == "x":
        raise Refused(
            f"wrong end: {name}"
        )
"""


def test_a_line_that_stands_there_often_is_the_one_that_says_so() -> None:
    """In the function that is named, by the words of the error; else the nearest."""
    text = """Traceback (most recent call last):
  File "/srv/a/shop/take.py", line 2, in take
    raise Refused(
shop.take.Refused: wrong end: x
"""
    for said, line in ((text, 14), (text.replace("wrong end", "not said"), 9)):
        pasted = read_traceback(said)
        assert pasted
        assert [line] == [f.line for f in find_again(pasted, ["shop/take.py"], lambda _: RAISING)]


def test_a_file_that_could_be_one_of_two_is_none() -> None:
    """A guess would lead astray."""
    pasted = read_traceback('Traceback (most recent call last):\n  File "x/b/a.py", line 1, in f')
    assert pasted
    assert () == find_again(pasted, ["one/b/a.py", "two/b/a.py"], lambda _: "f()")
    assert () == find_again(pasted, ["deep/a.py"], lambda _: "f()")


@pytest.mark.parametrize("text", ["", "it is wrong", "ValueError: x", "Traceback (most recent"])
def test_words_are_no_traceback(text: str) -> None:
    """Nothing is made up."""
    assert read_traceback(text) is None
