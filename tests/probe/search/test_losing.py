"""What a put-back takes away, of what somebody may ask for."""

from __future__ import annotations

import ast

import pytest

from clew.probe.search.fixers.losing import lost, unminded

NOW = '''\
"""Pages."""
SIZES = {"small": 3, "large": 10}


class Page:
    kind = "page"

    def __init__(self, items, number):
        self.items = items
        self.number = number
        self._kept = items


def paginate(items, number, size=10, orphans=0):
    pages = _pages(items, size, orphans)
    return Page(items[: size + orphans], min(number, pages))


def _pages(items, size, orphans):
    return (len(items) - orphans) // size


def all_pages(*items, **options):
    return [paginate(items, 1, **options)]


def rows(lines):
    for line in lines:
        yield line.split()


def amounts(lines):
    return (float(row[1]) for row in rows(lines))
'''


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (", orphans=0", "", "the parameter `orphans` of `paginate`"),
        ("number, size=10", "place, size=10", "the parameter `number` of `paginate`"),
        ("- orphans)", ")", "what `_pages` does with `orphans`"),
        ("**options):", "):", "the parameter `options` of `all_pages`"),
        (', "large": 10', "", "the key `large`"),
        ("        self.number = number\n", "", "what `Page.__init__` does with `number`"),
        ('    kind = "page"\n', "", "`Page.kind`"),
        ("def all_pages", "def _all_pages", "`all_pages`"),
        ("        yield line.split()", "        return [line]", "the generator of `rows`"),
        ("(float(row[1]) for row in rows(lines))", "[*rows(lines)]", "the generator of `amounts`"),
        ("        self._kept = items\n", "", ""),
        ("(len(items) - orphans) // size", "-(-(len(items) - orphans) // size)", ""),
        ("def _pages(items, size, orphans):", "def _counted(items, size, orphans):", ""),
        (
            '    kind = "page"\n\n    def __init__(self, items, number):\n',
            '    def __init__(self, items, number):\n        self.kind = "page"\n',
            "",
        ),
    ],
)
def test_what_is_gone_is_named(old: str, new: str, said: str) -> None:
    """A parameter that nothing reads any more is as good as gone; what is private is not missed."""
    assert old in NOW
    assert lost(ast.parse(NOW), ast.parse(NOW.replace(old, new))).startswith(said)
    assert bool(said) == bool(lost(ast.parse(NOW), ast.parse(NOW.replace(old, new))))


def test_two_are_named_of_many() -> None:
    """A function that goes takes its parameters along: they are not named beside it."""
    assert "" == lost(ast.parse(NOW), ast.parse(NOW))
    said = lost(ast.parse(NOW), ast.parse(""))
    assert said.endswith(" more")
    assert 2 == said.count("`") // 2
    assert "parameter" not in said


PINCH = "def scale(parts):\n    return [p for p in parts if p[1] != 'pinch']\n"
BOATS = "def boats(all_):\n    return [b for b in all_ if not b.late]\n"
LISTS = "def both(a, b):\n    return _both(a, b)\n\n\ndef _both(a, b):\n    return a.union(b)\n"


@pytest.mark.parametrize(
    ("now", "old", "words"),
    [
        (PINCH, "def scale(parts):\n    return parts\n", "what is done with `'pinch'`"),
        (PINCH, PINCH.replace("parts if", "parts[:] if"), ""),
        (BOATS, "def boats(all_):\n    return list(all_)\n", "what is done with `late`"),
        (BOATS.replace("b.late", "b.day"), "def boats(all_):\n    return list(all_)\n", ""),
        (
            "def f(a):\n    return a + [0] if isinstance(a, list) else a\n",
            "def f(a):\n    return a\n",
            "what is done with `list`",
        ),
    ],
)
def test_a_case_that_came_since_is_missed(now: str, old: str, words: str) -> None:
    """Attributes that all programs have, and cases that stay, are not."""
    assert words == unminded(ast.parse(now), ast.parse(old), ast.parse(old))


def test_what_a_function_does_that_is_called_no_more_is_missed() -> None:
    """Not what older code does as well."""
    old = LISTS.replace("return _both(a, b)", "return b")
    alike = old.replace("return b", "return b.union(a)")
    for then, words in ((old, "what `_both` does"), (alike, "")):
        before = ast.parse(then.partition("\n\n\ndef _both")[0])
        assert words == unminded(ast.parse(LISTS), before, ast.parse(then), {"_both"})
