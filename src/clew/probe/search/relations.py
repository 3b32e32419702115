"""What held of a function on all inputs: a change with which it does not hold any more is doubted.

A value where it gave one, of the type that it gave; arguments that it left as they were; a result
that does not ask for the order of a list, or of two arguments; one that stays when it is given
again; and a number that lies within those of a list. Each is asked of what the code gave before, on
the inputs of the tests and those near them. One that no change keeps was the fault itself; but for
a list of a size between those of the tests a value is wanted from any change.
"""

from __future__ import annotations

import types
from typing import Any, Callable, Dict, FrozenSet, List, NamedTuple, Optional, Sequence, Tuple

from .inputs import Input, Outcome, outcome
from .onward import SLIPS
from .shapes import Shapes
from .trying import Trial
from .wholes import whole

__all__ = ["BETWEEN", "Relation", "held"]

ENOUGH = 8  # inputs on which it held, and on none it did not
MADE_AGAIN = 24  # inputs of a function that are made a second time, in another way
DEPTH = 8
# A list that is shorter than one that tests give, and longer than another: any error counts.
BETWEEN = "`{}` gave a value on {} inputs before, of all sizes between those of the tests"
KINDS = 2  # types of what a function gives, at most, that it is known by
NUMBERS = ("int", "float")
Holds = Callable[[Input, Outcome], Optional[bool]]


class Relation(NamedTuple):
    """What held of one function before, on how many inputs, and how that is seen of a call."""

    function: types.FunctionType
    words: str
    holds: Holds  # None: it says nothing of a call
    firm: bool = False  # it counts before the others, and against a change that stands alone
    unknown: FrozenSet[str] = frozenset()  # calls that a slip of the code ended before


class Kind(NamedTuple):
    """A kind of relation: its words, of a function and on how many inputs, and what tells it."""

    words: str
    of: Callable[[Sequence[Tuple[Input, Outcome]], Trial], Holds]


def held(
    trial: Trial,
    inputs: Sequence[Input],
    before: Sequence[Optional[Outcome]],
    made: Sequence[Input] = (),
) -> List[Relation]:
    """Return what held of each function that is called, on enough inputs and on all of them.

    `made` are the calls that tests make; none where they want an error that there is not yet.
    """
    rows: Dict[Any, List[Tuple[Input, Outcome]]] = {}
    slipped = set()
    for call, was in zip(inputs, before):
        if was is not None and was[0] == "gives":
            rows.setdefault(call.function, []).append((call, was))
        elif was is not None and error_of(was) in SLIPS:
            slipped.add(call.shown())
    found, unknown = [], frozenset(slipped)
    for function, calls in rows.items():
        shapes = Shapes([call for call in made if call.function is function])
        kinds = [(each.words, each.of(calls, trial)) for each in KINDS_OF_RELATION]
        if shapes.known and any(shapes.between(call) for call, _ in calls):
            kinds.insert(0, (BETWEEN, gives_a_value_between(shapes)))
        for form, holds in kinds:
            said = [told for told in (holds(call, was) for call, was in calls) if told is not None]
            if len(said) >= ENOUGH and all(said):
                words = form.format(calls[0][0].label, len(said))
                found.append(Relation(function, words, holds, form == BETWEEN, unknown))
    return found


def error_of(raised: Outcome) -> str:
    name: str = raised[2] if isinstance(raised[2], str) else raised[2][0]
    return name


def gives_a_value_between(shapes: Shapes) -> Holds:
    return lambda call, now: now[0] == "gives" or not shapes.between(call)


def gives_a_value(_: Sequence[Tuple[Input, Outcome]], __: Trial) -> Holds:
    return lambda _, now: now[2] not in SLIPS  # an empty list may well divide by zero


def of_its_type(calls: Sequence[Tuple[Input, Outcome]], _: Trial) -> Holds:
    known = {kind_of(was) for _, was in calls}
    few = len(known) <= KINDS
    return lambda _, now: kind_of(now) in known if few and now[0] == "gives" else None


def kind_of(gave: Outcome) -> str:
    name: str = gave[2][0][0]
    return "number" if name in NUMBERS else name


def leaves_arguments(_: Sequence[Tuple[Input, Outcome]], __: Trial) -> Holds:
    def holds(call: Input, now: Outcome) -> Optional[bool]:
        own = 1 if is_method(call) else 0  # what it does to its own object is its work
        given = [whole(value, DEPTH - 2) for value in call.arguments[own:]]
        if now[0] != "gives" or not any(type(data) is list for _, data in given):
            return None
        left = now[2][1][1][0][1][own:]
        return bool(left == given)

    return holds


def whatever_the_order(_: Sequence[Tuple[Input, Outcome]], trial: Trial) -> Holds:
    def turned(call: Input) -> Optional[Input]:
        places = [i for i, each in enumerate(call.arguments) if type(each) is list]
        if len(places) != 1:
            return None
        (place,) = places
        items = call.arguments[place]
        if len(items) < 2 or whole(items, DEPTH) == whole(items[::-1], DEPTH):
            return None
        given = (*call.arguments[:place], items[::-1], *call.arguments[place + 1 :])
        return call._replace(arguments=given)

    return same_again(turned, trial)


def whoever_comes_first(_: Sequence[Tuple[Input, Outcome]], trial: Trial) -> Holds:
    def exchanged(call: Input) -> Optional[Input]:
        if len(call.arguments) != 2 or call.named:
            return None
        one, other = call.arguments
        if type(one) is not type(other) or whole(one, DEPTH) == whole(other, DEPTH):
            return None
        return call._replace(arguments=(other, one))

    return same_again(exchanged, trial)


def given_again(calls: Sequence[Tuple[Input, Outcome]], trial: Trial) -> Holds:
    def twice(call: Input) -> Optional[Input]:
        if len(call.arguments) != 1 or call.named or is_method(call):
            return None
        function: Any = call.function
        both: Any = lambda value: function(function(value))  # noqa: E731 - a call has a function
        return call._replace(function=both)

    alone = [(call.arguments[0], was) for call, was in calls if twice(call)]
    changed = [was for value, was in alone if was[2][0] != whole(value, DEPTH)]
    return same_again(twice, trial) if len(changed) >= ENOUGH // 2 else lambda _, __: None


def is_method(call: Input) -> bool:
    return "." in call.function.__qualname__


def same_again(other: Callable[[Input], Optional[Input]], trial: Trial) -> Holds:
    """Return what says whether a call gives the same when it is made in another way."""
    asked: Dict[str, None] = {}

    def holds(call: Input, now: Outcome) -> Optional[bool]:
        again = other(call) if now[0] == "gives" else None
        shown = call.shown()
        if again is None or (shown not in asked and len(asked) >= MADE_AGAIN):
            return None
        asked.setdefault(shown)
        gave = outcome(again, trial)
        return None if gave is None else gave[0] == "gives" and gave[2][0] == now[2][0]

    return holds


def within_the_list(_: Sequence[Tuple[Input, Outcome]], __: Trial) -> Holds:
    def holds(call: Input, now: Outcome) -> Optional[bool]:
        lists = [each for each in call.arguments if type(each) is list]
        number = number_of(now) if len(lists) == 1 else None
        if number is None or len(lists[0]) < 2:
            return None
        if not all(type(each) in (int, float) for each in lists[0]):
            return None
        return bool(min(lists[0]) <= number <= max(lists[0]))

    return holds


def number_of(gave: Outcome) -> Optional[float]:
    if gave[0] != "gives" or gave[2][0][0] not in NUMBERS:
        return None
    return float(gave[2][0][1])


KINDS_OF_RELATION = (
    Kind("`{}` gave a value on {} inputs before", gives_a_value),
    Kind("`{}` gave values of the same type on {} inputs before", of_its_type),
    Kind("`{}` left what it is given as it was on {} inputs before", leaves_arguments),
    Kind("`{}` gave the same for a list in reverse on {} inputs before", whatever_the_order),
    Kind("`{}` gave the same with its two arguments exchanged on {} inputs", whoever_comes_first),
    Kind("`{}` did nothing more when done twice on {} inputs before", given_again),
    Kind("`{}` stayed within the numbers of its list on {} inputs before", within_the_list),
)
