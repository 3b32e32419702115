"""What a commit took out of other functions as well, where one of them has it back."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from clew.evidence.explain.scene import clipped, code, listed
from clew.evidence.explain.sources import enclosing, functions
from clew.words.facts import Candidate, EarlierText

__all__ = ["lost_elsewhere"]

KINDS = (ast.Call, ast.BinOp, ast.BoolOp, ast.Compare, ast.Subscript)
SHORTEST, LONGEST = 8, 60  # characters of an expression: that says something, that is shown
MOST = 2  # functions that are named


def lost_elsewhere(
    best: Candidate,
    commits: Collection[str],
    earlier: Sequence[EarlierText],
    sources: Mapping[str, str],
) -> Iterator[str]:
    """Say which functions lost the same by one of the commits, and do not have it back.

    `earlier` are files as they were before commits, those of the newest first.
    """
    for path in dict.fromkeys(edit.path for edit in best.edits):
        after = today = sources.get(path, "")
        for each in (each for each in earlier if each.path == path):
            if each.commit in commits:
                yield from _told(best, path, today, _lost(each.text, after, today))
            after = each.text


def _told(best: Candidate, path: str, today: str, lost: Mapping[str, set[str]]) -> Iterator[str]:
    edits = [edit for edit in best.edits if edit.path == path]
    changed = {enclosing(today, edit.line) for edit in edits}
    back = "\n".join(_bare(edit.should_be) for edit in edits)
    returns = {x for name in changed for x in lost.get(name, ()) if _bare(x) in back}
    open_ = {name: own & returns for name, own in lost.items() if name not in changed}
    names = [code(name) for name, own in open_.items() if own]
    if not names:
        return
    shown = max(set[str]().union(*open_.values()), key=lambda each: (len(each), each))
    more = [f"{len(names) - MOST} more"] if len(names) > MOST else []
    stays, is_ = ("stays", "it is") if len(names) == 1 else ("stay", "they are")
    yield (
        f"{listed([*names[:MOST], *more])} lost {code(clipped(shown, LONGEST))} by that commit as"
        f" well, and {stays} without it: see whether {is_} at fault too."
    )


def _lost(before: str, after: str, today: str) -> dict[str, set[str]]:
    """Return the expressions that a commit took out of each function, and that are not back."""
    then, now = functions(after), functions(today)
    return {
        name: _expressions(was) - _expressions(then[name]) - _expressions(now[name])
        for name, was in functions(before).items()
        if name in then and name in now
    }


def _expressions(node: ast.AST) -> set[str]:
    found = (ast.unparse(each) for each in ast.walk(node) if isinstance(each, KINDS))
    return {text for text in found if len(text) >= SHORTEST}


def _bare(text: str) -> str:
    return "".join(text.split())
