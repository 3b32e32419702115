"""Tests of any language that are changed a little, and how they fail then.

turned        an assertion that has to fail, whatever the code does
other values  a value that the test writes down, replaced: the test gives or expects something else

Nobody knows which values a test gives, and which it expects. The words of its failures tell: where
they change with a value, apart from the value itself, the code's answer hangs on it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from clew.analysis.context import LARGEST, language_of, parser_of
from clew.analysis.mutations import GRAMMARS

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "CopyEnd",
    "OtherValue",
    "TriedValue",
    "is_given",
    "new_in",
    "other_values",
    "told_by",
    "turned",
]

NUMBER = re.compile(r"(0|[1-9][0-9]{0,8})(?![0-9.eExXbBoOn_])")
PLAIN = re.compile(r"[\w .,:;+/-]{1,40}", re.ASCII)
ASSERTS = re.compile(r"assert\b.*|expect|ok|is|.*\.(?:to[A-Z]\w*|\w*[eE]quals?|ok|is)", re.DOTALL)
LOADS = frozenset({"require", "import"})
OPPOSITE = {"==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": ">=", ">=": "<"} | {
    ">": "<=",
    "<=": ">",
}
# What a failure names: texts, numbers, and the marks of a line that differs.
VALUE = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|\b\d[\w.]*|[-+](?=\s|\d)|[\^~]+")
FUNCTION = re.compile(r"function|method|closure|lambda|func_literal|do_block|block_argument")
NEAR = 4  # lines before an assertion that failed
VALUES = 6  # of one test that are replaced


class OtherValue(msgspec.Struct, frozen=True, kw_only=True):
    """A file of tests in which one value, or an assertion, is another."""

    line: int
    was: str
    now: str
    text: str


class CopyEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a test ended in a changed file."""

    red: bool
    said: str = ""


class TriedValue(msgspec.Struct, frozen=True, kw_only=True):
    """One value of a test, and what became of the test with each other: with the fix, without."""

    path: str
    line: int
    was: str
    others: tuple[str, ...]
    fixed: tuple[CopyEnd, ...]
    without: tuple[CopyEnd, ...]


def turned(path: str, text: str, line: int) -> tuple[OtherValue, ...]:
    """Return copies of a test in which what failed at a line before has to fail.

    With no line, what may fail anywhere in the file.
    """
    found = []
    lines = _near(text, line)
    script = (language_of(path) or _NONE).name in ("javascript", "typescript", "tsx")
    for node in _within(path, text, lines, whole=bool(line)):
        first = _first_argument(node) if script else None
        if first is not None:
            found.append((first, f"!({_text(first)})"))
        operator = node.child_by_field_name("operator")
        if operator is not None and _text(operator) in OPPOSITE:
            found.append((operator, OPPOSITE[_text(operator)]))
    found.sort(key=lambda each: abs(each[0].start_point[0] + 1 - line))
    return tuple(_with(text, node, new) for node, new in found[:VALUES])


def other_values(path: str, text: str, line: int) -> tuple[tuple[OtherValue, ...], ...]:
    """Return for each value near a line what stands there in its place, those nearest first.

    With no line, the values of the whole file.
    """
    found = []
    for node in _within(path, text, _near(text, line), whole=bool(line)):
        others = tuple(_others(_text(node)))
        if others and not _names_a_test(node):
            found.append((node, others))
    found.sort(key=lambda each: abs(each[0].start_point[0] + 1 - (line or 0)))
    return tuple(
        tuple(_with(text, node, other) for other in others) for node, others in found[:VALUES]
    )


def told_by(tried: Sequence[TriedValue]) -> tuple[tuple[TriedValue, ...], bool, bool]:
    """Return the values at which alone a fix shows, and whether it passes whatever it is given.

    The last says whether it passes whatever the test expects as well: of its values, one may be
    what it expects, and not more.
    """
    given = [each for each in tried if is_given(each)]
    pinned = tuple(each for each in given if each.fixed == each.without)
    heeded = sum(any(end.red for end in each.fixed) for each in tried)
    heedless = bool(given) and not any(end.red for each in given for end in each.fixed)
    return pinned, heedless and heeded <= 1, heedless and not heeded


def is_given(tried: TriedValue) -> bool:
    """Tell whether the answer without the fix hangs on a value, as the failures tell."""
    said = {_plain(end.said, tried) for end in tried.without}
    return all(end.red for end in tried.without) and len(said) > 1


def alike(said: str, other: str) -> bool:
    """Tell whether two failures are the same but for the values that they name."""
    return _shape(said) == _shape(other)


def _shape(said: str) -> str:
    return " ".join(VALUE.sub("", said).split())


def _plain(said: str, tried: TriedValue) -> str:
    for value in tried.others:
        said = re.sub(rf"(?<!\w){re.escape(value.strip(QUOTES))}(?!\w)", "", said)
    return said


def new_in(value: str, before: str, after: str) -> bool:
    """Tell whether a text holds a value of a test more often than it did."""
    word = re.compile(rf"(?<![\w.]){re.escape(value.strip(QUOTES))}(?![\w.])")
    return len(word.findall(after)) > len(word.findall(before))


QUOTES = "\"'`"


class _Unknown(msgspec.Struct, frozen=True):
    name: str = ""


_NONE = _Unknown()


def _others(value: str) -> Iterator[str]:
    """Yield what may stand in the place of a number or of a text."""
    if NUMBER.fullmatch(value):
        number = int(value)
        yield str(number + 1)
        yield str(number // 3 if number else 10)
    elif value[:1] in QUOTES and value[-1:] == value[0] and PLAIN.fullmatch(value[1:-1]):
        yield f"{value[:-1]}q{value[-1]}"
        yield f"{value[0]}{value[1:-1][::-1]}v{value[-1]}"


def _names_a_test(node: Node) -> bool:
    """Tell whether a text stands beside a function, as in `test("it works", () => ...)`."""
    beside = node.parent.named_children if node.parent is not None else []
    return any(FUNCTION.search(each.type) for each in beside)


def _near(text: str, line: int) -> range:
    return range(line - NEAR, line + 1) if line else range(1, text.count("\n") + 2)


def _within(path: str, text: str, lines: Collection[int], *, whole: bool) -> Iterator[Node]:
    """Yield the nodes of the code on some lines; with `whole` up to the end of what begins there.

    Code that loads other code is left out, and the line with a function's head, which names it.
    """
    language = language_of(path)
    content = text.encode("utf-8", "surrogateescape")
    if language is None or language.name not in GRAMMARS or len(content) > LARGEST:
        return
    root = parser_of(language).parse(content).root_node
    if root.has_error:
        return
    last = max(lines)
    todo, open_ = [root], range(0)
    while todo:
        node = todo.pop()
        first = node.start_point[0] + 1
        if whole and first == last:
            open_ = range(first, max(open_.stop, node.end_point[0] + 2))
        if first in lines or first in open_:
            yield node
        kept = [
            each for each in node.named_children if each.type not in GRAMMARS[language.name].beside
        ]
        todo += reversed([] if _loads(node) else kept)


def _loads(node: Node) -> bool:
    function = node.child_by_field_name("function")
    return function is not None and _text(function) in LOADS


def _first_argument(node: Node) -> Node | None:
    """Return what an assertion is first given."""
    function, given = (node.child_by_field_name(name) for name in ("function", "arguments"))
    if function is None or given is None or not given.named_child_count:
        return None
    first = given.named_children[0]
    name = _text(function)
    above = node.parent.child_by_field_name("property") if node.parent is not None else None
    differ = "not" in name.lower() or (above is not None and _text(above) == "not")
    plain = first.type != "spread_element" and not FUNCTION.search(first.type)
    return first if ASSERTS.fullmatch(name) and plain and not differ else None


def _with(text: str, node: Node, new: str) -> OtherValue:
    content = text.encode("utf-8", "surrogateescape")
    changed = content[: node.start_byte] + new.encode() + content[node.end_byte :]
    return OtherValue(
        line=node.start_point[0] + 1,
        was=_text(node),
        now=new,
        text=changed.decode("utf-8", "surrogateescape"),
    )


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape")
