"""Forms of code: what stands at a place of the syntax tree, and what could have stood there.

A form is a pair: a place, by its kind and what is given there (`BinOp Call:len int:1`), and what
was chosen (`Add`). Counted over code that people wrote, forms say how likely a choice is. Names and
values have no say, their kinds have: `Name`, `int:0`, `Call:len`, `str`.
"""

from __future__ import annotations

import ast
from typing import Iterator, List, Tuple

__all__ = ["Form", "forms", "kind"]

Form = Tuple[str, str]

SMALL = frozenset(["0", "1", "2", "-1"])
CALLED = frozenset(
    [
        *("abs", "all", "any", "bool", "dict", "enumerate", "float", "int", "isinstance", "len"),
        *("list", "max", "min", "ord", "range", "repr", "reversed", "round", "set", "sorted"),
        *("str", "sum", "tuple", "type", "zip"),
    ]
)


def kind(node: object) -> str:
    """Return the kind of an expression, or of nothing: `Name`, `int:0`, `Call:len`, `BinOp:Add`."""
    found = type(node).__name__
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = kind(node.operand)
        found = "int:-1" if inner == "int:1" else inner
    elif isinstance(node, ast.Constant):
        found = constant(node.value)
    elif isinstance(node, ast.Call):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        found = "Call:" + name if name in CALLED else "Call" if name else "Call.method"
    elif isinstance(node, ast.BinOp):
        found = "BinOp:" + type(node.op).__name__
    return found


def constant(value: object) -> str:
    """Return the kind of a constant: its type, and its value where that is a common one."""
    if isinstance(value, (bool, type(None), type(...))):
        return repr(value)
    name = type(value).__name__
    if not value and isinstance(value, (str, bytes)):
        return name + ":"
    return name + ":" + repr(value) if isinstance(value, int) and repr(value) in SMALL else name


def forms(tree: ast.AST) -> Iterator[Form]:
    """Yield the forms of a tree, each as often as it is there."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from returned(node)
        yield from of(node)


def of(node: ast.AST) -> Iterator[Form]:
    """Yield the forms of one node."""
    if isinstance(node, ast.BinOp):
        left, right, chosen = kind(node.left), kind(node.right), type(node.op).__name__
        yield from between("BinOp", left, right, chosen)
        yield "right {} {}".format(chosen, left), right
        yield "left {} {}".format(chosen, right), left
    elif isinstance(node, ast.AugAssign):
        yield "AugAssign " + kind(node.value), type(node.op).__name__
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = kind(node.left), kind(node.comparators[0])
        chosen = type(node.ops[0]).__name__
        yield from between("Compare", left, right, chosen)
        yield "compared {} {}".format(chosen, left), right
    elif isinstance(node, ast.BoolOp):
        for one, other in zip(node.values, node.values[1:]):
            yield "BoolOp {} {}".format(kind(one), kind(other)), type(node.op).__name__
    elif isinstance(node, ast.UnaryOp):
        yield "UnaryOp " + kind(node.operand), type(node.op).__name__
    elif isinstance(node, ast.Call):
        yield from called(node)
    elif isinstance(node, ast.Subscript):
        yield "Subscript " + kind(node.value), kind(node.slice)
    elif isinstance(node, ast.Slice):
        yield "Slice", "{} {} {}".format(kind(node.lower), kind(node.upper), kind(node.step))
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield "test " + type(node).__name__, kind(node.test)
    elif isinstance(node, ast.For):
        yield "For", kind(node.iter)
    elif isinstance(node, ast.Assign):
        yield "Assign " + kind(node.targets[0]), kind(node.value)
    elif isinstance(node, ast.Expr):
        yield "statement", kind(node.value)


def between(name: str, left: str, right: str, chosen: str) -> Iterator[Form]:
    """Yield the operator between two operands, by their kinds, and by what is coarser."""
    yield "{} {} {}".format(name, left, right), chosen
    coarse = left.partition(":")[0], right.partition(":")[0]
    if coarse != (left, right):
        yield "{} {} {}".format(name, *coarse), chosen


def called(node: ast.Call) -> Iterator[Form]:
    """Yield what a function is given; one of the project's own is like any other."""
    name = kind(node)
    if isinstance(node.func, ast.Attribute):
        name = "." + node.func.attr
    given = [kind(each) for each in node.args]
    yield "arguments " + name, str(len(given) + len(node.keywords))
    for place, each in enumerate(given[:2]):
        yield "argument{} {}".format(place, name), each


def returned(function: ast.AST) -> Iterator[Form]:
    """Yield what a function returns, given what else it returns."""
    answers: List[str] = []
    stack: List[ast.AST] = list(getattr(function, "body", ()))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Return):
            answers.append(kind(node.value))
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(node))
    for place, answer in enumerate(answers):
        others = sorted(set(answers[:place] + answers[place + 1 :]))
        yield "Return " + " ".join(others[:3]), answer
