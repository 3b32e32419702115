"""A file as its grammar reads it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.analysis.context import LANGUAGES, Import, Language, Outline, language_of, outline

PYTHON = '''\
"""A cart.

It holds items.
"""

from __future__ import annotations

import a.b as c
from .prices import (
    RATE,
    price as p,
)

LIMIT = 10
TABLE = {
    1: 2,
    3: 4,
}
c.first(c.second.third)
if LIMIT:
    print("no")


@decorated
@with_arguments(
    1,
)
class Cart(Base):
    """A cart
    of items.
    """

    size: int = 0

    def __init__(self, items: list[int]) -> None:
        self.items = items  # not shown

    @property
    def total(
        self,
    ) -> int:
        """Return the sum."""
        def inner():
            return 1
        return sum(self.items)

    class Inner:
        x = 1


async def fetch(url): return await get(url)


if TYPE_CHECKING:
    from d import E
'''
SKELETON = '''\
    1| """A cart. …"""
    6| from __future__ import annotations
    8| import a.b as c
    9| from .prices import (
   10|     RATE,
   11|     price as p,
   12| )
   14| LIMIT = 10
   15| TABLE = {
   16|     1: 2,
   17|     3: 4,
   18| }
   24| @decorated
   25| @with_arguments(
   26|     1,
   27| )
   28| class Cart(Base):
   29|     """A cart …"""
   33|     size: int = 0
   35|     def __init__(self, items: list[int]) -> None:
   38|     @property
   39|     def total(
   40|         self,
   41|     ) -> int:
   42|         """Return the sum."""
   47|     class Inner:
   48|         x = 1
   51| async def fetch(url):
   54| if TYPE_CHECKING:
   55|     from d import E'''


def read(path: str, text: str) -> Outline:
    language = language_of(path)
    assert language is not None
    return outline(text.encode(), language)


def test_a_skeleton_has_heads_first_lines_and_constants() -> None:
    """Each with its number; bodies, and conditions around nothing that is shown, are left out."""
    assert SKELETON == read("cart.py", PYTHON).skeleton


def test_an_outline_knows_imports_definitions_and_functions() -> None:
    """What is used of an imported module counts as taken from it."""
    found = read("cart.py", PYTHON)

    assert (
        Import(module=".prices", names=("RATE", "price", "p")),
        Import(module="d", names=("E",)),
        Import(module="a.b", names=("first", "second")),
    ) == found.imports
    assert ("LIMIT", "TABLE", "Cart", "fetch") == found.defines
    assert ((35, 36), (38, 45), (51, 51)) == found.functions


CASES = {
    "a.ts": (
        (
            "import { b } from './b';\n"
            "export const LIMIT = 10;\n"
            "export const add = (a: number) => {\n  return a;\n};\n"
            "export interface Item {\n  price: number;\n}\n"
            "export class Cart {\n  size = 0;\n  total(): number {\n    return 1;\n  }\n}\n"
            "function plain() {\n  return 2;\n}\n"
        ),
        (
            "    1| import { b } from './b';\n"
            "    2| export const LIMIT = 10;\n"
            "    3| export const add = (a: number) => { … }\n"
            "    6| export interface Item {\n    7|   price: number;\n    8| }\n"
            "    9| export class Cart {\n   10|   size = 0\n"
            "   11|   total(): number { … }\n   14| }\n"
            "   15| function plain() { … }"
        ),
    ),
    "a.go": (
        (
            'package shop\n\nimport "fmt"\n\nconst Limit = 10\n\n'
            "type Cart struct {\n\tItems []int\n}\n\n"
            "func (c *Cart) Total() int {\n\treturn 1\n}\n"
        ),
        (
            '    1| package shop\n    3| import "fmt"\n    5| const Limit = 10\n'
            "    7| type Cart struct {\n    8| \tItems []int\n    9| }\n"
            "   11| func (c *Cart) Total() int { … }"
        ),
    ),
    "a.rs": (
        (
            "use crate::b;\n\npub const LIMIT: i32 = 10;\n\n"
            "pub struct Cart {\n    items: Vec<i32>,\n}\n\n"
            "impl Cart {\n    pub fn total(&self) -> i32 {\n        1\n    }\n}\n"
        ),
        (
            "    1| use crate::b;\n    3| pub const LIMIT: i32 = 10;\n    5| pub struct Cart {\n"
            "    6|     items: Vec<i32>,\n    7| }\n    9| impl Cart {\n"
            "   10|     pub fn total(&self) -> i32 { … }\n   13| }"
        ),
    ),
    "A.java": (
        (
            "package a;\n\nimport b.C;\n\npublic class A {\n    private int size = 0;\n\n"
            "    public int total() {\n        return 1;\n    }\n}\n"
        ),
        (
            "    1| package a;\n    3| import b.C;\n    5| public class A {\n"
            "    6|     private int size = 0;\n    8|     public int total() { … }\n   11| }"
        ),
    ),
    "a.c": (
        '#include "b.h"\n#define LIMIT 10\n\nint total(int n) {\n    return n;\n}\n',
        '    1| #include "b.h"\n    2| #define LIMIT 10\n    4| int total(int n) { … }',
    ),
    "a.cpp": (
        "namespace shop {\nclass Cart {\n  int size;\n  int total() {\n    return 1;\n  }\n};\n}\n",
        (
            "    1| namespace shop {\n    2| class Cart {\n    3|   int size;\n"
            "    4|   int total() { … }\n    7| }\n    8| }"
        ),
    ),
    "a.rb": (
        "require_relative 'b'\n\nclass Cart\n  LIMIT = 10\n\n  def total(x)\n    1\n  end\nend\n",
        (
            "    1| require_relative 'b'\n    3| class Cart\n"
            "    4|   LIMIT = 10\n    6|   def total(x)"
        ),
    ),
}


@pytest.mark.parametrize("path", CASES)
def test_every_language_has_a_skeleton(path: str) -> None:
    """Signatures, class heads and constants, without bodies."""
    text, skeleton = CASES[path]
    assert skeleton == read(path, text).skeleton


def test_a_long_constant_and_a_long_line_are_cut() -> None:
    """Their beginning tells what they are."""
    table = "TABLE = [\n" + "    1,\n" * 50 + "]\n"
    lines = read("a.py", f'{table}LINE = "{"x" * 500}"\n').skeleton.split("\n")

    assert (14, "   13| …") == (len(lines), lines[12])
    assert lines[13].endswith(" …")
    assert len(lines[13]) < 180


def test_a_file_without_a_grammar_has_no_language() -> None:
    """It is listed, and no skeleton is made up for it."""
    assert language_of("notes.txt") is language_of("Makefile") is language_of("a.zig") is None


def test_a_file_that_cannot_be_parsed_has_an_outline_all_the_same() -> None:
    """Of what the grammar makes of it."""
    found = read("a.py", "import b\n\ndef f(:\n    return (\n\ndef g():\n    return 1\n")

    assert Import(module="b", names=()) in found.imports


WORDS = st.sampled_from(
    [
        "def f(",
        "):",
        "class A",
        "{",
        "}",
        "import a",
        "from . import *",
        "use a::{b, c};",
        "\n",
        "    ",
        "'''",
        '"',
        "#include <a.h>",
        "=>",
        "…",
        "\x00",
        "\x1b[0m",
        "require 'x'",
        "…" * 9,
    ]
)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
@settings(max_examples=30, deadline=None)
@given(text=st.lists(WORDS, max_size=30).map("".join))
def test_any_text_has_an_outline(language: Language, text: str) -> None:
    """Whatever it is; and every numbered line of a skeleton begins as that line of the text."""
    content = text.encode()
    found = outline(content, language)
    rows = content.decode().split("\n")

    assert outline(content, language) == found
    for line in found.skeleton.split("\n") if found.skeleton else ():
        number, shown = re.fullmatch(r" *(\d+)\|(?: (.*))?", line, re.DOTALL).groups()  # type: ignore[union-attr]
        kept = re.split(r" …| \{ … \}|…", shown or "")[0]
        assert rows[int(number) - 1].startswith(kept.rstrip()) or shown == "…"


def test_many_comments_are_no_matter() -> None:
    """Nor does a text lose the lines that only look like comments."""
    text = 'A = """\n# kept\n"""\n' + "# a comment\n" * 20_000 + "def f(): ...\n"

    assert "    2| # kept" in read("a.py", text).skeleton.split("\n")
