"""Tests that ask something else than they did: their own text changed, or that of what they use."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from clew.words.test_ids import parted

__all__ = ["asks_otherwise", "expects_otherwise", "stood", "values_alone"]

SET_UP = ("setUp", "setUpClass", "setup_method", "setup_class")  # run without being named


def asks_otherwise(
    tests: Collection[str], before: Mapping[str, str], now: Mapping[str, str]
) -> tuple[str, ...]:
    """Return the tests that stood in the older texts of test files, and ask something else now.

    `before` and `now` are the texts of the changed files by path. What a test uses is followed by
    its names: fixtures, helpers, values of its module. A file that is no Python tells nothing.
    """
    old, new = ({path: _definitions(text) for path, text in t.items()} for t in (before, now))
    was = {name: told for each in old.values() for name, told in each.items()}
    changed = {
        name
        for each in new.values()
        for name, told in each.items()
        if name in was and was[name] != told
    }
    return tuple(test for test in tests if _asked(test, was, new) & changed)


def expects_otherwise(
    before: Mapping[str, str], now: Mapping[str, str], *, besides: Collection[str] = ()
) -> tuple[str, ...]:
    """Return the test functions of some files that differ in values alone, `besides` left out.

    They call what they called, and expect something else: whoever changed them meant to.
    """
    out = {parted(test)[1] for test in besides}
    found = []
    for path, text in now.items():
        old, new = _definitions(before.get(path, "")), _definitions(text)
        found += [
            f"{path}::{name.replace('.', '::')}"
            for name, told in new.items()
            if name in old and name not in out and name.rpartition(".")[2].startswith("test")
            if told != old[name] and _without_values(told) == _without_values(old[name])
        ]
    return tuple(found)


def values_alone(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names of modules and classes that have another value; none where more changed.

    What docstrings say is no code.
    """
    if before.keys() != now.keys():
        return ()
    before, now = ({p: _undocumented(text) for p, text in texts.items()} for texts in (before, now))
    found: list[str] = []
    for path, text in now.items():
        old, new = _definitions(before[path]), _definitions(text)
        other = [name for name in new if old.get(name) != new[name]]
        plain = old.keys() == new.keys() and all(
            _without_values(old[name]) == _without_values(new[name])
            and not new[name].startswith(("def ", "async def ", "@"))
            for name in other
        )
        if not plain or _rest(before[path]) != _rest(text):
            return ()
        found += other
    return tuple(found)


def _rest(text: str) -> str:
    """Return what a module does besides defining names."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return text
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Assign, ast.AnnAssign)
    return "\n".join(ast.unparse(node) for node in body if not isinstance(node, kinds))


def stood(test: str, before: Mapping[str, str], files: Collection[str]) -> bool:
    """Whether a test was there: `files` are all that were, `before` the texts of some of them."""
    home, name = parted(test)
    texts = [before[path] for path in _places(home, before)]
    return any(name in _definitions(each) for each in texts) if texts else any(_places(home, files))


def _places(home: str, files: Collection[str]) -> list[str]:
    """Return the files that tests of a home may be of: a path below the root, or a module."""
    file = home if home.endswith(".py") else home.replace(".", "/") + ".py"
    return [path for path in files if f"/{path}".endswith(f"/{file}")]


def _undocumented(text: str) -> str:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return text
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            said = [each for each in node.body if isinstance(each, ast.Expr)]
            said = [each for each in said if isinstance(each.value, ast.Constant)]
            node.body = [each for each in node.body if each not in said] or [ast.Pass()]
    return ast.unparse(tree)


def _without_values(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = None
    return ast.dump(tree)


def _asked(
    test: str, was: Mapping[str, str], new: Mapping[str, Mapping[str, str]]
) -> frozenset[str]:
    """Return what a test uses of the changed files, itself included; nothing of a new test."""
    home, name = parted(test)
    if name not in was and _places(home, new):
        return frozenset()
    there = {each: told for texts in new.values() for each, told in texts.items()}
    own = name.rpartition(".")[0]
    found, left = set[str](), [name, *(f"{own}.{each}" for each in SET_UP)]
    while left:
        each = left.pop()
        if each not in found and each in there:
            found.add(each)
            left += _names(there[each], own)
    return frozenset(found)


def _definitions(text: str) -> dict[str, str]:
    """Map what a module defines, methods as `Class.method`, to its text without comments."""
    try:
        return dict(_defined(ast.parse(text).body, ""))
    except (SyntaxError, ValueError, RecursionError):
        return {}


def _defined(body: list[ast.stmt], within: str) -> Iterator[tuple[str, str]]:
    for node in body:
        match node:
            case ast.ClassDef():
                yield from _defined(node.body, f"{within}{node.name}.")
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield within + node.name, ast.unparse(node)
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
                yield from ((within + name, ast.unparse(node)) for name in names)


def _names(text: str, own: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
                yield f"{own}.{name}"
            case ast.Name():
                yield node.id
            case ast.arg():
                yield node.arg
