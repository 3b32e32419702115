"""Code that somebody put in a comment or between the quotes of a docstring, and left there."""

from __future__ import annotations

import ast
import bisect
import textwrap
import tokenize
from typing import Iterator, List

from ..source import FUNCTIONS, Splice, Token
from .blocks import COMPOUND, SIMPLE, is_docstring, newline
from .table import At, Idea, operator, short

RUNS = (
    ast.Assign, ast.AugAssign, ast.Return, ast.Raise, ast.Delete, ast.Break, ast.Continue,
    ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Import, ast.ImportFrom,
)  # fmt: skip


@operator("comment", 0.8, *SIMPLE, *COMPOUND)
def commented(node: ast.AST, at: At) -> Iterator[Idea]:
    """Run the code of a comment beside a statement again."""
    start, end = at.source.span(node)
    for run in (before(start, at), after(end, len(at.source.indent_of(start)), at)):
        lines = textwrap.dedent("\n".join(comment.text[1:] for comment in run))
        if is_code(lines):
            yield uncommented(run[0].start, run[-1].end, lines, at)
        for comment in run if len(run) > 1 else ():
            if is_code(comment.text[1:].strip()):
                yield uncommented(comment.start, comment.end, comment.text[1:].strip(), at)


@operator("comment", 0.8, *FUNCTIONS)
def quoted(node: ast.AST, at: At) -> Iterator[Idea]:
    """Run what stands between the quotes of a docstring, where that is code."""
    first = getattr(node, "body")[0]  # noqa: B009 - a function
    if is_docstring(first, at):
        start, end = at.source.span(first)
        text = ast.literal_eval(first.value).strip()
        code = text.replace("\n" + at.source.indent_of(start), "\n")
        if is_code(code):
            yield uncommented(start, end, code, at)


def uncommented(start: int, end: int, code: str, at: At) -> Idea:
    space = newline(at) + at.source.indent_of(start)
    words = "run `{}` again".format(short(code.split("\n", 1)[0]))
    return Idea(1.0, (Splice(start, end, code.replace("\n", space)),), words)


def before(start: int, at: At) -> List[Token]:
    """Return the comments on lines of their own that end where a statement begins."""
    tokens = at.source.tokens
    last = bisect.bisect_left(at.source.token_starts, start)
    first = last
    while first and is_comment(tokens[first - 1], at):
        first -= 1
    return tokens[first:last]


def after(end: int, depth: int, at: At) -> List[Token]:
    """Return the comments on lines of their own that follow a statement, indented like it."""
    tokens = at.source.tokens
    first = bisect.bisect_left(at.source.token_starts, end)
    while first < len(tokens) and tokens[first].kind == tokenize.NEWLINE:
        first += 1
    last = first
    while (
        last < len(tokens)
        and is_comment(tokens[last], at)
        and len(at.source.indent_of(tokens[last].start)) >= depth
    ):
        last += 1
    return tokens[first:last]


def is_comment(token: Token, at: At) -> bool:
    """Say whether a token is a comment that has its line to itself."""
    line = at.source.starts[at.source.line_of(token.start) - 1]
    return token.kind == tokenize.COMMENT and not at.source.text[line : token.start].strip()


def is_code(text: str) -> bool:
    """Tell statements that do something from prose: `return x`, and not `Note: see above`."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return False
    return bool(body) and all(isinstance(each, RUNS) or is_call(each) for each in body)


def is_call(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, (ast.Call, ast.Yield))
