"""Errors: which are raised, which are caught, and what becomes of them."""

from __future__ import annotations

import ast
import itertools
from typing import Iterator, List, Optional, Set, Tuple

from ..source import Splice, split_lines
from .blocks import after, block_of, indent, newline, own_lines, step
from .table import At, Idea, operator, short

MOST_RAISED = 6  # errors of the file that a handler may raise
MOST_AT_HAND = 8  # variables that one of them may be made of
LOOPS = (ast.For, ast.AsyncFor, ast.While)
LEAVES_LOOP = (ast.Raise, ast.Return, ast.Break)
QUOTES = ('"""', "'''")
QUIET = (ast.Pass, ast.Continue, ast.Break, ast.Return, ast.Expr, ast.Assign)


@operator("exception", 0.7, ast.Raise, ast.Try)
def exception(node: ast.AST, at: At) -> Iterator[Idea]:
    """Raise or catch another exception."""
    kinds = (
        "ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "RuntimeError",
        "LookupError", "ZeroDivisionError", "NotImplementedError", "OSError", "FileNotFoundError",
        "StopIteration", "OverflowError", "ArithmeticError", "Exception", "UnicodeDecodeError",
    )  # fmt: skip
    own = own_errors(at)
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


def own_errors(at: At) -> List[str]:
    """Return the names of the errors that the file defines or imports."""
    known = [*at.context.methods, *at.context.modules]
    return [name for name in known if name.endswith(("Error", "Exception", "Warning"))]


@operator("fall through", 0.7, ast.Raise)
def fall_through(node: ast.AST, at: At) -> Iterator[Idea]:
    """Go on behind a `try` that returns, or raises again what it caught, and is not the last."""
    handler = at.parent(node)
    if not isinstance(node, ast.Raise) or not isinstance(handler, ast.ExceptHandler):
        return
    attempt = at.parent(handler)
    if not isinstance(attempt, ast.Try) or node.exc is not None or handler.body != [node]:
        return
    block = block_of(attempt, at)
    if isinstance(attempt.body[-1], ast.Return) and block and block[-1] is not attempt:
        yield Idea(1.0, (Splice(*at.source.span(node), "pass"),), "go on where it raises again")


@operator("cleanup", 0.9, ast.Expr, ast.Assign)
def cleanup(node: ast.AST, at: At) -> Iterator[Idea]:
    """Do what follows a `yield` whatever becomes of it, as a context manager has to."""
    if not isinstance(getattr(node, "value", None), ast.Yield):
        return
    block = block_of(node, at)
    rest = block[block.index(node) + 1 :] if node in block else []
    first, last = own_lines(node, at), own_lines(rest[-1], at) if rest else None
    if first is None or last is None:
        return
    (start, middle), (_, end) = first, last
    text, base = at.source.text, at.source.indent_of(start)
    if any(quotes in text[start:end] for quotes in QUOTES):
        return
    more, ends = step(at, node), newline(at)
    tried, done = (
        "".join(more + line if line.strip() else line for line in split_lines(part))
        for part in (text[start:middle], text[middle:end])
    )
    whole = base + "try:" + ends + tried + base + "finally:" + ends + done
    yield Idea(1.0, (Splice(start, end, whole),), "do what follows the `yield` in any case")


@operator("swallowed", 0.7, ast.Try)
def swallowed(node: ast.AST, at: At) -> Iterator[Idea]:
    """Let out an error that a handler keeps quiet: catch it no more, or raise one in its place."""
    assert isinstance(node, ast.Try)
    quiet = [handler for handler in node.handlers if is_quiet(handler)]
    if not node.finalbody and len(node.handlers) == 1 and quiet:
        bare = without_handlers(node, at)
        if bare is not None:
            own = any(isinstance(each, ast.Raise) for part in node.body for each in ast.walk(part))
            weight = 1.0 if own else 0.7  # what it raises, it catches
            yield Idea(weight, (bare,), "no longer catch {}".format(caught(node.handlers[0], at)))
    for handler in quiet:
        body = at.source.span(handler.body[0])[0], at.source.span(handler.body[-1])[1]
        words = "raise {} again".format(caught(handler, at))
        yield Idea(0.7, (Splice(*body, "raise"),), words)
        named = naming(handler, at)
        if named is not None:
            name, change = named
            texts = [*raised_elsewhere(handler, name, at), *raised_anew(handler, name, at)]
            for rank, text in enumerate(dict.fromkeys(texts)):
                changes = (*change, Splice(*body, text))
                words = "write `{}` there".format(short(text))
                yield Idea(max(0.4, 0.8 - 0.02 * rank), changes, words)


@operator("swallowed", 0.7, ast.For, ast.While)
def never_told(node: ast.AST, at: At) -> Iterator[Idea]:
    """Raise behind a loop of attempts what each of them failed with, if none came to an end."""
    assert isinstance(node, LOOPS)
    block = block_of(node, at)
    returns = any(isinstance(each, ast.Return) for each in ast.walk(node))
    if not returns or node.orelse or not block or block[-1] is not node:
        return
    for attempt in node.body:
        for handler in attempt.handlers if isinstance(attempt, ast.Try) else ():
            if is_quiet(handler) and isinstance(handler.type, (ast.Name, ast.Attribute)):
                text = "raise {}".format(at.text(handler.type))
                change = after(node, at, text)
                if change is not None:
                    words = "write `{}` behind the loop".format(text)
                    yield Idea(1.0, (change,), words)


@operator("one of many", 0.8, ast.Try)
def one_of_many(node: ast.AST, at: At) -> Iterator[Idea]:
    """Catch what goes wrong with one element of a loop, and go on with the next."""
    assert isinstance(node, ast.Try)
    loop = node.body[-1]
    if not isinstance(loop, LOOPS) or loop.orelse or node.orelse or node.finalbody:
        return
    if all(isinstance(handler.body[-1], LEAVES_LOOP) for handler in node.handlers):
        return
    first, inside = node.body[0], loop.body[0]
    if None in [own_lines(each, at) for each in (node, first, inside)]:
        return
    source = at.source
    outer, inner = (source.indent_of(source.span(each)[0]) for each in (node, first))
    lines = (source.line_of(source.span(each)[0]) for each in (inside, node.handlers[0]))
    body_start, handlers_start = (source.starts[line - 1] for line in lines)
    head = indent(source.text[source.span(first)[0] : body_start], inner, outer)
    body = source.text[body_start:handlers_start]
    handled = source.text[handlers_start : source.span(node)[1]].split("\n")
    deeper = "\n".join(inner[len(outer) :] + line if line.strip() else line for line in handled)
    whole = "{}{}try:{}{}{}".format(head, inner, newline(at), body, deeper)
    words = "catch {} of one element, and go on with the next".format(caught(node.handlers[0], at))
    yield Idea(1.0, (Splice(*source.span(node), whole),), words)


def is_quiet(handler: ast.ExceptHandler) -> bool:
    """Say whether a handler raises nothing, and does little."""
    return len(handler.body) < 3 and all(isinstance(each, QUIET) for each in handler.body)


def caught(handler: ast.ExceptHandler, at: At) -> str:
    return "`{}`".format(short(at.text(handler.type))) if handler.type else "every error"


def without_handlers(node: ast.Try, at: At) -> Optional[Splice]:
    """Put what a `try` does in its place."""
    lines, first = own_lines(node, at), node.body[0]
    if lines is None or own_lines(first, at) is None:
        return None
    outer, inner = (at.source.indent_of(at.source.span(each)[0]) for each in (node, first))
    parts = [
        at.source.text[at.source.start_of(block[0]) : at.source.span(block[-1])[1]]
        for block in (node.body, node.orelse)
        if block
    ]
    whole = (newline(at) + inner).join(parts)
    return Splice(*at.source.span(node), indent(whole, inner, outer))


def raised_elsewhere(handler: ast.ExceptHandler, name: str, at: At) -> List[str]:
    """Return what else the file raises, made of what is at hand and of the caught error's text."""
    visible = set(at.names(handler))
    found: List[str] = []
    for node in ast.walk(at.source.tree):
        if not isinstance(node, ast.Raise) or not isinstance(node.exc, ast.Call):
            continue
        words = [argument(each, name, visible, at) for each in node.exc.args]
        if node.exc.keywords or None in words:
            continue
        function, given = at.text(node.exc.func), ", ".join(each for each in words if each)
        text = "raise {}({}) from {}".format(function, given, name)
        if text not in found:
            found.append(text)
    return found[:MOST_RAISED]


def raised_anew(handler: ast.ExceptHandler, name: str, at: At) -> Iterator[str]:
    """Yield errors of the project, made of the caught one's text and of what is at hand."""
    told = "str({})".format(name)
    for error in own_errors(at)[:MOST_RAISED]:
        wanted = at.context.parameters.get(error, [])
        at_hand = [each for each in at.names(handler) if each != name][:MOST_AT_HAND]
        choices = [
            list(dict.fromkeys([wish] * (wish in at_hand) + [told, *at_hand])) for wish in wanted
        ] or [[told]]
        if len(choices) < 3:
            for given in itertools.product(*reversed(choices)):
                if len(set(given)) == len(given):
                    words = ", ".join(reversed(given))
                    yield "raise {}({}) from {}".format(error, words, name)


def argument(node: ast.expr, name: str, visible: Set[str], at: At) -> Optional[str]:
    """Return what stands in the place of one argument; None where nothing does."""
    if isinstance(node, (ast.JoinedStr, ast.Constant)):
        is_text = isinstance(getattr(node, "value", ""), str)
        return "str({})".format(name) if is_text else at.text(node)
    if isinstance(node, ast.Name) and node.id in visible:
        return node.id
    return None


def naming(handler: ast.ExceptHandler, at: At) -> Optional[Tuple[str, Tuple[Splice, ...]]]:
    """Return the name of what a handler catches, and the change that names it."""
    if handler.name:
        return handler.name, ()
    if handler.type is None:
        return None
    name = "error"
    while name in at.names(handler):
        name += "_"
    end = at.source.outer_span(handler.type)[1]
    return name, (Splice(end, end, " as " + name),)
