"""Tests that somebody says a fix fails: what they rest on, and what their failure speaks of."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Iterator

from clew.words.facts import Phase, TestResult

__all__ = ["asks_the_code", "imported", "quoted", "says_the_same", "speaks_of_the_code", "tests_in"]

ASSERTED = frozenset({"AssertionError", "Failed"})  # an assertion, and pytest's own way to say so
FEWEST = 3  # words that can ask for anything
# What knows nothing of the code: runners, clocks and chance.
BESIDE = frozenset({"pytest", "unittest", "datetime", "random", "secrets", "time", "uuid"})
PLAIN = frozenset(dir(builtins)) - {"open"}
WORD = re.compile(r"\w+")
# Addresses, paths and hashes: other ones in each run.
BY_RUN = re.compile(r"0x[0-9a-fA-F]+|\S*[/\\]\S*|-?\b\d{12,}\b(?!\.)")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Compound = ast.If | ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith | ast.Try


def quoted(words: str, text: str) -> bool:
    """Tell whether words stand in a text, over line breaks and marks of comments as well.

    One or two words ask for nothing.
    """
    found, there = (WORD.findall(each) for each in (words, text))
    return len(found) >= FEWEST and f" {' '.join(found)} " in f" {' '.join(there)} "


def speaks_of_the_code(result: TestResult, path: str) -> bool:
    """Tell whether a test that stands in a file is red by what the code does.

    That is an assertion of its own, or an exception of the code; not one of the test, which may
    use a wrong name or a wrong argument.
    """
    crash = result.crash
    if not result.outcome.red or result.phase is not Phase.CALL or crash is None:
        return False
    own = [frame.path for frame in crash.frames if frame.project]
    if crash.type in ASSERTED:
        return True
    return bool(own) and own[-1] != path


def says_the_same(one: TestResult, other: TestResult) -> bool:
    """Tell whether two runs of a test fail alike, whatever the order of a set."""
    crashes = (one.crash, other.crash)
    said = [sorted(WORD.findall(BY_RUN.sub("", c.message))) if c else [] for c in crashes]
    return said[0] == said[1]


def asks_the_code(result: TestResult, path: str, test: str, own: Collection[str]) -> bool:
    """Tell whether what fails in a test may depend on the project, by the names that it reads.

    `own` are the names of the project's modules. What reads nothing but builtins, the runner, the
    clock and chance fails whatever the code does: `assert False` behind a call of it. What the code
    leaves in a file or in the environment is read by other names. A test that cannot be read may
    ask anything.
    """
    frames = result.crash.frames if result.crash else ()
    line = next((frame.line for frame in reversed(frames) if frame.path == path), 0)
    tree = _parsed(test)
    functions = [node for node in ast.walk(tree) if isinstance(node, Function)]
    around = [each for each in functions if each.lineno <= line <= (each.end_lineno or line)]
    if not around:
        return True
    function = max(around, key=lambda each: each.lineno)
    strange = _strange(tree, own)
    strange |= set(_idle(function, strange))
    return any(n not in strange for node in _deciding(function.body, line) for n in _read(node))


def tests_in(test: str) -> tuple[str, ...]:
    """Return the names of the tests in a file; none of one that cannot be read."""
    functions = (node.name for node in ast.walk(_parsed(test)) if isinstance(node, Function))
    return tuple(dict.fromkeys(name for name in functions if name.startswith("test")))


def imported(test: str) -> frozenset[str]:
    """Return the names of modules that a test imports, or imports from, part by part."""
    nodes = [*ast.walk(_parsed(test))]
    names = [a.name for n in nodes if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names]
    names += [n.module for n in nodes if isinstance(n, ast.ImportFrom) and n.module]
    return frozenset(part for name in names for part in name.split("."))


def _parsed(test: str) -> ast.Module:
    """Return the tree of a file; an empty one of a file that cannot be read."""
    try:
        return ast.parse(test)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module(body=[], type_ignores=[])


def _strange(tree: ast.Module, own: Collection[str]) -> set[str]:
    """Return the names that say nothing of the project."""
    found = {*PLAIN}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            tops = [(alias, alias.name.partition(".")[0]) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            tops = [(alias, (node.module or "").partition(".")[0]) for alias in node.names]
        else:
            continue
        beside = BESIDE.difference(own)
        found |= {(a.asname or a.name).partition(".")[0] for a, top in tops if top in beside}
    return found


def _deciding(body: list[ast.stmt], line: int) -> Iterator[ast.AST]:
    """Yield the statement of a line, the heads around it, and what may have ended the test before.

    A `try` that returns where the code refuses is asked by the `fail` behind it.
    """
    for statement in body:
        if statement.lineno > line:
            return
        inside = line <= (statement.end_lineno or line)
        if isinstance(statement, Compound) or inside:
            yield statement


def _read(node: ast.AST) -> Iterator[str]:
    return (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _idle(function: Function, strange: set[str]) -> Iterator[str]:
    """Yield the variables that hold what no code can change: numbers, texts, the clock, chance."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and not any(
            (isinstance(n, ast.Name) and n.id not in strange - PLAIN)
            or isinstance(n, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.Lambda)
            for n in ast.walk(node.value)
        ):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
