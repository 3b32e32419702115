"""Times with a zone and times without one, where they meet."""

from __future__ import annotations

import ast
import re
from typing import Iterator, List, Optional, Tuple

from ..crashes import SearchCrash
from ..files import ProjectSources
from ..source import Patch, Source, Splice, insertion
from .names import at_line

__all__ = ["zones"]

FAMILY = "time zone"
TOLD = re.compile(r"can't (?:compare|subtract) offset-(?:naive|aware) and offset-(?:naive|aware)")
NOW = ("now", "today", "utcnow")  # without a zone
STAMPED = ("fromtimestamp", "utcfromtimestamp")
ONE = 1.8  # the weight of a time in universal time
OTHERS = 1.5  # and in the zone of the other one


def zones(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Give a zone to the time that has none: universal time, or that of the other time."""
    found: List[Patch] = []
    for source, line in project.frames(crash.frames) if TOLD.search(crash.message) else ():
        unit = source.unit_at(line)
        for node in ast.walk(unit.node if unit is not None else source.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                found += given(node, node.func, source, line)
    return found


def given(node: ast.Call, function: ast.Attribute, source: Source, line: int) -> Iterator[Patch]:
    """Yield a call that makes a time with a zone given to it."""
    base = source.segment(function.value)
    if node.keywords or not base.endswith("datetime"):
        return
    if function.attr in NOW and not node.args:
        form = base + ".now({})"
    elif function.attr in STAMPED and len(node.args) == 1:
        form = "{}.fromtimestamp({}, {{}})".format(base, source.segment(node.args[0]))
    else:
        return
    universal, more = universal_time(source, base)
    options: List[Tuple[float, str, Tuple[Splice, ...]]] = [(ONE, universal, more)]
    options += [(OTHERS, each + ".tzinfo", ()) for each in beside(node, source, line)]
    for weight, zone, changes in options:
        text = form.format(zone)
        words = "replace `{}` by `{}`".format(source.segment(node), text)
        made = tuple(sorted((*changes, Splice(*source.span(node), text))))
        yield Patch(source.path, node.lineno, FAMILY, weight, words, made)


def universal_time(source: Source, base: str) -> Tuple[str, Tuple[Splice, ...]]:
    """Return what names universal time in a file, and what has to be imported for it."""
    if base.endswith(".datetime"):
        return base[: -len("datetime")] + "timezone.utc", ()
    last: Optional[ast.ImportFrom] = None
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom) and node.module == "datetime":
            last = node
            names = [each.asname or each.name for each in node.names]
            if "UTC" in names or "timezone" in names:
                return "UTC" if "UTC" in names else "timezone.utc", ()
    if last is None:
        return "timezone.utc", (insertion(source, "from datetime import timezone"),)
    end = source.span(last)[1]
    end -= source.text[:end].endswith(")")
    return "timezone.utc", (Splice(end, end, ", timezone"),)


def beside(node: ast.Call, source: Source, line: int) -> Iterator[str]:
    """Yield what a time is compared with, or taken from, if that is a name."""
    for each in at_line(source, line):
        sides: List[ast.expr] = []
        if isinstance(each, ast.Compare):
            sides = [each.left, *each.comparators]
        elif isinstance(each, ast.BinOp):
            sides = [each.left, each.right]
        if node in sides:
            others = [side for side in sides if isinstance(side, (ast.Name, ast.Attribute))]
            yield from map(source.segment, others)
