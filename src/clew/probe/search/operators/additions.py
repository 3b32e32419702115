"""Statements that were forgotten: guards, steps, returns."""

from __future__ import annotations

import ast
import re
import textwrap
from typing import Dict, Iterator, List, Tuple

from ..context import OWN, optional
from ..source import Splice
from .blocks import (
    COMPOUND,
    LEAVING,
    SIMPLE,
    after,
    before,
    block_of,
    first_line,
    indent,
    is_docstring,
    newline,
    own_lines,
    step,
)
from .conditions import AFTER, BEFORE, NUMBER, other_conditions, renamed
from .table import At, Idea, operator, short

MOST_OWN = 8  # attributes of an object, of which another one is to be counted as well
SINGLES = ("None", "True", "False", "Ellipsis", "NotImplemented")


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
        yield Idea(weight, (Splice(start, end, text),), words)


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
        conditions += [
            (1.0, "not " + name),
            (0.7, name + " is None"),
            (0.6, name + " == 0"),
            (0.6, name + " < 0"),
            (0.5, name),
            (0.5, "len({}) == 1".format(name)),
            (0.45, name + " <= 1"),
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
                    words = "do `{}` if `{}`".format(word, condition)
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
    # What may be left out is None then, and None is what is meant.
    found.update(dict.fromkeys(n for n in at.facts.parameters[:3] if n not in optional(inner)))
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
    for text, weight in texts.items():
        for make, word, factor in ((before, "before", 0.8), (after, "after", 1.0)):
            if make is after and isinstance(node, LEAVING):
                continue
            change = make(node, at, text)
            if change is not None:
                words = "insert `{}` {} `{}`".format(text, word, short(first_line(node, at)))
                yield Idea(weight * factor, (change,), words)
    # What leaves comes last: it would make dead what is behind it.
    ends = node in block_of(node, at)[-1:] and not isinstance(node, LEAVING)
    for text in ("break", "continue") if ends and at.place.loop else ():
        change = after(node, at, text)
        if change is not None:
            words = "insert `{}` after `{}`".format(text, short(first_line(node, at)))
            yield Idea(0.5, (change,), words)


def neighbours(at: At, names: List[str]) -> Iterator[Tuple[str, float]]:
    """Yield simple statements of the function, also with one name or attribute exchanged."""
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
        if isinstance(node, ast.AugAssign):
            for attribute in re.findall(r"\bself\.(\w+)", at.text(node.target))[:1]:
                for other in at.context.attributes[:MOST_OWN]:
                    if other != attribute:
                        yield text.replace("self." + attribute, "self." + other), 0.7
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


@operator("flag", 0.4, *SIMPLE, *COMPOUND)
def flagged(node: ast.AST, at: At) -> Iterator[Idea]:
    """Heed what the function noted as yes or no: one of its steps, if that was so."""
    block = block_of(node, at)
    if at.place.inner is None or is_docstring(node, at) or not block:
        return
    flags = [n for n in at.names(node) if at.facts.types.get(n) == "bool"][:3]
    texts = steps(at) if flags else []
    places = [(before, "before")]
    if node is block[-1] and not isinstance(node, LEAVING):
        places.append((after, "after"))
    for flag in flags:
        for text in texts:
            for make, word in places:
                change = make(node, at, "if {}:\n{}{}".format(flag, step(at, node), text))
                if change is not None:
                    shown = short(first_line(node, at))
                    words = "insert `{}` if `{}`, {} `{}`".format(text, flag, word, shown)
                    yield Idea(1.0, (change,), words)


def steps(at: At) -> List[str]:
    """Return calls that the function makes for what they do, also with nothing to take in."""
    found: Dict[str, None] = {}
    for node in ast.walk(at.place.inner or at.source.tree):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            continue
        text = at.text(node)
        if "\n" in text or len(text) > 70:
            continue
        found.setdefault(text)
        given = node.value.args
        if len(given) == 1 and not isinstance(given[0], ast.Starred):
            start, (first, last) = at.source.span(node)[0], at.source.span(given[0])
            for empty in ('""', 'b""', "None"):
                found.setdefault(text[: first - start] + empty + text[last - start :])
    return list(found)[:8]


@operator("case", 0.45, ast.If)
def another_case(node: ast.AST, at: At) -> Iterator[Idea]:
    """Treat one more value as its like is treated: a branch of a chain was lost."""
    assert isinstance(node, ast.If)
    test, lines = node.test, own_lines(node, at)
    simple = len(node.body) == 1 and isinstance(node.body[0], SIMPLE)
    if not isinstance(test, ast.Compare) or len(test.ops) > 1 or not simple or lines is None:
        return
    known = test.comparators[0]
    others: List[str] = []
    if isinstance(test.ops[0], ast.Is):
        others = list(SINGLES)
    elif isinstance(test.ops[0], ast.Eq) and isinstance(getattr(known, "value", None), str):
        handled = {ast.literal_eval(text) for text in at.facts.strings}
        told = [
            *at.facts.documented,
            *at.facts.marks,
            *at.context.clues.words,
            *at.context.clues.marks,
        ]
        others = [word for word in dict.fromkeys(told) if word not in handled][:12]
    start = at.source.start_of(node)
    old, text = at.text(known), at.source.text[start : at.source.span(node.body[0])[1]]
    bare = str(getattr(known, "value", old)) if isinstance(known, ast.Constant) else old
    word = re.compile((r"\b{}\b" if bare.isidentifier() else "{}").format(re.escape(bare)))
    if len(word.findall(text)) < 2:
        return  # what is done for it has nothing of it
    space = at.source.indent_of(start)
    for other in others:
        made = word.sub(other.replace("\\", r"\\"), text)
        try:
            ast.parse(textwrap.dedent(made.removeprefix("el")))
        except (SyntaxError, ValueError):
            continue
        lead = "" if made.startswith("el") else "el"
        words = "treat `{}` as `{}` is treated".format(other, bare)
        yield Idea(1.0, (Splice(start, start, made + newline(at) + space + lead),), words)


@operator("return", 0.6, ast.Return)
def other_return(node: ast.AST, at: At) -> Iterator[Idea]:
    """Return something else."""
    assert isinstance(node, ast.Return)
    text = at.text(node.value) if node.value is not None else ""
    start, end = at.source.span(node)
    for rank, value in enumerate(dict.fromkeys([*at.names(node)[:8], *returned(at)])):
        if value != text:
            words = "return `{}`".format(value)
            yield Idea(0.9 - 0.03 * rank, (Splice(start, end, "return " + value),), words)


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
            yield Idea(0.9 if last else 0.4, (Splice(start, start, "return "),), words)
        return
    if isinstance(node, ast.Expr) and not is_docstring(node, at):
        start, _ = at.source.span(node)
        change = (Splice(start, start, "return "),)
        yield Idea(1.0, change, "return `{}`".format(short(at.text(node))))
    for rank, value in enumerate(dict.fromkeys([*at.names(node)[:8], *returned(at)])):
        appended = after(node, at, "return " + value)
        if appended is not None:
            yield Idea(0.9 - 0.03 * rank, (appended,), "return `{}` at the end".format(value))
