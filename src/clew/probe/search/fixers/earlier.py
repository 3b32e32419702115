"""Code as it was: what a commit took away may be what is missing now."""

from __future__ import annotations

import ast
import contextlib
import difflib
import re
from collections import Counter
from typing import Container, Dict, FrozenSet, Iterator, List, Sequence, Set, Tuple

from ..context import parameters
from ..files import ProjectSources, bound
from ..source import Patch, Source, Splice, Unit, apply_changes, difference, stored
from .expressions import expressions, with_imports
from .losing import called, defined, lost, unminded
from .merging import additions, aligned, extracted, kept_beside, named, narrowed, removals, reverted
from .mixing import mixed, without
from .weaving import woven

__all__ = ["AROUND", "FAMILY", "OLDER", "PUT_BACK", "brought", "newer", "restored", "states"]

FAMILY = "history"
OLDER = "older code"  # the same, where it takes away what somebody may want
AROUND = "way around"  # the same, where others still call what came since and it does not
PUT_BACK = (FAMILY, AROUND)  # what a person wrote at each of its places
NEWEST = 2.0  # the weight of the last commit's; older ones weigh less
HUNKS = 8  # that are put back one by one
SHOWN = 3  # functions that are named of those that are put back together
PARTED = 2  # texts of a file of which expressions are put back, if the first bad commit is unknown
LATER = 0.05  # how much less what undoes later commits as well
ALIKE = -0.1  # the same of functions that lost the same words
BESIDE = 0.1  # how much less one of those weighs
ORPHANED = 0.4  # how much less what leaves a new function without a caller
BYPASSED = 1.2  # how much less what does not call a new function any more that others call
FORGOTTEN = 0.6  # how much less what does not ask for a parameter any more where that stood
WORD = re.compile(r"\w+")
ASSIGNED = (ast.Assign, ast.AnnAssign)
Pieces = Iterator[Tuple[str, int, float, Tuple[Splice, ...]]]


def restored(project: ProjectSources) -> List[Patch]:
    """Return patches that put back what commits changed, the newest commit's first.

    Of each older text of a file: what the commit alone changed; each function, all functions
    together, and the whole file, as they were; and of a few hunks each alone.
    """
    found: Dict[Tuple[str, Tuple[Splice, ...]], Patch] = {}
    parted: Dict[str, int] = {}
    newer: Dict[str, str] = {}
    known: Set[Tuple[str, str]] = set()
    for age, (path, commit, text) in enumerate(project.request.earlier):
        source = project.source(path)
        after, newer[path] = newer.get(path), text
        if source is None or text == source.text:
            continue
        try:
            old = Source(path, text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        weight = NEWEST * 0.97**age
        bad = project.request.first_bad
        parted[path] = parted.get(path, 0) + 1
        near = bad.startswith(commit) if bad else parted[path] <= PARTED
        near |= (path, commit) in known  # what a merge had of the other side
        known.add((path, commit))
        alone = reverted(source, after, text) if after is not None else ()
        also = 0.0 if after is None else LATER
        whole = [(what, line, less + also, c) for what, line, less, c in pieces(source, old)]
        shorter = {changes: what for what, _, _, changes in reversed(whole)}
        undone = [(shorter.get(c, what), line, 0.0, c) for what, line, c in alone]
        for what, line, less, parts in (*undone, *whole, *beside(source, old, parts=near)):
            changes = with_imports(source, old, parts)
            if changes and (path, changes) not in found:
                words = "put back {} before {}".format(what, commit)
                forgotten = FORGOTTEN if forgets(source, changes) else 0.0
                patch = Patch(path, line, FAMILY, weight - less - forgotten, words, changes)
                found[path, changes] = told(patch, project, old)
    return list(found.values())


def states(project: ProjectSources, paths: Container[str]) -> Iterator[Tuple[str, Patch]]:
    """Yield the functions of files as they were before each commit, the newest first, and that.

    That ends where a function had fewer parameters: what it does with others is not known there.
    So it does where a name of the module was something else: with today's it gives what it never
    gave.
    """
    then: Dict[str, Tuple[Splice, ...]] = {}
    known = project.request.earlier
    for at, (path, commit, text) in enumerate(known):
        source = project.source(path) if path in paths else None
        with contextlib.suppress(SyntaxError, ValueError, RecursionError):
            if source is not None:
                old = Source(path, text)
                if gained(source, old):
                    return
                was = [*as_they_were(source, aligned(old, source))]
                if was and rebound(source, old):
                    return
                then[path] = tuple(sorted(change for _, changes in was for change in changes))
        if at + 1 == len(known) or known[at + 1][1] != commit:
            parts = [Patch(p, 1, FAMILY, 0.0, commit, c) for p, c in then.items() if c]
            if parts:
                yield commit, Patch(path, 1, FAMILY, 0.0, commit, (), tuple(parts))


def newer(project: ProjectSources, commit: str) -> Iterator[Tuple[str, Unit]]:
    """Yield the functions of files that they had not before a commit, with their paths."""
    texts = {path: text for path, age, text in project.request.earlier if age == commit}
    for path, text in texts.items():
        with contextlib.suppress(SyntaxError, ValueError, RecursionError):
            source, old = project.source(path), named(Source(path, text))
            for key, unit in named(source).items() if source is not None else ():
                if key not in old:
                    yield path, unit


def gained(source: Source, old: Source) -> bool:
    """Say whether a function of an older text has more parameters now."""
    before = named(old)
    return any(
        len(parameters(unit.node)) > len(parameters(before[key].node))
        for key, unit in named(source).items()
        if key in before
    )


def rebound(source: Source, old: Source) -> bool:
    """Say whether an older text gives another value to a name of the module that it reads."""
    now, then = (
        {name: ast.dump(node) for name, node in bound(each.tree) if isinstance(node, ASSIGNED)}
        for each in (source, old)
    )
    read = set(WORD.findall(" ".join(old.text[unit.start : unit.end] for unit in old.units)))
    return any(now[name] != value for name, value in then.items() if name in read & now.keys())


def as_they_were(source: Source, old: Source) -> Iterator[Tuple[str, Tuple[Splice, ...]]]:
    """Yield functions that an older text has otherwise, and what makes those of it."""
    before = named(old)
    for key, unit in named(source).items():
        was = before.get(key)
        if was is None or source.indent_of(unit.start) != old.indent_of(was.start):
            continue
        now, then = source.text[unit.start : unit.end], old.text[was.start : was.end]
        if now != then:
            name = "`{}`".format(".".join((*key[0], key[1])))
            yield name, moved(difference(now, then), unit.start)


def forgets(source: Source, changes: Tuple[Splice, ...]) -> bool:
    """Say whether today's functions do not read any more what they were given, or have set.

    That is a parameter or a variable that stands in what goes, and not in what comes.
    """
    gone = removed(source, changes)
    come = {word for change in changes for word in WORD.findall(change.text)}
    units = [source.unit_at(source.line_of(change.start)) for change in changes]
    return any(
        gone.keys() & {*parameters(unit.node), *kept(unit, source, changes)} - come
        for unit in units
        if unit
    )


def kept(unit: Unit, source: Source, changes: Tuple[Splice, ...]) -> Iterator[str]:
    """Yield the variables of a function that stay set, and that only what goes reads."""
    stays: List[ast.Name] = []
    for node in ast.walk(unit.node):
        if isinstance(node, ast.Name):
            start, end = source.span(node)
            if not any(change.start <= start and end <= change.end for change in changes):
                stays.append(node)
    yield from {n.id for n in stays if stored(n)}.difference(n.id for n in stays if not stored(n))


def removed(source: Source, changes: Tuple[Splice, ...]) -> "Counter[str]":
    """Return the words of which there are fewer with changes, and how many."""
    gone, come = words_of(source, changes)
    return gone - come


def brought_back(source: Source, changes: Tuple[Splice, ...]) -> "Counter[str]":
    """Return the words of which there are more with changes, and how many."""
    gone, come = words_of(source, changes)
    return come - gone


def words_of(source: Source, changes: Tuple[Splice, ...]) -> Tuple["Counter[str]", "Counter[str]"]:
    gone, come = (
        Counter(word for text in texts for word in WORD.findall(text))
        for texts in ([source.text[c.start : c.end] for c in changes], [c.text for c in changes])
    )
    return gone, come


def told(patch: Patch, project: ProjectSources, old: Source) -> Patch:
    """Say what goes with a put-back of what today's code has, or what it goes around."""
    source = project.sources[patch.path]
    if not removed(source, patch.changes):
        return patch
    try:
        after = ast.parse(apply_changes(source.text, patch.changes))
    except (SyntaxError, ValueError, RecursionError):
        return patch
    new = defined(source.tree) - defined(old.tree)
    before, now = called(source.tree), called(after)
    fewer = sorted(name for name in new if before[name] > now[name])
    gone = lost(source.tree, after, replaced(source, after, project)) or unminded(
        source.tree, old.tree, after, {name for name in fewer if not now[name]}
    )
    if gone:
        words = "{}, which takes {} away".format(patch.description, gone)
        return patch._replace(family=OLDER, description=words)
    if not new:
        return patch
    around = [name for name in fewer if now[name] or project.is_called_beside(source.path, name)]
    if not around:
        return patch._replace(weight=patch.weight - (ORPHANED if fewer else 0.0))
    words = "{}, which goes around `{}`".format(patch.description, around[0])
    weight = patch.weight - BYPASSED
    return patch._replace(family=AROUND, description=words, weight=weight)


def replaced(source: Source, after: ast.AST, project: ProjectSources) -> FrozenSet[str]:
    """Return the constants that go where others come back, if no other file speaks of them."""
    now, then = ({n for n, node in bound(each) if isinstance(node, ASSIGNED)}
                 for each in (source.tree, after))  # fmt: skip
    gone = now - then
    if len(then - now) < len(gone):
        return frozenset()
    return frozenset(name for name in gone if not project.is_read_beside(source.path, name))


def brought(project: ProjectSources, source: Source) -> FrozenSet[int]:
    """Return the lines of a file that the first bad commit brought, and that still stand there.

    Where it only took lines away, that is the line before which they stood.
    """
    after = source.text
    for path, commit, text in project.request.earlier:
        if path != source.path:
            continue
        if project.request.first_bad.startswith(commit):
            return still(fresh(text.splitlines(), after.splitlines()), after, source.text)
        after = text
    return frozenset()


def fresh(before: Sequence[str], after: Sequence[str]) -> Set[int]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    changed = [each for each in matcher.get_opcodes() if each[0] != "equal"]
    return {line + 1 for _, _, _, c, d in changed for line in range(c, max(d, c + 1))}


def still(lines: Set[int], before: str, now: str) -> FrozenSet[int]:
    """Carry lines over to a later text, where they stand as they were."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), now.splitlines(), autojunk=False)
    blocks = matcher.get_matching_blocks()
    return frozenset(
        line - a + b for a, b, size in blocks for line in lines if a < line <= a + size
    )


def beside(source: Source, old: Source, *, parts: bool) -> Pieces:
    """Yield what may be put back beside what came since: functions under today's signatures.

    With `parts`, expressions and lines as well.
    """
    under = aligned(old, source)
    if under is not old:
        yield from pieces(source, under)
    if parts:
        added = additions(source, under)
        merges = [*filter(None, [added]), *removals(source, old), *expressions(source, under)]
        for other in (narrowed(under, source), extracted(under, source)):
            merges += expressions(source, other) if other is not under else ()
        merges += kept_beside(source, under)
        merges += [*mixed(source, old), *without(source, old)]
        merges += woven(source, narrowed(under, source))
        for what, line, changes in merges:
            yield what, line, BESIDE, changes


def pieces(source: Source, old: Source) -> Pieces:
    """Yield what may be put back: in words, its line, how much less it weighs, the changes."""
    together: List[Splice] = []
    names: List[str] = []
    back: List["Counter[str]"] = []
    for name, changes in as_they_were(source, old):
        together += changes
        names.append(name)
        back.append(brought_back(source, changes))
        yield from hunks(source, name, 0.0, changes)
    if len(names) > 1:
        what = "{} as they were".format(listed(names))
        less = ALIKE if back[0] and all(each == back[0] for each in back) else 0.1
        yield what, source.line_of(together[0].start), less, tuple(sorted(together))
    yield from values(source, old)
    whole = difference(source.text, old.text)
    if whole and apply_changes(source.text, tuple(sorted(together))) != old.text:
        yield from hunks(source, "the file", 0.2, whole)


def values(source: Source, old: Source) -> Pieces:
    """Yield values of the module's names as they were, each with the functions that read it."""
    now, then = (
        {name: node for name, node in bound(each.tree) if isinstance(node, ASSIGNED)}
        for each in (source, old)
    )
    both = [name for name in then if name in now and ast.dump(now[name]) != ast.dump(then[name])]
    functions = list(as_they_were(source, old)) if both else []
    for name in both[:HUNKS]:
        (start, end), (first, last) = source.span(now[name]), old.span(then[name])
        change = Splice(start, end, old.text[first:last])
        shown, line = "`{}`".format(name), source.line_of(start)
        yield shown + " as it was", line, 0.1, (change,)
        readers = [
            (reader, changes)
            for reader, changes in functions
            if any(reads(source, each, name) for each in changes)
        ]
        if readers:
            what = "{} as they were".format(listed([shown, *(reader for reader, _ in readers)]))
            also = (each for _, changes in readers for each in changes)
            yield what, line, 0.1, tuple(sorted((change, *also)))


def reads(source: Source, change: Splice, name: str) -> bool:
    """Tell whether the lines that a change touches read a name."""
    line = source.text.rfind("\n", 0, change.start) + 1
    end = source.text.find("\n", change.end)
    return name in WORD.findall(source.text[line : end if end >= 0 else None])


def hunks(source: Source, name: str, less: float, changes: Tuple[Splice, ...]) -> Pieces:
    """Yield changes whole, and each alone where there are few."""
    if changes:
        yield name + " as it was", source.line_of(changes[0].start), less, changes
    if 1 < len(changes) <= HUNKS:
        for change in changes:
            what = "a part of {} as it was".format(name)
            yield what, source.line_of(change.start), less + 0.1, (change,)


def listed(names: Sequence[str]) -> str:
    """Return `a`, `b`, `c` and 2 more."""
    more = len(names) - SHOWN
    *most, last = (*names[:SHOWN], "{} more".format(more)) if more > 0 else names
    return "{} and {}".format(", ".join(most), last)


def moved(changes: Tuple[Splice, ...], start: int) -> Tuple[Splice, ...]:
    return tuple(Splice(c.start + start, c.end + start, c.text) for c in changes)
