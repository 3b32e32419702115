"""Faults that keep a module from loading one after the other: each repair shows the next."""

from __future__ import annotations

import ast
import re
from typing import Iterator, List, NamedTuple, Optional, Tuple

from .crashes import SearchCrash
from .files import ProjectSources
from .fixers import fixes
from .joining import together, touch
from .source import Patch, SourceLines, Splice, apply_changes, stored, with_ends_of

__all__ = [
    "SLIPS",
    "Advance",
    "further",
    "joined_after",
    "line_before",
    "onward",
    "set_back",
    "slipped",
    "without_unread",
]

MOST_PARTS = 8
AT_ONCE = ("NameError", "AttributeError")  # raised when a line runs for the first time
PLAIN = re.compile(r"(\w+) = (?:[01]|None|True|False|\[\]|\{\}|''|set\(\))\s*$")
IMPORTS = ("ImportError", "ModuleNotFoundError")
SLIPS = ("AttributeError", "NameError", "TypeError", "UnboundLocalError")  # of the code alone


class Advance(NamedTuple):
    """A patch with which modules load further than before, and what then stops them."""

    patch: Patch
    crash: SearchCrash


def further(before: SearchCrash, advance: Advance, project: ProjectSources) -> bool:
    """Say whether modules load, or a test runs, further with a patch than before.

    A file that parses now is further; else the first place that differs has to be a later one, or
    in a loop what raised as soon as it ran has to be mended. Two names that are undefined may
    stand on one line, and a name that is mended beside something that only some values break.
    """
    after = advance.crash
    if before.syntax[0]:
        return not after.syntax[0] or after.syntax[0] != before.syntax[0]
    if after.syntax[0] and not after.frames:
        return False
    was = [(path, line) for path, line, _ in before.frames]
    now = [
        (path, line_before(project.request.relative(path), line, advance.patch, project))
        for path, line, _ in after.frames
    ]
    changed = {(part.path, part.line) for part in advance.patch.single}
    for (path, line), (other, moved) in zip(was, now):
        if (path, line) != (other, moved):
            last = (path, line) == was[-1] and before.type in AT_ONCE
            mended = last and (project.request.relative(path), line) in changed
            return path == other and (moved > line or mended)
    if len(was) != len(now):
        return len(now) < len(was) or before.type in IMPORTS
    if before.type == after.type == "NameError":
        return before.missing != after.missing
    own = {(project.request.relative(path), line) for path, line in was[-1:]}
    return before.type in AT_ONCE and after.type not in SLIPS and bool(own & changed)


def set_back(before: Optional[SearchCrash], after: SearchCrash) -> bool:
    """Say whether an assertion of a test fails that held: it stands before the one that did.

    A run of the tests tells it by the same rule, so that such a change would not be kept.
    """
    if before is None or not after.type.endswith("AssertionError") or not after.frames:
        return False
    path, line, function = after.frames[-1]
    former = (was for other, was, name in before.frames if (other, name) == (path, function))
    return path == after.frames[0][0] and any(line < was for was in former)


def slipped(before: Optional[SearchCrash], advance: Advance, project: ProjectSources) -> bool:
    """Say whether a test that failed at an assertion ends with a slip of the patch's own."""
    after = advance.crash
    if before is None or not before.type.endswith("AssertionError") or after.type not in SLIPS:
        return False
    path, line, _ = after.frames[-1] if after.frames else ("", 0, "")
    changed = {
        (path, project.sources[path].line_of(change.start))
        for path, changes in advance.patch.files
        for change in changes
        if path in project.sources
    }
    return (project.request.relative(path), line) in changed


def onward(advance: Advance, project: ProjectSources) -> Iterator[Patch]:
    """Yield the patch joined with each repair of what stops modules now."""
    if len(advance.patch.single) < MOST_PARTS:
        for patch in fixes(advance.crash, project.patched(advance.patch)):
            joined = joined_after(advance.patch, patch, project)
            if joined is not None:
                yield joined


def joined_after(first: Patch, later: Patch, project: ProjectSources) -> Optional[Patch]:
    """Return a patch joined with one of what it makes of the project; None if they touch."""
    before = dict(first.files)
    parts = list(first.single)
    for part in later.single:
        known = with_ends_of(project.text(part.path) or "", before.get(part.path, ()))
        changes = unmoved(part.changes, known)
        if changes is None:
            return None
        line = line_before(part.path, part.line, first, project)
        parts.append(part._replace(changes=changes, line=line or part.line))
    return together(parts)


def without_unread(patch: Patch, project: ProjectSources) -> Patch:
    """Return a joined patch without the variables that nothing reads once all of it is made.

    One may have been given a value to get further, and its name was a slip, as a later part says.
    """
    kept = [part for part in patch.single if not unread(part, patch, project)]
    return together(kept) if len(kept) > 1 else (kept or [patch])[0]


def unread(part: Patch, whole: Patch, project: ProjectSources) -> bool:
    """Tell whether all that a part does is to give a variable a plain value that nothing reads."""
    given = [PLAIN.match(change.text) for change in part.changes]
    text = project.text(part.path)
    if text is None or not all(given):
        return False
    tree = ast.parse(apply_changes(text, dict(whole.files)[part.path]))
    read = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and not stored(n)}
    adding = [n.target for n in ast.walk(tree) if isinstance(n, ast.AugAssign)]
    read.update(n.id for n in adding if isinstance(n, ast.Name))
    return read.isdisjoint(found.group(1) for found in given if found)


def line_before(path: Optional[str], line: int, patch: Patch, project: ProjectSources) -> int:
    """Return the line that a line of a patched file had before; 0 where the patch made it."""
    changes = dict(patch.files).get(path or "", ())
    text = project.text(path) if path and changes else None
    if text is None or all(text.count("\n", c.start, c.end) == c.text.count("\n") for c in changes):
        return line
    starts = SourceLines(apply_changes(text, changes)).starts
    start = offset_before(starts[min(line, len(starts)) - 1], with_ends_of(text, changes))
    return 0 if start is None else SourceLines(text).line_of(start)


def unmoved(
    changes: Tuple[Splice, ...], before: Tuple[Splice, ...]
) -> Optional[Tuple[Splice, ...]]:
    """Return changes of a text as changes of what it was before others, if none touches another."""
    found: List[Splice] = []
    for change in changes:
        start, end = offset_before(change.start, before), offset_before(change.end, before)
        if start is None or end is None:
            return None
        found.append(Splice(start, end, change.text))
    if any(touch(one, other) for one in found for other in before):
        return None
    return tuple(found)


def offset_before(offset: int, changes: Tuple[Splice, ...]) -> Optional[int]:
    """Return where a place of the changed text lay before; None within what was put in."""
    moved = 0
    for start, end, text in sorted(changes):
        if offset <= start + moved:
            break
        if offset < start + moved + len(text):
            return None
        moved += len(text) - (end - start)
    return offset - moved
