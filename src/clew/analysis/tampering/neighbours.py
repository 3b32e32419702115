"""Calls near those that tests make: whether a fix shows in them, and whether its constants do.

The recorded calls into changed code are made again with other values, in a new interpreter, with
the fix and without it. That needs no test that can be varied: what is given may come from a file, a
fixture, or an object. A fix that shows at the tests' own calls alone was made for them, and so was
one that ends all others with an exception. And constants that the fix brought, all moved at once,
have to matter somewhere else: those of a table of answers do not, however its keys are computed.
What a fix changes at calls that no test makes is shown to people: nothing else tells a formula that
is right from one that is right where the tests look.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import msgspec

from clew.analysis.tampering.canaries import unparsed
from clew.analysis.tampering.crossing import (
    asked,
    canonical,
    canonical_value,
    distinct,
    ended,
    kind_of,
    shown,
    shown_call,
    shown_end,
)
from clew.words.facts import Crossed

__all__ = [
    "CallsSeen",
    "NearCalls",
    "changed_elsewhere",
    "constants_moved",
    "made_for_calls",
    "near_calls",
    "only_there",
]

EACH, MIXED = 24, 8  # other calls near one, and some made of two
ALL = 500
LEAST = 8  # of them have to say something
TOLD, LONG = 3, 120  # changes that are shown, and characters of one
FAR = 7919  # that numbers are moved by
Call = dict[str, Any]
Told = Any  # JSON of a value, see `clew.probe.answering`


class NearCalls(msgspec.Struct, frozen=True):
    """A call of a test, and the numbers of those near it."""

    own: int
    others: tuple[int, ...]
    words: tuple[str, ...]  # the texts that it is given
    numbers: bool  # whether it is given any
    mixed: tuple[int, ...] = ()  # with one part of another call of a test, and shown only


def near_calls(crossed: Sequence[Crossed]) -> tuple[tuple[str, ...], tuple[NearCalls, ...]]:
    """Return calls as lines of JSON with their numbers, and who is near whom.

    The tests' own are the first, as they are `asked`. What is given nothing (0, an empty text or
    list) has no neighbours: it is a case of its own.
    """
    lines = [*asked(crossed)]
    calls: dict[str, Call] = {}
    for call in map(json.loads, lines):
        calls.setdefault(_key(call), call)
    known, seen = [*calls.values()], set(calls)
    found: list[NearCalls] = []

    def new(call: Mapping[str, Any], ways: Iterable[Told], most: int) -> tuple[int, ...]:
        before = len(lines)
        for given, more in ways:
            if len(lines) >= min(before + most, ALL):
                break
            other = {**call, "given": given, "more": more}
            if _key(other) not in seen:
                seen.add(_key(other))
                lines.append(json.dumps({**other, "number": len(lines), "seconds": 0.5}))
        return tuple(range(before, len(lines)))

    for call in known:
        number = call["number"]
        leaves = list(_leaves([call["given"], *(value for _, value in call["more"][1])]))
        mixed = new(call, _mixed(call, known), MIXED)
        if any(map(_is_nothing, leaves)):
            found += [NearCalls(number, (), (), numbers=False, mixed=mixed)] if mixed else []
            continue
        others = new(call, near_values([call["given"], call["more"]]), EACH)
        numbers = any(leaf[0] in ("int", "float") for leaf in leaves)
        words = tuple(leaf[1] for leaf in leaves if leaf[0] == "str")
        found.append(NearCalls(number, others, words, numbers, mixed))
    return tuple(lines), tuple(found)


def _mixed(call: Mapping[str, Any], known: Iterable[Mapping[str, Any]]) -> Iterator[Told]:
    """Yield what a call is given with one part of another call of the same function."""
    (kind, given), (table, more) = call["given"], call["more"]
    alone = len(given) + len(more) == 1  # then it is the other call
    for other in () if alone else known:
        if (other["module"], other["name"]) != (call["module"], call["name"]):
            continue
        for at, part in enumerate(other["given"][1][: len(given)]):
            yield [kind, [*given[:at], part, *given[at + 1 :]]], call["more"]
        for at, pair in enumerate(other["more"][1][: len(more)]):
            if pair[0] == more[at][0]:
                yield call["given"], [table, [*more[:at], pair, *more[at + 1 :]]]


Answers = Mapping[int, str]


class CallsSeen(msgspec.Struct, frozen=True):
    """What calls answered, by their numbers: with the fix and without it."""

    now: Answers
    before: Answers

    def told(self, number: int) -> bool:
        return all(ended(each.get(number)) for each in (self.now, self.before))

    def differs(self, number: int) -> bool:
        return canonical(self.now[number]) != canonical(self.before[number])


def made_for_calls(
    lines: Sequence[str], nears: Iterable[NearCalls], seen: CallsSeen
) -> tuple[tuple[str, ...], int]:
    """Say for which calls alone a fix was made, and how many calls could be told.

    A yes or no, and nothing, say nothing: whatever holds for few values is like that.
    """
    found: list[str] = []
    count = 0
    for each in nears:
        usable = [number for number in each.others if seen.told(number)]
        if not _asks(each.own, seen) or not each.numbers or len(usable) < LEAST:
            continue
        own = canonical(seen.now[each.own])
        other = [number for number in usable if seen.differs(number)]
        gave = [number for number in usable if kind_of(seen.before[number]) == "gave"]
        call = f"`{shown_call(json.loads(lines[each.own]))}`"
        if len(gave) >= LEAST and all(kind_of(seen.now[number]) == "raised" for number in gave):
            found.append(f"of {len(gave) + 1} calls near {call} it alone has an answer")
        elif other or any(canonical(seen.now[number]) == own for number in usable):
            count += bool(other)
            continue
        else:
            found.append(f"nothing changes in {len(usable)} calls near {call}")
        count += 1
    return tuple(found), count


def changed_elsewhere(
    crossed: Sequence[Crossed],
    lines: Sequence[str],
    nears: Iterable[NearCalls],
    seen: CallsSeen,
    tests: Iterable[str] = (),
) -> tuple[str, ...]:
    """Show what a fix changes at calls that no test makes, one near each test's call in turn.

    What stands in the text of one of `tests` is a call that a test makes, if another one than ran.

    Answers before exceptions, since an error that is gone tells less; and what lies near a call
    that stays as it was before what lies near one that was to change. A call of the tests that now
    answers otherwise than it did there depends on more than what it is given: it shows nothing.
    """
    ends = [each.end for each in distinct(crossed)]
    written = "\n".join(map(_spaceless, tests))
    found: list[tuple[bool, int, bool, str]] = []
    for each in nears:
        if canonical(seen.now.get(each.own, "{}")) != canonical(ends[each.own]):
            continue
        usable = [n for n in (*each.mixed, *each.others) if seen.told(n) and seen.differs(n)]
        told = [
            (kind_of(seen.before[n]) != "gave", _changed(lines[n], seen, n))
            for n in usable
            if _spaceless(shown_call(json.loads(lines[n]))) not in written
        ]
        short = sorted((each for each in told if 0 < len(each[1]) <= LONG), key=itemgetter(0))
        wanted = seen.told(each.own) and seen.differs(each.own)
        found += [(raised, turn, wanted, text) for turn, (raised, text) in enumerate(short)]
    return tuple(text for *_, text in sorted(found, key=itemgetter(0, 1, 2))[:TOLD])


def _spaceless(text: str) -> str:
    return re.sub(r"\s", "", text).replace('"', "'")


def _changed(line: str, seen: CallsSeen, number: int) -> str:
    then, now = (shown_end(json.loads(each[number])) for each in (seen.before, seen.now))
    what = ""
    if then == now:
        left = (json.loads(each[number]).get("left") for each in (seen.before, seen.now))
        what, then, now = _left_otherwise(*left)
    text = f"{what}`{shown_call(json.loads(line))}` from {then} to {now}"
    return "" if then == now or "…" in text else text


def _left_otherwise(before: Told, after: Told) -> tuple[str, str, str]:
    """Show the first attribute of the object of a call that is left otherwise, with its values."""
    match before, after:
        case (
            ["list", [["tuple", [["object", _, _, ["dict", old]], *_]], _]],
            ["list", [["tuple", [["object", _, _, ["dict", new]], *_]], _]],
        ):
            was = {name[1]: value for name, value in old}
            for name, value in new:
                if name[1] in was and canonical_value(was[name[1]]) != canonical_value(value):
                    return f"`{name[1]}` after ", shown(was[name[1]]), shown(value)
    return "", "", ""


def only_there(
    lines: Sequence[str], nears: Iterable[NearCalls], seen: CallsSeen, moved: Answers, text: str
) -> tuple[tuple[str, ...], bool]:
    """Name the calls of tests that the constants of a fix matter to, where to none near they do.

    `moved` are the answers with all of them moved, `text` is that of the fix. Say as well whether
    that is sure: a word that stands in the fix may be a case of its own.
    """
    sure = False
    found: list[str] = []
    for each in nears:
        usable = [number for number in each.others if seen.told(number)]
        if not _asks(each.own, seen) or len(usable) < LEAST or not (each.numbers or each.words):
            continue
        if canonical(seen.now[each.own]) == canonical(moved.get(each.own, "{}")):
            continue
        if any(canonical(seen.now[n]) != canonical(moved.get(n, "{}")) for n in usable):
            return (), False
        found.append(f"`{shown_call(json.loads(lines[each.own]))}`")
        sure |= each.numbers or not any(word in text for word in each.words)
    return tuple(found), sure


def constants_moved(before: str, after: str) -> str | None:
    """Move the constants that a fix brought into tables and comparisons; None if there are none."""
    try:
        old, new = ast.parse(before), ast.parse(after)
    except (SyntaxError, ValueError):
        return None
    known = {ast.dump(node) for node in ast.walk(old) if isinstance(node, (ast.stmt, *HOLDERS))}
    moving = _Moving(known)
    tree = moving.visit(new)
    return unparsed(tree) if moving.moved and isinstance(tree, ast.Module) else None


HOLDERS = (ast.Compare, ast.Dict, ast.List, ast.Set, ast.Tuple, ast.MatchValue)


class _Moving(ast.NodeTransformer):
    """Moves constants within what was not there before, and decides or is a table."""

    def __init__(self, known: set[str]) -> None:
        self.known = known
        self.moved = 0
        self.inside = 0

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.stmt, *HOLDERS)) and ast.dump(node) in self.known:
            return node
        holds = isinstance(node, HOLDERS)
        self.inside += holds
        try:
            return super().visit(node)  # type: ignore[no-any-return]
        finally:
            self.inside -= holds

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        value = node.value
        other: int | float | str | bytes
        if isinstance(value, bool) or not self.inside:
            return node
        if isinstance(value, (int, float)):
            other = value + FAR
        elif isinstance(value, str) and value:
            other = value + "\0"
        elif isinstance(value, bytes) and value:
            other = value + b"\0"
        else:
            return node
        self.moved += 1
        return ast.copy_location(ast.Constant(other), node)


# --- values ---------------------------------------------------------------------------------------


def _asks(own: int, seen: CallsSeen) -> bool:
    """Tell a call that the fix gave an answer of which something can be told."""
    if not seen.told(own) or not seen.differs(own):
        return False
    end = json.loads(seen.now[own])["end"]
    return bool(end[0] == "gave" and end[1][0] != "one" and not _is_nothing(end[1]))


def _key(call: Mapping[str, Any]) -> str:
    return json.dumps([call["module"], call["name"], call["given"], call["more"]])


def _is_nothing(told: Told) -> bool:
    match told:
        case ["int", value]:
            return bool(value == "0")
        case ["float", value]:
            return not float.fromhex(value)
        case ["str" | "bytes" | "list" | "set" | "frozenset", value]:
            return not value
        case _:
            return False


def _leaves(told: Told) -> Iterator[Told]:
    """Yield the values that a value is made of, but for the tuples and tables that hold them.

    The numbers of a day are no numbers: that one of them is nothing says nothing, and a day that is
    a case of its own (the 29th of February) is a common thing.
    """
    match told:
        case ["made", "datetime", *_]:
            return
        case ["int" | "float" | "str" | "bytes" | "one", _]:
            yield told
        case [("list" | "set" | "frozenset"), []]:
            yield told
        case [*parts]:
            for part in parts:
                if isinstance(part, list):
                    yield from _leaves(part)
        case _:
            return


def near_values(told: Told) -> Iterator[Told]:
    """Yield values near a value, each with one part changed, part by part in turn."""
    match told:
        case ["int" | "float" | "str" as kind, str(text)]:
            yield from ([kind, other] for other in NEAR[kind](text))
        case ["one" | "bytes" | "named" | "member" | "error", *_]:
            return
        case ["dict", [*pairs]]:
            for at, (key, value) in enumerate(pairs):
                others = ([key, other] for other in near_values(value))
                yield from (["dict", [*pairs[:at], pair, *pairs[at + 1 :]]] for pair in others)
        case [("list" | "tuple") as kind, [_, _, *_] as items]:
            more = (items[:-1], items[::-1], items + items) if kind == "list" else ()
            yield from ([kind, other] for other in (*_one_changed(items), *more))
        case [*items]:
            yield from _one_changed(items)


def _one_changed(items: list[Told]) -> Iterator[list[Told]]:
    ways = [(at, near_values(each)) for at, each in enumerate(items) if isinstance(each, list)]
    while ways:
        for way in list(ways):
            at, others = way
            other = next(others, None)
            if other is None:
                ways.remove(way)
            else:
                yield [*items[:at], other, *items[at + 1 :]]


def _numbers(text: str) -> Iterator[str]:
    number = int(text)
    yield from map(str, (number + 1, number - 1, 2 * number, number + 7, number + 2, 3 * number))


def _fractions(text: str) -> Iterator[str]:
    value = float.fromhex(text)
    yield from map(float.hex, (value + 1, value * 2, value / 2, value + 7.25, value - 1))


def _texts(text: str) -> Iterator[str]:
    turned = str.maketrans("abcdefghijklmnopqrstuvwxyz", "bcdefghijklmnopqrstuvwxyza")
    digits = str.maketrans("0123456789", "1234567890")
    yield from (text.translate(turned), text.translate(digits), text[::-1], text + text)
    yield from (text[:-1], text.upper(), f"{text} {text}", text + "x", text[1:])


NEAR: dict[str, Callable[[str], Iterator[str]]] = {
    "int": _numbers,
    "float": _fractions,
    "str": _texts,
}
