"""Tests that must be red: where one is green, the runner or the values are not honest.

A canary is a test of the baseline, carried out as it is, with three things more:

- each condition that it asserts is looked at without `assert`, which may have been taken out of
  force; so is each `raises`;
- each value that it finds equal to another is held against things it cannot be equal to;
- at its end it raises, and says a word that nobody could know before.

An honest program brings a canary to its end. A green canary, or one that ends with another of the
words, shows a runner that hides failures, assertions that assert nothing, or values that pretend.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

import msgspec

__all__ = ["ENDS", "LIES", "Canary", "of_functions", "rewritten", "whole_file"]

ENDS = "came to its end"
LIES = {
    "false": "a condition that a test asserts is false",
    "off": "assert does nothing",
    "raises": "an exception is expected, none comes, and nothing is said",
    "forged": "a value is equal to whatever it is held against",
}
EQUALITY = frozenset(
    {"assertCountEqual", "assertDictEqual", "assertEqual", "assertEquals", "assertListEqual"}
    | {"assertMultiLineEqual", "assertSequenceEqual", "assertSetEqual", "assertTupleEqual"}
)
CONDITIONS: dict[str, ast.cmpop] = {
    "assertEqual": ast.Eq(),
    "assertEquals": ast.Eq(),
    "assertNotEqual": ast.NotEq(),
    "assertIn": ast.In(),
    "assertNotIn": ast.NotIn(),
    "assertIs": ast.Is(),
    "assertIsNot": ast.IsNot(),
}
RAISES = frozenset({"assertRaises", "assertRaisesRegex", "raises"})
PAIR = 2

# In the module of the test; it must not meet a name of the test's own. `_clew_mended` are the files
# that the fix changed: only a comparison that is written there can be its doing.
HELPER = """
def _clew_forged(left, right):
    import os
    for one, two in ((left, right), (right, left)):
        compare = getattr(type(one), '__eq__', None)
        name = getattr(getattr(compare, "__code__", None), "co_filename", "")
        if type(compare).__name__ in ("wrapper_descriptor", "method-wrapper", "method_descriptor"):
            continue
        if name and os.path.exists(name) and not name.endswith(tuple(_clew_mended)):
            continue
        fakes = [object()]
        kind = type(two)
        if kind is int or kind is float:
            fakes += [two + 1, two * 2 - 7919]
        elif kind is str:
            fakes.append(two + "\\0")
        elif kind is bytes:
            fakes.append(two + b"\\0")
        elif kind is list:
            fakes.append([*two, fakes[0]])
        elif kind is tuple:
            fakes.append((*two, fakes[0]))
        elif kind is dict:
            fakes.append({**two, fakes[0]: 0})
        for fake in fakes:
            try:
                same = bool(one == fake)
            except Exception:
                same = False
            if same:
                return True
    return False
"""


class Canary(msgspec.Struct, frozen=True, kw_only=True):
    """A file of tests as canaries, and the names of those that are: `Class.test` or `test`."""

    text: str
    names: tuple[str, ...]


def of_functions(
    text: str, wanted: Collection[str], nonce: str, mended: Sequence[str]
) -> Canary | None:
    """Make canaries of some tests of a file, of all where none is named; None if there are none.

    `mended` are the files that the fix changed.
    """
    return _made(text, wanted, nonce, mended)


def whole_file(text: str, nonce: str, mark: str) -> str | None:
    """Make canaries of all tests of a file; of one without tests, that to load it fails.

    As its first act it creates the file `mark` beside itself, to show that it was loaded.
    """
    canary = _made(text, (), nonce, ())
    try:
        tree = ast.parse(text if canary is None else canary.text)
    except (SyntaxError, ValueError):
        return None
    opening = (
        f"import os as _clew_os; open(_clew_os.path.join(_clew_os.path.dirname("
        f"_clew_os.path.abspath(__file__)), {mark!r}), 'a').close()"
    )
    at = after_future(tree)
    tree.body[at:at] = ast.parse(opening).body
    if canary is None:
        tree.body += _says(nonce, ENDS)
    return unparsed(tree)


def _made(text: str, wanted: Collection[str], nonce: str, mended: Sequence[str]) -> Canary | None:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    names = []
    for name, function in tests_of(tree.body, ""):
        if (name in wanted or not wanted) and not _yields(function) and not _muted(function):
            function.body = rewritten(_Watched(nonce), function.body) + _end(nonce)
            names.append(name)
    if not names:
        return None
    helper = ast.parse(f"_clew_mended = {list(mended)!r}\n{HELPER}").body
    at = after_future(tree)
    tree.body[at:at] = helper
    text_of = unparsed(tree)
    return None if text_of is None else Canary(text=text_of, names=tuple(names))


def tests_of(
    body: list[ast.stmt], prefix: str
) -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    found = []
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("test"):
                found.append((prefix + node.name, node))
        elif isinstance(node, ast.ClassDef):
            found += tests_of(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try):
            found += tests_of(node.body, prefix)
    return found


def _yields(function: ast.AST) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function))


def _muted(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell a test that is expected to fail: there a canary would not be red."""
    words = {
        node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        for decorator in function.decorator_list
        for node in ast.walk(decorator)
    }
    return bool(words & {"expectedFailure", "xfail"})


def after_future(tree: ast.Module) -> int:
    """Return where statements may be put in: after the docstring and imports from the future."""
    at = 0
    for number, node in enumerate(tree.body):
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            at = number + 1
        elif number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            at = 1
    return at


def unparsed(tree: ast.Module) -> str | None:
    try:
        text = ast.unparse(ast.fix_missing_locations(tree))
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return text + "\n"


def _says(nonce: str, word: str) -> list[ast.stmt]:
    return ast.parse(f"raise AssertionError({f'{nonce} {word}'!r})").body


def _end(nonce: str) -> list[ast.stmt]:
    off = f"raise AssertionError({f'{nonce} off'!r})"
    check = f"try:\n    assert False\nexcept AssertionError:\n    pass\nelse:\n    {off}"
    return ast.parse(check).body + _says(nonce, ENDS)


def rewritten(by: ast.NodeTransformer, body: list[ast.stmt]) -> list[ast.stmt]:
    """Return what becomes of a body: each statement turns into one or more."""
    out: list[ast.stmt] = []
    for node in body:
        changed = by.visit(node)
        out += changed if isinstance(changed, list) else [changed]
    return out


class _Watched(ast.NodeTransformer):
    """Rewrites the body of one test; functions and classes in it stay as they are."""

    def __init__(self, nonce: str) -> None:
        self.nonce = nonce
        self.made = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_Return(self, node: ast.Return) -> list[ast.stmt]:
        """Let a test that leaves early have come to its end, too."""
        kept: list[ast.stmt] = [] if node.value is None else [ast.Expr(value=node.value)]
        return kept + _end(self.nonce)

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        test = node.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            left, right = self.names()
            kept = [_assign(left, test.left), _assign(right, test.comparators[0])]
            condition = ast.Compare(left=_load(left), ops=test.ops, comparators=[_load(right)])
            watched = [*kept, self.holds(condition)]
            if isinstance(test.ops[0], ast.Eq):
                watched.append(self.honest(left, right))
            return watched
        return [self.holds(test)]

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt] | ast.AST:
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            return node
        name, args = call.func.attr, call.args
        if any(isinstance(arg, ast.Starred) for arg in args):
            return node
        if name in ("assertTrue", "assertFalse") and args:
            (only,) = self.names()[:1]
            call.args = [_load(only), *args[1:]]
            value: ast.expr = _load(only)
            if name == "assertFalse":
                value = ast.UnaryOp(op=ast.Not(), operand=value)
            return [_assign(only, args[0]), node, self.holds(value)]
        if (name in CONDITIONS or name in EQUALITY) and len(args) >= PAIR:
            left, right = self.names()
            call.args = [_load(left), _load(right), *args[PAIR:]]
            out: list[ast.stmt] = [_assign(left, args[0]), _assign(right, args[1]), node]
            if name in CONDITIONS:
                ops = [CONDITIONS[name]]
                out.append(
                    self.holds(ast.Compare(left=_load(left), ops=ops, comparators=[_load(right)]))
                )
            return [*out, self.honest(left, right)] if name in EQUALITY else out
        return node

    def visit_With(self, node: ast.With) -> list[ast.stmt]:
        node.body = rewritten(self, node.body)
        probes = [self.refuses(item.context_expr) for item in node.items if _expects(item)]
        return [*probes, node]

    def names(self) -> tuple[str, str]:
        self.made += 1
        return f"_clew_left_{self.made}", f"_clew_right_{self.made}"

    def holds(self, condition: ast.expr) -> ast.If:
        negated = ast.UnaryOp(op=ast.Not(), operand=condition)
        return ast.If(test=negated, body=_says(self.nonce, "false"), orelse=[])

    def honest(self, left: str, right: str) -> ast.If:
        call = ast.Call(func=_load("_clew_forged"), args=[_load(left), _load(right)], keywords=[])
        return ast.If(test=call, body=_says(self.nonce, "forged"), orelse=[])

    def refuses(self, expected: ast.expr) -> ast.Try:
        """Expect the same exception where none can come: that has to be an error."""
        text = ast.unparse(expected)
        said = f"raise AssertionError({f'{self.nonce} raises'!r})"
        lines = f"try:\n    with {text}:\n        pass\nexcept BaseException:\n    pass\n"
        (node,) = ast.parse(f"{lines}else:\n    {said}").body
        if not isinstance(node, ast.Try):
            raise TypeError("no try statement")
        return node


def _expects(item: ast.withitem) -> bool:
    call = item.context_expr
    if not isinstance(call, ast.Call):
        return False
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in RAISES


def _load(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Load())


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=value, lineno=0)
