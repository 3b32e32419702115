"""Whole statements: inserted, guarded, moved, deleted, returned."""

from __future__ import annotations

import ast
import re
from typing import Dict, Iterator, List, Optional, Tuple

from ..context import OWN
from ..source import FUNCTIONS, Change
from .conditions import AFTER, BEFORE, NUMBER, is_condition, other_conditions, renamed
from .table import At, Idea, operator, short

SIMPLE = (
    ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise, ast.Break,
    ast.Continue, ast.Delete, ast.Assert, ast.Pass,
)  # fmt: skip
COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)


def block_of(statement: ast.AST, at: At) -> List[ast.stmt]:
    """Return the list of statements that holds this one."""
    found = at.source.parents.get(statement)
    if found is None:
        return []
    value = getattr(found[0], found[1])
    return value if isinstance(value, list) else []


def own_lines(statement: ast.AST, at: At) -> Optional[Tuple[int, int]]:
    """Return the span of the whole lines of a statement that shares them with nothing."""
    known = at.context.alone
    if statement not in known:
        known[statement] = measure_lines(statement, at)
    return known[statement]


def measure_lines(statement: ast.AST, at: At) -> Optional[Tuple[int, int]]:
    start, end = at.source.span(statement)
    line_start = at.source.starts[at.source.line_of(start) - 1]
    if at.source.text[line_start:start].strip():
        return None
    line = at.source.line_of(max(start, end - 1))
    line_end = at.source.starts[line] if line < len(at.source.starts) else len(at.source.text)
    rest = at.source.text[end:line_end].strip()
    if rest and not rest.startswith("#"):
        return None
    return line_start, line_end


def newline(at: At) -> str:
    return "\r\n" if "\r\n" in at.source.text[:2000] else "\n"


def indent(text: str, old: str, new: str) -> str:
    """Shift all lines but the first from one indentation to another."""
    lines = text.split("\n")
    return "\n".join(
        [lines[0]]
        + [new + line[len(old) :] if line.startswith(old) else line for line in lines[1:]]
    )


def before(statement: ast.AST, at: At, text: str) -> Optional[Change]:
    """Insert lines (indented for the top level) before a statement."""
    if own_lines(statement, at) is None or not isinstance(statement, ast.stmt):
        return None
    start = at.source.start_of(statement)
    if at.source.text.startswith("elif", start):
        return None
    space = at.source.indent_of(start)
    end = newline(at)
    return Change(start, start, text.replace("\n", end + space) + end + space)


def after(statement: ast.AST, at: At, text: str) -> Optional[Change]:
    """Insert lines after a statement, at its indentation."""
    if own_lines(statement, at) is None:
        return None
    start, end = at.source.span(statement)
    line = at.source.line_of(max(start, end - 1))
    stop = at.source.starts[line] if line < len(at.source.starts) else len(at.source.text)
    tail = at.source.text[end:stop]
    end += len(tail.rstrip("\r\n"))
    space = newline(at) + at.source.indent_of(start)
    return Change(end, end, space + text.replace("\n", space))


def step(at: At, statement: ast.AST) -> str:
    """Return one level of indentation as the file has it."""
    own = at.source.indent_of(at.source.span(statement)[0])
    if "\t" in own:
        return "\t"
    node: Optional[ast.AST] = statement
    while node is not None:
        above = at.source.parent(node)
        if isinstance(above, ast.stmt):
            outer = at.source.indent_of(at.source.span(above)[0])
            if len(own) > len(outer):
                return own[len(outer) :]
        node = above
    return "    "


@operator("guard", 0.4, *SIMPLE)
def guard(node: ast.AST, at: At) -> Iterator[Idea]:
    """Let a statement run only under a condition."""
    lines = own_lines(node, at)
    if lines is None or isinstance(node, ast.Pass) or is_docstring(node, at):
        return
    start, end = at.source.span(node)
    space = at.source.indent_of(start)
    level = step(at, node)
    body = indent(at.source.text[start:end], space, space + level)
    for weight, condition in other_conditions(node, at):
        text = "if {}:{}{}{}{}".format(condition, newline(at), space, level, body)
        words = "do `{}` only if `{}`".format(short(at.text(node)), condition)
        yield Idea(weight, (Change(start, end, text),), words)


def is_docstring(node: ast.AST, at: At) -> bool:
    del at
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


@operator("early return", 0.35, *SIMPLE, *COMPOUND)
def early_return(node: ast.AST, at: At) -> Iterator[Idea]:
    """Answer a special case first."""
    if at.place.inner is None or isinstance(node, ast.Pass) or is_docstring(node, at):
        return
    level = step(at, node)
    values = returned(at)
    names = list(at.names(node)[:6])
    conditions: List[Tuple[float, str]] = []
    for name in names:
        conditions += [(1.0, "not " + name), (0.7, name + " is None"), (0.5, name)]
        conditions += [
            (0.5, "len({}) == 1".format(name)),
            (0.6, name + " == 0"),
            (0.6, name + " < 0"),
        ]
        conditions += [
            (0.5, name + " == 1"),
            (0.45, name + " <= 0"),
            (0.45, name + " <= 1"),
            (0.35, name + " < 2"),
        ]
    for compare in at.facts.conditions[:4]:
        text = at.text(compare)
        if "\n" not in text:
            conditions.append((0.4, text))
    for first, left in enumerate(names):
        for right in names[first + 1 :]:
            for op in ("==", "<", ">"):
                conditions.append((0.4, "{} {} {}".format(left, op, right)))
    for weight, condition in conditions:
        for rank, value in enumerate(values):
            text = "if {}:\n{}return{}".format(condition, level, " " + value if value else "")
            change = before(node, at, text)
            if change is None:
                return
            words = "return {} early if `{}`".format("`" + value + "`" if value else "", condition)
            yield Idea(weight * (0.95**rank), (change,), words)
    if at.place.loop:
        for weight, condition in conditions:
            for word in ("continue", "break"):
                change = before(node, at, "if {}:\n{}{}".format(condition, level, word))
                if change is not None:
                    words = "`{}` if `{}`".format(word, condition)
                    yield Idea(weight * 0.7, (change,), words)


def returned(at: At) -> List[str]:
    """Return the texts of values that the function may well return."""
    found: Dict[str, None] = {}
    inner = at.place.inner
    if inner is None:
        return []
    for node in ast.walk(inner):
        if isinstance(node, ast.Return) and node.value is not None:
            value = node.value
            if isinstance(value, ast.Constant):
                found.setdefault(at.text(value))
                if isinstance(value.value, bool):
                    found.setdefault(repr(not value.value))
            elif isinstance(value, (ast.Name,)):
                found.setdefault(value.id)
            elif isinstance(value, (ast.List, ast.ListComp)):
                found.setdefault("[]")
            elif isinstance(value, (ast.Dict, ast.DictComp)):
                found.setdefault("{}")
            elif isinstance(value, (ast.Compare, ast.BoolOp)):
                found.update({"False": None, "True": None})
            elif isinstance(value, ast.JoinedStr):
                found.setdefault("''")
    for name in at.facts.parameters[:3]:
        found.setdefault(name)
    for text in ("None", "0", "[]", "False", "True", "''", "1", "-1"):
        found.setdefault(text)
    return list(found)[:12]


@operator("insert", 0.35, *SIMPLE, *COMPOUND)
def insert(node: ast.AST, at: At) -> Iterator[Idea]:
    """Insert a step: a counter moved, a value stored, a neighbour's copy under other names."""
    if at.place.inner is None or is_docstring(node, at):
        return
    names = at.names(node)[:8]
    texts: Dict[str, float] = {}
    numeric = [n for n in names if at.facts.types.get(n) in ("int", "float", None)]
    for name in numeric:
        texts.setdefault(name + " += 1", 0.8)
        texts.setdefault(name + " -= 1", 0.8)
    lists = [n for n in names if at.facts.types.get(n) == "list"]
    sets = [n for n in names if at.facts.types.get(n) == "set"]
    for name in lists or sets:
        for other in names:
            if other != name:
                texts.setdefault("{}.{}({})".format(name, "append" if lists else "add", other), 0.7)
        texts.setdefault(name + ".sort()", 0.5)
        texts.setdefault(name + ".reverse()", 0.4)
        texts.setdefault(name + ".pop()", 0.5)
    for left in names[:5]:
        for right in names[:5]:
            if left != right:
                texts.setdefault("{} = {}".format(left, right), 0.5)
                texts.setdefault("{} += {}".format(left, right), 0.5)
                texts.setdefault("{} -= {}".format(left, right), 0.3)
    for name in names[:5]:
        for value in ("0", "[]", "''", "None", "True", "False", "1"):
            texts.setdefault("{} = {}".format(name, value), 0.3)
    for text, weight in [*neighbours(at, names), *siblings(at)]:
        texts.setdefault(text, weight)
    if at.place.loop:
        texts.setdefault("break", 0.5)
        texts.setdefault("continue", 0.5)
    for text, weight in texts.items():
        for make, word, factor in ((before, "before", 0.8), (after, "after", 1.0)):
            if make is after and isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
                continue
            change = make(node, at, text)
            if change is not None:
                words = "insert `{}` {} `{}`".format(text, word, short(first_line(node, at)))
                yield Idea(weight * factor, (change,), words)


def first_line(node: ast.AST, at: At) -> str:
    return at.text(node).split("\n", 1)[0]


def neighbours(at: At, names: List[str]) -> Iterator[Tuple[str, float]]:
    """Yield simple statements of the function, also with one name exchanged."""
    inner = at.place.inner
    if inner is None:
        return
    for node in ast.walk(inner):
        if not isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr)) or is_docstring(node, at):
            continue
        text = at.text(node)
        if "\n" in text or len(text) > 70:
            continue
        yield text, 0.6
        used = list(dict.fromkeys(n.id for n in ast.walk(node) if isinstance(n, ast.Name)))
        for name in used:
            if name not in names:
                continue
            for other in names:
                if other != name:
                    yield renamed(text, {name: other}), 0.5
        for number in re.findall(NUMBER, text)[:1]:
            for other in at.facts.numbers[:6]:
                if other != number:
                    yield re.sub(BEFORE + number + AFTER, other, text), 0.3


def siblings(at: At) -> Iterator[Tuple[str, float]]:
    """Yield what methods of the class do with the object's own state, counters first."""
    above = at.source.parent(at.place.function) if at.place.function is not None else None
    if not isinstance(above, ast.ClassDef):
        return
    known = {*at.facts.names, *at.context.globals, *at.context.functions, *OWN}
    found: Dict[str, float] = {}
    target: ast.AST
    for node in ast.walk(above):
        if isinstance(node, ast.AugAssign):
            target, weight = node.target, 0.8
        elif isinstance(node, ast.Assign):
            target, weight = node.targets[0], 0.45
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            target, weight = node.value.func, 0.45
        else:
            continue
        text = at.text(node)
        used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        own = at.text(target).startswith(("self.", "cls."))
        if "\n" in text or len(text) > 60 or not own or not used <= known:
            continue
        found.setdefault(text, weight)
        if isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Sub)):
            other = text.replace("+=", "-=") if "+=" in text else text.replace("-=", "+=")
            found.setdefault(other, 0.8)
    yield from sorted(found.items(), key=lambda pair: -pair[1])[:24]


@operator("return", 0.6, ast.Return)
def other_return(node: ast.AST, at: At) -> Iterator[Idea]:
    """Return something else."""
    assert isinstance(node, ast.Return)
    text = at.text(node.value) if node.value is not None else ""
    start, end = at.source.span(node)
    for rank, value in enumerate(dict.fromkeys([*at.names(node)[:8], *returned(at)])):
        if value != text:
            words = "return `{}`".format(value)
            yield Idea(0.9 - 0.03 * rank, (Change(start, end, "return " + value),), words)


@operator("append return", 0.6, *SIMPLE, *COMPOUND)
def append_return(node: ast.AST, at: At) -> Iterator[Idea]:
    """Return a value at the end of a function that falls off it."""
    inner = at.place.inner
    if inner is None or isinstance(node, (ast.Return, ast.Raise)):
        return
    body = getattr(inner, "body")  # noqa: B009 - a function
    if body[-1] is not node:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            start, _ = at.source.span(node)
            last = block_of(node, at)[-1:] == [node]
            words = "return `{}`".format(short(at.text(node)))
            yield Idea(0.9 if last else 0.4, (Change(start, start, "return "),), words)
        return
    if isinstance(node, ast.Expr) and not is_docstring(node, at):
        start, _ = at.source.span(node)
        change = (Change(start, start, "return "),)
        yield Idea(1.0, change, "return `{}`".format(short(at.text(node))))
    for rank, value in enumerate(dict.fromkeys([*at.names(node)[:8], *returned(at)])):
        appended = after(node, at, "return " + value)
        if appended is not None:
            yield Idea(0.9 - 0.03 * rank, (appended,), "return `{}` at the end".format(value))


@operator("delete", 0.35, *SIMPLE, *COMPOUND)
def delete(node: ast.AST, at: At) -> Iterator[Idea]:
    """Take a statement out."""
    if isinstance(node, ast.Pass) or is_docstring(node, at):
        return
    lines = own_lines(node, at)
    words = "delete `{}`".format(short(first_line(node, at)))
    weight = 0.5 if isinstance(node, COMPOUND) else 1.0
    block = block_of(node, at)
    if lines is None or len([s for s in block if not is_docstring(s, at)]) < 2:
        yield Idea(weight * 0.7, (Change(*at.source.span(node), "pass"),), words)
        return
    start = at.source.span(node)[0]
    end = lines[1]
    # The indentation stays in front of what follows, so that the change lies inside the function.
    position = block.index(node) if node in block else -1
    if 0 <= position < len(block) - 1 and not isinstance(
        block[position + 1], (*FUNCTIONS, ast.ClassDef)
    ):
        following = at.source.start_of(block[position + 1])
        if not at.source.text[end:following].strip():
            yield Idea(weight, (Change(start, following, ""),), words)
            return
    previous = at.source.span(block[position - 1])[1] if position > 0 else start
    tail = at.source.span(node)[1]
    if position > 0 and not at.source.text[previous:start].strip():
        yield Idea(weight, (Change(previous, tail, ""),), words)
        return
    yield Idea(weight * 0.9, (Change(start, tail, "pass"),), words)


@operator("move", 0.3, *SIMPLE, ast.If)
def move(node: ast.AST, at: At) -> Iterator[Idea]:
    """Swap a statement with the next, or move it out of, or into, a block."""
    block = block_of(node, at)
    lines = own_lines(node, at)
    if lines is None or node not in block or is_docstring(node, at):
        return
    position = block.index(node)
    if position + 1 < len(block):
        other = block[position + 1]
        if own_lines(other, at) is not None and not isinstance(other, (*FUNCTIONS, ast.ClassDef)):
            a, b = at.source.span(node), at.source.span(other)
            text = at.source.text
            changes: Tuple[Change, ...] = (
                Change(*a, text[b[0] : b[1]]),
                Change(*b, text[a[0] : a[1]]),
            )
            yield Idea(0.9, changes, "move `{}` down".format(short(first_line(node, at))))
    above = at.source.parent(node)
    if (
        isinstance(above, (ast.For, ast.While, ast.If, ast.With))
        and position == len(block) - 1
        and block is above.body
    ):
        space = at.source.indent_of(at.source.span(above)[0])
        own = at.source.indent_of(at.source.span(node)[0])
        alone = own_lines(above, at) is not None and not getattr(above, "orelse", ())
        if alone and len(own) > len(space):
            start, end = at.source.span(node)
            text = indent(at.source.text[start:end], own, space)
            if position:
                changes = (Change(start - len(own), end, space + text),)
            else:
                changes = (Change(start, end, "pass" + newline(at) + space + text),)
            yield Idea(
                1.0, changes, "move `{}` out of the block".format(short(first_line(node, at)))
            )
    if position:
        previous = block[position - 1]
        if (
            isinstance(previous, (ast.For, ast.While, ast.If))
            and own_lines(previous, at) is not None
        ):
            last = (getattr(previous, "orelse", None) or previous.body)[-1]
            inner = at.source.indent_of(at.source.span(last)[0])
            own = at.source.indent_of(at.source.span(node)[0])
            if (
                len(inner) > len(own)
                and own_lines(last, at) is not None
                and not at.source.text[
                    at.source.span(previous)[1] : at.source.span(node)[0]
                ].strip()
            ):
                start, end = at.source.span(node)
                text = indent(at.source.text[start:end], own, inner)
                changes = (Change(start - len(own), end, inner + text),)
                yield Idea(
                    0.9, changes, "move `{}` into the block".format(short(first_line(node, at)))
                )


def is_open(statement: ast.stmt) -> bool:
    """Say whether an `elif` may follow: an `if` without an `else`."""
    while isinstance(statement, ast.If):
        if not statement.orelse:
            return True
        if len(statement.orelse) > 1:
            return False
        statement = statement.orelse[0]
    return False


@operator("branches", 0.6, ast.If)
def branches(node: ast.AST, at: At) -> Iterator[Idea]:
    """Swap the two blocks of an `if`; make `elif` an `if` of its own, and the reverse."""
    assert isinstance(node, ast.If)
    start = at.source.span(node)[0]
    block = block_of(node, at)
    if at.source.text.startswith("elif", start):
        yield Idea(0.6, (Change(start, start + 2, ""),), "make `elif` an `if` of its own")
    elif node in block and block.index(node) and is_open(block[block.index(node) - 1]):
        yield Idea(0.5, (Change(start, start, "el"),), "make `if` an `elif`")
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        return
    if node.orelse:
        first = (at.source.span(node.body[0])[0], at.source.span(node.body[-1])[1])
        second = (at.source.span(node.orelse[0])[0], at.source.span(node.orelse[-1])[1])
        text = at.source.text
        changes = (
            Change(*first, text[second[0] : second[1]]),
            Change(*second, text[first[0] : first[1]]),
        )
        yield Idea(0.8, changes, "swap the two branches")


@operator("loop", 0.4, ast.For, ast.While, ast.If)
def loop_kind(node: ast.AST, at: At) -> Iterator[Idea]:
    """`if` for `while`, and the reverse."""
    start = at.source.span(node)[0]
    if isinstance(node, ast.While) and not node.orelse:
        yield Idea(0.6, (Change(start, start + 5, "if"),), "replace `while` by `if`")
    elif isinstance(node, ast.If) and not node.orelse and at.source.text.startswith("if", start):
        yield Idea(0.6, (Change(start, start + 2, "while"),), "replace `if` by `while`")


@operator("exception", 0.7, ast.Raise, ast.Try)
def exception(node: ast.AST, at: At) -> Iterator[Idea]:
    """Raise or catch another exception."""
    kinds = (
        "ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "RuntimeError",
        "LookupError", "ZeroDivisionError", "NotImplementedError", "OSError", "FileNotFoundError",
        "StopIteration", "OverflowError", "ArithmeticError", "Exception", "UnicodeDecodeError",
    )  # fmt: skip
    known = [*at.context.methods, *at.context.modules]
    own = [name for name in known if name.endswith(("Error", "Exception", "Warning"))]
    names: List[ast.expr] = []
    if isinstance(node, ast.Raise) and node.exc is not None:
        target = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        names = [target]
    elif isinstance(node, ast.Try):
        names = [handler.type for handler in node.handlers if handler.type is not None]
    for name in names:
        text = at.text(name)
        for rank, kind in enumerate([*own[:8], *kinds]):
            if kind != text:
                yield at.put(name, kind, max(0.3, 0.9 - 0.04 * rank))
        if isinstance(node, ast.Try) and not isinstance(name, ast.Tuple):
            for kind in kinds[:9]:
                if kind != text:
                    yield at.put(name, "({}, {})".format(text, kind), 0.6)


@operator("finished condition", 0.3, ast.expr)
def loop_condition(node: ast.AST, at: At) -> Iterator[Idea]:
    """Ask for a variable alone, or its opposite."""
    if not is_condition(node, at) or isinstance(node, ast.Name):
        return
    for name in at.names(node)[:6]:
        yield at.put(node, name, 0.4)
