"""Calls of changed code, and what they answer where nobody tests."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from clew.analysis.tampering import (
    asked,
    changing,
    differences,
    excuses,
    newly_changing,
    uncounted,
)
from clew.words.facts import Crossed


def crossed(name: str, given: object, gave: object, *, reads: bool = False) -> Crossed:
    call = {"module": "area", "name": name, "path": ["/p"], "given": ["tuple", given]}
    return Crossed(call=json.dumps({**call, "more": ["dict", []]}), end=answer(gave), reads=reads)


def answer(gave: object) -> str:
    return json.dumps({"end": ["gave", gave], "left": ["list", []]})


ONE, TWO = ["int", "1"], ["int", "2"]


def test_each_call_is_asked_once() -> None:
    """What could not be recorded is not."""
    calls = [crossed("f", [ONE], TWO), crossed("f", [ONE], TWO), Crossed(why="it is large")]
    (line,) = asked(calls)
    assert (0, "f") == (json.loads(line)["number"], json.loads(line)["name"])


@pytest.mark.parametrize(
    ("gave", "gives", "words"),
    [
        (ONE, ONE, ""),
        (ONE, TWO, "`f(1)` gives 1 in the tests, and gives 2 without them"),
        (ONE, ["one", "True"], "`f(1)` gives 1 in the tests, and gives True without them"),
        (ONE, ["float", "0x1.0p+0"], "`f(1)` gives 1 in the tests, and gives 1.0 without them"),
        (["dict", [[ONE, ONE], [TWO, ONE]]], ["dict", [[TWO, ONE], [ONE, ONE]]], ""),
        (["list", [ONE, TWO]], ["list", [TWO, ONE]], "`f(1)` gives [1, 2] in the tests, and"),
    ],
)
def test_answers_are_compared_by_content_and_exact_type(
    gave: object, gives: object, words: str
) -> None:
    """The order of a dictionary is none."""
    found = differences([crossed("f", [ONE], gave)], {0: answer(gives)})
    assert bool(words) == bool(found)
    assert all(each.words.startswith(words) for each in found)


def test_a_call_without_an_answer_differs() -> None:
    """It ended its process, or was not made."""
    (found,) = differences([crossed("f", [ONE], TWO)], {})
    assert "`f(1)` gives 2 in the tests, and cannot be called without them" == found.words


@pytest.mark.parametrize(("reads", "gone"), [(True, True), (False, False)])
def test_a_file_that_only_the_test_had_says_nothing(reads: bool, gone: bool) -> None:  # noqa: FBT001 - a row
    """Where the call read one in the tests, and does not find it elsewhere."""
    answers = {0: json.dumps({"end": ["raised", "builtins", "FileNotFoundError"], "left": []})}
    (found,) = differences([crossed("f", [ONE], TWO, reads=reads)], answers)
    assert gone == found.gone


def test_what_answers_by_more_without_the_fix_as_well_is_excused() -> None:
    """By reading, by state, or by what cannot be recorded; what was not called is not."""
    before = [
        crossed("reads", [ONE], ONE, reads=True),
        crossed("unsteady", [ONE], ONE),
        crossed("steady", [ONE], ONE),
    ]
    answers = {0: answer(ONE), 1: answer(TWO), 2: answer(ONE)}
    after = [crossed(name, [ONE], ONE) for name in ("reads", "unsteady", "steady", "new")]
    excused = excuses(before, differences(before, answers), after)
    assert {"area.reads", "area.unsteady"} == excused


def test_what_could_not_be_recorded_is_counted() -> None:
    """With the reason that most have."""
    assert "" == uncounted([crossed("f", [ONE], TWO)])
    whys = [Crossed(why=why) for why in ("it is large", "it is deep", "it is deep")]
    assert "3 were not compared: it is deep" == uncounted(whys)


def test_a_call_that_newly_changes_its_argument_is_named() -> None:
    """One that did so before, that raised then, or whose object changes, is as it was."""
    one, two = (["list", [each]] for each in (ONE, TWO))

    def called(name: str, left: object) -> Crossed:
        end = {"end": ["gave", ONE], "left": ["list", [["tuple", [left]], ["dict", []]]]}
        return replace(crossed(name, [one], ONE), end=json.dumps(end))

    calls = [called("f", two), called("f", one), called("A.f", two), crossed("g", [one], ONE)]
    (found,) = changing(calls)
    raised = json.dumps({"end": ["raised", "builtins", "ValueError"], "left": []})

    assert calls[0] == found
    assert ("`f([1])`",) == newly_changing([found], {0: called("f", one).end})
    assert () == newly_changing([found], {0: called("f", two).end})
    assert () == newly_changing([found], {0: raised}) == newly_changing([found], {})
