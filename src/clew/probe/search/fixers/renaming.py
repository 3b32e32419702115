"""Names that a commit replaced by others, and that other places still go by.

A field that is called otherwise in its class, and by its old name where a dictionary of it is read:
nothing tells the two apart but the commit.
"""

from __future__ import annotations

import ast
import difflib
import re
from typing import Dict, Iterator, List, Optional, Tuple

from ..files import ProjectSources
from ..source import Patch, Source, Splice, split_lines

__all__ = ["FAMILY", "renamings"]

FAMILY = "renamed"
WEIGHT = 1.6  # behind the newest commits themselves
MOST = 6  # places of a file that go by the old name
SHORTEST = 3  # letters of a name
WORD = re.compile(r"\w+")


def renamings(project: ProjectSources) -> List[Patch]:
    """Return patches that give places the name that a commit gave what they read."""
    found: Dict[Tuple[str, Tuple[Splice, ...]], Patch] = {}
    newer: Dict[str, str] = {}
    for path, commit, text in project.request.earlier:
        after = newer.get(path) or project.text(path) or ""
        newer[path] = text
        for old, new in renamed(text, after):
            words = "replace `{}` by `{}`, its name since {}".format(old, new, commit)
            for source in speaking(project, old):
                for changes in given(source, old, new):
                    line = source.line_of(changes[0].start)
                    patch = Patch(source.path, line, FAMILY, WEIGHT, words, changes)
                    found.setdefault((source.path, changes), patch)
    return list(found.values())


def speaking(project: ProjectSources, name: str) -> Iterator[Source]:
    """Yield the files that a name stands in."""
    for path in project.files():
        source = project.source(path) if name in project.raw(path) else None
        if source is not None:
            yield source


def given(source: Source, old: str, new: str) -> Iterator[Tuple[Splice, ...]]:
    """Yield what gives all places of a file that go by one name another, and each alone."""
    places = sorted(set(called(source, old)))
    if 0 < len(places) <= MOST:
        changes = [Splice(at, at + len(old), new) for at in places]
        yield tuple(changes)
        yield from ((change,) for change in changes if len(changes) > 1)


def renamed(before: str, after: str) -> Iterator[Tuple[str, str]]:
    """Yield the names that are gone from a text, each with the one in its place."""
    was, now = split_lines(before), split_lines(after)
    gone = set(WORD.findall(before)).difference(WORD.findall(after))
    come = set(WORD.findall(after)).difference(WORD.findall(before))
    matcher = difflib.SequenceMatcher(None, was, now, autojunk=False)
    seen = set()
    for kind, a, b, c, d in matcher.get_opcodes():
        for one, other in zip(was[a:b], now[c:d]) if kind == "replace" and b - a == d - c else ():
            pair = difference(one, other)
            if pair is not None and pair not in seen and pair[0] in gone and pair[1] in come:
                seen.add(pair)
                yield pair


def difference(one: str, other: str) -> Optional[Tuple[str, str]]:
    """Return the only name in which two lines differ, and what it is in the other one."""
    if WORD.sub("", one) != WORD.sub("", other):
        return None
    pairs = {pair for pair in zip(WORD.findall(one), WORD.findall(other)) if pair[0] != pair[1]}
    if len(pairs) != 1:
        return None
    old, new = pairs.pop()
    plain = min(len(old), len(new)) >= SHORTEST and old.isidentifier() and new.isidentifier()
    return (old, new) if plain else None


def called(source: Source, name: str) -> Iterator[int]:
    """Yield where code goes by a name of something else: attributes, keywords, keys."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Attribute) and node.attr == name:
            yield source.span(node)[1] - len(name)
        elif isinstance(node, ast.keyword) and node.arg == name:
            yield source.span(node)[0]
        elif isinstance(node, ast.Constant) and node.value == name:
            begin, end = source.span(node)
            at = source.text.find(name, begin, end)
            if at >= 0:
                yield at
