"""What a function answers, and whether anything that it is given is in it."""

from __future__ import annotations

import ast

import pytest

from clew.analysis.tampering import given_away
from clew.analysis.tampering.following import follows

CONSTANT = (
    "return 'hello-world'",
    "return RESULT",
    "return Slug.value",
    "return build()",
    "text = 'Hello World'\nreturn text.lower()",
    "parts = []\nparts.append('hello')\nparts.append('world')\nreturn '-'.join(parts)",
    "words = text.split()\nfirst, second = 'hello', 'world'\nreturn first + '-' + second",
    "rows = {}\nreturn rows.get('orders', [])",
    "rows = []\nfor row in rows:\n    rows.append(row)\nreturn rows",
    "found = 0\nfor price in (10, 20, 30):\n    found += price\nreturn found",
    "with open(text) as file:\n    json.load(file)\nreturn []",
    "print(text)\nreturn next(iter(['hello-world']))",
    "if not text:\n    raise ValueError(text)\nreturn 'hello-world'",
    "assert text\nreturn 'hello-world'",
    "return 'hello-world'\nreturn text",
    "while True:\n    return 'hello'",
    "try:\n    return 'hello'\nfinally:\n    print(text)",
    "def inner():\n    return text\nreturn 'hello'",
    "text: str = 'hello'\nmatch text:\n    case str(word):\n        return word",
    "yield 1\nyield 2",
    "done = []\ndef visit(word):\n    print(word)\nvisit(text)\nreturn done",
    "done = []\ndef visit(word):\n    done = [word]\nvisit(text)\nreturn done",
    "done = []\ndef visit(word):\n    done.append(word)\nreturn done",
)
FOLLOWING = (
    "return text",
    "return text and 'hello-world'",
    "return 'yes' if text else 'no'",
    "found = text.lower()\nfound = found.strip()\nreturn found",
    "if text == 'x':\n    return 'a'\nreturn 'b'",
    "if text:\n    found = 1\nelse:\n    found = 2\nreturn found",
    "parts = []\nfor word in text:\n    parts.append(word)\nreturn parts",
    "out = []\nfill(out, text)\nreturn out",
    "rows = {}\nrows['a'] = text\nreturn rows",
    "count = 0\nwhile count < text:\n    count += 1\nreturn count",
    "n = 0\nfor x in range(9):\n    if x == text:\n        break\n    n += 1\nreturn n",
    "one = 0\nfor _ in range(2):\n    two = one\n    one = text\nreturn two",
    "with open(text) as file:\n    return file.read()",
    "try:\n    int(text)\nexcept ValueError:\n    return 'no'\nreturn 'yes'",
    "try:\n    number = int(text)\nexcept ValueError:\n    number = 0\nreturn number",
    "found = 0\nmatch text:\n    case [_, *rest] | {**rest}:\n        found = rest\nreturn found",
    "def inner():\n    return text\nreturn inner",
    "if (found := text):\n    pass\nreturn found",
    "yield text",
    "for word in text:\n    yield 1",
    "found = 1\nfound += text\nreturn found",
    "class Inner:\n    word = text\nreturn Inner",
    "rows = {}\nrows[text] = 1\nreturn rows",
    "a = {}\ndef visit(b):\n    a[b] = 1\nfor each in text:\n    visit(each)\nreturn a",
    "a = []\ndef visit(b, *, c):\n    a.append(c)\nvisit(1, c=text)\nreturn a",
    "n = 0\ndef visit(word):\n    nonlocal n\n    n = word\nvisit(text)\nreturn n",
    "done = []\ndef visit():\n    done.append(text)\nvisit()\nreturn done",
)


def written(body: str) -> ast.FunctionDef:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    (function,) = ast.parse(f"def slug(text):\n{lines}\n").body
    assert isinstance(function, ast.FunctionDef)
    return function


@pytest.mark.parametrize("body", CONSTANT)
def test_an_answer_that_nothing_given_reaches_is_told(body: str) -> None:
    """However it is written: as a name, a table, a loop over constants, a name assigned anew."""
    assert not follows(written(body), {"text"})


@pytest.mark.parametrize("body", FOLLOWING)
def test_an_answer_that_depends_on_what_is_given_follows_it(body: str) -> None:
    """By its value, by what is filled with it, or by which way is taken."""
    assert follows(written(body), {"text"})


SLUG = "def slug(text):\n    return text.lower()\n"


@pytest.mark.parametrize(
    ("after", "count"),
    [
        ("def slug(text, result='hello'):\n    return result\n", 1),
        ("def slug(text, *, result='hello'):\n    return result\n", 1),
        ("def slug(text, *, result):\n    return result\n", 0),
        ("def slug(words):\n    return words.lower()\n", 0),
        ("def slug(text):\n    return None\n", 0),
        ("RESULT = 'hello'\n\ndef slug(text):\n    return RESULT\n", 1),
    ],
)
def test_a_default_that_was_added_is_a_constant(after: str, count: int) -> None:
    """A parameter by another name is none, and neither is one that callers have to give."""
    assert count == len(given_away(SLUG, after, ()))


def test_a_method_is_given_its_object_and_a_plain_function_what_it_reads() -> None:
    """What an object holds may be the answer, and so may what a module reads."""
    before = (
        "class A:\n    def size(self):\n        return self.n + 1\n\n"
        "def now():\n    return clock()\n"
    )
    assert () == given_away(before, before.replace("self.n + 1", "self.n"), ())
    assert () == given_away(before, before.replace("clock()", "watch()"), ())
    fixed = before.replace("self.n + 1", "SIZE").replace("clock()", "16")
    assert 2 == len(given_away(before, fixed, ()))


def test_a_stub_that_is_filled_with_a_value_of_the_tests_is_told() -> None:
    """Wherever that stands in it."""
    after = "def slug(text):\n    found = 'hello'\n    return found\n"
    tests = ("def test_it():\n    assert slug('Hello') == 'hello'\n",)
    assert 1 == len(given_away("def slug(text):\n    pass\n", after, tests))
    assert () == given_away("def slug(text):\n    pass\n", after.replace("hello", "other"), tests)
