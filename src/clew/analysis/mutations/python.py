"""Small faults for a program in Python.

`OPERATORS` are such as a hurry leaves behind: something is missing that only its author knew. They
were made apart from the operators of the built-in repairer, which has learned to put some of it
back since (kept state, elements, handlers, keywords). `SLIPS` are slips of the pen, and a lost
line: whether tests notice them says how closely they look at a place.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping

from clew.analysis.mutations.faults import ByteEdit, ByteText, Mutation

__all__ = ["OPERATORS", "SLIPS", "mutations"]


class PythonText(ByteText):
    """A program's text by the positions of its syntax tree, which count bytes."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        super().__init__(text)

    def span(self, node: ast.stmt | ast.expr | ast.keyword) -> tuple[int, int]:
        """Return the bytes of a node, decorators left out."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[end_line - 1] + end_column

    def replaced(self, node: ast.stmt | ast.expr, new: str) -> ByteEdit:
        start, end = self.span(node)
        return ByteEdit(start, end, new.encode())

    def of(self, node: ast.expr) -> str:
        start, end = self.span(node)
        return self.content[start:end].decode("utf-8", "surrogateescape")

    def line(self, change: ByteEdit) -> int:
        return self.lines(change).start


Operator = Callable[[ast.AST, PythonText], Iterator[ByteEdit]]


def lost_statement(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Leave out an assignment, a call or a raise that has lines of its own, but no whole body."""
    for body in _bodies(node):
        for statement in body if len(body) > 1 else ():
            called = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            if called or isinstance(statement, ast.Assign | ast.AugAssign | ast.Raise):
                lines = _own_lines(statement, source)
                if lines is not None:
                    yield lines


def lost_branch(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Do nothing in an `else` or `elif`."""
    if isinstance(node, ast.If) and node.orelse:
        branch = node.orelse
        if len(branch) == 1 and isinstance(branch[0], ast.If):
            branch = branch[0].body
        if not isinstance(branch[0], ast.Pass):
            start, end = source.span(branch[0])[0], source.span(branch[-1])[1]
            yield ByteEdit(start, end, b"pass")


def open_guard(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Go into an `if` whatever its condition says."""
    if isinstance(node, ast.If) and not isinstance(node.test, ast.Constant | ast.NamedExpr):
        yield source.replaced(node.test, "True")


def unsaved_state(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Assign to a local name instead of the attribute."""
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            yield source.replaced(target, target.attr)


def lost_keyword(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Call without one of the keyword arguments."""
    if not isinstance(node, ast.Call):
        return
    arguments = [*map(source.span, node.args), *map(source.span, node.keywords)]
    for keyword in node.keywords:
        start, end = source.span(keyword)
        before = max((e for s, e in arguments if s < start), default=None)
        after = min((s for s, _ in arguments if s > start), default=None)
        if keyword.arg is None:
            continue
        if before is not None:
            yield ByteEdit(before, end)
        elif after is not None:
            yield ByteEdit(start, after)
        else:
            yield ByteEdit(start, end)


def cut_chain(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Leave out the last call of a chain of methods."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Call)
    ):
        yield source.replaced(node, source.of(node.func.value))


def reraising_handler(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Pass on an exception that was dealt with."""
    if isinstance(node, ast.ExceptHandler) and not isinstance(node.body[0], ast.Raise):
        yield ByteEdit(source.span(node.body[0])[0], source.span(node.body[-1])[1], b"raise")


def bare_element(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Take the elements of a comprehension as they are."""
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        target = node.generators[0].target
        if isinstance(target, ast.Name) and not isinstance(node.elt, ast.Name):
            yield source.replaced(node.elt, target.id)


def lost_default(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Look something up without saying what to take where it is not there."""
    if not isinstance(node, ast.Call) or node.keywords:
        return
    match node.func:
        case ast.Attribute(attr="get" | "pop" | "setdefault") | ast.Name(id="next"):
            least = 2
        case ast.Name(id="getattr"):
            least = 3
        case _:
            return
    if len(node.args) == least:
        yield ByteEdit(source.span(node.args[-2])[1], source.span(node.args[-1])[1])


def one_choice(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Take one side of a conditional expression always."""
    if isinstance(node, ast.IfExp):
        for side in (node.body, node.orelse):
            yield source.replaced(node, source.of(side))


def lost_fallback(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Take a value as it is, where another stood in for an empty one."""
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
        first, last = node.values[0], node.values[-1]
        if not isinstance(first, ast.Compare | ast.UnaryOp) and not isinstance(last, ast.Compare):
            yield source.replaced(node, source.of(first))


def merged_branches(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Do under the condition of an `elif` what the branch before it does."""
    if isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        other = node.orelse[0]
        if source.content[source.span(other)[0] :].startswith(b"elif"):
            start, end = source.span(node.test)[0], source.span(other.body[-1])[1]
            body = source.content[source.span(node.test)[1] : source.span(node.body[-1])[1]]
            either = f"{source.of(node.test)} or {source.of(other.test)}"
            yield ByteEdit(start, end, either.encode("utf-8", "surrogateescape") + body)


def lost_entry(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Leave an entry out of a dictionary."""
    if isinstance(node, ast.Dict) and len(node.keys) > 1:
        ends = [source.span(value)[1] for value in node.values]
        for before, after in itertools.pairwise(ends):
            yield ByteEdit(before, after)


def lost_cleanup(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Clean nothing up at the end of a `try`."""
    if isinstance(node, ast.Try) and node.finalbody:
        yield ByteEdit(
            source.span(node.finalbody[0])[0], source.span(node.finalbody[-1])[1], b"pass"
        )


def shallow_walk(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Give what should be walked through itself."""
    if isinstance(node, ast.YieldFrom) and isinstance(node.value, ast.Call) and node.value.args:
        yield source.replaced(node, f"yield {source.of(node.value.args[0])}")


def lost_kind(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Expect, or catch, one kind less."""
    kinds: ast.expr | None = None
    match node:
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Tuple() as kinds]):
            pass
        case ast.ExceptHandler(type=ast.Tuple() as kinds):
            pass
    if isinstance(kinds, ast.Tuple) and len(kinds.elts) > 1:
        rest = [source.of(kind) for kind in kinds.elts[:-1]]
        yield source.replaced(kinds, rest[0] if len(rest) == 1 else f"({', '.join(rest)})")


OPERATORS: dict[str, Operator] = {
    operator.__name__.replace("_", " "): operator
    for operator in (
        lost_statement,
        lost_branch,
        open_guard,
        unsaved_state,
        lost_keyword,
        cut_chain,
        reraising_handler,
        bare_element,
        lost_default,
        one_choice,
        lost_fallback,
        merged_branches,
        lost_entry,
        lost_cleanup,
        shallow_walk,
        lost_kind,
    )
}


COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.NotEq: "==",
    ast.NotIn: "in",
}
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "+",
    ast.Mult: "+",
    ast.Sub: "+",
}


def other_comparison(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Compare otherwise."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        left, right = source.of(node.left), source.of(node.comparators[0])
        yield source.replaced(node, f"({left} {COMPARISONS[type(node.ops[0])]} {right})")


def other_arithmetic(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Calculate otherwise."""
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        left, right = source.of(node.left), source.of(node.right)
        yield source.replaced(node, f"({left} {ARITHMETIC[type(node.op)]} {right})")


def other_constant(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Take the next number, the other truth, another text."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield source.replaced(node, repr(not node.value))
        elif isinstance(node.value, int | float):
            yield source.replaced(node, f"({node.value!r} + 1)")


def turned_condition(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Go the other way."""
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        yield source.replaced(node.test, f"(not ({source.of(node.test)}))")


def no_answer(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Return nothing."""
    if isinstance(node, ast.Return) and node.value is not None:
        yield source.replaced(node.value, "None")


def lost_line(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Leave out a simple statement."""
    simple = ast.Assign | ast.AugAssign | ast.Expr | ast.Raise
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if isinstance(node, simple) and not docstring:
        yield source.replaced(node, "pass")


def lost_import(node: ast.AST, source: PythonText) -> Iterator[ByteEdit]:
    """Leave out an import: what uses the name fails, whatever it does with it."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield source.replaced(node, "pass")


SLIPS: dict[str, Operator] = {
    operator.__name__.replace("_", " "): operator
    for operator in (
        other_comparison,
        other_constant,
        other_arithmetic,
        turned_condition,
        no_answer,
        lost_branch,
        lost_keyword,
        cut_chain,
        lost_line,
        lost_import,
    )
}


def mutations(
    text: str,
    operators: Mapping[str, Operator] = OPERATORS,
    lines: Collection[int] | None = None,
) -> Iterator[Mutation]:
    """Yield every fault that an operator has for a program; all parse.

    They lie inside of functions or, where `lines` are given, anywhere on these. Text that does not
    parse has none.
    """
    try:
        source = PythonText(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    functions: list[ast.AST] = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    within = functions if lines is None else [source.tree]
    seen = {text}
    for node in dict.fromkeys(inner for function in within for inner in ast.walk(function)):
        for name, operator in operators.items():
            for change in operator(node, source):
                if lines is not None and source.line(change) not in lines:
                    continue
                mutated = source.with_(change)
                if mutated not in seen and _parses(mutated):
                    seen.add(mutated)
                    yield source.mutation(name, change)


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        body = getattr(node, field, None)
        if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
            yield body


def _own_lines(statement: ast.stmt, source: PythonText) -> ByteEdit | None:
    """Return the removal of a statement's lines, unless it shares them."""
    start, end = source.span(statement)
    first = source.starts[statement.lineno - 1]
    last = source.starts[statement.end_lineno or statement.lineno]
    shared = source.content[first:start].strip() or source.content[end:last].strip()
    return None if shared else ByteEdit(first, last)


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True
