"""Lines that a commit took away or changed, put back beside what it and later ones brought."""

from __future__ import annotations

import ast
import difflib
import re
import textwrap
from typing import Dict, FrozenSet, Iterator, List, Optional, Sequence, Set, Tuple

from ..context import header_end, parameters
from ..idioms import overwritten
from ..operators.table import short
from ..source import (
    Source,
    SourceLines,
    Splice,
    Unit,
    apply_changes,
    difference,
    last_name,
    own_nodes,
    split_lines,
)

__all__ = [
    "Merge",
    "additions",
    "aligned",
    "extracted",
    "kept_beside",
    "named",
    "narrowed",
    "removals",
    "reverted",
]

MOST_BESIDE = 8  # hunks of a function of which the old lines are put beside the new
MOST_PARTS = 4  # statements of such lines at which they are parted
MOST = 100  # statements of a function that are looked at

LEAVES = re.compile(r"\s*(return|raise|continue|break)\b")
# The head of a block, as if it gave what it catches or opens no name.
HEAD = re.compile(r"\s*(except|with|async with)\b.*:$")
NAMED = re.compile(r"\s+as\s+\w+\s*:$")
LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
Key = Tuple[Tuple[str, ...], str]
Merge = Tuple[str, int, Tuple[Splice, ...]]  # in words, its line, the changes


def named(source: Source) -> Dict[Key, Unit]:
    """Return the functions of a file by their names and the classes around them."""
    return {(unit.chain, unit.name): unit for unit in source.units}


def aligned(old: Source, source: Source) -> Source:
    """Return an older text whose functions have today's signatures, parameters and docstrings.

    A parameter got another name where it stands at the same place and neither text has both
    names. A function that has lost a parameter since stays as it was.
    """
    changes: List[Splice] = []
    now = named(source)
    for key, was in named(old).items():
        unit = now.get(key)
        if unit is None or not was.head or not unit.head:
            continue
        names, others = parameters(was.node), parameters(unit.node)
        other = {
            name: new
            for name, new in zip(names, others)
            if name != new and name not in others and new not in names
        }
        if not {other.get(name, name) for name in names}.issubset(others):
            continue
        changes += [
            Splice(*old.span(node), other[node.id])
            for node in ast.walk(was.node)
            if isinstance(node, ast.Name) and node.id in other
        ]
        changes.append(Splice(was.start, was.rest, source.text[unit.start : unit.rest]))
        said, says = docstring(was.node), docstring(unit.node)
        if said is not None and says is not None:
            changes.append(Splice(*old.span(said), source.segment(says)))
    inside = [c for c in changes if not any(within(c, other) for other in changes)]
    text = apply_changes(old.text, tuple(sorted(set(inside))))
    return Source(old.path, text) if text != old.text else old


def narrowed(old: Source, source: Source) -> Source:
    """Return an older text that reads the variables which today's functions make of its values.

    Of `rows = [row for row in self.rows if row.on]` that is `rows` for `self.rows`, where the older
    function has no such name.
    """
    changes: List[Splice] = []
    now = named(source)
    for key, was in named(old).items():
        unit = now.get(key)
        known = {node.id for node in ast.walk(was.node) if isinstance(node, ast.Name)}
        for made, of in made_of(unit) if unit else ():
            if made not in known:
                changes += [
                    Splice(*old.span(node), made)
                    for node in ast.walk(was.node)
                    if isinstance(node, (ast.Name, ast.Attribute)) and ast.dump(node) == of
                ]
    text = apply_changes(old.text, tuple(sorted(set(changes))))
    return Source(old.path, text) if text != old.text else old


def extracted(old: Source, source: Source) -> Source:
    """Return an older text with the names that values have in new functions they are handed to.

    Where `covers` calls a new `within(at, self.start, self.end)`, that is `start` for `self.start`:
    what stood in the one stands in the other since.
    """
    changes: List[Splice] = []
    now, before = named(source), named(old)
    fresh = {key[1]: parameters(unit.node) for key, unit in now.items() if key not in before}
    for key, was in before.items() if fresh else ():
        names = {
            ast.dump(each): name
            for call in (ast.walk(now[key].node) if key in now else ())
            if isinstance(call, ast.Call)
            for each, name in zip(call.args, fresh.get(last_name(call.func), ()))
        }
        changes += [
            Splice(*old.span(node), names[ast.dump(node)])
            for node in ast.walk(was.node)
            if isinstance(node, (ast.Name, ast.Attribute)) and ast.dump(node) in names
        ]
    text = apply_changes(old.text, tuple(sorted(set(changes))))
    return Source(old.path, text) if text != old.text else old


def made_of(unit: Unit) -> Iterator[Tuple[str, str]]:
    """Yield the variables that a function sets to a choice of some elements, and of which ones."""
    for node in own_nodes(unit.node):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        made = getattr(node, "value", None)
        if isinstance(target, ast.Name) and isinstance(made, (ast.ListComp, ast.GeneratorExp)):
            yield target.id, ast.dump(made.generators[0].iter)


def within(change: Splice, other: Splice) -> bool:
    return change != other and other.start <= change.start and change.end <= other.end


def docstring(function: ast.AST) -> Optional[ast.expr]:
    first = getattr(function, "body")[0]  # noqa: B009 - a function
    value = getattr(first, "value", None)
    if isinstance(first, ast.Expr) and isinstance(getattr(value, "value", None), str):
        return first.value
    return None


def additions(source: Source, old: Source) -> Optional[Merge]:
    """Return the lines and methods that are gone, put in beside what stands there now.

    Lines that others stand in place of stay away.
    """
    now, before = named(source), named(old)
    changes: List[Splice] = []
    names: List[str] = []
    for key, was in before.items():
        unit, more = now.get(key), []
        if unit is not None:
            text = source.text[unit.start : unit.end]
            more = inserted(text, old.text[was.start : was.end], unit.start)
        elif key[0] and any(other[0] == key[0] for other in now):
            more = [whole(source, old, key)]
        changes += more
        names += ["`{}`".format(".".join((*key[0], key[1])))] if more else []
    if len(names) < 2:  # one is a part of a put-back anyway
        return None
    words = "what {} and {} had".format(", ".join(names[:-1]), names[-1])
    return words, source.line_of(min(changes).start), tuple(sorted(changes))


def removals(source: Source, old: Source) -> Iterator[Merge]:
    """Yield functions without a statement that an older text has not, each of at most MOST."""
    lines, others = split_lines(source.text), split_lines(old.text)
    known = {line.strip() for line in others}
    fresh = {place for place, line in enumerate(lines, 1) if line.strip() not in known}
    for unit in source.units:
        name = "`{}`".format(".".join((*unit.chain, unit.name)))
        for node in [each for each in own_nodes(unit.node) if isinstance(each, ast.stmt)][:MOST]:
            last = header_end(node)
            block = getattr(*source.parents[node]) if node in source.parents else []
            brought = fresh.issuperset(range(node.lineno, last + 1)) and all(
                isinstance(each, LEAVING) or each.lineno in fresh
                for each in ast.walk(node)
                if isinstance(each, ast.stmt)
            )
            if brought and len(block) > 1:
                start, end = source.starts[node.lineno - 1], source.starts[node.end_lineno or last]
                first = source.text[source.span(node)[0] : source.starts[last]].strip().rstrip(":")
                words = "{} without `{}` as it was".format(name, short(first))
                yield words, node.lineno, (Splice(start, end, ""),)


def kept_beside(source: Source, old: Source) -> Iterator[Merge]:
    """Yield lines that others stand in place of, put back before those and behind them."""
    before = named(old)
    for key, unit in named(source).items():
        was = before.get(key)
        if was is None:
            continue
        now = split_lines(source.text[unit.start : unit.end] + "\n")
        then = split_lines(old.text[was.start : was.end] + "\n")
        matcher = difflib.SequenceMatcher(None, now, then, autojunk=False)
        name = "`{}`".format(".".join((*key[0], key[1])))
        hunks = [each for each in matcher.get_opcodes() if each[0] == "replace" and each[1]]
        vain = set_in_vain(now) if hunks else frozenset()
        for _, first, end, c, d in hunks[:MOST_BESIDE]:
            # What a block had comes back in that block.
            inner = int(min(end - first, d - c) > 1 and same_head(then[c], now[first]))
            start, stands = first + inner, now[first + inner : end]
            for comes in runs(then[c + inner : d]):
                shut = {"above": leaves(comes), "below": LEAVES.match(stands[-1]) is not None}
                for place, where in ((start, "above"), (end, "below")):
                    offset = unit.start + sum(map(len, now[:place]))
                    made = [*now[:place], *comes, *now[place:]]
                    if offset > unit.end or shut[where]:
                        continue
                    if set_in_vain(made) <= vain and not twice(comes, stands):
                        beside = short(now[place] if where == "above" else stands[-1])
                        words = "{} `{}` {} that {} had".format(where, beside, told(comes), name)
                        change = Splice(offset, offset, "".join(comes))
                        yield words, source.line_of(offset), (change,)


def twice(lines: Sequence[str], others: Sequence[str]) -> bool:
    """Tell whether lines give what others give as well, and not both only add to it."""
    (given, added), (theirs, more) = targets(lines), targets(others)
    return bool(given & (theirs | more) or added & theirs)


def targets(lines: Sequence[str]) -> Tuple[Set[str], Set[str]]:
    """Return what the statements of lines give a value, and what they only add to."""
    try:
        body = ast.parse(textwrap.dedent("".join(lines))).body
    except (SyntaxError, ValueError, RecursionError):
        return set(), set()
    given = {ast.dump(t) for each in body if isinstance(each, ast.Assign) for t in each.targets}
    return given, {ast.dump(each.target) for each in body if isinstance(each, ast.AugAssign)}


def same_head(line: str, other: str) -> bool:
    """Tell the heads of one block, with a name for what it catches or opens and without it."""
    heads = [NAMED.sub(":", each.rstrip()) for each in (line, other)]
    return heads[0] == heads[1] and HEAD.match(heads[0]) is not None


def leaves(lines: Sequence[str]) -> bool:
    """Say whether nothing behind lines is reached: the last of them leaves, on every path."""
    return LEAVES.match(lines[-1]) is not None and depth(lines[-1]) <= depth(lines[0])


def depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def told(lines: Sequence[str]) -> str:
    """Say how many lines are put back, and show the first."""
    written = [line for line in lines if line.strip()] or [""]
    many = "line" if len(written) == 1 else "{} lines from".format(len(written))
    return "the {} `{}`{}".format(many, short(written[0]), " on" if len(written) > 1 else "")


def runs(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield lines whole, then the statements at their beginning and at their end."""
    yield lines
    outer = depth(lines[0])
    starts = [n for n, line in enumerate(lines) if line.strip() and depth(line) == outer]
    if any(line.strip() and depth(line) < outer for line in lines):
        return
    for at in starts[1 : MOST_PARTS + 1]:
        yield lines[:at]
        yield lines[at:]


def set_in_vain(lines: Sequence[str]) -> FrozenSet[str]:
    """Return the variables of a function that are set anew before anything read them."""
    try:
        return overwritten(ast.parse(textwrap.dedent("".join(lines))))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()


def inserted(now: str, before: str, start: int) -> List[Splice]:
    """Return the lines of an older text that nothing stands in place of."""
    lines, others = split_lines(now + "\n"), split_lines(before + "\n")
    matcher = difflib.SequenceMatcher(None, lines, others, autojunk=False)
    found: List[Splice] = []
    for tag, a, _, c, d in matcher.get_opcodes():
        if tag == "insert" and a < len(lines):
            place = start + sum(map(len, lines[:a]))
            found.append(Splice(place, place, "".join(others[c:d])))
        elif tag == "insert":
            place = start + len(now)
            found.append(Splice(place, place, "\n" + "".join(others[c:d]).rstrip("\n")))
    return found


def whole(source: Source, old: Source, key: Key) -> Splice:
    """Return a method put in where it stood: before the one that follows it, or the first."""
    order = [each for each in named(old) if each[0] == key[0]]
    now = {each: unit for each, unit in named(source).items() if each[0] == key[0]}
    later = [now[each] for each in order[order.index(key) :] if each in now]
    unit = min(later or now.values(), key=lambda each: each.start)
    place = source.starts[unit.first_line - 1]
    was = named(old)[key]
    start = old.starts[was.first_line - 1]
    return Splice(place, place, old.text[start : was.end].rstrip() + "\n\n")


def reverted(source: Source, after: str, before: str) -> Iterator[Merge]:
    """Yield what one commit alone changed, undone in today's text: all of it, or in a function.

    `before` and `after` are the texts beside the commit. Nothing where later ones changed the same
    lines, or those next to them.
    """
    changes = [carried(change, after, source.text) for change in difference(after, before)]
    whole = [change for change in changes if change is not None]
    if not whole or len(whole) < len(changes):
        return
    yield "the lines of the file as they were", source.line_of(whole[0].start), tuple(whole)
    functions: Dict[str, List[Splice]] = {}
    for change in whole:
        unit = source.unit_at(source.line_of(change.start))
        if unit is not None:
            functions.setdefault(".".join((*unit.chain, unit.name)), []).append(change)
    for name, own in functions.items() if len(functions) > 1 else ():
        words = "the lines of `{}` as they were".format(name)
        yield words, source.line_of(own[0].start), tuple(own)


def carried(change: Splice, old: str, new: str) -> Optional[Splice]:
    """Return a change of a text as one of a later text, if its lines are there, and their next."""
    lines, others = SourceLines(old), SourceLines(new)
    first, last = lines.line_of(change.start) - 1, lines.line_of(max(change.start, change.end - 1))
    first, last = max(first - 1, 0), min(last + 1, len(lines.starts) - 1)
    matcher = difflib.SequenceMatcher(None, split_lines(old), split_lines(new), autojunk=False)
    for a, b, size in matcher.get_matching_blocks():
        if a <= first and last <= a + size:
            moved = others.starts[b] - lines.starts[a]
            return Splice(change.start + moved, change.end + moved, change.text)
    return None
