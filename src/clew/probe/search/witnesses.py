"""What speaks for one of several changes that pass the same tests, and is no test.

- The examples in the docstrings of what a change touches.
- The code before a commit, where failing tests pass with it: what it gives on other inputs.
- A function that undoes another by its name, as `decode` undoes `encode`.
- What held of a function on all inputs before: a value, its type, its arguments, order and range.
- That no variable is read before it has a value.

Each is asked while a change is in place, and answers with sentences that hold or do not. It decides
where all of what changes part on holds with some of them, and not with the others.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import sys
import time
import types
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from ..values import picture
from .fixers.earlier import OLDER, PUT_BACK, newer, states
from .inputs import Input, Outcome, lies_in, outcome
from .relations import Relation, held
from .source import Patch, Unit
from .suites import TimeUp
from .trying import Check, Trial
from .wholes import whole
from .workers import limited

if TYPE_CHECKING:
    import doctest

__all__ = [
    "AND_NOW",
    "UNBOUND",
    "UNSET",
    "Sayings",
    "Testimony",
    "Witness",
    "decided",
    "decisive",
    "unset_at",
    "witnesses",
]

Sayings = Dict[str, bool]
STATES = 6  # older states of the code that are asked whether failing tests pass there
DEAR = 0.2  # seconds of a test, from which on it is not asked of older code
ASKED = 4  # tests that are
PATIENCE = 1.0  # seconds in which older code is found; what changes do is compared in any case
DOCSTRINGS = 3  # whose examples are run
SECONDS = 0.1  # of processor time that the examples of one docstring may take
PROMPT = ">>> "
AND_NOW = "today's code and the code before {}"  # where both give the same
UNSET = "a variable is read before it has a value"
UNBOUND = UnboundLocalError.__name__
NOT_RAISED = re.compile(r"DID NOT RAISE|^\w+ not raised")  # as pytest and unittest say it
LONG = 200  # characters of a sentence
# By words of their names: what writes, and what reads that. What is read may be spelt in more ways
# than one, so that writing it again proves nothing.
INVERSES = (
    *(("encode", "decode"), ("dump", "load"), ("dumps", "loads"), ("pack", "unpack")),
    *(("serialize", "deserialize"), ("escape", "unescape"), ("quote", "unquote")),
    *(("format", "parse"), ("render", "parse"), ("to", "from"), ("encrypt", "decrypt")),
    ("compress", "decompress"),
)


class Witness(NamedTuple):
    """Who is asked, in words, and what it says of inputs and what a change gives there."""

    words: str
    ask: Callable[[Sequence[Input], Sequence[Optional[Outcome]]], Sayings]
    of_itself: Tuple[str, ...] = ()  # kinds of change that it would speak for in any case
    only_against: bool = False  # it speaks against those with which not all holds
    firm: bool = False  # what that speaks against is wrong, and what others say of the rest counts


class Testimony(NamedTuple):
    """Which of the changes stand a witness, who it is, and what decided."""

    favoured: List[int]
    words: str
    # Those for which it says something: that a change is none of those that it speaks against says
    # little, and nothing that it stands a witness of what it puts back.
    spoken_for: List[int]


def witnesses(
    trial: Trial,
    patches: Sequence[Patch],
    inputs: Sequence[Input],
    before: Sequence[Optional[Outcome]],
    made: Sequence[Input],
) -> List[Witness]:
    """Return who can be asked about these changes, who is to be trusted most first.

    `before` is what the code gives on the inputs as it is, and `made` the calls that tests make.
    Of a change that stands alone only what speaks against it is asked.
    """
    relations = held(trial, inputs, before, [] if wants_errors(trial) else made)
    if len(patches) == 1:
        return [kept(relation) for relation in relations if relation.firm]
    found: List[Witness] = [
        Witness(
            "the example in the docstring of `{}`".format(test.name.rpartition(".")[2]),
            of_docstring(test, trial),
        )
        for test in itertools.islice(documented(trial, patches), DOCSTRINGS)
    ]
    found += as_before(trial, patches, inputs, before)
    if any(inverse_of(call) for call in inputs):
        found.append(round_trips(trial))
    unset = Witness(UNSET, is_set, only_against=True)
    return [*found, *(kept(relation) for relation in relations), unset]


def decisive(
    asked: Sequence[Witness], patches: Sequence[Patch], said: Sequence[Sequence[Sayings]]
) -> List[Testimony]:
    """Return the first testimony that speaks for changes, or else all that speak against some.

    Where a firm one leaves some, what speaks against all of these was the fault itself.
    """
    heard = [(witness, decided(witness, patches, each)) for witness, each in zip(asked, said)]
    found = [(witness.firm, each) for witness, each in heard if each is not None]
    for_some = [each for _, each in found if each.spoken_for][:1]
    if for_some:
        return [*(each for firm, each in found if firm), *for_some]
    left = set(range(len(patches))).intersection(*(each.favoured for firm, each in found if firm))
    return [e for firm, e in found if firm or not left or left.intersection(e.favoured)]


def decided(
    witness: Witness, patches: Sequence[Patch], sayings: Sequence[Sayings]
) -> Optional[Testimony]:
    """Return which changes a witness speaks for: those with which all holds that they part on.

    What it said of the first one stands there twice: where that differs it is chance. That it
    speaks for what it would speak for in any case says nothing.
    """
    again, *told = sayings
    firm = witness.firm  # it speaks against a change though with no other one it would hold
    parted = [
        saying
        for saying, holds in told[0].items()
        if again.get(saying) == holds
        and all(saying in each for each in told)
        and any(each[saying] != (firm or holds) for each in told)
    ]
    favoured = [
        i
        for i, each in enumerate(told)
        if all(each[saying] for saying in (each if witness.only_against else parted))
    ]
    shown = [saying for saying in parted if len(saying) <= LONG]
    others = [i for i in favoured if patches[i].family not in witness.of_itself]
    if not shown or not (others or (firm and not favoured)):
        return None
    saying = min(shown, key=lambda each: (sum(one[each] for one in told), len(each)))
    spoken_for = [] if witness.only_against else others
    return Testimony(favoured, "{}: {}".format(witness.words, saying), spoken_for)


def wants_errors(trial: Trial) -> bool:
    """Tell whether a failing test waits for an error that is not raised."""
    crashes = (trial.spectrum.records[i].crash for i in trial.targets)
    return any(crash is not None and NOT_RAISED.search(crash.message) for crash in crashes)


def as_before(
    trial: Trial,
    patches: Sequence[Patch],
    inputs: Sequence[Input],
    before: Sequence[Optional[Outcome]],
) -> List[Witness]:
    """Return the newest older code with which a test of these changes passes, as a witness.

    Of functions that came since it says nothing. And, if all of its tests pass, what it has in
    common with the code as it is: a change that breaks that mends something else.
    """
    units = {(path, unit.first_line): (path, unit) for path, unit in touched(trial, patches)}
    heads, rest, _ = trial.concerned(list(units.values()))
    quick = [check for check in (*heads, *rest) if check.cost <= DEAR][:ASKED]
    until = time.monotonic() + PATIENCE
    for _, (commit, patch) in zip(range(STATES), states(trial.project, trial.paths)):
        if time.monotonic() > until:
            break
        swapped = trial.swap(patch)
        if swapped is None:
            continue
        try:
            trial.swapper.clear_caches()
            passed = [passes(trial, check) for check in quick]
            if not any(passed):
                continue
            fresh = [
                (os.path.realpath(trial.paths[path]), unit.first_line, unit.last_line)
                for path, unit in newer(trial.project, commit)
                if path in trial.paths
            ]
            gave = [
                None if lies_in(call.function.__code__, fresh) else outcome(call, trial)
                for call in inputs
            ]
        finally:
            trial.put_back(swapped)
            trial.memory.restore()
        older = Witness("the code before {}".format(commit), as_then(gave), (*PUT_BACK, OLDER))
        same = [was if was == now else None for was, now in zip(gave, before)]
        both = Witness(AND_NOW.format(commit), as_then(same), only_against=True, firm=True)
        return [older, both] if all(passed) else [older]
    return []


def passes(trial: Trial, check: Check) -> bool:
    try:
        return not check.record.died and trial.failure(check) is None
    except (TimeUp, MemoryError):
        return False
    finally:
        trial.memory.restore()


def touched(trial: Trial, patches: Sequence[Patch]) -> Iterator[Tuple[str, Unit]]:
    """Yield the functions that changes lie in, with their paths."""
    for path, changes in (each for patch in patches for each in patch.files):
        source = trial.project.sources[path]
        for unit in {source.unit_at(source.line_of(change.start)) for change in changes}:
            if unit is not None:
                yield path, unit


def as_then(gave: Sequence[Optional[Outcome]]) -> Callable[..., Sayings]:
    """Return what says on which inputs there is given what was given, as far as that is a value.

    What a call does to what it is given, its object included, is said for itself.
    """

    def ask(inputs: Sequence[Input], now: Sequence[Optional[Outcome]]) -> Sayings:
        said: Sayings = {}
        for call, was, is_now in zip(inputs, gave, now):
            if was is not None and is_now is not None and was[0] == "gives":
                value, left = was[2]
                ends = is_now[2] if is_now[0] == "gives" else (None, None)
                said["`{}` gives `{}`".format(call.shown(), was[1])] = ends[0] == value
                said["`{}` has the same effect".format(call.shown())] = ends[1] == left
        return said

    return ask


def documented(trial: Trial, patches: Sequence[Patch]) -> Iterator[doctest.DocTest]:
    """Yield the examples in the docstrings of the functions that changes touch."""
    done: Set[str] = set()
    for path, unit in touched(trial, patches):
        for function in trial.swapper.living(trial.paths[path], unit)[:1]:
            if PROMPT in (function.__doc__ or "") and function.__qualname__ not in done:
                done.add(function.__qualname__)
                with contextlib.suppress(ValueError):
                    yield parsed(function)


def parsed(function: types.FunctionType) -> doctest.DocTest:
    """Return the examples of a docstring. Raises ValueError where they cannot be read."""
    import doctest  # noqa: PLC0415 - it brings the debugger, and few docstrings have examples

    names, where = function.__globals__, function.__code__.co_filename
    return doctest.DocTestParser().get_doctest(
        function.__doc__ or "", names, function.__qualname__, where, None
    )


def of_docstring(test: doctest.DocTest, trial: Trial) -> Callable[..., Sayings]:
    return lambda _inputs, _now: examples(test, trial)


def examples(test: doctest.DocTest, trial: Trial) -> Sayings:
    """Run the examples of a docstring in turn; say of each whether it shows what it says."""
    import doctest  # noqa: PLC0415 - as above

    said: Sayings = {}
    runner = doctest.DocTestRunner(verbose=False)
    names, until = dict(test.globs), time.process_time() + SECONDS
    trial.swapper.clear_caches()
    try:
        for example in test.examples:
            alone = doctest.DocTest([example], {}, test.name, None, None, None)
            alone.globs = names
            with limited(SECONDS):
                failed, tried = runner.run(alone, out=len, clear_globs=False)
            if time.process_time() > until:  # the runner takes the end of its time for an error
                return {}
            if tried and example.want:
                said[told(example)] = not failed
    except (TimeUp, MemoryError):
        return {}
    finally:
        trial.memory.restore()
    return said


def told(example: doctest.Example) -> str:
    call, gives = (" ".join(text.split()) for text in (example.source, example.want))
    return "`{}` gives `{}`".format(call, gives)


def inverse_of(call: Input) -> Optional[types.FunctionType]:
    """Return the function of the same module that undoes what is called, by its name."""
    function: Any = call.function
    names = vars(sys.modules[function.__module__]) if function.__module__ in sys.modules else {}
    name: str = function.__name__
    if names.get(name) is not function:
        return None
    words = name.split("_")
    for one, other in INVERSES:
        if one in words:
            back = names.get("_".join(other if word == one else word for word in words))
            if isinstance(back, types.FunctionType):
                return back
    return None


def round_trips(trial: Trial) -> Witness:
    """Return who says whether what comes back of two functions is what went in."""

    def ask(inputs: Sequence[Input], _: Sequence[Optional[Outcome]]) -> Sayings:
        said: Sayings = {}
        for call in inputs:
            back: Any = inverse_of(call)
            if back is None or call.named or len(call.arguments) != 1:
                continue
            (value,) = call.arguments
            trip = call._replace(function=there_and_back(call.function, back))
            gave = outcome(trip, trial)
            if gave is not None:
                words = "`{}({})` gives `{}`"
                saying = words.format(back.__name__, call.shown(), picture(value))
                said[saying] = gave[0] == "gives" and gave[2][0] == whole(value, 8)
        return said

    return Witness("what undoes it", ask)


def kept(relation: Relation) -> Witness:
    """Return what says on which inputs there still holds what held on all of them."""

    def ask(inputs: Sequence[Input], now: Sequence[Optional[Outcome]]) -> Sayings:
        told = (
            (call.shown(), call, gave)
            for call, gave in zip(inputs, now)
            if gave is not None and call.function is relation.function
        )
        known = (
            (shown, relation.holds(call, gave))
            for shown, call, gave in told
            if shown not in relation.unknown
        )
        saying = "`{}` does not any more"
        return {saying.format(shown): holds for shown, holds in known if holds is not None}

    return Witness(relation.words, ask, only_against=True, firm=relation.firm)


def is_set(inputs: Sequence[Input], now: Sequence[Optional[Outcome]]) -> Sayings:
    """Say of inputs with which no variable is read before it has a value."""
    told = ((call.shown(), gave) for call, gave in zip(inputs, now) if gave is not None)
    return {unset_at(shown): gave[1] != UNBOUND for shown, gave in told}


def unset_at(call: str) -> str:
    return "`{}` raises `{}`".format(call, UNBOUND)


def there_and_back(there: Callable[..., Any], back: Callable[..., Any]) -> Any:
    return lambda value: back(there(value))
