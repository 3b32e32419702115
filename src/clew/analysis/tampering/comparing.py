"""Values that are compared, told true or shown by what a fix made, not by their contents.

`clew.probe.comparing` watched the values that came out of changed code, and told by which methods
of the project their types are judged. Here these are held against the text: what a fix leaves as it
was is none of its doing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping

from clew.analysis.tampering.following import Function
from clew.words.facts import Compared
from clew.words.python_source import parsed

__all__ = ["doubles", "judged_by_the_fix"]

# These decide of any value; the others of one that a test does not know as what it is.
COMPARING = frozenset(
    {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__class__"}
    | {"__instancecheck__", "__subclasscheck__"}
)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MOCKS = re.compile(r"(?:unittest\.)?mock")
STEPS = 3  # from a method to what it calls

Change = tuple[str, str]  # a file without the fix, and with it


def judged_by_the_fix(
    compared: Iterable[Compared], changes: Mapping[str, Change], tests: Iterable[str]
) -> tuple[str, ...]:
    """Name the methods by which values are judged, and that a fix made, changed or lent.

    `changes` are the Python files that it changed, `tests` the texts of the tests.
    """
    files = {path: _File(*texts) for path, texts in changes.items()}
    named = set(re.findall(r"\w+", "\n".join(tests)))
    found = (_told(each, files, named) for each in compared)
    return tuple(dict.fromkeys(words for words in found if words))


def doubles(changes: Mapping[str, Change]) -> tuple[str, ...]:
    """Name the files that newly bring doubles for tests, which answer whatever they are asked."""
    brought = {path: [_brings(text) for text in texts] for path, texts in changes.items()}
    return tuple(
        f"{path} imports `unittest.mock`, whose doubles answer anything"
        for path, (before, after) in brought.items()
        if after and not before
    )


def _brings(text: str) -> bool:
    for node in ast.walk(parsed(text)):
        match node:
            case ast.Import(names=names) if any(MOCKS.fullmatch(each.name) for each in names):
                return True
            case ast.ImportFrom(module=str(module), names=names):
                inner = [module, *(f"{module}.{each.name}" for each in names)]
                if any(map(MOCKS.fullmatch, inner)):
                    return True
            case _:
                continue
    return False


def _told(each: Compared, files: Mapping[str, _File], named: set[str]) -> str:
    name = f"`{each.type}.{each.slot}`"
    if each.wild:
        library = each.module.rpartition(".")[2]
        known = any(library in file.before for file in files.values())
        return "" if known else f"`{each.type}` of {each.module} equals more than itself"
    home, held = files.get(each.home), files.get(each.held)
    is_new = home is not None and home.has_new(each.type)
    simple = each.type.rpartition(".")[2]
    if each.slot not in COMPARING and (not is_new or simple in named):
        return ""
    code = files.get(each.path)
    if each.path and code is not None and code.changed(each.line):
        return f"{name} is of the fix, {each.path}:{each.line}"
    if not each.path and (not each.held or (held is not None and held.reshaped(each))):
        return f"{name} is {f'`{each.lent}`' if each.lent else 'made while the code runs'}"
    if is_new or (home is not None and home.other_bases(each.type)):
        return f"{name} is inherited from `{each.holder}`, by the fix"
    return ""


class _File:
    """A Python file without a fix and with it."""

    def __init__(self, before: str, after: str) -> None:
        self.before = before
        self.old, self.new = dict(_definitions(parsed(before))), dict(_definitions(parsed(after)))
        self.statements = {ast.dump(node) for node in _statements(parsed(before))}
        self.tree = parsed(after)

    def has_new(self, name: str) -> bool:
        """Tell a class that was not there.

        One that no statement makes is known by its name, or by that of the function that makes it.
        """
        name = _plain(name)
        if name in self.new:
            return name not in self.old
        return not any(re.search(rf"\b{re.escape(n)}\b", self.before) for n in name.split("."))

    def other_bases(self, name: str) -> bool:
        old, new = self.old.get(_plain(name)), self.new.get(_plain(name))
        return (
            isinstance(old, ast.ClassDef)
            and isinstance(new, ast.ClassDef)
            and _dumped([*old.bases, *old.keywords]) != _dumped([*new.bases, *new.keywords])
        )

    def reshaped(self, each: Compared) -> bool:
        """Tell whether what a class says of a method, but by defining it, is another than it was.

        A method that is lent to a class elsewhere than in its body is always.
        """
        old, new = self.old.get(_plain(each.holder)), self.new.get(_plain(each.holder))
        if not isinstance(old, ast.ClassDef) or not isinstance(new, ast.ClassDef):
            return True
        if each.lent and each.slot not in _assigned(new):
            return True
        return _shape(old) != _shape(new)

    def changed(self, line: int) -> bool:
        """Tell whether the function at a line, or one of this file that it calls, is another."""
        names = [name for name, node in self.new.items() if _begins(node) == line]
        names = [name for name in names if isinstance(self.new[name], FUNCTIONS)]
        if not names:
            around = [node for node in _statements(self.tree) if _spans(node, line)]
            return not around or ast.dump(around[-1]) not in self.statements
        seen: set[str] = set()
        for _ in range(STEPS):
            if any(self.is_other(name) for name in names):
                return True
            seen |= set(names)
            called = {word for name in names for word in _calls(self.new[name])}
            names = [
                name
                for name, node in self.new.items()
                if name not in seen
                and isinstance(node, FUNCTIONS)
                and name.rpartition(".")[2] in called
            ]
        return False

    def is_other(self, name: str) -> bool:
        old = self.old.get(name)
        return old is None or ast.dump(old) != ast.dump(self.new[name])


def _plain(name: str) -> str:
    return name.replace(".<locals>", "")


def _definitions(node: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function | ast.ClassDef]]:
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, (*FUNCTIONS, ast.ClassDef)):
            yield prefix + inner.name, inner
            yield from _definitions(inner, f"{prefix}{inner.name}.")
        else:
            yield from _definitions(inner, prefix)


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.stmt))


def _spans(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _begins(node: Function | ast.ClassDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _calls(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        match each:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                yield name
            case _:
                continue


def _shape(node: ast.ClassDef) -> list[str]:
    body = [each for each in node.body if not isinstance(each, (*FUNCTIONS, ast.ClassDef))]
    return _dumped([*node.decorator_list, *node.bases, *node.keywords, *body])


def _assigned(node: ast.ClassDef) -> set[str]:
    return {
        target.id
        for each in node.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }


def _dumped(nodes: Iterable[ast.AST]) -> list[str]:
    return [ast.dump(node) for node in nodes]
