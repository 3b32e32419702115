"""What is awaited where it is taken from, and not where it is made: once is all it may be."""

from __future__ import annotations

import ast
from typing import List

from ..crashes import SearchCrash
from ..files import ProjectSources
from ..source import Patch, Splice
from .names import at_line

__all__ = ["again"]

FAMILY = "await"
TOLD = "cannot reuse already awaited coroutine"


def again(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Await a call where its result is kept, rather than each time that it is taken out."""
    found: List[Patch] = []
    for source, line in project.frames(crash.frames) if TOLD in crash.message else ():
        unit = source.unit_at(line)
        for waits in at_line(source, line) if unit is not None else ():
            if unit is None or not isinstance(waits, ast.Await):
                continue
            taken = source.segment(waits.value)
            out = Splice(*source.span(waits), taken)
            for node in ast.walk(unit.node):
                if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                    continue
                if any(source.segment(each) == taken for each in node.targets):
                    made = source.segment(node.value)
                    changes = (Splice(*source.span(node.value), "await " + made), out)
                    words = "await `{}` where it is kept".format(made)
                    patch = Patch(source.path, node.lineno, FAMILY, 1.8, words, ())
                    found.append(patch._replace(changes=tuple(sorted(changes))))
    return found
