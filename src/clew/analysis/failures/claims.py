"""What tests and documented examples ask of one literal call."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from clew.analysis.testfiles import is_test_path
from clew.words.python_source import parsed

__all__ = ["Claim", "asked_of", "asserted", "callable_name", "claims_in", "literal"]

PAIR = 2
EQUAL = ("assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertTupleEqual")
UNEQUAL = ("assertNotEqual", "assertIsNot")


class Claim(NamedTuple):
    """A call with literal arguments, and the literal that it is said to give, as source."""

    call: str
    answer: str
    path: str = ""
    line: int = 0
    by: str = ""  # the test; empty for an example of the documentation


def claims_in(sources: Mapping[str, str]) -> Iterator[Claim]:
    """Yield what the tests among these files ask, and what the examples in all of them show."""
    for path in sorted(sources):
        text = sources[path]
        if path.endswith(".py"):
            tree = parsed(text)
            if is_test_path(path):
                yield from _of_tests(path, tree)
            else:
                for node in ast.walk(tree):
                    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                        yield from _examples(path, node.lineno, ast.get_docstring(node) or "")
        elif path.endswith((".md", ".rst")):
            yield from _examples(path, 1, text)


def asked_of(node: ast.expr | None, values: Mapping[str, ast.expr]) -> Iterator[tuple[str, str]]:
    """Yield call and answer where an assertion compares the two; names stand for `values`."""
    if node is None:
        return
    for left, right in _compared(node):
        for call, answer in ((left, right), (right, left)):
            known = _literal_call(call, values)
            given = _known(answer, values)
            if known is not None and literal(given):
                yield ast.unparse(known), ast.unparse(given)
                break


def asserted(code: str) -> ast.expr | None:
    """Return what the line asserts: the test of an `assert`, else the whole of an assertX call."""
    try:
        body = ast.parse(code.strip()).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return _assertion(body[0]) if body else None


def literal(node: ast.expr) -> bool:
    """Tell whether a node says its value by itself."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def callable_name(node: ast.expr) -> str:
    """Return the bare name of what is called; empty where it has none."""
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else ""


def _assertion(node: ast.stmt) -> ast.expr | None:
    if isinstance(node, ast.Assert):
        return node.test
    return node.value if isinstance(node, ast.Expr) else None


def _compared(node: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
        yield node.left, node.comparators[0]
    elif (
        isinstance(node, ast.Call) and callable_name(node.func) in EQUAL and len(node.args) >= PAIR
    ):
        yield node.args[0], node.args[1]


def _literal_call(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.Call | None:
    """Return a call by bare name with its arguments as literals; None where one is not."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    arguments = [_known(each, values) for each in node.args]
    keywords = [
        ast.keyword(arg=each.arg, value=_known(each.value, values)) for each in node.keywords
    ]
    named = [each.value for each in keywords if each.arg]
    whole = len(named) == len(keywords) and arguments + named
    if not whole or not all(map(literal, whole)):
        return None
    return ast.Call(func=node.func, args=arguments, keywords=keywords)


def _known(node: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    return values.get(node.id, node) if isinstance(node, ast.Name) else node


def _of_tests(path: str, tree: ast.Module) -> Iterator[Claim]:
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for test in ast.walk(tree):
        if not isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for values in (*_parameters(test), {}):
            for node in ast.walk(test):
                if not isinstance(node, ast.Assert | ast.Expr):
                    continue
                for call, answer in asked_of(_assertion(node), values):
                    if call.partition("(")[0] in imported:
                        yield Claim(call, answer, path, node.lineno, test.name)


def _parameters(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[dict[str, ast.expr]]:
    """Yield the names of each literal row of a test's table."""
    for mark in test.decorator_list:
        if (
            not isinstance(mark, ast.Call)
            or callable_name(mark.func) != "parametrize"
            or len(mark.args) < PAIR
            or not isinstance(mark.args[1], ast.List | ast.Tuple)
            or not literal(mark.args[0])
        ):
            continue
        given = ast.literal_eval(mark.args[0])
        names = [n.strip() for n in given.split(",")] if isinstance(given, str) else list(given)
        for row in mark.args[1].elts:
            cells = row.elts if isinstance(row, ast.Tuple | ast.List) else [row]
            if len(cells) == len(names):
                yield dict(zip(names, cells, strict=True))


def _examples(path: str, line: int, text: str) -> Iterator[Claim]:
    if ">>>" not in text:
        return
    import doctest  # noqa: PLC0415 -- brings a debugger along, and few failures ask for it

    try:
        shown = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return
    for example in shown:
        answer = example.want.strip()
        try:
            call = ast.parse(example.source.strip(), mode="eval").body
            given = ast.parse(answer, mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
        known = _literal_call(call, {})
        if known is not None and literal(given):
            yield Claim(ast.unparse(known), ast.unparse(given), path, line + example.lineno)
