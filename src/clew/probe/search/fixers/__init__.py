"""Patches that a crash itself suggests, or the history: no search makes them."""

from __future__ import annotations

from typing import List

from ..crashes import SearchCrash
from ..files import ProjectSources
from ..source import Patch
from . import attributes, awaits, calls, imports, keys, kinds, names, syntax, times
from .earlier import brought, restored
from .renaming import renamings

__all__ = ["brought", "fixes", "of_history"]

TABLE = {
    "NameError": (names.undefined, imports.undefined),
    "UnboundLocalError": (names.unbound, names.undefined),
    "AttributeError": (attributes.attribute,),
    "ImportError": (imports.missing_name,),
    "ModuleNotFoundError": (imports.missing_module,),
    "TypeError": (calls.arguments, kinds.mixed, kinds.single, times.zones),
    "RuntimeError": (awaits.again,),
    "KeyError": (keys.key,),
    "SyntaxError": (syntax.repairs,),
    "IndentationError": (syntax.repairs,),
    "TabError": (syntax.repairs,),
}


def of_history(project: ProjectSources) -> List[Patch]:
    """Return what commits took away, put back, and the names that they gave in other places."""
    return [*restored(project), *renamings(project)]


def fixes(crash: SearchCrash, project: ProjectSources) -> List[Patch]:
    """Return the patches that the crash suggests, likeliest first, none twice."""
    found: List[Patch] = []
    for fixer in TABLE.get(crash.type, ()):
        found += fixer(crash, project)
    return sorted(dict.fromkeys(found), key=lambda patch: -patch.weight)
