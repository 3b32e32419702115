"""Where candidates part: what each does on inputs near those of the tests.

The calls from tests into the project are kept with their arguments, varied a little, and made again
with each candidate in place. Two that give the same everywhere are one, where enough of the calls
run what both change; of two that do not, the smallest input shows it. Where too few calls of the
tests come to the changed functions, those that the project makes itself are taken as well.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import sys
import time
import types
from typing import (
    Any,
    Callable,
    Dict,
    FrozenSet,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from ..formulas import readable, same_value
from ..values import picture
from .inputs import Input, Lines, changed_by, lies_in, literals, outcome, recorded, varied
from .source import Patch
from .trying import Trial
from .wholes import parted, whole
from .witnesses import Sayings, Testimony, decisive, witnesses
from .workers import GREEN

__all__ = ["LONG", "SideBySide", "compare", "compared", "imported_from", "shown_end", "told_apart"]

ALIKE = 5  # inputs of no test on which two patches do the same before they count as one

LONG = 300  # characters of a call's picture; longer ones are not shown
NEGATIVE = re.compile(r"(?<![\w.)\]'\"])-\d")  # a number below zero in a call
INPUTS = 400


class SideBySide(NamedTuple):
    """What a few candidates do on the same inputs."""

    inputs: int  # that run what a candidate changes
    # Of each candidate: the first that does the same on all, enough of which run what it changes.
    groups: List[int]
    # From the first: a call, what that does there, and this, the module of the function, and what
    # the code gave before; empty where it gave nothing.
    partings: List[Optional[List[str]]]
    testimonies: Sequence[Testimony] = ()  # what speaks for some of them, and is no test


def compare(
    trial: Trial, groups: Sequence[Sequence[Patch]], seconds: float, *, alone: bool = False
) -> Callable[[int, Callable[[Any], None]], int]:
    """Return the work of one worker, which tells a `SideBySide` of each group in about a time.

    The functions that a group changes are called `alone` where the tests call them themselves.
    """

    def work(_: int, tell: Callable[[Any], None]) -> int:
        calls = recorded(trial, [patch for patches in groups for patch in patches])
        for number, patches in enumerate(groups):
            own = [call for call in calls if own_call(call, trial, patches)] if alone else []
            told = beside(own or calls, trial, patches, seconds / len(groups))
            if told is not None:
                tell([number, told])
        return GREEN

    return work


def beside(
    calls: Sequence[Input], trial: Trial, patches: Sequence[Patch], seconds: float
) -> Optional[SideBySide]:
    """Return what patches do on inputs near these calls; None where one of them is no program."""
    places = [changed_by(trial, patch) for patch in patches]
    outer = [call for call in calls if not call.inner]
    hints = literals(trial.project, patches)
    rows = measured(outer, trial, places, seconds / (len(patches) + 3), hints)
    if any(count < ALIKE for count in counted(rows, len(places))):
        inner = [call for call in calls if call.inner]
        rows += measured(inner, trial, places, seconds / (len(patches) + 3), hints)
    rows = [row for row in rows if row.runs]
    inputs, before = [row.call for row in rows], [row.before for row in rows]
    asked = witnesses(trial, patches, inputs, before, calls)
    columns: List[List[Any]] = []
    said: List[List[Sayings]] = []
    for patch in (patches[0], *patches):  # the first twice: what chance decides tells nothing
        swapped = trial.swap(patch)
        if swapped is None:
            return None
        columns.append([outcome(each, trial) for each in inputs])
        speaks = said[0] if said else [True] * len(asked)  # who said nothing is not asked again
        said.append([w.ask(inputs, columns[-1]) if s else {} for w, s in zip(asked, speaks)])
        trial.put_back(swapped)
    rest = columns[1:]
    usable = [i for i, row in enumerate(zip(*columns)) if None not in row and row[0] == row[1]]
    counts = counted([rows[i] for i in usable], len(places))
    marks = [
        repr([column[i] for i in usable]) if count >= ALIKE else str(number)
        for number, (column, count) in enumerate(zip(rest, counts))
    ]
    odd = beyond(inputs, calls)
    firsts = [smallest(inputs, usable, rest[0], column, before, odd=odd) for column in rest]
    testimonies = decisive(asked, patches, [*zip(*said)])
    return SideBySide(len(usable), [marks.index(mark) for mark in marks], firsts, testimonies)


class TriedInput(NamedTuple):
    """An input, what the code gives there as it is, and the patches whose functions it runs."""

    call: Input
    before: Any
    runs: FrozenSet[int]
    new: bool = True  # no test makes the call: what passes does the same in theirs


def counted(rows: Sequence[TriedInput], number: int) -> List[int]:
    """Return how many inputs of no test run what each of so many patches changes."""
    return [sum(row.new and index in row.runs for row in rows) for index in range(number)]


def measured(
    calls: Sequence[Input],
    trial: Trial,
    places: Sequence[Optional[List[Lines]]],
    seconds: float,
    hints: Sequence[Any],
) -> List[TriedInput]:
    """Make the calls, and what is near them, with the code as it is, for some time.

    That is processor time, which is the same on a busy machine; and ten times as long on the clock.
    """
    found: List[TriedInput] = []
    until, latest = time.process_time() + seconds, time.monotonic() + 10 * seconds
    everywhere = frozenset(i for i, place in enumerate(places) if place is None)
    known: Dict[types.CodeType, FrozenSet[int]] = {}
    asked = {call.shown() for call in calls if not call.inner}

    def look(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            code = frame.f_code
            if code not in known:
                known[code] = frozenset(
                    number for number, place in enumerate(places) if lies_in(code, place or ())
                )
            ran.update(known[code])

    for call in itertools.islice(varied(calls, hints), INPUTS):
        ran: Set[int] = set()
        sys.setprofile(look)
        try:
            before = outcome(call, trial)
        finally:
            sys.setprofile(None)
        found.append(TriedInput(call, before, everywhere.union(ran), call.shown() not in asked))
        if time.process_time() > until or time.monotonic() > latest:
            break
    return found


def own_call(call: Input, trial: Trial, patches: Sequence[Patch]) -> bool:
    """Tell a call that tests make of a function which one of the patches changes."""
    code = call.function.__code__
    return not call.inner and any(lies_in(code, changed_by(trial, each) or ()) for each in patches)


def compared(messages: Sequence[Any], group: int = 0) -> Optional[SideBySide]:
    """Return what the work of `compare` told of a group, if it came to its end."""
    return next((SideBySide(*told) for number, told in messages if number == group), None)


def smallest(
    inputs: Sequence[Input],
    usable: Sequence[int],
    first: Sequence[Any],
    other: Sequence[Any],
    before: Sequence[Any],
    *,
    odd: FrozenSet[int],
) -> Optional[List[str]]:
    """Return the input that shows it best: both give a value, a test can ask, the call is short.

    An `odd` one, which nobody may ever give, shows it worse than another. What a call leaves
    otherwise shows it worse than what it gives, and values that are equal for `==` show it worst.
    """
    shown: List[Tuple[int, int, bool, bool, bool, int, List[str]]] = []
    for i in usable:
        if first[i] != other[i]:
            raised = (first[i][0] == "raises") + (other[i][0] == "raises")
            module = home(inputs[i], first[i], other[i])
            was = shown_end(before[i]) if before[i] and before[i][0] == "gives" else ""
            left = left_otherwise(inputs[i], first[i], other[i])
            call, *ends = left or (inputs[i].shown(), shown_end(first[i]), shown_end(other[i]))
            words = [call, *ends, module, "" if left else was]
            hard = 2 if same_value(*ends) else int(bool(left))
            if len(call) <= LONG:
                rank = (hard, raised, i in odd, not module, inputs[i].inner, len(call))
                shown.append((*rank, words))
    return min(shown)[-1] if shown else None


def beyond(inputs: Sequence[Input], made: Sequence[Input]) -> FrozenSet[int]:
    """Return the inputs that have a number below zero, where no call that tests make has one."""
    signed = {call.label for call in made if NEGATIVE.search(call.shown())}
    rest = ((i, call) for i, call in enumerate(inputs) if call.label not in signed)
    return frozenset(i for i, call in rest if NEGATIVE.search(call.shown()))


def left_otherwise(
    call: Input, one: Tuple[str, str, Any], other: Tuple[str, str, Any]
) -> Optional[Tuple[str, str, str]]:
    """Return what two ends of a call that look alike hold otherwise, and what it is with each.

    That is a piece of what the call gives, or else of what became of an argument.
    """
    if one[:2] != other[:2] or one[0] != "gives":
        return None
    (gave, (_, (given, more))), (gave_too, (_, (given_too, more_too))) = one[2], other[2]
    code = call.function.__code__
    places = zip(code.co_varnames[: code.co_argcount], given[1], given_too[1])
    named = ((name[1], held, too) for (name, held), (_, too) in zip(more[1], more_too[1]))
    for name, held, too in itertools.chain([("", gave, gave_too)], places, named):
        if held != too:
            where, *ends = parted(held, too)
            what = name + where + " after " + call.shown() if name else call.shown() + where
            return (what, ends[0], ends[1]) if ends[0] != ends[1] else None
    return None


def home(call: Input, *ends: Tuple[str, str, Any]) -> str:
    """Return the module that a test would import the function from.

    Nothing where no test can tell the ends apart by a value that is written out.
    """
    return imported_from(call) if told_apart(*ends) else ""


def imported_from(call: Input) -> str:
    """Return the module that a test imports the function of a call from that it can write."""
    function, name = call.function, call.function.__name__
    module = sys.modules.get(function.__module__)
    simple = not function.__code__.co_flags & inspect.CO_GENERATOR
    there = function.__qualname__ == name and getattr(module, name, None) is function
    given = (*call.arguments, *call.named.values())
    if not (simple and there and all(map(written_out, given))):
        return ""
    return "" if function.__module__ == "__main__" else function.__module__


def told_apart(*ends: Tuple[str, str, Any]) -> bool:
    """Tell whether a value that is written out equals one of two ends alone.

    An object may equal any value but None.
    """
    gives = [shown for how, shown, _ in ends if how == "gives"]
    literals = [shown for shown in gives if readable(shown)]
    if len(literals) < len(gives):
        return "None" in literals
    return bool(literals) and not (len(gives) > 1 and same_value(*literals))


def written_out(value: Any) -> bool:
    """Tell whether the picture of a value is what one would write for it."""
    text = picture(value)
    return readable(text) and whole(ast.literal_eval(text), 8) == whole(value, 8)


def shown_end(end: Tuple[str, str, Any]) -> str:
    how, shown, _ = end
    return shown if how == "gives" else "{} {}".format(how, shown)
