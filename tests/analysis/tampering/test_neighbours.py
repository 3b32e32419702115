"""Calls near those of tests, and what they say of a fix."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from clew.analysis.tampering import (
    CallsSeen,
    changed_elsewhere,
    constants_moved,
    made_for_calls,
    near_calls,
    only_there,
)
from clew.analysis.tampering.crossing import shown_call
from clew.words.facts import Crossed

Told = list[object]


def number(value: int) -> Told:
    return ["int", str(value)]


def crossed(*given: Told, **more: Told) -> Crossed:
    named = [[["str", name], value] for name, value in more.items()]
    call = {"module": "area", "name": "ring", "path": ["/p"], "given": ["tuple", [*given]]}
    return Crossed(call=json.dumps({**call, "more": ["dict", named]}), end="{}")


def answers(lines: tuple[str, ...], gives: Callable[[int], Told]) -> dict[int, str]:
    """Answer each call by its number: 0 is the test's own."""
    return {n: json.dumps({"end": gives(n), "left": []}) for n in range(len(lines))}


def gave(value: int) -> Told:
    return ["gave", number(value)]


RAISED: Told = ["raised", "builtins", "KeyError"]


def test_calls_near_change_one_part_at_a_time() -> None:
    """Numbers, texts, what lists hold, and what is given by name; never a name."""
    lines, (near,) = near_calls([crossed(number(5), number(3), key=["str", "ab"])])
    others = [json.loads(lines[each]) for each in near.others]
    assert (0, ("ab",), True) == (near.own, near.words, near.numbers)
    assert {"key"} == {each["more"][1][0][0][1] for each in others}
    alike = [
        (each["given"][1][0] == number(5))
        + (each["given"][1][1] == number(3))
        + (each["more"][1][0][1] == ["str", "ab"])
        for each in others
    ]
    assert ({2}, True) == (set(alike), len(others) > 15)


DAY: Told = ["made", "datetime", "date", ["tuple", [number(2000), number(2), number(29)]]]


def test_days_have_neighbours_and_are_not_held_against_a_fix() -> None:
    """A day may well be a case of its own; so may the constants that it is told by."""
    lines, nears = near_calls([crossed(DAY)])
    (near,) = nears
    assert ((), False, True) == (near.words, near.numbers, len(near.others) > 10)
    only = answers(lines, lambda n: gave(n or 99))
    seen = CallsSeen(now=only, before=answers(lines, gave))
    assert ((), 0) == made_for_calls(lines, nears, seen)
    assert ((), False) == only_there(lines, nears, seen, answers(lines, gave), "")


def test_days_and_objects_are_shown_as_they_are_written() -> None:
    """With all that an object holds."""
    held = ["dict", [[["str", "born"], DAY]]]
    lines, nears = near_calls([crossed(["object", "people", "Person", held], number(3))])
    seen = CallsSeen(now=answers(lines, lambda n: gave(2 * n)), before=answers(lines, gave))
    shown = changed_elsewhere(ended(lines, lambda n: gave(2 * n)), lines, nears, seen)
    assert "`ring(Person(born=date(2001, 2, 29)), 3)` from 1 to 2" == shown[0]


def test_a_method_is_shown_behind_its_object() -> None:
    """One of the class, or of another one's object, as what it is."""
    cents: Told = ["object", "shop", "Money", ["dict", [[["str", "cents"], number(5)]]]]
    call = {"module": "shop", "given": ["tuple", [cents, number(3)]], "more": ["dict", []]}
    assert "Money(cents=5).times(3)" == shown_call({**call, "name": "Money.times"})
    assert "Cart.add(Money(cents=5), 3)" == shown_call({**call, "name": "Cart.add"})


def test_what_is_given_nothing_has_no_neighbours() -> None:
    """It is a case of its own."""
    assert ((), ()) == near_calls([])
    lines, nears = near_calls([crossed(number(0)), crossed(["str", ""]), crossed(["list", []])])
    assert (3, ()) == (len(lines), nears)


@pytest.mark.parametrize(
    ("now", "found"),
    [
        (lambda n: gave(2 * n + 7), ""),
        (lambda n: gave(n + 1 if n else 99), "nothing changes in 12 calls near `ring(5, 3)`"),
        (
            lambda n: RAISED if n else gave(99),
            "of 13 calls near `ring(5, 3)` it alone has an answer",
        ),
        (lambda n: gave(n + 1) if n else ["gave", ["one", "True"]], ""),
        (lambda n: gave(n + 1 if n else 0), ""),
        (lambda n: gave(n + 1), ""),
    ],
)
def test_a_fix_that_shows_at_the_tests_own_calls_was_made_for_them(
    now: Callable[[int], Told], found: str
) -> None:
    """So does one that raises for all others; a yes or no, or nothing, tells nothing."""
    lines, nears = near_calls([crossed(number(5), number(3))])
    seen = CallsSeen(now=answers(lines, now), before=answers(lines, lambda n: gave(n + 1)))
    assert found == "; ".join(made_for_calls(lines, nears, seen)[0])


def test_constants_that_matter_at_the_tests_own_calls_alone_are_told() -> None:
    """Those of a formula matter to others as well."""
    lines, nears = near_calls([crossed(number(5), number(3))])
    before = answers(lines, lambda n: gave(n + 1))
    table = answers(lines, lambda n: gave(2 * n if n else 99))
    seen = CallsSeen(now=table, before=before)
    moved = answers(lines, lambda n: gave(2 * n))
    assert (("`ring(5, 3)`",), True) == only_there(lines, nears, seen, moved, "")
    moved = answers(lines, lambda n: gave(3 * n))
    assert ((), False) == only_there(lines, nears, seen, moved, "")


def test_a_word_that_stands_in_the_fix_may_be_a_case_of_its_own() -> None:
    """What is looked up by a digest is not."""
    lines, nears = near_calls([crossed(["str", "hello"])])
    told = {n: json.dumps({"end": gave(n == 0), "left": []}) for n in range(len(lines))}
    fixed = {**told, 0: json.dumps({"end": gave(7), "left": []})}
    seen = CallsSeen(now=fixed, before=told)
    assert (("`ring('hello')`",), True) == only_there(lines, nears, seen, told, "crc32(text)")
    assert (("`ring('hello')`",), False) == only_there(lines, nears, seen, told, "'hello'")


def ended(lines: tuple[str, ...], gives: Callable[[int], Told]) -> list[Crossed]:
    """Return the tests' own calls as they ended in the tests."""
    call = {key: value for key, value in json.loads(lines[0]).items() if key != "number"}
    return [Crossed(call=json.dumps(call), end=answers(lines, gives)[0])]


@pytest.mark.parametrize(
    ("before", "now", "shown"),
    [
        (
            gave,
            lambda n: gave(2 * n),
            "`ring(6, 3)` from 1 to 2; `ring(5, 4)` from 2 to 4; `ring(4, 3)` from 3 to 6",
        ),
        (
            gave,
            lambda n: gave(n + 1) if n in (0, 5) else RAISED if n == 7 else gave(n),
            "`ring(10, 3)` from 5 to 6; `ring(12, 3)` from 7 to KeyError",
        ),
        (
            lambda _: RAISED,
            lambda n: gave(n) if n < 2 else RAISED,
            "`ring(6, 3)` from KeyError to 1",
        ),
        (gave, lambda n: gave(n or 9), ""),
        (gave, lambda _: ["gave", ["str", "a" * 200]], ""),
    ],
)
def test_what_changes_where_no_test_looks_is_shown(
    before: Callable[[int], Told], now: Callable[[int], Told], shown: str
) -> None:
    """The nearest first, at most three; what is too long for a line is left out."""
    lines, nears = near_calls([crossed(number(5), number(3))])
    seen = CallsSeen(now=answers(lines, now), before=answers(lines, before))
    assert shown == "; ".join(changed_elsewhere(ended(lines, now), lines, nears, seen))


def test_a_call_that_stands_in_another_test_is_none_that_no_test_makes() -> None:
    """Only the failing tests run: what a person asked for beside them is in the text."""
    lines, nears = near_calls([crossed(number(5), number(3))])
    now = answers(lines, lambda n: gave(n + 1))
    seen = CallsSeen(now=now, before=answers(lines, gave))
    ends = ended(lines, lambda n: gave(n + 1))
    shown = changed_elsewhere(ends, lines, nears, seen)
    assert shown[0].startswith("`ring(6, 3)`")
    written = "assert ring(6,3) == 2"
    assert shown[0] not in changed_elsewhere(ends, lines, nears, seen, [written])


def test_a_call_that_answers_by_more_than_what_it_is_given_shows_nothing() -> None:
    """In the tests it gave something else: so would the calls near it."""
    lines, nears = near_calls([crossed(number(5), number(3))])
    seen = CallsSeen(now=answers(lines, gave), before=answers(lines, lambda n: gave(n + 1)))
    assert () == changed_elsewhere(ended(lines, lambda n: gave(n + 7)), lines, nears, seen)


def test_what_had_an_answer_stands_before_what_had_none() -> None:
    """An error that is gone tells less of a fix."""
    lines, nears = near_calls([crossed(number(5), number(3))])
    before = answers(lines, lambda n: RAISED if n < 4 else gave(n))
    seen = CallsSeen(now=answers(lines, lambda n: gave(n + 1)), before=before)
    first = changed_elsewhere(ended(lines, lambda n: gave(n + 1)), lines, nears, seen)[0]
    assert "`ring(5, 2)` from 4 to 5" == first


def test_parts_of_two_calls_make_a_third_that_is_only_shown() -> None:
    """What tests give elsewhere is the likeliest thing that somebody else will."""
    paid: Told = ["str", "paid"]
    new: Told = ["str", "new"]
    calls = [crossed(new, paid, by=number(0)), crossed(paid, ["str", "closed"], by=number(1))]
    lines, (one, two) = near_calls(calls)
    made = [json.loads(lines[n]) for n in (*one.mixed, *two.mixed)]
    told = [shown_call(each) for each in made]
    assert ["ring('paid', 'paid', by=0)", "ring('new', 'closed', by=0)"] == told[:2]
    assert "ring('new', 'paid', by=1)" in told
    assert ((), True) == (one.others, len(two.others) > 10)  # the first one is given a zero
    now = answers(lines, lambda n: gave(9 if n == one.mixed[1] else n))
    seen = CallsSeen(now=now, before=answers(lines, gave))
    ends = [Crossed(call=call.call, end=now[n]) for n, call in enumerate(calls)]
    (shown,) = changed_elsewhere(ends, lines, (one, two), seen)
    assert shown.startswith("`ring('new', 'closed', by=0)` from ")


def test_what_was_not_to_change_stands_before_what_was() -> None:
    """A call of a test that stays as it was, and one near it that does not."""
    lines, nears = near_calls([crossed(number(5)), crossed(number(50))])
    calls = [{k: v for k, v in json.loads(lines[n]).items() if k != "number"} for n in (0, 1)]
    now = answers(lines, lambda n: gave(n if n == 1 else n + 1))
    seen = CallsSeen(now=now, before=answers(lines, gave))
    ends = [Crossed(call=json.dumps(call), end=now[n]) for n, call in enumerate(calls)]
    shown = changed_elsewhere(ends, lines, nears, seen)
    assert ["`ring(51)`", "`ring(6)`"] == [each.partition(" ")[0] for each in shown[:2]]


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        ("a = 1", "a = 2", None),
        ("a = [1]", "a = [1]\nb = f(2)", None),
        ("a = 1", "if a == 5:\n    b = 'x'", "if a == 7924:\n    b = 'x'\n"),
        ("a = {1: 'b'}", "a = {1: 'b'}\nc = (a, 'd')", "a = {1: 'b'}\nc = (a, 'd\\x00')\n"),
        ("a = 1", "a = (", None),
    ],
)
def test_constants_that_decide_or_are_a_table_are_moved(
    before: str, after: str, moved: str | None
) -> None:
    """Those that were there before stay, and those of formulas."""
    assert moved == constants_moved(before, after)


def test_what_becomes_of_an_object_is_shown_where_the_answers_are_alike() -> None:
    """By the attribute that is left otherwise."""
    held = ["dict", [[["str", "stock"], ["dict", []]]]]
    lines, nears = near_calls([crossed(["object", "shop", "House", held], number(5), number(3))])

    def leaves(times: int) -> dict[int, str]:
        found = {}
        for n in range(len(lines)):
            stock = ["dict", [[["str", "nut"], number(times * (n + 1))]]]
            house = ["object", "shop", "House", ["dict", [[["str", "stock"], stock]]]]
            left = ["list", [["tuple", [house, number(n)]], ["dict", []]]]
            found[n] = json.dumps({"end": ["gave", ["one", "None"]], "left": left})
        return found

    seen = CallsSeen(now=leaves(2), before=leaves(1))
    ends = [Crossed(call=json.dumps(json.loads(lines[0])), end=seen.now[0])]
    shown = changed_elsewhere(ends, lines, nears, seen)
    assert shown
    assert shown[0].startswith("`stock` after `ring(House(stock={}), ")
