"""A change of code that was the same when the tests passed."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from candidatekit import BEST, bare_scene
from clew.evidence.explain.unchanged import stood
from clew.words.facts import EarlierText, Edit

if TYPE_CHECKING:
    from clew.evidence.explain.scene import Scene

READ = "def read(line):\n    day, name = line\n    return day, name\n"
BOOK = "def book(rows):\n    return sorted(rows)\n"
COMMIT = "1a2b3c4d5e"
BACK = replace(
    BEST, family="older code", path="book.py", description=f"put back `book` before {COMMIT}"
)
HERE = replace(
    BEST,
    path="read.py",
    line=3,
    edits=(Edit(path="read.py", line=3, current="day, name", should_be="name, name"),),
)


def scene(*earlier: tuple[str, str, str]) -> Scene:
    texts = [EarlierText(path=path, commit=commit, text=text) for path, commit, text in earlier]
    return cast("Scene", bare_scene(sources={"read.py": READ, "book.py": BOOK}, earlier=texts))


BROUGHT = ("book.py", COMMIT, "def book(rows):\n    return rows\n")


def test_what_has_not_changed_since_the_tests_passed_is_no_cause() -> None:
    """The commit is named; what it changed, or a later one, may be at fault."""
    told = stood(scene(BROUGHT), (HERE, BACK))
    assert "before `1a2b3c4d5e`, and the code that is changed here was the same then" in told
    later = ("read.py", "ffffffffff", READ.replace("day, name = line", "day, name = line[:2]"))
    assert "" == stood(scene(later, BROUGHT), (HERE, BACK))
    older = ("read.py", "0000000000", "def read(line):\n    return line\n")
    assert told == stood(scene(BROUGHT, older), (HERE, BACK))


def test_who_puts_nothing_back_says_nothing() -> None:
    """Nor does the put-back itself, nor what more than a test speaks for."""
    assert "" == stood(scene(BROUGHT), (HERE, BEST))
    assert "" == stood(scene(BROUGHT), (BACK, HERE))
    assert "" == stood(scene(BROUGHT), (replace(HERE, witness="a docstring"), BACK))
    assert "" == stood(scene(), (HERE, BACK))
