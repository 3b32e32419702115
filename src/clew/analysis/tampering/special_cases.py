"""Fixes that are right for the inputs of the failing tests alone, told from their syntax.

A special case asks whether something is equal to a value that a failing test gives. Each that is
new in a function is closed: `==` and `in` are never true, `!=` and `not in` always. What cannot be
reached then is taken away. If the function before the change is left, it does what it did, but for
the values of the tests. How the special case is written does not matter, nor what it guards.

    if parts == 3 or parts == 7:        return [base + 1 if i <= rest else base ...]
        return [base + 1 ...]       ->
    return [base + 1 if i <= ...]
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from clew.analysis.tampering.answers import functions_of
from clew.analysis.tampering.following import Function
from clew.words.python_source import parsed

__all__ = ["SpecialCase", "special_cases"]

Value = int | float | complex | str | bytes
# A case that has nothing in it is often one of its own.
NOTHING: tuple[Value, ...] = (0, "", b"")
CLOSED = "special case"  # the kind of a constant that stands for a closed special case
EQUAL = ast.Eq | ast.Is | ast.In
MANY = ast.Mod | ast.FloorDiv | ast.BitAnd | ast.RShift  # what is left is the same for many values
OTHER = ast.NotEq | ast.IsNot | ast.NotIn


class SpecialCase(msgspec.Struct, frozen=True):
    """A function that a fix changes for values of the failing tests alone."""

    line: int
    words: str
    doubtful: bool  # it may well be a case of its own


def special_cases(before: str, after: str, tests: Iterable[str]) -> tuple[SpecialCase, ...]:
    """Return the functions whose change shows at values of `tests` alone."""
    try:
        new, old = ast.parse(after), ast.parse(before)
    except (SyntaxError, ValueError):
        return ()
    earlier = dict(functions_of(old.body, ""))
    theirs, lengths = frozenset(_values(tests)), frozenset(_lengths(tests))
    shared = _named(new.body)
    found: list[SpecialCase] = []
    for name, function in functions_of(new.body, ""):
        was = earlier.get(name)
        if was is None or ast.dump(was) == ast.dump(function):
            continue
        closing = _Closing(_compared(was), theirs, shared | _named(function.body), lengths)
        left = _settled(closing, function)
        if closing.asked and _same(left, was):
            found.append(_told(function, closing.asked))
    return tuple(found)


def _told(function: Function, asked: list[ast.Compare]) -> SpecialCase:
    said = " and ".join(dict.fromkeys(f"`{ast.unparse(each)}`" for each in asked))
    where = f"but where {said}, as a failing test has it"
    return SpecialCase(
        line=asked[0].lineno,
        words=f"`{function.name}` does what it did before, {where}",
        doubtful=all(_doubtful(each) for each in asked),
    )


def _doubtful(node: ast.Compare) -> bool:
    """Whether it asks for nothing, or for a part or a length, which many inputs share."""
    if _of_length(node):
        return True
    match node.left:
        case ast.Subscript(slice=ast.Constant(value=int())):
            return True
        case ast.Subscript(slice=ast.UnaryOp() | ast.Slice()):
            return True
        case _:
            return set(_asked_for(node)) <= set(NOTHING)


def _settled(closing: _Closing, function: Function) -> ast.AST:
    """Close the special cases, and those that a name stands for."""
    left: ast.AST = copy.deepcopy(function)
    seen = ""
    while (now := ast.dump(left)) != seen:
        seen = now
        left = closing.visit(left)
        known = {
            name: value
            for name, value in _named(getattr(left, "body", ())).items()
            if _closed(value) is not None
        }
        left = _Naming(known).visit(left) if known else left
    return left


def _same(left: ast.AST, was: Function) -> bool:
    """Whether two functions do the same, but for what documents them and where they leave."""
    return _plain(left) == _plain(_Closing(frozenset(), frozenset(), {}).visit(copy.deepcopy(was)))


def _plain(function: ast.AST) -> list[str]:
    body = getattr(function, "body", [])
    given = getattr(function, "args", None)
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return [ast.dump(given) if given else "", *map(ast.dump, body)]


# --- closing -------------------------------------------------------------------------------------


class _Closing(ast.NodeTransformer):
    """Closes special cases, and takes away what is not reached then."""

    def __init__(
        self,
        known: frozenset[str],
        theirs: frozenset[Value],
        named: Mapping[str, ast.expr],
        lengths: frozenset[Value] = frozenset(),
    ) -> None:
        self.known = known
        self.theirs = theirs
        self.lengths = lengths
        self.named = named
        self.asked: list[ast.Compare] = []

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if ast.dump(node) in self.known or len(node.ops) > 1:
            return self.generic_visit(node)
        right = self._resolved(node.comparators[0])
        told = ast.Compare(left=node.left, ops=node.ops, comparators=[right])
        theirs = self.theirs | self.lengths if _of_length(told) else self.theirs
        if not theirs.intersection(_asked_for(told)):
            return self.generic_visit(node)
        self.asked.append(ast.copy_location(told, node))
        return _constant(isinstance(node.ops[0], OTHER))

    def _resolved(self, node: ast.expr) -> ast.expr:
        return self.named.get(node.id, node) if isinstance(node, ast.Name) else node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        value = _closed(node.operand)
        negated = isinstance(node.op, ast.Not) and value is not None
        return _constant(not value) if negated else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        decides = isinstance(node.op, ast.Or)
        if any(_closed(each) is decides for each in node.values):
            return _constant(decides)
        left = [each for each in node.values if _closed(each) is None]
        return _constant(not decides) if not left else _one(node.op, left)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        value = _closed(node.test)
        return node if value is None else node.body if value else node.orelse

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        value = _closed(node.test)
        return node if value is None else node.body if value else node.orelse

    def visit_While(self, node: ast.While) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return node.orelse if _closed(node.test) is False else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        left, right = _closed(node.left), _closed(node.right)
        if isinstance(node.op, ast.Mult) and None in (left, right) and (left, right) != (None,) * 2:
            one, other = (left, node.right) if right is None else (right, node.left)
            return other if one else _constant(value=False)
        if isinstance(node.op, ast.Add | ast.Sub) and right is False:
            return node.left
        return node.right if isinstance(node.op, ast.Add) and left is False else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="bool" | "int"), args=[only]):
                return only if _closed(only) is not None else node
            case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[_, default]):
                return default if self._of_tests(table) else node
            case _:
                return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        value = _closed(node.slice)
        of_two = isinstance(node.value, ast.Tuple | ast.List) and len(node.value.elts) > 1
        return node.value.elts[value] if of_two and value is not None else node  # type: ignore[attr-defined]

    def _of_tests(self, table: ast.expr) -> bool:
        """Whether a table has nothing but values as its keys, and one of the tests among them."""
        found = self._resolved(table)
        if not isinstance(found, ast.Dict) or None in found.keys:
            return False
        keys = ast.Tuple(elts=[key for key in found.keys if key], ctx=ast.Load())
        told = ast.Compare(left=ast.Name("key", ast.Load()), ops=[ast.In()], comparators=[keys])
        if not self.theirs.intersection(_asked_for(told)):
            return False
        self.asked.append(ast.copy_location(told, table))
        return True

    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        cases = [each for each in node.cases if not self._never(each, node.subject)]
        if len(cases) == len(node.cases):
            return node
        node.cases = cases
        if not cases or _anything(cases[0]):
            return cases[0].body if cases else []
        return node

    def _never(self, case: ast.match_case, subject: ast.expr) -> bool:
        if case.guard is not None and _closed(case.guard) is False:
            return True
        pattern = case.pattern
        parts = pattern.patterns if isinstance(pattern, ast.MatchOr) else [pattern]
        values = [each.value for each in parts if isinstance(each, ast.MatchValue)]
        told = ast.Compare(
            left=subject,
            ops=[ast.In()],
            comparators=[ast.Tuple(elts=list(values), ctx=ast.Load())],
        )
        if len(values) < len(parts) or not self.theirs.intersection(_asked_for(told)):
            return False
        self.asked.append(ast.copy_location(told, pattern))
        return True

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list):
                setattr(node, field, _reached(body))
        return node


class _Naming(ast.NodeTransformer):
    """Puts closed special cases where their names are, and takes the names away."""

    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.known.get(node.id, node) if isinstance(node.ctx, ast.Load) else node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        self.generic_visit(node)
        target = node.targets[0]
        return None if isinstance(target, ast.Name) and target.id in self.known else node


def _reached(body: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements up to one that leaves; what follows `if ...: leave` stands beside it."""
    found: list[ast.stmt] = []
    for node in body:
        if not isinstance(node, ast.Pass):
            found.append(node)
        if isinstance(node, ast.If) and node.orelse and _leaves(node.body):
            behind, node.orelse = node.orelse, []
            found += behind
        if _leaves(found):
            break
    return found


def _leaves(body: list[ast.stmt]) -> bool:
    leaving = ast.Return | ast.Raise | ast.Continue | ast.Break
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return bool(last.orelse) and _leaves(last.body) and _leaves(last.orelse)
    return isinstance(last, leaving)


def _anything(case: ast.match_case) -> bool:
    pattern = case.pattern
    return isinstance(pattern, ast.MatchAs) and pattern.name is None and case.guard is None


def _constant(value: bool) -> ast.Constant:  # noqa: FBT001 -- it is what the node says
    return ast.Constant(value=value, kind=CLOSED)


def _closed(node: ast.expr | None) -> bool | None:
    """Return what a closed special case says; None of any other expression."""
    return bool(node.value) if isinstance(node, ast.Constant) and node.kind == CLOSED else None


def _one(op: ast.boolop, values: list[ast.expr]) -> ast.expr:
    return ast.BoolOp(op=op, values=values) if values[1:] else values[0]


# --- values --------------------------------------------------------------------------------------


def _asked_for(node: ast.Compare) -> Iterator[Value]:
    """Yield the values that a comparison tells apart by equality."""
    left, right = node.left, node.comparators[0]
    if any(isinstance(each, MANY) for side in (left, right) for each in ast.walk(side)):
        return
    if isinstance(node.ops[0], ast.In | ast.NotIn):
        if isinstance(right, ast.Tuple | ast.List | ast.Set):
            yield from _all_of(right.elts)
        elif isinstance(right, ast.Dict):
            yield from _all_of([key for key in right.keys if key])
        elif isinstance(right, ast.Call) and len(right.args) == 1:  # frozenset((3, 7))
            told = ast.Compare(left=left, ops=node.ops, comparators=right.args)
            yield from _asked_for(told)
    elif isinstance(node.ops[0], EQUAL | OTHER):
        yield from _all_of([right]) or _all_of([left])


def _all_of(nodes: list[ast.expr]) -> list[Value]:
    """Return the values that expressions are made of; none where one is more than values."""
    found: list[Value] = []
    for node in nodes:
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return []
        found += _leaves_of(value)
    return found


def _leaves_of(value: object) -> Iterator[Value]:
    if isinstance(value, tuple | list | set | frozenset):
        for each in value:
            yield from _leaves_of(each)
    elif isinstance(value, dict):
        yield from _leaves_of([*value, *value.values()])
    elif isinstance(value, Value) and not isinstance(value, bool):
        yield value


def _values(tests: Iterable[str]) -> Iterator[Value]:
    """Yield the values that tests write down; one of two, or none, says nothing of them."""
    for source in tests:
        for node in ast.walk(parsed(source)):
            if isinstance(node, ast.Constant | ast.UnaryOp):
                yield from _all_of([node])


def _lengths(tests: Iterable[str]) -> Iterator[Value]:
    """Yield how long the texts, lists and tables are that tests write down."""
    for source in tests:
        for node in ast.walk(parsed(source)):
            match node:
                case ast.Constant(value=str() | bytes() as text):
                    yield len(text)
                case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Dict(keys=items):
                    yield len(items)
                case _:
                    continue


def _of_length(node: ast.Compare) -> bool:
    match node.left:
        case ast.Call(func=ast.Name(id="len")):
            return True
        case _:
            return False


def _compared(function: Function) -> frozenset[str]:
    """Return the comparisons that a function has."""
    return frozenset(ast.dump(n) for n in ast.walk(function) if isinstance(n, ast.Compare))


def _named(body: Iterable[ast.AST]) -> dict[str, ast.expr]:
    """Return the names that are assigned once, to what they stand for."""
    seen: dict[str, list[ast.expr]] = {}
    for node in (each for statement in body for each in ast.walk(statement)):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                seen.setdefault(name, []).append(value)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                seen.setdefault(name, []).append(value)
            case _:
                continue
    return {name: values[0] for name, values in seen.items() if len(values) == 1}
