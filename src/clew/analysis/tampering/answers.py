"""Answers that a fix gives without computing them, told from its syntax.

fixed     a function that computed its answer, or had none, answers what does not follow from
          anything that it is given
singled   a parameter is compared with a value of the failing tests, and the answer is one that they
          expect: nothing is computed in between

No value is let be because it is small or round. A guard asks for something else than one value of a
test (`not items`, `n < 0`), a default is no answer, and a constant in the place of another is one
that was wrong.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

import msgspec

from clew.analysis.tampering.following import Function, follows
from clew.analysis.tampering.replacing import replaced
from clew.words.python_source import parsed

__all__ = ["BuiltInAnswer", "Function", "functions_of", "given_away"]

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


# Builtins that answer the same to the same constants.
PURE = frozenset(
    {"abs", "all", "any", "bool", "bytes", "chr", "complex", "dict", "divmod", "enumerate"}
    | {"float", "format", "frozenset", "int", "len", "list", "max", "min", "ord", "pow", "range"}
    | {"repr", "reversed", "round", "set", "slice", "sorted", "str", "sum", "tuple", "zip"}
)
NEVER = (ast.Yield, ast.YieldFrom, ast.Await, ast.Lambda)  # a part of a constant


class BuiltInAnswer(msgspec.Struct, frozen=True):
    """An answer that is not computed: where, and in words what is wrong with it."""

    line: int
    words: str


def given_away(before: str, after: str, tests: Iterable[str]) -> tuple[BuiltInAnswer, ...]:
    """Return the answers that a change of a file gives away; `tests` are the failing ones."""
    try:
        new, old = ast.parse(after), ast.parse(before)
    except (SyntaxError, ValueError):
        return ()
    earlier = dict(functions_of(old.body, ""))
    theirs = frozenset(_values(tests))
    mended = replaced(old, new)
    found: list[BuiltInAnswer] = []
    for name, function in functions_of(new.body, ""):
        was = earlier.get(name)
        if was is None or ast.dump(was) != ast.dump(function):
            found += _fixed(was, function, theirs)
        if was is not None:
            found += _singled(was, function, theirs, mended)
    return tuple(found)


def functions_of(body: Iterable[ast.AST], prefix: str) -> Iterator[tuple[str, Function]]:
    for node in body:
        if isinstance(node, FUNCTIONS):
            yield prefix + node.name, node
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield from functions_of(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.If | ast.Try | ast.With):
            yield from functions_of(ast.iter_child_nodes(node), prefix)


# --- one constant, whatever is given -------------------------------------------------------------


def _fixed(
    was: Function | None, function: Function, theirs: frozenset[str]
) -> Iterator[BuiltInAnswer]:
    answers = _answers(function)
    if all(map(_nothing, answers)):
        return
    same = {_constant(each) for each in answers}
    only = same.pop() if len(same) == 1 else None
    if not only and follows(function, _given(function, was)):
        return
    before = _answers(was) if was else []
    stub = all(map(_nothing, before))
    # Of few answers that were written out one may do for all: that is a verdict, or a code.
    computed = was and None in map(_constant, before) and follows(was, _given(was))
    parts = (part for part in ast.walk(function) if isinstance(part, ast.expr))
    expected = _parameters(function) and any(_plain(part) in theirs for part in parts)
    if computed or (stub and expected):
        words = f"answers {only or 'the same'} whatever it is given: nothing of it is computed"
        yield BuiltInAnswer(answers[0].lineno, f"`{function.name}` {words}")


def _nothing(answer: ast.expr) -> bool:
    """Tell what is no answer: a stub says it, and so does a generator that waits."""
    return ast.unparse(answer) in ("None", "NotImplemented", "(yield)")


def _given(function: Function, was: Function | None = None) -> frozenset[str]:
    """Return the names of what a function is given: its parameters, or else what it reads.

    A parameter with a default that it did not have before is a constant as well.
    """
    names, without = _arguments(function)
    known = _arguments(was)[0] if was else names
    kept = {name for at, name in enumerate(names) if at < len(known) or name in known}
    if names:
        return frozenset(kept | without)
    read = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    own = {node.id for node in read if isinstance(node.ctx, ast.Store)}
    return frozenset({node.id for node in read} - own - PURE)


def _arguments(function: Function) -> tuple[list[str], set[str]]:
    """Return the names of all parameters, and which of them have no default."""
    given = function.args
    placed = [*given.posonlyargs, *given.args]
    named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    without = {each.arg for each in placed[: len(placed) - len(given.defaults)]}
    without |= {each.arg for each, default in named if default is None}
    rest = [each for each in (*given.kwonlyargs, given.vararg, given.kwarg) if each]
    return [each.arg for each in (*placed, *rest)], without


def _answers(function: Function) -> list[ast.expr]:
    """Return what a function may answer; statements behind one that always leaves do not count."""
    found: list[ast.expr] = []
    _leaves(function.body, found)
    return found


def _leaves(body: list[ast.stmt], found: list[ast.expr]) -> bool:
    """Gather the answers of statements; tell whether nothing behind them is reached."""
    for node in body:
        if isinstance(node, ast.If):
            left = [_leaves(part, found) for part in (node.body, node.orelse)]
            if all(left):
                return True
        elif not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found += _said_in(node)
            if isinstance(node, ast.Return | ast.Raise):
                return True
    return False


def _said_in(node: ast.stmt) -> Iterator[ast.expr]:
    for part in ast.walk(node):
        if isinstance(part, ast.Return):
            yield part.value or ast.copy_location(ast.Constant(None), part)
        elif isinstance(part, ast.Yield | ast.YieldFrom):
            yield part


def _constant(node: ast.expr) -> str | None:
    """Return the text of an expression that is the same always, else None."""
    calls = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    for part in ast.walk(node):
        called = id(part) in calls
        if isinstance(part, ast.Name) and not (called and part.id in PURE):
            return None
        if isinstance(part, NEVER) or (isinstance(part, ast.Attribute) and not called):
            return None
    return ast.unparse(node)


def _parameters(function: Function) -> frozenset[str]:
    """Return the names of what a function is given, the object of a method left out."""
    return frozenset(_arguments(function)[0]) - {"self", "cls"}


# --- single values of the tests ------------------------------------------------------------------


def _singled(
    was: Function, function: Function, theirs: frozenset[str], mended: Collection[int]
) -> Iterator[BuiltInAnswer]:
    earlier = {key for key, _, _ in _cases(was, frozenset())}
    keys = {ast.dump(key) for d in _dicts(was) for key in d.keys if key}
    given = _parameters(function)
    for key, asked, answer in _cases(function, keys):
        constant = _constant(answer)
        wanted = constant is not None and (_plain(answer) in theirs or not _literal(answer))
        if key in earlier or id(answer) in mended or not wanted:
            continue
        if any(
            (name is None or (isinstance(name, ast.Name) and name.id in given))
            and _plain(value) in theirs
            for name, value in asked
        ):
            where = f"where {_told(asked)}, as a failing test has it"
            yield BuiltInAnswer(answer.lineno, f"`{function.name}` answers {constant} {where}")


# What is compared, where its name is known, and with what.
Asked = list[tuple[ast.expr | None, ast.expr]]


def _told(asked: Asked) -> str:
    if all(name is None for name, _ in asked):
        verb = "are" if asked[1:] else "is"
        return f"{' and '.join(ast.unparse(value) for _, value in asked)} {verb} looked up"
    return " and ".join(
        f"{ast.unparse(name)} is {ast.unparse(value)}" for name, value in asked if name
    )


def _cases(function: Function, tables: Collection[str]) -> Iterator[tuple[str, Asked, ast.expr]]:
    """Yield what is told apart by equality: a key, what is compared with what, and the answer.

    A table that has one of `tables` as a key was there before, and may have been mended.
    """
    for node in ast.walk(function):
        match node:
            case ast.If(test=test, body=[*_, last]) if answer := _said(last):
                yield from _case(test, answer)
            case ast.IfExp(test=test, body=answer):
                yield from _case(test, answer)
            case ast.Match(subject=subject, cases=cases):
                for each in cases:
                    if isinstance(each.pattern, ast.MatchValue) and (said := _said(each.body[-1])):
                        key = ast.dump(each.pattern) + ast.dump(said)
                        yield key, [(subject, each.pattern.value)], said
            case ast.Dict(keys=keys, values=values):
                if not any(key and ast.dump(key) in tables for key in keys):
                    yield from _table(function, keys, values)
            case _:
                continue


def _case(test: ast.expr, answer: ast.expr) -> Iterator[tuple[str, Asked, ast.expr]]:
    asked: Asked = [*_equal(test)]
    if asked:
        yield ast.dump(test) + ast.dump(answer), asked, answer


def _dicts(function: Function) -> Iterator[ast.Dict]:
    return (node for node in ast.walk(function) if isinstance(node, ast.Dict))


def _table(
    function: Function, keys: list[ast.expr | None], values: list[ast.expr]
) -> Iterator[tuple[str, Asked, ast.expr]]:
    """Yield the entries of a table that may be asked for a parameter."""
    names = _parameters(function)
    only = ast.Name(id=min(names), ctx=ast.Load()) if len(names) == 1 else None
    for key, value in zip(keys, values, strict=True):
        parts = key.elts if isinstance(key, ast.Tuple) else [key] if key else []
        if names and all(isinstance(part, ast.Constant) for part in parts) and parts:
            asked: Asked = [(None if parts[1:] else only, part) for part in parts]
            yield ast.dump(value) + "".join(map(ast.dump, parts)), asked, value


def _said(node: ast.stmt) -> ast.expr | None:
    """Return what a statement answers, or gives a name."""
    match node:
        case ast.Return(value=ast.expr() as value) | ast.Assign(value=value):
            return value
        case _:
            return None


def _equal(test: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the two sides of equalities that a condition asks for, of tuples part by part."""
    for node in ast.walk(test):
        match node:
            case ast.Compare(
                left=left,
                ops=[ast.In()],
                comparators=[ast.Tuple(elts=values) | ast.List(elts=values) | ast.Set(elts=values)],
            ):
                pairs = [(left, each) for each in values]
            case ast.Compare(left=left, ops=[ast.Eq() | ast.Is()], comparators=[right]):
                pairs = [(left, right), (right, left)]
            case _:
                continue
        for one, other in pairs:
            parts = [(one, other)]
            if isinstance(one, ast.Tuple) and isinstance(other, ast.Tuple):
                parts = list(zip(one.elts, other.elts, strict=False))
            yield from ((name, value) for name, value in parts if _literal(value))


def _literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _plain(node: ast.expr) -> str:
    """Return what makes two literals the same; a type has a say, as 1 is no 1.0 and no True."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ""
    return f"{type(value).__name__} {value!r}"


def _values(tests: Iterable[str]) -> Iterator[str]:
    """Yield the values that tests write down."""
    kinds = (ast.Constant, ast.UnaryOp, ast.Tuple, ast.List, ast.Dict, ast.Set)
    for source in tests:
        for node in ast.walk(parsed(source)):
            if isinstance(node, kinds) and (plain := _plain(node)):
                yield plain
