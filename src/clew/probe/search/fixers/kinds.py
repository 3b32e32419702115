"""Values of two types that do not go together: a text and a number, a list and one value."""

from __future__ import annotations

import ast
import re
from typing import Dict, Iterator, List, Tuple

from ..crashes import SearchCrash
from ..files import ProjectSources
from ..source import Patch, Source, Splice
from .names import at_line

__all__ = ["mixed", "single"]

FAMILY = "type fixer"
TOLD = (
    re.compile(r"unsupported operand type\(s\) for [^:]+: '(\w+)' and '(\w+)'"),
    re.compile(r"can only concatenate (\w+) \(not \"(\w+)\"\) to"),
    re.compile(r"not supported between instances of '(\w+)' and '(\w+)'"),
    re.compile(r"must be (str), not (int|float)"),
)
ALONE = re.compile(
    r"'(int|float|bool|NoneType)' object is not iterable"
    r"|object of type '(int|float|bool|NoneType)' has no len\(\)"
    r"|argument of type '(int|float|bool|NoneType)' is not (iterable|a container)"
)
CONSUMERS = (
    "all",
    "any",
    "enumerate",
    "len",
    "list",
    "max",
    "min",
    "set",
    "sorted",
    "sum",
    "tuple",
)
NUMBERS = ("int", "float")
BEGUN = {"str": "''", "int": "0", "float": "0.0", "list": "[]", "tuple": "()"}
Option = Tuple[float, ast.AST, str]  # a weight, what is replaced, and by what


def mixed(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Make one of two values of the other's type, or begin what is added up with the other's."""
    told = [say.groups() for say in (each.search(crash.message) for each in TOLD) if say]
    found: List[Patch] = []
    for source, line in list(project.frames(crash.frames))[:1] if told else ():
        first, second = told[0]
        for left, right in operands(source, line):
            options: Dict[Option, None] = {}
            for value, own, other in ((right, second, first), (left, first, second)):
                options.update(dict.fromkeys(made(source, value, own, other)))
                options.update(dict.fromkeys(begun(source, line, value, own, other)))
            for weight, node, text in options:
                words = "replace `{}` by `{}`".format(source.segment(node), text)
                change = Splice(*source.span(node), text)
                place = source.line_of(change.start)
                found.append(Patch(source.path, place, FAMILY, weight, words, (change,)))
            if isinstance(left, ast.Name) and first == "str" and second in NUMBERS:
                found += as_texts(source, line, left.id)
    return found


def single(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Take the container itself where one of its elements is iterated over and cannot be."""
    if not ALONE.search(crash.message):
        return []
    found: List[Patch] = []
    for source, line in list(project.frames(crash.frames))[:1]:
        for node in dict.fromkeys(iterated(source, line)):
            if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
                (_, start), (_, end) = source.span(node.value), source.span(node)
                words = "drop the index of `{}`".format(source.segment(node))
                change = Splice(start, end, "")
                found.append(Patch(source.path, line, FAMILY, 1.6, words, (change,)))
    return found


def iterated(source: Source, line: int) -> Iterator[ast.expr]:
    """Yield what a line iterates over, or asks for its length or its elements."""
    for node in at_line(source, line):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in CONSUMERS:
            yield from node.args
        elif isinstance(node, ast.For):
            yield node.iter
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            yield from (each.iter for each in node.generators)
        elif isinstance(node, ast.Compare) and isinstance(node.ops[-1], (ast.In, ast.NotIn)):
            yield node.comparators[-1]


def as_texts(source: Source, line: int, name: str) -> List[Patch]:
    """Make texts of all numbers that are added to one text: they fail one after another."""
    unit = source.unit_at(line)
    changes = [
        Splice(*source.span(node.value), repr(str(node.value.value)))
        for node in ast.walk(unit.node if unit is not None else source.tree)
        if isinstance(node, ast.AugAssign)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, (int, float))
        and getattr(node.target, "id", "") == name
    ]
    if len(changes) < 2:
        return []
    words = "make texts of the numbers that are added to `{}`".format(name)
    return [Patch(source.path, line, FAMILY, 2.0, words, tuple(sorted(changes)))]


def operands(source: Source, line: int) -> Iterator[Tuple[ast.AST, ast.AST]]:
    """Yield the two sides of each operation of a line."""
    for node in at_line(source, line):
        if isinstance(node, ast.BinOp):
            yield node.left, node.right
        elif isinstance(node, ast.AugAssign):
            yield node.target, node.value
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield node.left, node.comparators[0]


def made(source: Source, value: ast.AST, own: str, other: str) -> Iterator[Option]:
    """Yield one side as a value of the other's type."""
    if isinstance(getattr(value, "ctx", None), ast.Store):
        return
    text = source.segment(value)
    constant = value.value if isinstance(value, ast.Constant) else None
    if other == "str" and own in NUMBERS:
        if constant is not None:
            yield 1.9, value, repr(str(constant))
        yield 1.7, value, "str({})".format(text)
    elif other in NUMBERS and own == "str":
        if isinstance(constant, str) and constant.strip().isdigit():
            yield 1.9, value, constant.strip()
        elif constant is None:
            yield 1.6, value, "{}({})".format(other, text)
    elif other == "list" and own != "NoneType":
        yield 1.7, value, "[{}]".format(text)
        yield 1.5, value, "list({})".format(text)
    elif other == "tuple" and own != "NoneType":
        yield 1.6, value, "({},)".format(text)
    elif own == "list" and other in NUMBERS:
        yield 1.5, value, "len({})".format(text)


def begun(source: Source, line: int, value: ast.AST, own: str, other: str) -> Iterator[Option]:
    """Yield the constant that a variable begins with as the other side's type has it."""
    if not isinstance(value, ast.Name) or other not in BEGUN:
        return
    unit = source.unit_at(line)
    for node in ast.walk(unit.node if unit is not None else source.tree):
        if (
            isinstance(node, ast.Assign)
            and [value.id] == [getattr(target, "id", "") for target in node.targets]
            and source.segment(node.value) == BEGUN.get(own)
        ):
            yield 1.8, node.value, BEGUN[other]
