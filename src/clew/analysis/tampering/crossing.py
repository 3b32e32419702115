"""Calls that tests make into changed code, and the answers to the same calls where nobody tests.

An answer is what a call gave or raised, and what became of its arguments: values as plain data,
each with its exact type, see `clew.probe.answering`. They are compared here, by nothing of theirs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from clew.words.facts import Crossed

__all__ = [
    "Difference",
    "asked",
    "by_chance",
    "by_order",
    "canonical",
    "canonical_value",
    "changing",
    "differences",
    "distinct",
    "ended",
    "excuses",
    "kind_of",
    "newly_changing",
    "refusing",
    "repeatable",
    "shown",
    "shown_call",
    "shown_end",
    "uncounted",
]

SHOWN = 80  # characters of a value
NOT_THERE = ["raised", "builtins", "FileNotFoundError"]


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A call that answers otherwise where nobody tests."""

    function: str
    words: str
    gone: bool = False  # it read a file, as one of the test's own, which is not there any more


def asked(crossed: Sequence[Crossed]) -> tuple[str, ...]:
    """Return the calls that can be made again, each once, as lines of JSON with their numbers."""
    return tuple(
        json.dumps({"number": number, **json.loads(each.call)})
        for number, each in enumerate(distinct(crossed))
    )


def distinct(crossed: Sequence[Crossed]) -> tuple[Crossed, ...]:
    """Leave out what is not known, and a call that was made before with the same answer."""
    return tuple({(each.call, each.end): each for each in crossed if each.call}.values())


def differences(
    crossed: Sequence[Crossed], answers: Mapping[int, str], where: str = "without them"
) -> tuple[Difference, ...]:
    """Return the calls whose answers are not those that the tests got."""
    found: list[Difference] = []
    for number, each in enumerate(distinct(crossed)):
        told = answers.get(number, '{"end": ["lost", "process"]}')
        if canonical(told) != canonical(each.end):
            call = json.loads(each.call)
            then, now = _end(json.loads(each.end)), _end(json.loads(told))
            if then == now:
                now += ", and leaves other arguments"
            words = f"`{shown_call(call)}` {then} in the tests, and {now} {where}"
            gone = each.reads and json.loads(told)["end"] == NOT_THERE
            found.append(Difference(function=_function(call), words=words, gone=gone))
    return tuple(found)


def repeatable(crossed: Sequence[Crossed]) -> frozenset[str]:
    """Return the functions that were called, and read no file."""
    known = [json.loads(each.call) for each in distinct(crossed) if not each.reads]
    reading = {_function(json.loads(each.call)) for each in crossed if each.reads and each.call}
    return frozenset(map(_function, known)) - reading


def by_chance(once: Sequence[Crossed], again: Sequence[Crossed]) -> frozenset[str]:
    """Return the functions that gave two answers to the same call, in two runs of the same tests.

    What became of the arguments does not count.
    """

    def gave(each: Crossed) -> object:
        return canonical_value(json.loads(each.end)["end"])

    known = {each.call: gave(each) for each in distinct(again)}
    return frozenset(
        _function(json.loads(each.call))
        for each in distinct(once)
        if each.call in known and gave(each) != known[each.call]
    )


def by_order(
    crossed: Sequence[Crossed], once: Mapping[int, str], turned: Mapping[int, str]
) -> frozenset[str]:
    """Return the functions whose answers to the same calls differ between two orders of them."""
    return frozenset(
        _function(json.loads(each.call))
        for number, each in enumerate(distinct(crossed))
        if all(ended(told.get(number)) for told in (once, turned))
        and canonical(once[number]) != canonical(turned[number])
    )


def excuses(
    before: Sequence[Crossed], unlike: Sequence[Difference], reached: Sequence[Crossed]
) -> frozenset[str]:
    """Return the functions that answer by more than what they are given without the fix as well.

    `before` are the calls without the fix, `unlike` those of them that answer otherwise. `reached`
    are those with it: a function that only then is called excuses nothing.
    """
    unsteady = {each.function for each in unlike}
    called = {_function(json.loads(each.call)) for each in before if each.call}
    wanted = {_function(json.loads(each.call)) for each in reached if each.call}
    return frozenset(unsteady | ((wanted & called) - repeatable(before)))


def changing(crossed: Sequence[Crossed]) -> tuple[Crossed, ...]:
    """Return the calls that change an argument in place; the object of a method may change."""
    known = (each for each in distinct(crossed) if not each.reads)
    return tuple(each for each in known if _left(each.call, each.end) != _given(each.call))


def newly_changing(crossed: Sequence[Crossed], answers: Mapping[int, str]) -> tuple[str, ...]:
    """Return, in words, those of `changing` calls that gave an answer before, and changed nothing.

    `answers` are those of the code before, by the numbers of the calls.
    """
    before = ((each.call, answers.get(number, "{}")) for number, each in enumerate(crossed))
    return tuple(
        f"`{shown_call(json.loads(call))}`"
        for call, told in before
        if "gave" in json.loads(told).get("end", ()) and _left(call, told) == _given(call)
    )


def refusing(
    lines: Sequence[str], now: Mapping[int, str], before: Mapping[int, str]
) -> tuple[int, tuple[str, ...]]:
    """Return how many calls end with an error only now, and, in words, those that did half of it.

    `lines` are calls as they are `asked`; the others are their answers by their numbers.
    """
    refused = [
        (line, now[number])
        for number, line in enumerate(lines)
        if kind_of(now.get(number)) == "raised" and kind_of(before.get(number)) == "gave"
    ]
    halfway = (
        f"`{shown_call(json.loads(line))}` raises {shown_end(json.loads(told))}"
        for line, told in refused
        if canonical_value([json.loads(line)["given"], json.loads(line)["more"]]) != _all_left(told)
    )
    return len(refused), tuple(dict.fromkeys(halfway))


def _all_left(answer: str) -> object:
    match json.loads(answer):
        case {"left": ["list", left]}:
            return canonical_value(left)
    return None


def _given(call: str) -> object:
    told = json.loads(call)
    return _arguments(told, told["given"], told["more"])


def _left(call: str, answer: str) -> object:
    """Return what became of the arguments; those that were given, where that is not told."""
    match json.loads(answer):
        case {"left": ["list", [given, more]]}:
            return _arguments(json.loads(call), given, more)
    return _given(call)


def _arguments(call: Mapping[str, Any], given: Any, more: Any) -> object:  # noqa: ANN401 -- JSON
    """Return the arguments, without the object whose method is called."""
    return canonical_value([given[1]["." in call["name"] :], more])


def uncounted(crossed: Sequence[Crossed]) -> str:
    """Say how many calls could not be recorded, and why most of them."""
    whys = Counter(each.why for each in crossed if each.why)
    if not whys:
        return ""
    number = sum(whys.values())
    why = whys.most_common(1)[0][0]
    return f"{number} {'was' if number == 1 else 'were'} not compared: {why}"


def _function(call: Mapping[str, Any]) -> str:
    return f"{call['module']}.{call['name']}"


def kind_of(answer: str | None) -> str:
    """Return how a call ended, as `gave` or `raised`; nothing where no answer came."""
    match json.loads(answer or "{}"):
        case {"end": [str(kind), *_]}:
            return kind
    return ""


def ended(answer: str | None) -> bool:
    """Tell whether a call came to an end of its own."""
    return kind_of(answer) in ("gave", "raised")


def canonical(answer: str) -> object:
    """Return what two answers have in common if they are the same."""
    told = json.loads(answer)
    return canonical_value([told.get("end"), told.get("left")])


def canonical_value(told: Any) -> Any:  # noqa: ANN401 -- JSON
    """Put the items of dictionaries in an order: their own may be that of a set."""
    if not isinstance(told, list):
        return told
    inner = [canonical_value(each) for each in told]
    if len(inner) == 2 and inner[0] == "dict":  # noqa: PLR2004 -- a tag and its items
        return ["dict", sorted(inner[1], key=json.dumps)]
    return inner


# --- in words -------------------------------------------------------------------------------------


def _end(answer: Mapping[str, Any]) -> str:
    match answer["end"]:
        case ["gave", value]:
            return f"gives {shown(value)}"
        case ["raised", _, name]:
            return f"raises {name}"
        case ["late"]:
            return "does not end"
        case [*_]:
            return "cannot be called"
        case _:
            return "tells nothing"


def shown_end(answer: Mapping[str, Any]) -> str:
    """Show what a call came to: a value, or the name of an exception."""
    match answer["end"]:
        case ["gave", value]:
            return shown(value)
        case ["raised", _, name]:
            return str(name)
        case _:
            return "…"


def shown_call(call: Mapping[str, Any]) -> str:
    """Show a call about as it is written; one of a method behind its object."""
    name, told = call["name"], call["given"][1]
    given = [shown(each) for each in told]
    given += [f"{shown(key)[1:-1]}={shown(value)}" for key, value in call["more"][1]]
    owner, _, method = name.rpartition(".")
    if owner and told and told[0][0] in ("object", "sub") and told[0][2] == owner:
        name, *given = f"{given[0]}.{method}", *given[1:]
    return f"{name}({', '.join(given)})"


def shown(told: Any) -> str:  # noqa: ANN401 -- JSON
    """Show a value about as Python would."""
    text = _text(told)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _text(told: Any) -> str:  # noqa: ANN401, PLR0911 -- JSON, and a case a kind
    match told:
        case ["float", str(value)]:
            return repr(float.fromhex(value))
        case ["str", value]:
            return repr(value)
        case ["one" | "int", value]:
            return str(value)
        case ["bytes", value]:
            return f"bytes {value}"
        case ["list", [*items]]:
            return f"[{', '.join(map(_text, items))}]"
        case ["tuple", [*items]]:
            return f"({', '.join(map(_text, items))}{',' if len(items) == 1 else ''})"
        case ["set" | "frozenset", [*items]]:
            return f"{{{', '.join(map(_text, items))}}}"
        case ["dict", [*items]]:
            return f"{{{', '.join(f'{_text(key)}: {_text(value)}' for key, value in items)}}}"
        case [str(kind), str(), str(name), *held]:
            return name if kind in ("named", "member") else f"{name}({_held(held)})"
        case _:
            return "…"


def _held(held: Sequence[Any]) -> str:
    """Show what an object is made of, about as it is written."""
    match held:
        case [["tuple", [*items]], *_]:
            return ", ".join(map(_text, items))
        case [["dict", [*items]]]:
            return ", ".join(f"{key[1]}={_text(value)}" for key, value in items)
        case [value, *_]:
            return _text(value)
        case _:
            return "…"
