"""Inputs near those of the tests: the calls that they make, varied, and what each gives."""

from __future__ import annotations

import ast
import contextlib
import copy
import inspect
import itertools
import os
import re
import sys
import types
from typing import (
    Any,
    Callable,
    Container,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Protocol,
    Sequence,
    Tuple,
)

from ..crossing import arguments
from ..values import picture
from .globals import Memory
from .neighbours import NOTHING, neighbours
from .request import edits_of
from .source import Patch
from .suites import TimeUp
from .swapping import Swapper
from .trying import Check, Trial
from .wholes import whole
from .workers import limited

__all__ = [
    "CallRecorder",
    "Input",
    "Lines",
    "Loaded",
    "Outcome",
    "changed_by",
    "lies_in",
    "literals",
    "outcome",
    "recorded",
    "varied",
]

TESTS = 40  # whose calls are kept
CALLS = 40
LONGEST = 2_000  # characters of a call's picture; longer ones are not kept
VARIED = 40  # inputs made from one call
# Texts and numbers in the code, short ones.
LITERAL = re.compile(r"""(?<![\w.])\d+(?:\.\d+)?(?![\w.])|'[^'\\\n]{,20}'|"[^"\\\n]{,20}\"""")
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


class Loaded(Protocol):
    """A program that is in this process."""

    @property
    def swapper(self) -> Swapper:
        """Its functions."""

    @property
    def memory(self) -> Memory:
        """Its state."""


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


class CallRecorder:
    """Keeps the calls that are made into the project while it looks on.

    Those that the project makes itself are kept of functions at some places alone, and marked.
    """

    def __init__(self, loaded: Loaded, paths: Container[str], places: Sequence[Lines]) -> None:
        self.functions: Dict[types.CodeType, types.FunctionType] = {}
        for key, living in loaded.swapper.functions.items():
            if key[0] in paths:
                self.functions.update((function.__code__, function) for function in living)
        self.own = {code for code in self.functions if lies_in(code, places)}
        self.calls: Dict[str, Input] = {}
        self.inner: Dict[str, Input] = {}

    def look(self, frame: Any, event: str, _: Any) -> None:
        """Keep a call as it begins; what `sys.setprofile` is given."""
        if event != "call" or frame.f_code not in self.functions:
            return
        caller = frame.f_back.f_code if frame.f_back is not None else None
        function = self.functions[frame.f_code]
        within = caller in self.functions or is_special(function)
        if within and frame.f_code not in self.own:
            return
        found = self.inner if within else self.calls
        if len(found) < CALLS:
            call = kept(function, frame)
            if call is not None:
                found.setdefault(call.shown(), call._replace(inner=within))

    @property
    def found(self) -> List[Input]:
        """The calls whose pictures are not too long, those of the tests first."""
        both = (*self.calls.items(), *self.inner.items())
        return [call for text, call in both if len(text) <= LONGEST]


def recorded(trial: Trial, patches: Sequence[Patch]) -> List[Input]:
    """Run tests with the code as it is, and keep the calls that they make into the project.

    Kept as well, and marked, are those that the project makes itself of what the patches change.
    """
    places = [lines for patch in patches for lines in changed_by(trial, patch) or ()]
    recorder = CallRecorder(trial, set(trial.paths.values()), places)
    targets = [check for check in trial.checks.values() if check.id in trial.targets]
    others = [check for check in trial.checks.values() if check.id not in trial.targets]
    for check in (*targets, *others)[:TESTS]:
        watch(check, trial, recorder.look)
    return recorder.found


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


def literals(project: Any, patches: Sequence[Patch]) -> List[Any]:
    """Return the texts and numbers in lines that patches change: they may part on those alone."""
    found: Dict[str, Any] = {}
    for edit in (each for patch in patches for each in edits_of(project, patch)):
        for word in LITERAL.findall(edit["current"] + "\n" + edit["should_be"]):
            with contextlib.suppress(SyntaxError, ValueError):
                found.setdefault(word, ast.literal_eval(word))
    return list(found.values())


def varied(calls: Sequence[Input], hints: Sequence[Any] = ()) -> Iterator[Input]:
    """Yield the calls, and what is near them: of each in turn, that none crowds out the others.

    `hints` are values that an argument, or a piece of it, is given as well.
    """
    rows = [itertools.islice(near(call, hints), VARIED) for call in calls]
    yield from calls
    for together in itertools.zip_longest(*rows):
        yield from (call for call in together if call is not None)


def near(call: Input, hints: Sequence[Any] = ()) -> Iterator[Input]:
    """Yield the call with two arguments exchanged, and with one, or one piece of one, changed."""
    given = call.arguments
    for i, (one, other) in enumerate(zip(given, given[1:])):
        if type(one) is type(other):
            yield call._replace(arguments=(*given[:i], other, one, *given[i + 2 :]))
    values: List[Tuple[Any, Any]] = [*enumerate(given), *call.named.items()]
    hinted = ((place, other) for place, value in values for other in taken(value, hints))
    ways = [neighbours(value, DEPTH) for _, value in values]
    for row in itertools.zip_longest(*ways, fillvalue=NOTHING):
        for (place, _), value in zip(values, row):
            if value is not NOTHING:
                yield placed(call, place, value)
        for place, other in itertools.islice(hinted, 1):
            yield placed(call, place, other)
    for place, other in hinted:
        yield placed(call, place, other)


def taken(value: Any, hints: Sequence[Any]) -> Iterator[Any]:
    """Yield hints that have the type of a value, or of the first piece of it, in its place."""
    kind = type(value)
    for hint in hints:
        if type(hint) is kind and hint != value:
            yield hint
        elif kind in (list, tuple) and value and type(value[0]) is type(hint) and value[0] != hint:
            yield kind((hint, *value[1:]))


def placed(call: Input, place: Any, value: Any) -> Input:
    """Return a call with another value for the argument at a place, or of a name."""
    if isinstance(place, str):
        return call._replace(named={**call.named, place: value})
    before, after = call.arguments[:place], call.arguments[place + 1 :]
    return call._replace(arguments=(*before, value, *after))


def outcome(call: Input, loaded: Loaded) -> Optional[Outcome]:
    """Return what a call gives: how it ends, a picture, and all of it, with what it changed.

    None is a call that takes too long, or cannot be made.
    """
    try:
        arguments, named = copy.deepcopy((call.arguments, call.named))
    except Exception:  # noqa: BLE001
        return None
    loaded.swapper.clear_caches()
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
        loaded.memory.restore()
