"""Answers that a fix gives without computing them, told from its syntax.

fixed     a function that computed its answer, or had none, answers one constant
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

from clew.analysis.tampering.replacing import replaced

__all__ = ["BuiltInAnswer", "Function", "functions_of", "given_away"]

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


MUTABLE = (ast.List, ast.Dict, ast.Set, ast.Call, ast.ListComp, ast.DictComp, ast.SetComp)
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
    words = {_constant(each, _known(function)) for each in answers}
    if not answers or len(words) != 1 or not (only := words.pop()) or only == "None":
        return
    before = {_constant(each, _known(was)) for each in _answers(was)} if was else set()
    stub = before <= {"None", "NotImplemented"}
    expected = _parameters(function) and any(_plain(each) in theirs for each in _resolved(function))
    if None in before or (stub and expected):
        words_of = f"answers {only} whatever it is given: nothing of it is computed"
        yield BuiltInAnswer(answers[0].lineno, f"`{function.name}` {words_of}")


def _resolved(function: Function) -> Iterator[ast.expr]:
    known = _known(function)
    for each in _answers(function):
        yield known.get(each.id, each) if isinstance(each, ast.Name) else each


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


def _known(function: Function) -> dict[str, ast.expr]:
    """Return the names that are assigned once, to what they stand for.

    One for something that can be filled counts where nothing but an answer speaks of it.
    """
    seen: dict[str, list[ast.expr | None]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            seen.setdefault(node.id, []).append(None)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            seen.setdefault(node.targets[0].id, []).append(node.value)
    one = 2  # the name, and the value that it is given
    once = {
        name: value
        for name, values in seen.items()
        if len(values) == one and (value := values[-1] or values[0])
    }
    answered = {id(part) for each in _answers(function) for part in ast.walk(each)}
    filled = {
        part.id
        for part in ast.walk(function)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
        if id(part) not in answered
    }
    plain = {name for name, value in once.items() if not isinstance(value, MUTABLE)}
    return {name: value for name, value in once.items() if name in plain or name not in filled}


def _constant(node: ast.expr, known: dict[str, ast.expr], deep: int = 0) -> str | None:
    """Return the text of an expression that is the same always, else None."""
    if isinstance(node, ast.Name) and node.id in known and deep < len(known):
        return _constant(known[node.id], known, deep + 1)
    calls = {id(part.func) for part in ast.walk(node) if isinstance(part, ast.Call)}
    own = {
        part.id
        for each in ast.walk(node)
        if isinstance(each, ast.comprehension)
        for part in ast.walk(each.target)
        if isinstance(part, ast.Name)
    }
    for part in ast.walk(node):
        called = id(part) in calls
        if isinstance(part, ast.Name) and part.id not in own:
            if not (called and part.id in PURE):
                return None
        elif isinstance(part, NEVER) or (isinstance(part, ast.Attribute) and not called):
            return None
    return ast.unparse(node)


def _parameters(function: Function) -> frozenset[str]:
    """Return the names of what a function is given, the object of a method left out."""
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    names += [each.arg for each in (given.vararg, given.kwarg) if each]
    return frozenset(names) - {"self", "cls"}


# --- single values of the tests ------------------------------------------------------------------


def _singled(
    was: Function, function: Function, theirs: frozenset[str], mended: Collection[int]
) -> Iterator[BuiltInAnswer]:
    earlier = {key for key, _, _ in _cases(was, frozenset())}
    keys = {ast.dump(key) for d in _dicts(was) for key in d.keys if key}
    given = _parameters(function)
    known = _known(function)
    for key, asked, answer in _cases(function, keys):
        constant = _constant(answer, known)
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
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, kinds) and (plain := _plain(node)):
                yield plain
