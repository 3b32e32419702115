"""Code that looks at who runs it, or takes hold of the runner: told from what a change adds."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

__all__ = ["looks"]

# A string is quoted where it names a module; a comment says nothing.
RUNNERS = re.compile(r"(?:_?pytest|unittest|pluggy|nose2?|clew_probe)(?:\..*)?", re.DOTALL)
VARIABLES = re.compile(r"PYTEST_|CLEW_")
STACK = frozenset(
    {"_current_frames", "_getframe", "currentframe", "extract_stack", "f_back", "tb_frame"}
)
LEAVING = frozenset({"_exit", "abort", "register", "setprofile", "settrace", "killpg"})
HOOKS = frozenset({"meta_path", "path_hooks", "path_importer_cache"})
BUILTINS = frozenset({"__builtins__", "builtins"})


def looks(before: str, after: str) -> tuple[str, ...]:
    """Name what a change of a file newly does that speaks of the runner, each once, in order.

    What the file did before says nothing new. A file that does not parse says nothing.
    """
    known = {words for words, _ in _found(before)}
    return tuple(
        f"line {line}: {words}"
        for words, line in dict(reversed(list(_found(after)))).items()
        if words not in known
    )[::-1]


def _found(text: str) -> Iterator[tuple[str, int]]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        for words in _words(node):
            yield words, getattr(node, "lineno", 0)


def _words(node: ast.AST) -> Iterator[str]:  # noqa: C901 -- one case a kind of node
    match node:
        case ast.Constant(value=str(value)) if VARIABLES.match(value):
            yield f"reads {value}"
        case ast.Constant(value=str(value)) if RUNNERS.fullmatch(value):
            yield f"names {value!r}"
        case ast.Import(names=names):
            yield from (f"imports {n.name}" for n in names if _is_runner(n.name))
        case ast.ImportFrom(module=str(module)) if _is_runner(module):
            yield f"imports {module}"
        case ast.Attribute(attr=attr, value=ast.Name(id="os")) if attr in LEAVING:
            yield f"uses os.{attr}"
        case ast.Attribute(attr=attr, value=ast.Name(id="sys")) if attr in LEAVING | HOOKS:
            yield f"uses sys.{attr}"
        case ast.Attribute(attr="register", value=ast.Name(id="atexit")):
            yield "uses atexit.register"
        case ast.Attribute(attr="stack" | "trace", value=ast.Name(id="inspect")):
            yield "looks at the stack"
        case ast.Attribute(attr=attr) if attr in STACK:
            yield "looks at the stack"
        case ast.FunctionDef(name="__eq__") if _always_true(node):
            yield "is equal to everything"
        case ast.Assign(targets=targets):
            yield from (words for target in targets if (words := _replaced(target)))
        case _:
            return


def _is_runner(name: str) -> bool:
    """Tell a runner's module from its doubles, which code may well be given."""
    return bool(RUNNERS.fullmatch(name)) and not name.startswith("unittest.mock")


def _replaced(target: ast.expr) -> str:
    match target:
        case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in BUILTINS:
            return f"replaces the builtin {attr}"
        case ast.Subscript(value=ast.Name(id=name)) if name in BUILTINS:
            return "replaces a builtin"
        case ast.Subscript(value=ast.Attribute(attr="modules", value=ast.Name(id="sys"))):
            return "replaces a loaded module"
        case _:
            return ""


def _always_true(function: ast.FunctionDef) -> bool:
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    return bool(returns) and all(
        isinstance(node.value, ast.Constant) and node.value.value is True for node in returns
    )
