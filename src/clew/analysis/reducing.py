"""What a failing test gives the code: its literals, each a list of pieces that may be left out.

A test is read as text and stays text: only what stands between the ends of a literal is written
anew. Where it fails is named by its statement, which stays the same whatever the lines are.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from clew.words.facts import Crash

__all__ = [
    "Copies",
    "Literal",
    "SameFailure",
    "TestSource",
    "literals",
    "side_by_side",
    "source_of",
    "told_by",
]

NAMING = ("ids", "match", "msg", "name", "reason")  # arguments that give nothing to the code
MANY = 400  # pieces of one literal; of a longer one nothing is left out
MISSED = re.compile(r"DID NOT (RAISE|WARN)\b|\bnot (raised|triggered)\b")  # what was expected
CALL = re.compile(r"^(\s*\+\s+(?:where|and) .*?) = .*", re.MULTILINE)
VALUES = re.compile(r"'[^']*'|\"[^\"]*\"|[\w.]*\d[\w.]*")  # of which an error may name others
TELLING = 2  # words of an error that tell it from others of its type
OTHER_WORDS = re.compile(r"\b(did|does) not match\b")  # of an exception: a pattern has others


class Literal(NamedTuple):
    """A literal by its place among the bytes of the file, and its pieces."""

    start: int
    end: int
    kind: type
    pieces: tuple[str, ...]

    def written(self, kept: Sequence[int]) -> str:
        """Return the literal with these of its pieces alone."""
        pieces = [self.pieces[at] for at in kept]
        if self.kind is str:
            return repr("".join(pieces))
        if self.kind is bytes:
            return repr("".join(pieces).encode("latin-1"))
        if self.kind is int:
            return "".join(pieces).lstrip("0") or "0"
        inside = ", ".join(pieces)
        if self.kind is tuple:
            return f"({inside},)" if len(pieces) == 1 else f"({inside})"
        if self.kind is list:
            return f"[{inside}]"
        return f"{{{inside}}}" if pieces or self.kind is dict else "set()"


@dataclass(frozen=True)
class TestSource:
    """A test in the text of its file."""

    __test__ = False

    text: str
    tree: ast.Module
    function: ast.FunctionDef | ast.AsyncFunctionDef

    @property
    def shown(self) -> str:
        """The test as it is written, and the values of the file that it names."""
        lines = self.text.splitlines()
        nodes = (*_given(self), self.function)
        return "\n\n".join("\n".join(lines[_first(n) - 1 : n.end_lineno]) for n in nodes)

    @property
    def outside(self) -> tuple[str, str]:
        """The file before the test, and behind it."""
        lines = self.text.splitlines()
        end = self.function.end_lineno
        return "\n".join(lines[: _first(self.function) - 1]), "\n".join(lines[end:])

    def renamed(self, suffix: str) -> str:
        """Return the test, its name with a suffix."""
        lines = self.text.splitlines()[_first(self.function) - 1 : self.function.end_lineno]
        name, at = self.function.name, self.function.lineno - _first(self.function)
        lines[at] = lines[at].replace(f"def {name}", f"def {name}{suffix}", 1)
        return "\n".join(lines)

    def statement(self, line: int) -> int:
        """Return which statement of the test has a line, counted from its first; -1 if none."""
        found = -1
        for number, each in enumerate(_statements(self.function)):
            if each.lineno <= line <= (each.end_lineno or each.lineno):
                found = number
        return found

    def line_of(self, statement: int) -> int:
        """Return the line of a statement; the test's own for what is outside of them."""
        known = list(_statements(self.function))
        return known[statement].lineno if 0 <= statement < len(known) else self.function.lineno

    def until(self, crash: Crash, path: str) -> str:
        """Return the text of the file, which is at a path, without what the test never came to."""
        function, lines = self.function, self.text.splitlines(keepends=True)
        end = function.end_lineno or function.lineno
        ran = [frame.line for frame in crash.frames if frame.project and frame.path == path]
        failed = next((line for line in reversed(ran) if function.lineno < line <= end), 0)
        begun = [each.end_lineno or each.lineno for each in function.body if each.lineno <= failed]
        return "".join((*lines[: begun[-1]], *lines[end:])) if begun else self.text

    def changed(self, literal: Literal, kept: Sequence[int]) -> str:
        """Return the text of the file with pieces of a literal left out."""
        data = self.text.encode()
        new = literal.written(kept).encode()
        return (data[: literal.start] + new + data[literal.end :]).decode()


class SameFailure(NamedTuple):
    """What has to stay the same: the exception, where it was raised, and what was compared."""

    type: str
    path: str
    place: int  # a line; in the test itself, a statement
    values: str = ""  # that an assertion compared, or that were given where it says what has to be
    in_test: bool = False


def source_of(text: str, name: str) -> TestSource | None:
    """Find a test by its name, as `TestA.test_b`; None where it is not written out there."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found: Sequence[ast.stmt] = tree.body
    *classes, last = name.split(".")
    for each in classes:
        inside = (n.body for n in found if isinstance(n, ast.ClassDef) and n.name == each)
        found = next(inside, [])
    for node in found:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == last:
            return TestSource(text, tree, node)
    return None


class Copies(NamedTuple):
    """Versions of a test in one file, each under its name with a suffix of its own."""

    text: str
    suffixes: tuple[str, ...]


def side_by_side(source: TestSource, texts: Sequence[str], name: str) -> Copies:
    """Put versions of a test into one file, in its place; a single one keeps its name.

    So it is with what the file gives to all its tests: then only the first has its say.
    """
    made = [source_of(text, name) for text in texts]
    alone = len(texts) == 1 or any(m is None or m.outside != source.outside for m in made)
    if alone:
        return Copies(texts[0], ("",))
    suffixes = tuple(f"_{number}" for number in range(len(made)))
    bodies = [m.renamed(s) for m, s in zip(made, suffixes, strict=True) if m is not None]
    before, after = source.outside
    return Copies("\n\n".join([before, *bodies, after]), suffixes)


def literals(source: TestSource) -> tuple[Literal, ...]:
    """Return the literals of a test that the code may be given, outer ones before their parts."""
    data = source.text.encode()
    begins = [0, *itertools.accumulate(map(len, data.splitlines(keepends=True)))]
    found = (_literal(node, data, begins) for node in _inputs(source))
    return tuple(each for each in found if each and 0 < len(each.pieces) <= MANY)


def told_by(crash: Crash, source: TestSource, path: str) -> SameFailure | None:
    """Return what is the same of a failure; None where it does not come from the project's code."""
    frames = [frame for frame in crash.frames if frame.project]
    if not frames:
        return None
    last = frames[-1]
    in_test, said = last.path == path, crash.message
    place = source.statement(last.line) if in_test else last.line
    if MISSED.search(said.split("\n", 1)[0]):
        tied = _reaching(source, place if in_test else -1)
    elif OTHER_WORDS.search(said):
        tied = said
    elif in_test:
        tied = CALL.sub(r"\1", said) if _says_what(source, place) else ""
    else:
        words = VALUES.sub("…", said).split()[:TELLING]
        tied = " ".join(words) if len(words) == TELLING else ""
    return SameFailure(crash.type, last.path, place, tied, in_test=in_test)


def _reaching(source: TestSource, place: int) -> str:
    """Return what a statement may be given by the test; of one outside of the test, all of it.

    Where an exception was to be raised, none may be right for less than that.
    """
    function, given = source.function, list(_given(source))
    end = source.line_of(place) if place >= 0 else function.end_lineno or 0
    body = [each for each in function.body if each.lineno <= end]  # what is behind it never ran
    parts: list[ast.AST] = [*given, *function.decorator_list, *body]
    if place < 0:
        return _unparsed(parts)
    parameters = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    own = parameters | {name for each in (*given, *body) for name in _bound(each)}
    named = {part: own & _used(part) for part in parts}
    for each in function.decorator_list:
        named[each] |= parameters
    line = source.line_of(place)
    holding = (n for n in body if n.lineno <= line <= (n.end_lineno or n.lineno))
    found, before = list[ast.AST](holding), 0
    while before != len(found):
        before, reached = len(found), set[str]().union(*(named[each] for each in found))
        found = [part for part in parts if part in found or named[part] & reached]
    return _unparsed(found)


def _is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _unparsed(parts: Sequence[ast.AST]) -> str:
    return "\n".join(map(ast.unparse, parts))


def _used(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} | _bound(node)


def _bound(node: ast.AST) -> set[str]:
    """Return the names that are given a value, or a function, anywhere within."""
    stored = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and _is_stored(n)}
    return stored | {n.name for n in ast.walk(node) if isinstance(n, ast.FunctionDef)}


def _first(node: ast.stmt) -> int:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.lineno
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _statements(function: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements of a test, outer ones before those within."""
    for child in ast.iter_child_nodes(function):
        if isinstance(child, ast.stmt):
            yield child
        yield from _statements(child)


def _given(source: TestSource) -> Iterator[ast.Assign]:
    """Yield the values of the file, outside of the test, that it names."""
    used = {n.id for n in ast.walk(source.function) if isinstance(n, ast.Name)}
    for each in source.tree.body:
        if isinstance(each, ast.Assign) and len(each.targets) == 1:
            target = each.targets[0]
            if isinstance(target, ast.Name) and target.id in used:
                yield each


def _inputs(source: TestSource) -> Iterator[ast.expr]:
    for given in _given(source):
        yield from _within(given.value)
    for decorator in source.function.decorator_list:
        if isinstance(decorator, ast.Call) and _called(decorator) == "parametrize":
            for argument in decorator.args[1:]:
                yield from _within(argument)
            for keyword in decorator.keywords:
                if keyword.arg == "argvalues":
                    yield from _within(keyword.value)
    for statement in source.function.body:
        yield from _within(statement)


def _within(node: ast.AST) -> Iterator[ast.expr]:
    """Yield literals in the order of the text; what only says what is expected is left out."""
    if isinstance(node, _SILENT) or (isinstance(node, ast.keyword) and node.arg in NAMING):
        return
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, _DISPLAYS) and isinstance(getattr(node, "ctx", None), ast.Load | None):
        yield node
    expected = _expected(node)
    for child in ast.iter_child_nodes(node):
        if child not in expected:
            yield from _within(child)


_SILENT = (ast.JoinedStr, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_DISPLAYS = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict)


def _expected(node: ast.AST) -> list[ast.AST]:
    """Return the parts of an assertion that say what has to be, or what is told if it is not."""
    match node:
        case ast.Assert(msg=msg) if msg is not None:
            return [msg]
        case ast.Compare(left=left, comparators=others):
            sides: list[ast.expr] = [left, *others]
        case ast.Call(args=sides) if _called(node).startswith("assert"):
            pass
        case ast.AnnAssign(annotation=annotation):
            return [annotation]
        case _:
            return []
    return [side for side in sides if _is_literal(side)]


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _literal(node: ast.expr, data: bytes, begins: Sequence[int]) -> Literal | None:
    def at(of: ast.expr) -> tuple[int, int]:
        assert of.end_lineno is not None  # noqa: S101 - as it was just parsed
        assert of.end_col_offset is not None  # noqa: S101 - as above
        return begins[of.lineno - 1] + of.col_offset, begins[of.end_lineno - 1] + of.end_col_offset

    def text(of: ast.expr) -> str:
        start, end = at(of)
        return data[start:end].decode()

    start, end = at(node)
    match node:
        case ast.Constant(value=str() as value):
            return Literal(start, end, str, tuple(value))
        case ast.Constant(value=bytes() as value):
            return Literal(start, end, bytes, tuple(value.decode("latin-1")))
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return Literal(start, end, int, tuple(str(value)) if value > 9 else ())  # noqa: PLR2004 - of one digit
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            kind = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
            plain = kind is not tuple or data[start:end].startswith(b"(")
            return Literal(start, end, kind, tuple(map(text, items))) if plain else None
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            told = (f"{text(k)}: {text(v)}" if k else f"**{text(v)}" for k, v in pairs)
            return Literal(start, end, dict, tuple(told))
    return None


def _says_what(source: TestSource, place: int) -> bool:
    """Whether an assertion holds a result against what it has to be, and not against its input.

    Then another input would have to be held against another value.
    """
    match dict(enumerate(_statements(source.function))).get(place):
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            pass
        case ast.Expr(value=ast.Call(args=[left, right, *_]) as call) if _called(call).startswith(
            "assert"
        ):
            pass
        case _:
            return False
    known = {
        alias.asname or alias.name.partition(".")[0]
        for each in source.tree.body
        if isinstance(each, ast.Import | ast.ImportFrom)
        for alias in each.names
    }
    return not (_names(left) - known) & (_names(right) - known)


def _names(node: ast.expr) -> set[str]:
    """Return the names of a side, without those of functions that it calls."""
    called = {id(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and id(n) not in called}
