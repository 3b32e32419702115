"""Calls in sequence on the same objects."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.probe import answering, sequences
from clew.probe.answering import exact
from clew.probe.sequences import emptied, refilled

SHOP = """\
KEPT = {}


def total(invoice):
    return KEPT.setdefault(id(invoice), sum(invoice))


def end(_):
    import os
    os._exit(1)


class Basket:
    def __init__(self, items):
        self.items = items

    def add(self, item):
        self.items.append(item)

    def count(self):
        return len(self.items)

    def all(self):
        return [self.items]

    def clone(self):
        return Basket(self.items)
"""
Ask = Callable[..., list[Any]]


def call(name: str, *given: object, **more: int) -> dict[str, Any]:
    return {
        "module": "shop",
        "name": name,
        "path": ["."],
        "given": exact(given, lambda _: True),
        "more": ["dict", []],
        **more,
    }


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Make sequences in an interpreter of their own; return the end of each."""
    (tmp_path / "shop.py").write_text(SHOP)

    def asked(*rows: list[dict[str, Any]]) -> list[Any]:
        lines = [json.dumps({"number": n, "steps": steps}) for n, steps in enumerate(rows)]
        done = subprocess.run(
            [sys.executable, sequences.__file__, answering.__file__],
            cwd=tmp_path,
            input="\n".join(lines),
            capture_output=True,
            text=True,
            check=True,
        )
        return [json.loads(line)["end"] for line in done.stdout.splitlines()]

    return asked


BARE = ["object", "shop", "Basket", ["dict", []]]


def test_a_sequence_tells_how_its_last_call_ended(ask: Ask) -> None:
    """Each begins anew; one that ends the process says nothing, and the next is made."""
    begun = call("Basket.__init__", None, [1, 2])
    begun["given"] = ["tuple", [BARE, ["list", [["int", "1"]]]]]
    add, count = call("Basket.add", None, 3, on=0), call("Basket.count", None, on=0)
    assert [
        ["gave", ["int", "2"]],
        ["gave", ["int", "1"]],
        ["lost", "process"],
        ["raised", "builtins", "TypeError"],
        ["gave", ["int", "3"]],
    ] == ask(
        [begun, add, count],
        [begun, count],
        [call("end", 1)],
        [call("total")],
        [call("total", [3])],
    )


def test_what_a_call_gave_does_something(ask: Ask) -> None:
    """It is the object of a later call."""
    begun = call("Basket.__init__", None, [1])
    begun["given"] = ["tuple", [BARE, ["list", [["int", "1"]]]]]
    clone, count = call("Basket.clone", None, on=0), call("Basket.count", None, on=0)
    (end,) = ask([begun, clone, call("Basket.add", None, 3, made_by=1), count])
    assert ["gave", ["int", "2"]] == end


def test_what_was_given_is_given_again_with_other_contents(ask: Ask) -> None:
    """So what is kept by the identity of an object is seen."""
    first = call("total", [1])
    assert [["gave", ["int", "1"]], ["gave", ["int", "5"]]] == ask(
        [first, call("total", [2, 3], again=0)], [call("total", [2, 3])]
    )


def test_what_was_given_or_came_of_a_call_is_emptied(ask: Ask) -> None:
    """As deep as it is asked for."""
    begun = call("Basket.__init__", None, [1, 2])
    begun["given"] = ["tuple", [BARE, ["list", [["int", "1"]]]]]
    every, count = call("Basket.all", None, on=0), call("Basket.count", None, on=0)
    ends = ask(
        [begun, count | {"spoil": [0, "given", 0], "from": 1}],
        [begun, every, count | {"spoil": [1, "gave", 0]}],
        [begun, every, count | {"spoil": [1, "gave", 1]}],
    )
    assert [["gave", ["int", each]] for each in "010"] == ends


class Thing:
    def __init__(self, held: int) -> None:
        self.held = held


def test_an_object_is_filled_in_its_place() -> None:
    """If it can be; another type, or what holds nothing by names, is the new one."""
    for old, new in (([1], [2, 3]), ({1: 2}, {3: 4}), ({1}, {2, 3})):
        assert old is refilled(old, new)
        assert old == new
    thing = Thing(1)
    assert (True, 2) == (thing is refilled(thing, Thing(2)), thing.held)
    assert [(1, 2), [1]] == [refilled([1], (1, 2)), refilled({1: 1}, [1])]
    assert refilled(1, 2) == 2


def test_a_tuple_is_no_depth() -> None:
    """What lies in it lies where it does."""
    inner: list[Any] = [1, {2: [3]}]
    emptied([(inner, 5)], 1)
    assert [1, {}] == inner
    emptied([(inner, 5)], 0)
    assert [] == inner
