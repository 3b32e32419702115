"""Names that are nowhere: a change that only goes around one mends nothing."""

from __future__ import annotations

import ast
import re
import sys
from typing import NamedTuple, Optional

from .crashes import SearchCrash
from .files import ProjectSources
from .source import Patch

__all__ = ["Absent", "absent_of", "leaves"]


class Absent(NamedTuple):
    """A name that a test died of, and that nothing in its file binds."""

    path: str
    name: str


def absent_of(crash: Optional[SearchCrash], project: ProjectSources) -> Optional[Absent]:
    """Return the name that a crash is about, where no way through the file can define it.

    An attribute counts where a module, or a class of the same file, lacks it: an object of
    another class may have it, and a condition may be all that is wrong.
    """
    if crash is None or not crash.missing or not crash.frames:
        return None
    path = project.request.editable(crash.frames[-1][0])
    source = project.source(path) if path is not None else None
    if path is None or source is None:
        return None
    if crash.type == "AttributeError":
        classes = [n.name for n in ast.walk(source.tree) if isinstance(n, ast.ClassDef)]
        if crash.target not in sys.modules and crash.target not in classes:
            return None
    elif crash.type != "NameError":
        return None
    return None if binds(source.tree, crash.missing) else Absent(path, crash.missing)


def binds(tree: ast.AST, name: str) -> bool:
    """Say whether anything in a file gives a name, or an attribute, a value."""
    for node in ast.walk(tree):
        said = (getattr(node, field, None) for field in ("name", "arg", "asname", "rest"))
        if name in said or name in getattr(node, "names", ()):
            return True
        stores = isinstance(getattr(node, "ctx", None), ast.Store)
        if stores and name in (getattr(node, "id", ""), getattr(node, "attr", "")):
            return True
        if isinstance(node, ast.Constant) and node.value == name:  # for `setattr`, `__slots__`
            return True
    return False


def leaves(patch: Patch, absent: Absent, project: ProjectSources) -> bool:
    """Say whether a patch has nothing to do with the name: neither drops nor brings it."""
    word = re.compile(r"(?<!\w){}(?!\w)".format(re.escape(absent.name)))
    text = project.text(absent.path) or ""
    changes = dict(patch.files).get(absent.path, ())
    return all(
        len(word.findall(change.text)) == len(word.findall(text[change.start : change.end]))
        for change in changes
    )
