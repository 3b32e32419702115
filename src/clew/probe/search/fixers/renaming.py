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

__all__ = ["renamings"]

FAMILY = "renamed"
WEIGHT = 1.6  # behind the newest commits themselves
MOST = 6  # places of a file that go by the old name
SHORTEST = 3  # letters of a name
WORD = re.compile(r"\w+")


def renamings(project: ProjectSources) -> List[Patch]:
    """Return patches that give places the name that a commit gave what they read."""
    names = list(named_anew(project))
    found: Dict[Tuple[str, Tuple[Splice, ...]], Tuple[int, Patch]] = {}
    for path in project.files() if names else ():
        text = project.raw(path)
        for number, (old, new, commit) in enumerate(names):
            source = project.source(path) if old in text else None
            if source is None:
                continue
            words = "replace `{}` by `{}`, its name since {}".format(old, new, commit)
            for changes in given(source, old, new):
                line = source.line_of(changes[0].start)
                patch = Patch(path, line, FAMILY, WEIGHT, words, changes)
                found.setdefault((path, changes), (number, patch))
    return [patch for _, patch in sorted(found.values(), key=lambda each: each[0])]


def named_anew(project: ProjectSources) -> Iterator[Tuple[str, str, str]]:
    """Yield what commits gave other names, the newest first: old name, new name and commit."""
    newer: Dict[str, str] = {}
    for path, commit, text in project.request.earlier:
        after = newer.get(path) or project.text(path) or ""
        newer[path] = text
        yield from ((old, new, commit) for old, new in renamed(text, after))


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
