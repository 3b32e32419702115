"""Tests, assertions, skips and expected failures of a Python file, by its syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

import msgspec

__all__ = ["Counts", "checks", "counts", "written"]

SKIPS = frozenset({"importorskip", "skip", "skipIf", "skipTest", "skipUnless", "skipif"})
SKIP_NAMES = frozenset({"SkipTest", "collect_ignore", "collect_ignore_glob"})
XFAILS = frozenset({"expectedFailure", "xfail"})
ASSERTING = frozenset({"deprecated_call", "fail", "raises", "warns"})
MANY = 10  # what an assertion counts that is made again and again
LOOPS = ast.For | ast.AsyncFor | ast.While | ast.comprehension


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How many there are; a test with a written-out list of cases counts once a case."""

    tests: int = 0
    assertions: int = 0
    skips: int = 0
    xfails: int = 0

    def plus(self, other: Counts) -> Counts:
        """Return both together."""
        return Counts(
            tests=self.tests + other.tests,
            assertions=self.assertions + other.assertions,
            skips=self.skips + other.skips,
            xfails=self.xfails + other.xfails,
        )

    def weaker(self, than: Counts) -> tuple[str, ...]:
        """Name what is lost, or muted, against an earlier count."""
        pairs = (
            ("tests", than.tests, self.tests, self.tests < than.tests),
            ("assertions", than.assertions, self.assertions, self.assertions < than.assertions),
            ("skips", than.skips, self.skips, self.skips > than.skips),
            ("expected failures", than.xfails, self.xfails, self.xfails > than.xfails),
        )
        return tuple(f"{name} {was} → {now}" for name, was, now, worse in pairs if worse)


def counts(content: bytes | None) -> Counts:
    """Count in one file; one that is no Python, or not there, has none."""
    if not content:
        return Counts()
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return Counts()
    tests = assertions = skips = xfails = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            tests += _cases(node) if node.name.startswith("test") else 0
        elif isinstance(node, ast.Assert):
            assertions += 1
        elif isinstance(node, ast.Call):
            assertions += _asserts(_name(node.func))
        name = _name(node)
        skips += name in SKIPS or name in SKIP_NAMES or _not_a_test(node)
        xfails += name in XFAILS
    return Counts(tests=tests, assertions=assertions, skips=skips, xfails=xfails)


def written(content: bytes | None) -> tuple[str, ...]:
    """Name the tests that are written out in a file, `TestA.test_b` or `test_c`.

    Those that a decorator or a condition may take away are left out.
    """
    try:
        tree = ast.parse(content or b"")
    except (SyntaxError, ValueError):
        return ()
    found = [name for name in map(_test, tree.body) if name]
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.decorator_list and _holds_tests(node):
            found += [f"{node.name}.{name}" for name in map(_test, node.body) if name]
    return tuple(found)


def checks(text: str, test: str) -> int | None:
    """Count what a test asserts, `TestA.test_b` or `test_c`; None if that cannot be said.

    What a loop asserts, or a function of the file that the test calls, or a property on inputs that
    a library makes up, counts as many. Of several that bear the name the one with most counts.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    name = test.rpartition(".")[2]
    helpers = {n.name for n in functions if n.name != name and _asserted(n)}
    named = [n for n in functions if n.name == name]
    return max((_asserted(n, helpers) for n in named), default=None)


def _asserted(test: ast.AST, helpers: Collection[str] = ()) -> int:
    if any(_name(node) == "given" for node in ast.walk(test)):
        return MANY
    nodes = [(node, 1) for node in ast.iter_child_nodes(test)]
    found = 0
    for node, times in nodes:
        each = MANY if isinstance(node, LOOPS) else times
        nodes += [(child, each) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Assert):
            found += times
        elif isinstance(node, ast.Call):
            name = _name(node.func)
            found += times * (MANY if name in helpers else _asserts(name))
    return found


def _test(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not node.decorator_list:
        return node.name if node.name.startswith("test_") else ""
    return ""


def _holds_tests(node: ast.ClassDef) -> bool:
    """Tell a class that every runner collects: no constructor, and not switched off."""
    if any(_not_a_test(each) or getattr(each, "name", "") == "__init__" for each in node.body):
        return False
    return any(_name(base) == "TestCase" for base in node.bases) or (
        node.name.startswith("Test") and not node.bases
    )


def _asserts(name: str) -> bool:
    """Tell `assertEqual`, `assert_allclose` and `raises` from other calls."""
    after = name.removeprefix("assert")
    return name in ASSERTING or (after != name and (after[:1].isupper() or after[:1] == "_"))


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _not_a_test(node: ast.AST) -> bool:
    if not isinstance(node, ast.Assign):
        return False
    off = isinstance(node.value, ast.Constant) and node.value.value is False
    return off and any(_name(target) == "__test__" for target in node.targets)


def _cases(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    cases = 1
    for number in _lists(function.decorator_list):
        cases *= number
    return cases


def _lists(decorators: list[ast.expr]) -> Iterator[int]:
    """Yield the length of each list of cases that is written out."""
    for decorator in decorators:
        if isinstance(decorator, ast.Call) and _name(decorator.func) == "parametrize":
            named = [k.value for k in decorator.keywords if k.arg == "argvalues"]
            values = (*decorator.args[1:2], *named)
            yield from (len(v.elts) for v in values if isinstance(v, ast.List | ast.Tuple))
