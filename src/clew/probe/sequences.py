"""Calls in sequence on the same objects, each sequence in a copy of a process that has made none.

This file is run alone, under another name; its word is the file of `answering`. It reads sequences
from its input, one JSON object a line, and writes the answer of the last call of each.

A step is a call, as `answering` reads it. With `on` its first argument is that of an earlier step,
with `made_by` what that one gave; with `again` all its arguments are, filled with what the call
gives. Before a step, `spoil` empties what an earlier one gave, or was given: itself at the depth 0,
or only what lies deeper in it.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from typing import Any, Callable, Dict, Iterable, Iterator, List, Tuple

__all__ = ["emptied", "refilled"]

Told = Dict[str, Any]
Used = Tuple[Tuple[Any, ...], Dict[str, Any], Any]  # what a step was given, and gave


class Sequences:
    """Makes them with the functions of `answering`, by their names."""

    def __init__(self, tools: Dict[str, Any]) -> None:
        self.tools = tools

    def answers(self, lines: List[str]) -> Iterator[Told]:
        """Make each sequence; the modules that it needs are loaded before."""
        for line in lines:
            sequence = json.loads(line)
            self.tools["bounded"](self.load, sequence)
            yield {"number": sequence["number"], **apart(self.bounded, sequence)}

    def load(self, sequence: Told) -> Told:
        for step in sequence["steps"]:
            self.tools["function_of"](step)
        return {}

    def bounded(self, sequence: Told) -> Told:
        return dict(self.tools["bounded"](self.made, sequence))

    def made(self, sequence: Told) -> Told:
        """Make the calls, and tell how the last one ended."""
        used: List[Used] = []
        end: List[Any] = []
        for step in sequence["steps"]:
            given, more = self.arguments(step, used)
            try:
                end, gave = self.tools["ended"](self.tools["function_of"](step), given, more)
            except self.tools["Unplain"] as error:
                end, gave = ["unplain", str(error)], None
            used.append((given, more, gave))
        return {"end": end}

    def arguments(self, step: Told, used: List[Used]) -> Tuple[Tuple[Any, ...], Dict[str, Any]]:
        value_of = self.tools["value_of"]
        given, more = value_of(step["given"]), value_of(step["more"])
        if "spoil" in step:
            place, what, depth = step["spoil"]
            before = used[place]
            words = [*before[0][step.get("from", 0) :], *before[1].values()]
            emptied([before[2]] if what == "gave" else words, depth)
        if "on" in step:
            return (used[step["on"]][0][0], *given[1:]), more
        if "made_by" in step:
            return (used[step["made_by"]][2], *given[1:]), more
        if "again" in step:
            old = used[step["again"]]
            kept = {name: refilled(old[1].get(name), value) for name, value in more.items()}
            return tuple(map(refilled, old[0], given)), kept
        return given, more


def apart(work: Callable[[Told], Told], sequence: Told) -> Told:
    """Return what a copy of this process tells."""
    reading, writing = os.pipe()
    copy = os.fork()
    if not copy:
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(json.dumps(work(sequence)).encode("ascii"))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    os.waitpid(copy, 0)
    return dict(json.loads(told)) if told else {"end": ["lost", "process"]}


def refilled(old: Any, new: Any) -> Any:
    """Return an object with the contents of another; that one, where it cannot have them."""
    kind = type(old)
    if kind is not type(new) or old is new:
        return new
    if kind is list:
        old[:] = new
    elif kind in (dict, set):
        old.clear()
        old.update(new)
    else:
        try:
            held, fresh = (object.__getattribute__(each, "__dict__") for each in (old, new))
        except AttributeError:
            return new
        if type(held) is not dict:
            return new
        held.clear()
        held.update(fresh)
    return old


def emptied(values: Iterable[Any], depth: int) -> None:
    """Empty lists, tables and sets, or those that lie so deep in them; a tuple is no depth."""
    for value in values:
        kind = type(value)
        if depth or kind is tuple:
            parts = value.values() if kind is dict else value if kind in (list, tuple) else ()
            emptied(list(parts), depth - (kind is not tuple))
        elif kind in (list, dict, set):
            value.clear()


def main() -> None:
    os.environ.pop("PYTHONHASHSEED", None)
    sequences = Sequences(runpy.run_path(sys.argv[1]))
    del sys.argv[1:]
    sequences.tools["serve"](sequences.answers)


if __name__ == "__main__":
    main()
