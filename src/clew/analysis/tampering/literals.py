"""Values of the failing tests that a fix has built in.

A fix that asks for just the input that a test gives, or returns just what it expects, satisfies the
test and nobody else. It is told by its literals: one that is new to the file, that the failing
tests hold as well, and that decides or is an answer. Values that any code may need are left alone.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

import msgspec

from clew.analysis.tampering.hosting import asserts_of, prose_of
from clew.analysis.tampering.replacing import exchanged, replaced
from clew.words.python_source import parsed

__all__ = ["ASKS", "BuiltIn", "built_in", "functions", "steps", "texts_of", "valueless"]

SMALL = 10  # a number up to here is anybody's
COMMON = frozenset({12, 16, 24, 31, 32, 60, 64, 90, 100, 128, 180, 255, 256, 360, 365, 1000, 1024})
SPELLED = frozenset({"None", "True", "False", "null", "true", "false", "utf-8", "ascii"})
LONG = 3  # characters that a text needs to be somebody's
ANSWERS, ASKS = "answers", "asks for"
_ONE = ("int", "1")
FOLDING = ast.Mod | ast.BitAnd  # what is left is the same for many numbers


class BuiltIn(msgspec.Struct, frozen=True):
    """A literal of the failing tests in a fix: where, its text, and what it does there."""

    line: int
    literal: str
    role: str  # "asks for", "answers", "looks up"


def built_in(
    before: str, after: str, tests: Iterable[str], vocabulary: Collection[str] = ()
) -> tuple[BuiltIn, ...]:
    """Return the literals of `tests`, whole sources, that a change of a file has built in.

    A text that is compared with in the place of another one is none where the `vocabulary` has it:
    the texts of other files.
    """
    try:
        new, old = ast.parse(after), ast.parse(before or "")
    except (SyntaxError, ValueError):
        return ()
    known = {_key(node) for node in ast.walk(old) if _key(node) is not None}
    sources = tuple(tests)
    theirs = set(_of_tests(sources)) | set(_in_words(new, sources))
    mended, documented = replaced(old, new), _documented(old)
    named = exchanged(old, new) if vocabulary else frozenset()
    most = max((int(key[2]) for key in theirs if key[:2] == ("constant", "int")), default=0)
    found: dict[str, BuiltIn] = {}
    for role, node in _deciding(new, most):
        if role == ANSWERS and id(node) in mended:
            continue
        if role == ASKS and isinstance(node, ast.Constant) and str(node.value) in documented:
            continue
        if id(node) in named and isinstance(node, ast.Constant) and node.value in vocabulary:
            continue
        key = _key(node)
        if key is None or key in known or key not in theirs or _anybodys(node):
            continue
        literal = ast.unparse(node)
        found.setdefault(literal, BuiltIn(getattr(node, "lineno", 0), literal, role))
    return tuple(sorted(found.values(), key=lambda each: (each.line, each.literal)))


def texts_of(source: str) -> frozenset[str]:
    """Return the texts that a Python file has as values: no docstrings."""
    tree = parsed(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return frozenset(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
    )


def valueless(before: str, after: str) -> bool:
    """Tell whether a change of a Python file brings no value of its own but places of items.

    Such a change cannot ask for single inputs by their values.
    """
    try:
        old, new = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError):
        return False
    return not _values(new) - _values(old)


def steps(before: str, after: str) -> bool:
    """Tell whether a change of a Python file brings no value but a one that is added or taken."""
    try:
        old, new = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError):
        return False
    brought = _values(new) - _values(old)
    return list(brought.elements()) == [_ONE] and _steps(new) > _steps(old)


def _steps(tree: ast.AST) -> int:
    return sum(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add | ast.Sub)
        and isinstance(node.right, ast.Constant)
        and _value(node.right) == _ONE
        for node in ast.walk(tree)
    )


def _values(tree: ast.AST) -> Counter[tuple[str, str]]:
    nodes = list(ast.walk(tree))
    places = {id(node.slice) for node in nodes if isinstance(node, ast.Subscript)}
    texts = {id(n.value) for n in nodes if isinstance(n, ast.Expr)}  # docstrings
    beside = places | texts
    found = (n for n in nodes if isinstance(n, ast.Constant) and id(n) not in beside)
    return Counter(map(_value, found))


def _value(node: ast.Constant) -> tuple[str, str]:
    return type(node.value).__name__, repr(node.value)


def functions(text: str, name: str) -> tuple[str, ...]:
    """Return the source of a test, `Class.test` or `test`, and the values that its file assigns.

    Examples in a docstring are a test that asserts them.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return ()
    wanted = name.rpartition(".")[2]
    inner = (node for each in tree.body if isinstance(each, ast.ClassDef) for node in each.body)
    nodes = (*tree.body, *inner)
    named = [node for node in nodes if getattr(node, "name", "") == wanted]
    plain = (
        ast.unparse(node)
        for node in nodes
        if isinstance(node, ast.Assign | ast.AnnAssign)
        or (isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node in named)
    )
    return (*filter(None, map(asserts_of, named)), *plain)


def _deciding(tree: ast.AST, most: int) -> Iterator[tuple[str, ast.AST]]:
    """Yield the literals that decide which way code goes, or that are what it answers.

    `most` is the largest number of the tests.
    """
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield from _compared(test, most)
            case ast.Return(value=ast.expr() as value):
                yield from _answers(value)
            case ast.match_case(pattern=pattern):
                yield from ((ASKS, n) for n in ast.walk(pattern) if _key(n) is not None)
            case ast.Dict(keys=keys):
                yield from (("looks up", key) for key in keys if key is not None)
            case _:
                continue


def _compared(test: ast.expr, most: int) -> Iterator[tuple[str, ast.AST]]:
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and any(
            isinstance(op, ast.Eq | ast.NotEq | ast.In | ast.NotIn) for op in node.ops
        ):
            if _folds(node.left, most):
                continue
            for side in (node.left, *node.comparators):
                yield from ((ASKS, each) for each in _parts(side))


def _folds(node: ast.expr, most: int) -> bool:
    """Tell what is the same for many numbers, some of the tests' among them: `n % 100`."""
    match node:
        case ast.BinOp(op=op, right=ast.Constant(value=int(size))):
            return isinstance(op, FOLDING) and 0 < size <= most
        case _:
            return False


def _documented(tree: ast.AST) -> frozenset[str]:
    """Return the words of docstrings, those of their examples left out."""
    prose = map(prose_of, ast.walk(tree))
    return frozenset(word for text in prose for word in re.findall(r"[\w-]+", text))


def _answers(value: ast.expr) -> Iterator[tuple[str, ast.AST]]:
    for side in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
        yield from ((ANSWERS, each) for each in _parts(side))


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield a literal, and those that it is made of."""
    if _key(node) is not None:
        yield node
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        for element in node.elts:
            yield from _parts(element)
    elif isinstance(node, ast.Dict):
        for each in (*node.keys, *node.values):
            if each is not None:
                yield from _parts(each)


def _of_tests(sources: Iterable[str]) -> Iterator[tuple[str, ...]]:
    for source in sources:
        for node in ast.walk(parsed(source)):
            key = _key(node)
            if key is not None:
                yield key
            if isinstance(node, ast.Call) and len(node.args) > 1:
                # Several arguments are compared as one tuple.
                parts = [_key(arg) for arg in node.args]
                if all(part is not None for part in parts):
                    yield ("tuple", *(ast.dump(arg) for arg in node.args))


def _in_words(tree: ast.AST, sources: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield the keys of tables all of whose keys stand in texts of the tests, as words there."""
    nodes = (node for source in sources for node in ast.walk(parsed(source)))
    texts = (node.value for node in nodes if isinstance(node, ast.Constant))
    words = {word for text in texts if isinstance(text, str) for word in _words(text)}
    for node in ast.walk(tree):
        keys = node.keys if isinstance(node, ast.Dict) else []
        named = [key.value for key in keys if isinstance(key, ast.Constant)]
        said = [name for name in named if isinstance(name, str) and _words(name)]
        if (
            len(keys) > 1
            and len(said) == len(keys)
            and words.issuperset(word for name in said for word in _words(name))
        ):
            yield from (key for each in keys if each and (key := _key(each)) is not None)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _key(node: ast.AST) -> tuple[str, ...] | None:
    """Return what makes two literals the same; nothing for what is none, and for docstrings."""
    match node:
        case ast.Constant(value=value) if value is not None and not isinstance(value, bool):
            return ("constant", type(value).__name__, repr(value))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
            return ("constant", type(value).__name__, "-" + repr(value))
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            if len(elements) > 1 and all(_key(element) is not None for element in elements):
                kind = "tuple" if isinstance(node, ast.Tuple) else "several"
                return (kind, *(ast.dump(element) for element in elements))
        case _:
            return None
    return None


def _anybodys(node: ast.AST) -> bool:
    """Tell a value that any code may need from one that is somebody's."""
    match node:
        case ast.Constant(value=value):
            return _common(value)
        case ast.UnaryOp(operand=ast.Constant(value=value)):
            return _common(value)
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return all(_plainest(element) for element in elements)
        case _:
            return True


def _common(value: object) -> bool:
    if isinstance(value, int):
        return abs(value) <= SMALL or value in COMMON
    if isinstance(value, float):
        return abs(value) <= 1 or value.is_integer()
    if isinstance(value, str | bytes):
        return len(value) < LONG or value in SPELLED
    return True


def _plainest(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value in (0, 1, "", b"")
