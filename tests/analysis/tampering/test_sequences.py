"""Which sequences are made of the calls of tests, and what their answers say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from clew.analysis.tampering import dependences, keeps_state, sequences, shared
from clew.words.facts import Crossed

NONE = ["one", "None"]


def basket(*items: int, **more: list[str]) -> list[Any]:
    held = [["str", "items"], ["list", [number(each) for each in items]]]
    rest = [[["str", name], value] for name, value in more.items()]
    return ["object", "shop", "Basket", ["dict", [held, *rest]]]


def number(value: int) -> list[str]:
    return ["int", str(value)]


def crossed(name: str, given: list[Any], left: list[Any], end: list[Any]) -> Crossed:
    call = {"module": "shop", "name": name, "path": ["."], "given": ["tuple", given]}
    told = {"end": end, "left": ["list", [["tuple", left], ["dict", []]]]}
    return Crossed(call=json.dumps(call | {"more": ["dict", []]}), end=json.dumps(told))


ADD = crossed("Basket.add", [basket(), number(5)], [basket(5), number(5)], ["gave", NONE])
TOTAL = crossed("Basket.total", [basket(5)], [basket(5, _t=number(5))], ["gave", number(5)])
INIT = crossed(
    "Basket.__init__",
    [["object", "shop", "Basket", ["dict", []]], ["list", [number(1)]]],
    [basket(1), ["list", [number(1)]]],
    ["gave", NONE],
)
LISTED = crossed(
    "listed", [["list", [number(1)]]], [["list", [number(1)]]], ["gave", ["list", [number(1)]]]
)


def names(line: str) -> list[str]:
    return [step["name"].rpartition(".")[2] for step in json.loads(line)["steps"]]


def test_a_question_is_asked_before_a_command() -> None:
    """A call asks if it gives something."""
    lines, found = sequences((ADD, TOTAL))
    asked = next(each for each in found if "asked before" in each.words)
    assert ["add", "total"] == names(lines[asked.plain])
    assert ["total", "add", "total"] == names(lines[asked.varied])
    (alone,) = asked.alone
    assert [["total"], ["total", "total"]] == [names(lines[each]) for each in alone]
    steps = json.loads(lines[asked.varied])["steps"]
    assert basket() == steps[0]["given"][1][0]  # as the command found it
    assert [None, 0, 0] == [step.get("on") for step in steps]


def test_what_takes_from_its_object_is_a_question_that_changes_answers() -> None:
    """Whether it does is seen by all that can be asked, itself as well."""
    pop = crossed("Basket.pop", [basket(5)], [basket()], ["gave", number(5)])
    _, found = sequences((pop, TOTAL))
    asked = [each for each in found if "asked before" in each.words]
    assert {("pop()", "total()"), ("total()", "pop()")} <= {
        (each.call.split("`")[1], each.words.split("`")[1]) for each in asked
    }
    assert all(2 == len(each.alone) for each in asked)


def answers(*values: int) -> dict[int, str]:
    return {n: json.dumps({"end": ["gave", number(each)]}) for n, each in enumerate(values)}


@pytest.mark.parametrize(
    ("now", "before", "says"),
    [
        ({}, {}, False),
        ({"varied": 0}, {}, True),
        ({"varied": 0}, {"varied": 0}, False),  # as before
        ({"varied": 0, "alone": 7}, {}, False),  # it is no question
    ],
)
def test_a_dependence_is_one_that_the_fix_brought(
    now: dict[str, int], before: dict[str, int], *, says: bool
) -> None:
    """Of what a question does by itself nothing follows, nor of what was so before."""
    lines, found = sequences((ADD, TOTAL))
    (asked,) = (each for each in found if "asked before" in each.words)
    places = {"varied": asked.varied, "alone": asked.alone[0][1]}

    def told(other: dict[str, int]) -> dict[int, str]:
        changed = {places[name]: value for name, value in other.items()}
        return answers(*(changed.get(n, 5) for n in range(len(lines))))

    said = dependences([asked], told(now), told(before))
    assert says == bool(said)
    if says:
        call = "`total()` after `Basket(items=[]).add(5)`"
        assert said == (f"{call} gives 5, and 0 where `total()` was asked before",)


def test_what_does_not_end_says_nothing() -> None:
    """Without an answer nothing is known."""
    lines, found = sequences((ADD, TOTAL))
    none = dict.fromkeys(range(len(lines)), '{"end": ["late"]}')
    assert () == dependences(found, none, answers(*(5 for _ in lines)))
    assert () == dependences(found, answers(*range(len(lines))), none)
    raised = dict.fromkeys(range(len(lines)), '{"end": ["raised", "builtins", "TypeError"]}')
    assert () == dependences(found, answers(*range(len(lines))), raised)


def test_another_object_is_made_in_between() -> None:
    """By the words that a test made one with."""
    lines, found = sequences((INIT, ADD, TOTAL))
    (between,) = (each for each in found if "is made in between" in each.words)
    assert ["add", "__init__", "total"] == names(lines[between.varied])
    assert [None, None, 0] == [s.get("on") for s in json.loads(lines[between.varied])["steps"]]


def test_the_same_list_is_given_again_with_other_contents() -> None:
    """Where no test does so, it holds what is near."""
    lines, found = sequences((LISTED,))
    again = [each for each in found if "filled with that" in each.words]
    assert again
    first, second = json.loads(lines[again[0].varied])["steps"]
    assert (0, True) == (second["again"], first["given"] != second["given"])


def test_what_is_emptied_is_shared_newly_or_halfway() -> None:
    """Both are said: that a value was the caller's before, and that only its outside is now."""
    nested = ["list", [["list", [number(1)]]]]
    rows = crossed("rows", [nested], [nested], ["gave", nested])
    lines, found = sequences((rows,))
    outer, inner = (each for each in found if each.part is not None)

    def told(*otherwise: int) -> dict[int, str]:
        return answers(*(9 if n in otherwise else 5 for n in range(len(lines))))

    free, both = told(), told(outer.varied, inner.varied)
    assert () == shared(found, free, both) == shared(found, both, both)
    assert [0, 1] == [json.loads(lines[n.varied])["steps"][1]["spoil"][2] for n in (outer, inner)]
    said = "`rows([[1]])` answers otherwise where what it gave before is emptied inside"
    assert (said,) == shared(found, told(inner.varied), both)
    assert (said,) == shared(found, told(inner.varied), free)
    assert () == dependences(found, told(inner.varied), free)


def test_a_command_is_about_what_is_asked() -> None:
    """It gets the first word of the question, if that is of the same kind."""
    put = crossed("Basket.put", [basket(), number(9)], [basket(9), number(9)], ["gave", NONE])
    at = crossed("Basket.at", [basket(5), number(0)], [basket(5), number(0)], ["gave", number(5)])
    lines, found = sequences((put, at))
    (asked,) = (each for each in found if "asked before" in each.words)
    steps = json.loads(lines[asked.varied])["steps"]
    assert [number(0)] * 3 == [step["given"][1][1] for step in steps]


def test_what_a_call_gave_is_told_to_do_something() -> None:
    """The object that gave it answers as before."""
    clone = crossed("Basket.clone", [basket(5)], [basket(5)], ["gave", basket(5, of=number(1))])
    lines, found = sequences((clone, ADD, TOTAL))
    told = next(each for each in found if "is told" in each.words and "total" in each.call)
    assert "where what `Basket(items=[5]).clone()` gave is told `add(5)`" == told.words
    assert ["clone", "total"] == names(lines[told.plain])
    steps = json.loads(lines[told.varied])["steps"]
    assert [(None, None), (0, None), (None, 0)] == [(s.get("made_by"), s.get("on")) for s in steps]


@pytest.mark.parametrize(
    ("text", "keeps"),
    [
        ("def f(a):\n    return a\n", False),
        ("TABLE = {1: 2}\n\n\ndef f(a):\n    return TABLE[a]\n", False),
        ("SEEN = {}\n\n\ndef f(a):\n    return a\n", True),
        ("SEEN = dict()\n\n\ndef f(a):\n    return a\n", True),
        ("def f(a, seen=[]):\n    return a\n", True),
        ("def f(a):\n    global x\n    x = a\n", True),
        ("@functools.lru_cache\ndef f(a):\n    return a\n", True),
        ("class A:\n    pass\n", True),
        ("def f(:\n", False),
    ],
)
def test_a_module_that_keeps_something_is_known(text: str, *, keeps: bool) -> None:
    """Elsewhere, no call depends on another."""
    assert keeps == keeps_state(text)
