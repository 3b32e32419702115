"""Calls of tests in other sequences: whether a fix made answers depend on what was before.

The calls that tests make into changed code are put in sequence on one object: with a question asked
before, with another object made in between, with the same objects given again but filled otherwise,
with what was given or what came of it emptied. Each is compared with the sequence that lacks just
that, with the fix and without it. So nobody has to know what is right: a question (a call that
gives something) that changes no answer by itself changes none later, as it did without the fix.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

import msgspec

from clew.analysis.tampering.crossing import canonical, ended, kind_of, shown_call, shown_end
from clew.analysis.tampering.neighbours import near_values
from clew.words.facts import Crossed

__all__ = ["Variation", "dependences", "keeps_state", "sequences", "shared"]

EACH = 2  # calls of one function
CALLS = 12  # of one class, or of the functions of one module
ALL = 300  # sequences
DEEPEST = 2
COLLECTIONS = (
    *("dict", "list", "set", "defaultdict", "deque", "Counter", "OrderedDict"),
    *("WeakKeyDictionary", "WeakValueDictionary"),
)
NOTHING = ["one", "None"]
Call = dict[str, Any]
Step = Mapping[str, Any]
Answers = Mapping[int, str]


class Variation(msgspec.Struct, frozen=True):
    """Two sequences, by their numbers, that have to end alike, and what parts them in words."""

    plain: int
    varied: int
    call: str  # whose answer it is, as it is shown
    words: str  # what parts them
    alone: tuple[tuple[int, int], ...] = ()  # answers without and with that alone: alike, too
    part: str | None = None  # of what may be shared, by what else is


def sequences(crossed: Sequence[Crossed]) -> tuple[tuple[str, ...], tuple[Variation, ...]]:
    """Return sequences as lines of JSON, and which of them have to end alike."""
    made = _Made()
    for calls in _by_owner(crossed):
        for each in (_asked_before, _made_between, _filled_again, _emptied, _told_another):
            made.found += islice(each(made, calls), ALL // 5)
    return tuple(made.lines), tuple(made.found)


def dependences(found: Iterable[Variation], now: Answers, before: Answers) -> tuple[str, ...]:
    """Say which answers depend on what was before with the fix, and did not without it."""
    said = []
    for each in found:
        new = _alike(each, now) is False and _alike(each, before)
        if each.part is not None or not new or kind_of(before[each.plain]) != "gave":
            continue
        if all(_same(now, *pair) for pair in each.alone):
            ends = [shown_end(json.loads(now[number])) for number in (each.plain, each.varied)]
            said.append(f"{each.call} gives {ends[0]}, and {ends[1]} {each.words}")
    return tuple(dict.fromkeys(said))


def shared(found: Iterable[Variation], now: Answers, before: Answers) -> tuple[str, ...]:
    """Say what is shared with the fix that was not, or as little as the fix left of it."""
    said = []
    parts = [each for each in found if each.part is not None]
    loosened = {each.part for each in parts if _alike(each, now) and _alike(each, before) is False}
    for each in parts:
        halfway = each.part in loosened and _alike(each, before) is False
        new = _alike(each, before) and kind_of(before[each.plain]) == "gave"
        if _alike(each, now) is False and (new or halfway):
            said.append(f"{each.call} answers otherwise {each.words}")
    return tuple(dict.fromkeys(said))


def _alike(each: Variation, answers: Answers) -> bool | None:
    """Tell whether both end alike; None if one of them does not end."""
    return _same(answers, each.plain, each.varied)


def _same(answers: Answers, one: int, other: int) -> bool | None:
    if not (ended(answers.get(one)) and ended(answers.get(other))):
        return None
    return canonical(answers[one]) == canonical(answers[other])


class _Made:
    """The lines so far; the same sequence is made once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.lines: list[str] = []
        self.found: list[Variation] = []

    def line(self, *steps: Step) -> int:
        key = json.dumps(steps)
        if key not in self.numbers:
            self.numbers[key] = len(self.lines)
            row = {"number": len(self.lines), "steps": steps, "seconds": 0.5}
            self.lines.append(json.dumps(row))
        return self.numbers[key]


def keeps_state(text: str) -> bool:
    """Tell whether a module, or objects of it, may keep something from one call to the next."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return any(map(_is_empty, (getattr(node, "value", None) for node in tree.body))) or any(
        isinstance(node, (ast.Global, ast.Nonlocal, ast.ClassDef))
        or (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _remembers(node))
        for node in ast.walk(tree)
    )


def _is_empty(node: object) -> bool:
    match node:
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name in COLLECTIONS
    return False


def _remembers(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    values = [*node.args.defaults, *node.args.kw_defaults]
    by = any("cache" in ast.dump(each) for each in node.decorator_list)
    return by or any(_is_empty(each) for each in values)


# --- which sequences ------------------------------------------------------------------------------


class _Recorded(msgspec.Struct, frozen=True):
    """A call that a test made; `owner` is the class of the object, if it is of one."""

    call: Call
    owner: str
    asks: bool
    changes: bool
    gave: Any

    @property
    def name(self) -> str:
        return str(self.call["name"])

    @property
    def makes(self) -> bool:
        return self.name.endswith(".__init__")

    @property
    def gives_another(self) -> bool:
        """Whether it gives an object of its own class, and changes none."""
        own = self.owner and not self.changes
        return bool(own) and self.gave[1:3] == [self.call["module"], self.owner]

    @property
    def shown(self) -> str:
        return shown_call(self.call)

    @property
    def method(self) -> str:
        """Show it without its object."""
        kind, given = self.call["given"]
        own = {"name": self.name.rpartition(".")[2], "given": [kind, given[bool(self.owner) :]]}
        return shown_call({**self.call, **own})

    @property
    def words(self) -> list[Any]:
        """What it is given besides its object."""
        return [*self.call["given"][1][bool(self.owner) :], *(v for _, v in self.call["more"][1])]

    def step(self, start: Any = None, **more: Any) -> Step:  # noqa: ANN401 -- JSON
        """Return it as a step; on an object like `start`, or as it was."""
        kind, given = self.call["given"]
        own = [kind, [start, *given[1:]]] if start is not None and self.owner else [kind, given]
        return {**self.call, "given": own, **more}

    def about(self, other: _Recorded) -> _Recorded:
        """Return it with the first word of another call, if both are given one of a kind."""
        kind, given = self.call["given"]
        own, wanted = ((each.words or [NOTHING])[0] for each in (self, other))
        if own[0] not in ("int", "str") or own[0] != wanted[0] or len(given) == bool(self.owner):
            return self
        place = int(bool(self.owner))
        call = {**self.call, "given": [kind, [*given[:place], wanted, *given[place + 1 :]]]}
        return msgspec.structs.replace(self, call=call)

    def on(self, place: int) -> dict[str, int]:
        """Say that it is made on the object of an earlier step."""
        return {"on": place} if self.owner else {}

    @property
    def start(self) -> Any:  # noqa: ANN401 -- JSON
        return self.call["given"][1][0] if self.owner else None


def _by_owner(crossed: Sequence[Crossed]) -> Iterator[list[_Recorded]]:
    """Yield a few calls of each class, and of the functions of each module."""
    groups: dict[tuple[str, str], list[_Recorded]] = {}
    for each in {each.call: each for each in crossed if each.call and not each.reads}.values():
        call, end = json.loads(each.call), json.loads(each.end)
        owner = call["name"].rpartition(".")[0]
        if not owner or _is_of(call, owner):
            gave = end["end"][1] if end["end"][0] == "gave" else []
            recorded = _Recorded(call, owner, _asks(call, end), _changes(call, end), gave)
            groups.setdefault((call["module"], owner), []).append(recorded)
    for calls in groups.values():
        few: list[_Recorded] = []
        for recorded in calls:
            if sum(each.name == recorded.name for each in few) < EACH and len(few) < CALLS:
                few.append(recorded)
        asking = {each.name for each in calls if each.asks}
        asking -= {each.name for each in calls if each.gave and not each.asks}
        yield [msgspec.structs.replace(each, asks=each.name in asking) for each in few]


def _is_of(call: Call, owner: str) -> bool:
    match call["given"][1]:
        case [["object" | "sub", str(module), str(name), *_], *_]:
            return (module, name) == (call["module"], owner)
    return False


def _asks(call: Call, end: Mapping[str, Any]) -> bool:
    """Tell whether a call gives something, and leaves what it is given besides its object as is."""
    match end:
        case {"end": ["gave", gave], "left": ["list", [["tuple", left], more]]}:
            given, own = call["given"][1], "." in call["name"]
            return bool(gave != NOTHING and [left[own:], more] == [given[own:], call["more"]])
    return False


def _changes(call: Call, end: Mapping[str, Any]) -> bool:
    """Tell whether a call gives nothing, or changes its object.

    An attribute that is new, or was None, may be what an answer is kept in.
    """
    match end:
        case {"end": ["gave", gave], "left": ["list", [["tuple", [left, *_]], _]]}:
            own = "." in call["name"] and not _kept(call["given"][1][0], left)
            return bool(own or gave == NOTHING)
    return True


def _kept(before: Any, after: Any) -> bool:  # noqa: ANN401 -- JSON
    match before, after:
        case [["object", *kind, ["dict", old]], ["object", *same, ["dict", new]]]:
            return kind == same and all(pair in new for pair in old if pair[1] != NOTHING)
    return bool(before == after)


def _asked_before(made: _Made, calls: Sequence[_Recorded]) -> Iterator[Variation]:
    """Ask before a command: if alone that changes no answer, it changes none later."""
    for each, question in product(_commands(calls), _questions(calls)):
        command = each.about(question)
        asked = question.step(command.start)
        alone = [
            (made.line(other.step(command.start)), made.line(asked, other.step(**other.on(0))))
            for other in _questions(calls)
        ]
        for last in _questions(calls):
            end = last.step(**last.on(0))
            yield Variation(
                made.line(command.step(), end),
                made.line(asked, command.step(**command.on(0)), end),
                f"`{last.method}` after `{command.shown}`",
                f"where `{question.method}` was asked before",
                tuple(alone),
            )


def _made_between(made: _Made, calls: Sequence[_Recorded]) -> Iterator[Variation]:
    """Make another object of the class: no answer of this one changes."""
    for command, last in product(_commands(calls), _questions(calls)):
        for other in (each for each in calls if each.makes):
            end = last.step(**last.on(0))
            yield Variation(
                made.line(command.step(), end),
                made.line(command.step(), other.step(), end),
                f"`{last.method}` after `{command.shown}`",
                f"where another {other.owner} is made in between",
            )


def _filled_again(made: _Made, calls: Sequence[_Recorded]) -> Iterator[Variation]:
    """Give the same objects filled otherwise: they get the answer that new ones would."""
    for first in calls:
        for call in islice(_alike_calls(first, calls), EACH):
            second = msgspec.structs.replace(first, call=call)
            yield Variation(
                made.line(first.step(), second.step()),
                made.line(first.step(), second.step(again=0)),
                f"`{second.shown}`",
                f"where it gets what `{first.shown}` got, filled with that",
            )


def _alike_calls(first: _Recorded, calls: Sequence[_Recorded]) -> Iterator[Call]:
    """Yield calls of the same function whose lists, tables and objects hold something else."""
    own = [each.call for each in calls if each.name == first.name]
    near = (
        {**first.call, "given": given, "more": more}
        for given, more in near_values([first.call["given"], first.call["more"]])
    )
    kept = _mutable(first.call)
    yield from (call for call in (*own, *near) if kept and _mutable(call) not in ([], kept))


def _mutable(call: Call) -> list[Any]:
    return [each for each in call["given"][1] if each[0] in ("list", "dict", "set", "object")]


def _emptied(made: _Made, calls: Sequence[_Recorded]) -> Iterator[Variation]:
    """Empty what was given, or came of a call: it is the caller's, and changes no answer."""
    for call in calls:
        for depth in _depths([call.gave]):
            again = call.step(**call.on(0))
            yield Variation(
                made.line(call.step(), again),
                made.line(call.step(), {**again, "spoil": (0, "gave", depth)}),
                f"`{call.shown}`",
                f"where what it gave before is emptied{_inside(depth)}",
                part=f"{call.shown} gave",
            )
    givers = (*_commands(calls), *(each for each in calls if each.makes))
    for giver, last in product(givers, _questions(calls)):
        for depth in _depths(giver.words):
            end = last.step(**last.on(0))
            spoiling = {"spoil": (0, "given", depth), "from": int(bool(giver.owner))}
            yield Variation(
                made.line(giver.step(), end),
                made.line(giver.step(), {**end, **spoiling}),
                f"`{last.method}`",
                f"where what `{giver.shown}` was given is emptied{_inside(depth)}",
                part=f"{giver.shown} {last.method}",
            )


def _told_another(made: _Made, calls: Sequence[_Recorded]) -> Iterator[Variation]:
    """Tell an object that a call gave to do something: the one that gave it stays as it is."""
    givers = [each for each in calls if each.gives_another]
    for giver, command, last in product(givers, _commands(calls), _questions(calls)):
        end = last.step(**last.on(0))
        yield Variation(
            made.line(giver.step(), end),
            made.line(giver.step(), command.step(made_by=0), end),
            f"`{last.method}`",
            f"where what `{giver.shown}` gave is told `{command.method}`",
            part=f"{giver.shown} {last.method}",
        )


def _inside(depth: int) -> str:
    return "" if not depth else " inside" if depth == 1 else f" inside, {depth} deep"


def _depths(told: Iterable[Any]) -> list[int]:
    """Return how deep there are lists, tables and sets that hold something."""
    found = []
    level = list(told)
    for depth in range(DEEPEST + 1):
        while any(each and each[0] == "tuple" for each in level):
            level = [
                inner
                for each in level
                for inner in (each[1] if each and each[0] == "tuple" else [each])
            ]
        held = [each for each in level if each and each[0] in ("list", "dict", "set") and each[1]]
        if held:
            found.append(depth)
        level = [
            inner
            for kind, parts in (each for each in held if each[0] != "set")
            for inner in (parts if kind == "list" else [value for _, value in parts])
        ]
    return found


def _commands(calls: Iterable[_Recorded]) -> list[_Recorded]:
    return [each for each in calls if each.changes and not each.makes]


def _questions(calls: Iterable[_Recorded]) -> list[_Recorded]:
    return [each for each in calls if each.asks]
