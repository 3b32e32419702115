"""Whether what a function answers follows from what it is given.

What is given reaches an answer by names: one that is assigned from it, filled with it, or assigned
where it decides. A name that is assigned anew is followed no more. So it does not matter how a
constant is written, or where.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

__all__ = ["Function", "follows"]

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.AsyncFor | ast.While
LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
TURNS = (ast.Return, ast.Break, ast.Continue)  # what is behind depends on why they are reached


def follows(function: Function, given: Collection[str]) -> bool:
    """Tell whether an answer depends on one of the names that are `given`."""
    flow = _Flow(given)
    flow.body(function.body, decided=False)
    return flow.answered


class _Flow:
    """What is given, on its way through a function; `decided` by it is which way is taken."""

    def __init__(self, given: Collection[str]) -> None:
        self.given = set(given)  # the names that hold some of it
        self.answered = False
        self.inner: dict[str, Function] = {}  # the functions in it, by their names

    def body(self, body: list[ast.stmt], *, decided: bool) -> bool:
        """Follow statements; tell whether nothing behind them is reached."""
        for node in body:
            turned = self.turns(node)
            if self.statement(node, decided=decided):
                return True
            decided = decided or turned
        return False

    def statement(self, node: ast.stmt, *, decided: bool) -> bool:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                self.fill(test, decided=decided)
                return self.branches([body, orelse], decided=decided or self.holds(test))
            case ast.For() | ast.AsyncFor() | ast.While():
                self.loop(node, decided=decided)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    self.fill(item.context_expr, decided=decided)
                    if item.optional_vars:
                        self.assign(item.optional_vars, came=self.holds(item.context_expr))
                return self.body(body, decided=decided)
            case ast.Try() | ast.TryStar():
                return self.attempt(node, decided=decided)
            case ast.Match(subject=subject, cases=cases):
                decided = decided or self.holds(subject)
                names = {name for each in cases for name in _captured(each.pattern)}
                self.given |= names if decided else set()
                self.branches([[], *(each.body for each in cases)], decided=decided)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self.inner[name] = node
                self.assign(ast.Name(name, ast.Store()), came=self.holds(node))
            case ast.ClassDef(name=name):
                self.assign(ast.Name(name, ast.Store()), came=self.holds(node))
            case _:
                self.plain(node, decided=decided)
        return isinstance(node, LEAVES)

    def plain(self, node: ast.stmt, *, decided: bool) -> None:
        """Follow a statement that holds no others."""
        self.fill(node, decided=decided)
        came = decided or self.holds(node)
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    placed = isinstance(target, ast.Subscript) and self.holds(target.slice)
                    self.assign(target, came=decided or placed or self.holds(value))
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self.assign(target, came=decided or self.holds(value))
            case ast.AugAssign(target=target) if came:
                self.assign(target, came=True)
            case ast.Return():
                self.answered |= came
            case _:
                pass

    def attempt(self, node: ast.Try | ast.TryStar, *, decided: bool) -> bool:
        """Follow what may end early: whether it does depends on all that is tried."""
        failed = decided or any(map(self.holds, node.body))
        ended = self.branches([[*node.body, *node.orelse]], decided=decided)
        handled = [[], *(each.body for each in node.handlers)]
        self.branches(handled, decided=failed)
        return self.body(node.finalbody, decided=decided) or (ended and not node.handlers)

    def loop(self, node: Loop, *, decided: bool) -> None:
        head = node.test if isinstance(node, ast.While) else node.iter
        for body in (node.body, node.body, node.orelse):  # what one time assigns, the next reads
            self.fill(head, decided=decided)
            taken = decided or self.holds(head)
            if not isinstance(node, ast.While):
                self.assign(node.target, came=taken)
            self.branches([[], body], decided=taken)

    def branches(self, bodies: list[list[ast.stmt]], *, decided: bool) -> bool:
        """Follow ways of which one is taken; tell whether each of them leaves."""
        before, after, ended = self.given, set[str](), True
        for body in bodies:
            self.given = set(before)
            ended &= self.body(body, decided=decided)
            after |= self.given
        self.given = after
        return ended

    def holds(self, node: ast.AST) -> bool:
        return any(
            isinstance(part, ast.Name) and part.id in self.given
            for part in ast.walk(node)
            if not isinstance(getattr(part, "ctx", None), ast.Store)
        )

    def turns(self, node: ast.stmt) -> bool:
        """Tell whether what is given decides if statements behind this one are reached."""
        return any(
            isinstance(part, ast.If)
            and self.holds(part.test)
            and any(isinstance(each, TURNS) for each in ast.walk(part))
            for part in ast.walk(node)
        )

    def assign(self, target: ast.expr, *, came: bool) -> None:
        """Give names a value; what has a part of it that came from what is given did as well."""
        for part in ast.walk(target):
            if isinstance(part, ast.Name):
                if came:
                    self.given.add(part.id)
                elif isinstance(part.ctx, ast.Store):
                    self.given.discard(part.id)

    def fill(self, node: ast.AST, *, decided: bool) -> None:
        """Follow what a call may fill, and what stands in an expression beside its value."""
        for part in ast.walk(node):
            match part:
                case ast.NamedExpr(target=target, value=value):
                    self.assign(target, came=decided or self.holds(value))
                case ast.Call() if decided or self.holds(part):
                    self.given |= _filled(part)
                    if isinstance(part.func, ast.Name) and part.func.id in self.inner:
                        self.within(self.inner[part.func.id])
                case ast.Yield() | ast.YieldFrom():
                    self.answered |= decided or self.holds(part)
                case _:
                    continue

    def within(self, function: Function) -> None:
        """Follow a function in this one that gets some of it: it may fill what stands around it."""
        words = function.args
        given = {each.arg for each in (*words.posonlyargs, *words.args, *words.kwonlyargs)}
        around = [each for each in ast.walk(function) if isinstance(each, ast.Nonlocal)]
        stored = {
            each.id
            for each in ast.walk(function)
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        flow = _Flow(self.given | given)
        flow.body(function.body, decided=False)
        own = given | stored - {name for each in around for name in each.names}
        self.given |= flow.given - own


def _filled(call: ast.Call) -> set[str]:
    """Return the names of what a call may fill: the object of a method, and what it is handed."""
    base = call.func
    while isinstance(base, ast.Attribute):
        base = base.value
    parts = [*call.args, *(each.value for each in call.keywords)]
    if base is not call.func:
        parts.append(base)
    return {each.id for each in parts if isinstance(each, ast.Name)}


def _captured(pattern: ast.AST) -> set[str]:
    names = (getattr(part, field, None) for part in ast.walk(pattern) for field in ("name", "rest"))
    return {name for name in names if isinstance(name, str)}
