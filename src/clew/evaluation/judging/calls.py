"""Calls of functions: recorded from a test run, varied, and answered.

    python calls.py REQUEST.json

Runs in the interpreter of the project, confined: standard library (and the project's pytest) alone,
grammar of Python 3.9. The request is JSON:

    verb      record: run the tests and write down what the functions are called with
              answer: call them with what was written down, and say what they give
    root      folder that the code is seen in; calls inside it count
    targets   [{path, line, name}]: functions, by file, first line and qualified name
    inputs    file of JSON lines {target, module, pickle}, written by `record`, read by `answer`
    answers   file of JSON lines {number, target, call, answer}, written by `answer`
    vary      how many inputs to make beyond those recorded; those and the answers' inputs are
              written to `varied` in the form of `inputs`
    seed      of the variation
    seconds   for all answers together; `patience` for one

An answer is text that is equal for equal behaviour: the value, the exception or the time-out, and
what became of the arguments.
"""

# ruff: noqa: ANN401 -- arguments and results are anything at all

from __future__ import annotations

import asyncio
import base64
import contextlib
import inspect
import json
import math
import os
import pickle
import random
import re
import signal
import sys
import threading
import time
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any, Callable, Iterator  # noqa: UP035 -- runs in any Python from 3.9 on

MOST = 150  # calls recorded of one function
LARGE = 20_000  # bytes of one call
DEEP = 6
LONG = 400  # items of one value that are compared
ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")

Json = dict[str, Any]
Place = tuple[str, int, str]


class CallTimeUp(BaseException):
    """One call took too long."""


def main(path: str) -> int:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 -- as plain as the interpreter
        request = json.load(file)
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 -- as `python -m pytest` does
    sys.setrecursionlimit(3_000)
    if request["verb"] == "record":
        Recorder(request).run()
    else:
        answer(request)
    return 0


# --- recording -----------------------------------------------------------------------------------


class Recorder:
    """Watches calls while tests run."""

    def __init__(self, request: Json) -> None:
        self.request = request
        root = os.path.realpath(request["root"])
        self.wanted: dict[Place, int] = {
            (str(Path(root, t["path"])), t["line"], t["name"].rpartition(".")[2]): number
            for number, t in enumerate(request["targets"])
        }
        self.names = {name for _, _, name in self.wanted}
        self.seen: dict[int, dict[bytes, str]] = {n: {} for n in self.wanted.values()}

    def run(self) -> None:
        """Run the tests, watched; write what was seen however they end."""
        arguments = self.request["args"]
        try:
            threading.setprofile(self.watch)
            sys.setprofile(self.watch)
            if self.request["runner"] == "unittest":
                import unittest  # noqa: PLC0415 -- the project may use one of them, or change it

                unittest.main(module=None, argv=["unittest", *arguments], exit=False)
            else:
                import pytest  # noqa: PLC0415 -- as above

                pytest.main(["-q", "-p", "no:cacheprovider", *arguments])
        except SystemExit:
            pass
        finally:
            sys.setprofile(None)
            self.write()

    def watch(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event != "call" or code.co_name not in self.names:
            return
        place = (os.path.realpath(code.co_filename), code.co_firstlineno, code.co_name)
        number = self.wanted.get(place)
        if number is None or len(self.seen[number]) >= MOST:
            return
        sys.setprofile(None)
        try:
            self.keep(number, frame)
        finally:
            sys.setprofile(self.watch)

    def keep(self, number: int, frame: FrameType) -> None:
        found = inspect.getargvalues(frame)
        code, values = frame.f_code, found.locals
        positional = [values[n] for n in code.co_varnames[: code.co_argcount] if n in values]
        positional += values.get(found.varargs, ()) if found.varargs else ()
        end = code.co_argcount + code.co_kwonlyargcount
        named = {n: values[n] for n in code.co_varnames[code.co_argcount : end] if n in values}
        named.update(values.get(found.keywords, {}) if found.keywords else {})
        try:
            kept = pickle.dumps((positional, named))
        except Exception:  # noqa: BLE001 -- what cannot be kept is not compared
            return
        if len(kept) <= LARGE:
            self.seen[number].setdefault(kept, frame.f_globals.get("__name__", ""))

    def write(self) -> None:
        with open(self.request["inputs"], "w", encoding="utf-8") as file:  # noqa: PTH123 -- as above
            for number, calls in self.seen.items():
                file.writelines(
                    json.dumps(line(number, module, kept)) + "\n" for kept, module in calls.items()
                )


def line(target: int, module: str, kept: bytes) -> Json:
    return {"target": target, "module": module, "pickle": base64.b64encode(kept).decode()}


# --- answering -----------------------------------------------------------------------------------


def answer(request: Json) -> None:
    """Answer every input; with `vary`, also new ones that the program answers with a value."""
    with open(request["inputs"], encoding="utf-8") as file:  # noqa: PTH123 -- as above
        inputs = [json.loads(each) for each in file]
    deadline = time.monotonic() + request["seconds"]
    silence()
    signal.signal(signal.SIGALRM, ring)
    with contextlib.ExitStack() as files:
        out = files.enter_context(open(request["answers"], "w", encoding="utf-8"))  # noqa: PTH123 -- as above
        kept: Any | None = None
        if request["vary"]:
            kept = files.enter_context(open(request["varied"], "w", encoding="utf-8"))  # noqa: PTH123 -- as above
            inputs += vary(inputs, request["vary"], request["seed"])
        number = 0
        for each in inputs:
            if time.monotonic() > deadline:
                break
            said = one(request, each)
            if kept is not None:
                # Only what the right version answers, at once and always alike, tells anything.
                fresh = each.get("fresh", False)
                steady = said is not None and said == one(request, each)
                told = said is not None and not said[1].startswith("out of time")
                if not (steady and told) or (fresh and said and said[1].startswith("raises")):
                    continue
                kept.write(json.dumps(line(each["target"], each["module"], raw(each))) + "\n")
            words, text = said or ("?", "cannot be called")
            record = {"number": number, "target": each["target"], "call": words, "answer": text}
            out.write(json.dumps(record) + "\n")
            out.flush()
            number += 1


def raw(each: Json) -> bytes:
    return base64.b64decode(each["pickle"])


def silence() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)


def ring(_number: int, _frame: FrameType | None) -> None:
    raise CallTimeUp


def one(request: Json, each: Json) -> tuple[str, str] | None:
    """Call once; return the call and the answer in words, None if there is nothing to call."""
    try:
        function = find(each["module"], request["targets"][each["target"]]["name"])
        positional, named = pickle.loads(raw(each))  # noqa: S301 -- confined, and its own
    except Exception:  # noqa: BLE001 -- a program that cannot even be asked has no answer
        return None
    name = request["targets"][each["target"]]["name"]
    shown = [short(v) for v in positional] + [f"{k}={short(v)}" for k, v in named.items()]
    signal.setitimer(signal.ITIMER_REAL, request["patience"])
    try:
        text = "gives " + shape(outcome(function(*positional, **named)))
        text += "; leaves " + shape([positional, named])
    except CallTimeUp:
        text = "out of time"
    except (Exception, SystemExit) as error:  # noqa: BLE001 -- any exception is an answer
        text = f"raises {type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return f"{name}({', '.join(shown)})"[:300], text


def outcome(value: Any) -> Any:
    if inspect.iscoroutine(value):
        return asyncio.run(value)
    if inspect.isgenerator(value) or type(value).__name__ in ("map", "filter", "zip", "reversed"):
        return list(islice(value, LONG))
    return value


def find(module: str, name: str) -> Callable[..., Any]:
    """Return the function itself, without its decorators."""
    found: Any = __import__(module, fromlist=["_"])
    for part in name.split("."):
        found = inspect.getattr_static(found, part)
        if isinstance(found, (staticmethod, classmethod)):
            found = found.__func__
        if isinstance(found, property):
            found = found.fget
    return inspect.unwrap(found)  # type: ignore[no-any-return]


def shape(value: Any, depth: int = 0) -> str:  # noqa: PLR0911 -- one a type
    """Return text that is equal for equal values, in whichever order sets and dicts keep theirs."""
    if depth > DEEP:
        return "…"
    deeper = depth + 1
    if isinstance(value, float):
        return repr(value) if math.isnan(value) or math.isinf(value) else format(value, ".10g")
    if value is None or isinstance(value, (bool, int, str, bytes, complex)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        kind = "" if type(value) in (list, tuple) else type(value).__name__
        ends = "[]" if isinstance(value, list) else "()"
        return kind + ends[0] + ", ".join(shape(v, deeper) for v in value[:LONG]) + ends[1]
    if isinstance(value, (set, frozenset)):
        return "{" + ", ".join(sorted(shape(v, deeper) for v in value)) + "}"
    if isinstance(value, dict):
        pairs = (f"{shape(k, deeper)}: {shape(v, deeper)}" for k, v in value.items())
        return type(value).__name__ + "{" + ", ".join(sorted(pairs)) + "}"
    own = getattr(value, "__dict__", None)
    if isinstance(own, dict) and not isinstance(value, type) and not callable(value):
        return type(value).__name__ + shape(own, deeper)
    return ADDRESS.sub("0x…", repr(value))[:1_000]


def short(value: Any) -> str:
    try:
        text = ADDRESS.sub("0x…", repr(value))
    except Exception:  # noqa: BLE001 -- somebody's __repr__
        text = type(value).__name__
    return text if len(text) <= 120 else text[:117] + "..."  # noqa: PLR2004 -- enough to know it by


# --- varying -------------------------------------------------------------------------------------


def vary(inputs: list[Json], count: int, seed: int) -> list[Json]:
    """Make new calls in the image of those seen: same shapes, values of the same range."""
    chance = random.Random(seed)  # noqa: S311 -- no secret
    by_target: dict[int, list[tuple[str, Any]]] = {}
    for each in inputs:
        with contextlib.suppress(Exception):
            seen = pickle.loads(raw(each))  # noqa: S301 -- confined, and its own
            by_target.setdefault(each["target"], []).append((each["module"], seen))
    found = []
    for target, calls in by_target.items():
        pool = SeenValues(arguments for _, arguments in calls)
        for _ in range(count):
            module, (positional, named) = chance.choice(calls)
            with contextlib.suppress(Exception):
                fresh = [varied(v, (i,), pool, chance) for i, v in enumerate(positional)]
                also = {k: varied(v, (k,), pool, chance) for k, v in named.items()}
                made = line(target, module, pickle.dumps((fresh, also)))
                found.append({**made, "fresh": True})
    return found


class SeenValues:
    """What was seen at each place of the arguments; elements of a container share one place."""

    def __init__(self, calls: Iterator[Any]) -> None:
        self.seen: dict[Any, list[Any]] = {}
        for positional, named in calls:
            for key, value in [*enumerate(positional), *named.items()]:
                self.add((key,), value)

    def add(self, place: Any, value: Any) -> None:
        self.seen.setdefault((place, type(value)), []).append(value)
        if isinstance(value, (list, tuple, set, frozenset)):
            for each in value:
                self.add((*place, "*"), each)
        elif isinstance(value, dict):
            for key, each in value.items():
                self.add((*place, "key"), key)
                self.add((*place, "value"), each)

    def like(self, place: Any, value: Any) -> list[Any]:
        return self.seen.get((place, type(value)), [value])

    def any_of(self, place: Any, chance: random.Random) -> Any:
        every = [v for (where, _), values in self.seen.items() if where == place for v in values]
        return chance.choice(every)


def varied(value: Any, place: Any, pool: SeenValues, chance: random.Random) -> Any:  # noqa: PLR0911 -- one a type
    seen = pool.like(place, value)
    if isinstance(value, bool):
        return chance.random() < 0.5  # noqa: PLR2004 -- a coin
    if isinstance(value, int):
        low, high = min(seen), max(seen)
        room = max(3, (high - low) // 2)
        return chance.randint(low if low >= 0 else low - room, high + room)
    if isinstance(value, float):
        low, high = min(seen), max(seen)
        return round(chance.uniform(low, high + abs(high - low) / 2), chance.choice([0, 1, 2]))
    if isinstance(value, str):
        letters = "".join(seen)
        size = chance.randint(min(map(len, seen)), max(map(len, seen)) + 2)
        if not letters or chance.random() < 0.3:  # noqa: PLR2004 -- as it was seen
            return chance.choice(seen)
        return "".join(chance.choice(letters) for _ in range(size))
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        within = (*place, "*")
        if isinstance(value, tuple) and len({len(v) for v in seen}) == 1:
            return tuple(varied(v, within, pool, chance) for v in value)
        size = chance.randint(min(map(len, seen)), max(map(len, seen)) + 2)
        if not any(seen):
            return value
        made = [
            varied(pool.any_of(within, chance), within, pool, chance)
            if chance.random() < 0.5  # noqa: PLR2004 -- old and new ones mixed
            else pool.any_of(within, chance)
            for _ in range(size)
        ]
        return type(value)(made)
    if type(value) is dict and value:
        keys, values = (*place, "key"), (*place, "value")
        return {
            pool.any_of(keys, chance): varied(pool.any_of(values, chance), values, pool, chance)
            for _ in range(chance.randint(min(map(len, seen)), max(map(len, seen)) + 1))
        }
    return chance.choice(seen)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
