"""A change that is known before, put beside what the search finds."""

from __future__ import annotations

import ast
import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..tracer import own
from .files import ProjectSources
from .fixers.earlier import moved
from .fixers.merging import named
from .source import FUNCTIONS, Patch, Source, Splice, difference

__all__ = ["FAMILY", "KnownChange", "given"]

FAMILY = "given"
WORDS = "the fix itself"


class KnownChange(NamedTuple):
    """A change as a patch of functions, and what it adds to modules beside them."""

    patch: Patch
    added: Dict[str, List[ast.stmt]]  # by path: they bind names that are new there

    def add(self, root: str) -> bool:
        """Run what is new in the modules that are loaded; say whether all of it could be.

        No code but that of the change knows these names.
        """
        loaded: Dict[str, Any] = {}
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str):
                loaded[own(file, root)] = module
        for path, statements in self.added.items():
            place = os.path.join(root, path)
            if statements and place not in loaded:
                return False
            for statement in statements:
                try:
                    code = compile(ast.Module([statement], []), place, "exec")
                    exec(code, vars(loaded[place]))  # noqa: S102 - the project's, in its sandbox
                except Exception:  # noqa: BLE001 - whatever it raises
                    return False
        return True


def given(project: ProjectSources, files: Sequence[Tuple[str, str]]) -> Optional[KnownChange]:
    """Return the change that makes these files, as paths with their texts.

    None where it is more than functions and new names.
    """
    parts: List[Patch] = []
    added: Dict[str, List[ast.stmt]] = {}
    for path, text in files:
        source = project.source(path)
        try:
            new = Source(path, text)
        except (SyntaxError, ValueError, RecursionError):
            return None
        fresh = additions(source.tree, new.tree) if source is not None else None
        if source is None or fresh is None:
            return None
        changes = within(source, new)
        if changes is None:
            return None
        added[path] = fresh
        if changes:
            line = source.line_of(changes[0].start)
            parts.append(Patch(path, line, FAMILY, 1.0, WORDS, changes))
    if not parts:
        return None
    first = parts[0]
    whole = Patch(first.path, first.line, FAMILY, 1.0, WORDS, (), tuple(parts))
    return KnownChange(first if len(parts) == 1 else whole, added)


def within(source: Source, new: Source) -> Optional[Tuple[Splice, ...]]:
    """Return the changes of the functions that both texts have; None where one is of a head."""
    found: List[Splice] = []
    before = named(source)
    for key, unit in named(new).items():
        was = before.get(key)
        if was is not None:
            now = source.text[was.start : was.end]
            found += moved(difference(now, new.text[unit.start : unit.end]), was.start)
    changes = tuple(sorted(found))
    return changes if source.parts(changes) is not None else None


def additions(old: ast.Module, new: ast.Module) -> Optional[List[ast.stmt]]:
    """Return the statements that are new, if they are all that changed outside of functions.

    What binds a name that was there before would change more than the code of the change.
    """
    known = [outside(statement) for statement in old.body]
    fresh = [each for each in new.body if outside(each) not in known]
    kept = [outside(each) for each in new.body if outside(each) in known]
    if kept != known or any(bound(each) & names(old) for each in fresh):
        return None
    return fresh


def outside(statement: ast.stmt) -> str:
    """Return a statement as text, without the bodies of functions."""
    return ast.dump(Bodiless().visit(ast.parse(ast.unparse(statement))))


class Bodiless(ast.NodeTransformer):
    """Empties functions."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [ast.Pass()]
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.body = [ast.Pass()]
        return node


def bound(statement: ast.AST) -> Set[str]:
    """Return the names that a statement of a module binds there."""
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(each.asname or each.name).partition(".")[0] for each in statement.names}
    nodes = (n for n in ast.walk(statement) if isinstance(n, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, ast.Store)}


def names(tree: ast.Module) -> Set[str]:
    """Return all names that a module speaks of."""
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | {
        name for statement in tree.body for name in bound(statement)
    }
