"""Functions made in a loop: each sees what the loop's variable holds last."""

from __future__ import annotations

import ast
from typing import Any, Dict, Iterator, List

from ..source import Splice
from .table import At, Idea, operator

__all__: List[str] = []

LOOPS = (ast.For, ast.AsyncFor)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@operator("bound late", 0.9, ast.Lambda, ast.FunctionDef)
def bound_late(node: ast.AST, at: At) -> Iterator[Idea]:
    """Let a function that a loop makes keep what the loop's variables hold by then."""
    function: Any = node
    given = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    own = list(function.body) if isinstance(function.body, list) else [function.body]
    read = {n.id for part in own for n in ast.walk(part) if isinstance(n, ast.Name)}
    names = [name for name in looped(node, at) if name in read and name not in given]
    if not names or function.args.vararg or function.args.kwonlyargs or function.args.kwarg:
        return
    text = ", ".join("{0}={0}".format(name) for name in names)
    words = "keep `{}` as it is when the function is made".format("` and `".join(names))
    known = [*function.args.posonlyargs, *function.args.args, *function.args.defaults]
    if known:
        end = max(at.source.outer_span(each)[1] for each in known)
        yield Idea(1.0, (Splice(end, end, ", " + text),), words)
        return
    start, stop = at.source.span(node)[0], at.source.span(own[0])[0]
    sign = "(" if isinstance(node, ast.FunctionDef) else "lambda"
    opens = next((t for t in at.source.between(start, stop) if t.text == sign), None)
    if opens is not None:
        space = " " if sign == "lambda" else ""
        yield Idea(1.0, (Splice(opens.end, opens.end, space + text),), words)


def looped(node: ast.AST, at: At) -> Iterator[str]:
    """Yield the variables of the loops around a place within its function, the innermost first."""
    found: Dict[str, None] = {}
    above = at.parent(node)
    while above is not None and not isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
        targets: List[ast.expr] = []
        if isinstance(above, LOOPS):
            targets = [above.target]
        elif isinstance(above, COMPREHENSIONS):
            targets = [each.target for each in above.generators]
        for target in targets:
            found.update((n.id, None) for n in ast.walk(target) if isinstance(n, ast.Name))
        above = at.parent(above)
    yield from found
