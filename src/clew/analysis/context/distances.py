"""How far a file is from the failure, in steps of imports.

What the failure names is at distance 0. What its tests ran is at most one step away, whatever leads
there. What a file imports is one step further than the file. What
imports a file of distance 0 is two steps away, since it shows how that file is used, seldom why it
fails. Importers of anything further are not followed: a module that everybody imports would bring
everybody in.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable

from clew.analysis.context.resolving import Index, Outlines, targets

__all__ = ["distances", "words_of"]

UNNAMED = frozenset({"__init__", "index", "lib", "main", "mod"})  # called by their folder's name


def distances(
    focus: Iterable[str],
    index: Index,
    outlines: Outlines,
    importers: Callable[[frozenset[str]], Iterable[str]],
    prepare: Callable[[Collection[str]], None] = lambda _: None,
    *,
    ran: Iterable[str] = (),
) -> dict[str, int]:
    """Return the distance of every file that is at most two steps away.

    `importers` yields files that may import one of some files; `prepare` is told of many files
    before their outlines are asked for; `ran` are files of which the failing tests ran lines.
    """
    found = {path: 0 for path in focus if path in index.paths}
    named = frozenset(found)
    inner = set(named)
    for steps in (1, 2):
        prepare(sorted(inner))
        inner = {t for path in sorted(inner) for t in targets(path, index, outlines)} - found.keys()
        if steps == 1:
            inner |= index.paths.intersection(ran) - found.keys()
        found |= dict.fromkeys(sorted(inner), steps)
    for path in importers(named):
        if path not in found and not named.isdisjoint(targets(path, index, outlines)):
            found[path] = 2
    return found


def words_of(paths: Iterable[str]) -> frozenset[str]:
    """Return the words by which imports call these files: one of them stands in every importer."""
    found = set[str]()
    for path in paths:
        folder, name = posixpath.split(path)
        stem = name.partition(".")[0]
        found.add(posixpath.basename(folder) if stem in UNNAMED else stem)
    return frozenset(found - {""})
