"""Inputs near those of the tests: the calls that they make, varied, and what each gives."""

from __future__ import annotations

import copy
import inspect
import itertools
import os
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..crossing import arguments
from ..values import picture
from .neighbours import NOTHING, neighbours
from .source import Patch
from .suites import TimeUp
from .trying import Check, Trial
from .wholes import whole
from .workers import limited

__all__ = [
    "Input",
    "Lines",
    "Outcome",
    "changed_by",
    "lies_in",
    "outcome",
    "recorded",
    "varied",
]

TESTS = 40  # whose calls are kept
CALLS = 40
LONGEST = 2_000  # characters of a call's picture; longer ones are not kept
VARIED = 40  # inputs made from one call
SECONDS = 0.05  # of processor time that one call may take
DEPTH = 2  # how far into a value one piece of it is varied
ITEMS = 50  # of what a generator gives
# What the language itself raises of an input that does not fit: its words tell nothing.
PLAIN = (ArithmeticError, AttributeError, LookupError, NameError, RecursionError, TypeError)

# How a call ends, a picture, and all of it, with what it changed.
Outcome = Tuple[str, str, Any]


class Input(NamedTuple):
    """A call of a function of the project."""

    function: types.FunctionType
    label: str
    arguments: Tuple[Any, ...]
    named: Dict[str, Any]
    inner: bool = False  # the project's own code makes it

    def shown(self) -> str:
        words = [picture(value) for value in self.arguments]
        words += ["{}={}".format(name, picture(value)) for name, value in self.named.items()]
        return "{}({})".format(self.label, ", ".join(words))


Lines = Tuple[str, int, int]


def changed_by(trial: Trial, patch: Patch) -> Optional[List[Lines]]:
    """Return the functions that a patch changes, by file and lines; None where it changes more."""
    found: List[Lines] = []
    for path, changes in patch.files:
        source, real = trial.project.sources[path], os.path.realpath(trial.paths[path])
        units = [source.unit_at(source.line_of(change.start)) for change in changes]
        if None in units:
            return None
        found += [(real, unit.first_line, unit.last_line) for unit in units if unit is not None]
    return found


def lies_in(code: types.CodeType, places: Sequence[Lines]) -> bool:
    """Tell whether a function, or one within it, stands at one of these places."""
    real, line = os.path.realpath(code.co_filename), code.co_firstlineno
    return any(path == real and low <= line <= high for path, low, high in places)


def recorded(trial: Trial, patches: Sequence[Patch]) -> List[Input]:
    """Run tests with the code as it is, and keep the calls that they make into the project.

    Kept as well, and marked, are those that the project makes itself of what the patches change.
    """
    ours = set(trial.paths.values())
    functions: Dict[types.CodeType, types.FunctionType] = {}
    for key, living in trial.swapper.functions.items():
        if key[0] in ours:
            functions.update((function.__code__, function) for function in living)
    places = [lines for patch in patches for lines in changed_by(trial, patch) or ()]
    own = {code for code in functions if lies_in(code, places)}
    calls: Dict[str, Input] = {}
    inner: Dict[str, Input] = {}

    def look(frame: Any, event: str, _: Any) -> None:
        if event != "call" or frame.f_code not in functions:
            return
        caller = frame.f_back.f_code if frame.f_back is not None else None
        function = functions[frame.f_code]
        within = caller in functions or is_special(function)
        if within and frame.f_code not in own:
            return
        found = inner if within else calls
        if len(found) < CALLS:
            call = kept(function, frame)
            if call is not None:
                found.setdefault(call.shown(), call._replace(inner=within))

    targets = [check for check in trial.checks.values() if check.id in trial.targets]
    others = [check for check in trial.checks.values() if check.id not in trial.targets]
    for check in (*targets, *others)[:TESTS]:
        watch(check, trial, look)
    return [call for text, call in (*calls.items(), *inner.items()) if len(text) <= LONGEST]


def is_special(function: types.FunctionType) -> bool:
    """Tell methods that the language itself calls."""
    name = function.__name__
    return name.startswith("__") and name != "__call__"


def watch(check: Check, trial: Trial, look: Callable[..., None]) -> None:
    sys.setprofile(look)
    try:
        trial.failure(check)
    except (TimeUp, MemoryError):
        return
    finally:
        sys.setprofile(None)
        trial.memory.restore()


def kept(function: types.FunctionType, frame: Any) -> Optional[Input]:
    """Return a call as it begins, with copies of what it is given; None if there is no copying."""
    code = function.__code__
    special = code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
    if special or "<" in function.__qualname__:
        return None
    try:
        values, named = copy.deepcopy(arguments(frame))
    except Exception:  # noqa: BLE001 - whatever refuses to be copied
        return None
    return Input(function, function.__qualname__, tuple(values), named)


def varied(calls: Sequence[Input]) -> Iterator[Input]:
    """Yield the calls, and what is near them: of each in turn, that none crowds out the others."""
    rows = [itertools.islice(near(call), VARIED) for call in calls]
    yield from calls
    for together in itertools.zip_longest(*rows):
        yield from (call for call in together if call is not None)


def near(call: Input) -> Iterator[Input]:
    """Yield the call with two arguments exchanged, and with one, or one piece of one, changed."""
    given = call.arguments
    for i, (one, other) in enumerate(zip(given, given[1:])):
        if type(one) is type(other):
            yield call._replace(arguments=(*given[:i], other, one, *given[i + 2 :]))
    places: List[Any] = list(range(len(call.arguments)))
    ways = [neighbours(call.arguments[i], DEPTH) for i in places]
    ways += [neighbours(value, DEPTH) for value in call.named.values()]
    places += list(call.named)
    for row in itertools.zip_longest(*ways, fillvalue=NOTHING):
        for place, value in zip(places, row):
            if value is NOTHING:
                continue
            if isinstance(place, str):
                yield call._replace(named={**call.named, place: value})
            else:
                before, after = call.arguments[:place], call.arguments[place + 1 :]
                yield call._replace(arguments=(*before, value, *after))


def outcome(call: Input, trial: Trial) -> Optional[Outcome]:
    """Return what a call gives: how it ends, a picture, and all of it, with what it changed.

    None is a call that takes too long, or cannot be made.
    """
    try:
        arguments, named = copy.deepcopy((call.arguments, call.named))
    except Exception:  # noqa: BLE001
        return None
    trial.swapper.clear_caches()
    try:
        with limited(SECONDS):
            result = call.function(*arguments, **named)
            if isinstance(result, types.GeneratorType):
                result = list(itertools.islice(result, ITEMS))
            left = whole((arguments, named), 8)
            return "gives", picture(result), (whole(result, 8), left)
    except (TimeUp, MemoryError):
        return None
    except PLAIN as error:
        name = type(error).__name__
        return "raises", name, name
    except BaseException as error:  # noqa: BLE001 - the project's code may raise anything
        name = type(error).__name__
        return "raises", "{}: {}".format(name, picture(error.args)), (name, whole(error.args, 4))
    finally:
        trial.memory.restore()
