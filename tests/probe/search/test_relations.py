"""What held of a function before, and does not any more with a change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from clew.probe.search.apart import set_apart
from clew.probe.search.behaviour import SideBySide
from clew.probe.search.inputs import Input, outcome
from clew.probe.search.ranking import Survivor
from clew.probe.search.relations import held
from clew.probe.search.source import Patch
from clew.probe.search.witnesses import Testimony as Said
from clew.probe.search.witnesses import Witness, decided, decisive, kept
from searchplay import DebugRun

if TYPE_CHECKING:
    from clew.probe.search.trying import Trial

STUB = SimpleNamespace(
    swapper=SimpleNamespace(clear_caches=list), memory=SimpleNamespace(restore=list)
)
TRIAL = cast("Trial", STUB)
LISTS = [([n, n + 3, n + 1],) for n in range(12)]
WORDS = [(word,) for word in (" a", "b ", " c ", "d", " e f", "g  ", "  h", " i", "j ", " k")]


def calls_of(function: Callable[..., Any], given: list[tuple[Any, ...]]) -> list[Input]:
    return [Input(cast("FunctionType", function), "it", each, {}) for each in given]


def broken(
    before: Callable[..., Any],
    now: Callable[..., Any],
    given: list[tuple[Any, ...]],
    tested: list[tuple[Any, ...]] | None = None,
) -> set[str]:
    """Return the relations that held of the one on what is given, and do not of the other."""
    old, new = calls_of(before, given), calls_of(now, given)
    tests = calls_of(before, tested or [])
    relations = held(TRIAL, old, [outcome(call, TRIAL) for call in old], tests)
    gave = [(call, outcome(call, TRIAL)) for call in new]
    return {
        relation.words
        for relation in relations
        if any(end and relation.holds(call, end) is False for call, end in gave)
    }


class Span:
    def __init__(self, start: int, end: int) -> None:
        self.start, self.end = start, end


SPANS = [(Span(n, n + 2), Span(n + m, n + m + 1)) for n in range(4) for m in range(3)]


def total(numbers: list[int]) -> int:
    return sum(numbers)


def appended(numbers: list[int]) -> int:
    numbers.append(sum(numbers))
    return numbers[-1]


@pytest.mark.parametrize(
    ("before", "now", "given", "words"),
    [
        (total, lambda n: n + 1, LISTS, "gave a value on 12 inputs before"),
        (total, lambda n: str(sum(n)), LISTS, "gave values of the same type on 12 inputs before"),
        (total, appended, LISTS, "left what it is given as it was on 12 inputs before"),
        (
            total,
            lambda n: n[0] + n[1] * n[2],
            LISTS,
            "gave the same for a list in reverse on 12 inputs before",
        ),
        (max, lambda n: n[1] + 1, LISTS, "stayed within the numbers of its list on 12 inputs"),
        (
            lambda a, b: a.start <= b.end and b.start <= a.end,
            lambda a, b: a.start < b.end and b.start <= a.end,
            [*SPANS, *((b, a) for a, b in SPANS)],
            "gave the same with its two arguments exchanged on 24 inputs",
        ),
        (
            lambda text: text.strip(),
            lambda text: text[1:],
            WORDS,
            "did nothing more when done twice on 10 inputs before",
        ),
    ],
    ids=["value", "type", "arguments", "order", "range", "exchanged", "twice"],
)
def test_what_held_on_all_inputs_is_missed(
    before: Callable[..., Any], now: Callable[..., Any], given: list[tuple[Any, ...]], words: str
) -> None:
    assert any(words in each for each in broken(before, now, given))


@pytest.mark.parametrize(
    ("before", "now", "given"),
    [
        (total, lambda n: n + 1, LISTS[:5]),  # few inputs show nothing
        (total, lambda n: sum(n) // (sum(n) - 4), LISTS),  # an input may be none that fits
        (lambda n: n[0] - 3, lambda n: n[0] - 9, LISTS),  # it left the range before
        (total, lambda n: float(sum(n)), LISTS),  # whole numbers and others are numbers
        (appended, total, LISTS),  # the list was changed before
    ],
    ids=["few", "division", "range", "float", "changed"],
)
def test_what_did_not_hold_is_not_missed(
    before: Callable[..., Any], now: Callable[..., Any], given: list[tuple[Any, ...]]
) -> None:
    assert not broken(before, now, given)


SHORTER = [*LISTS, ([5],)]
ROWS = [({"name": "a", "n": n},) for n in range(8)]


@pytest.mark.parametrize(
    ("before", "now", "given", "tested"),
    [
        (lambda n: n[-1], lambda n: n[-2], SHORTER, [([],), ([3, 9, 5],)]),
        (lambda n: n[-1], lambda n: n[0] // (len(n) - 1), SHORTER, [([],), ([3, 9, 5],)]),
        (
            lambda d: d.get("a", 0),
            lambda d: d["b"],
            [*(({"a": n, "b": n},) for n in range(8)), ({"a": 1},)],
            [({},), ({"a": 1, "b": 2},)],
        ),
    ],
    ids=["list", "division", "dictionary"],
)
def test_an_error_for_a_size_between_those_of_the_tests_is_missed(
    before: Callable[..., Any],
    now: Callable[..., Any],
    given: list[tuple[Any, ...]],
    tested: list[tuple[Any, ...]],
) -> None:
    """The tests give an empty list, and one of three: one of one is nothing out of the way."""
    assert any("of all sizes between" in each for each in broken(before, now, given, tested))
    assert not any("gave a value" in each for each in broken(before, now, given))


@pytest.mark.parametrize(
    ("before", "now", "given", "tested"),
    [
        (lambda n: sum(n) / 2, lambda n: sum(n) / len(n), [*LISTS, ([],)], [([4],), ([1, 2, 6],)]),
        (lambda n: n[0], lambda n: n[2], SHORTER, [([1, 2, 3],), ([4, 5, 6],)]),  # a record
        (
            lambda d: d.get("n"),
            lambda d: d["name"],
            [*ROWS, ({"n": 1},)],
            [({"name": "a"},), ({"name": "a", "n": 1, "m": 2},)],
        ),
        (
            lambda n, i: n and i,
            lambda n, i: n[i],
            [(*n, 7) for n in LISTS],
            [([], 0), ([1, 2, 3], 1)],
        ),
        (
            lambda n: sum(1 for _ in n),
            lambda n: [b + a for a, b in n] and len(n),
            [*(([(1, k)],) for k in range(8)), ([(1,), (2,)],)],
            [([],), ([(1, 2), (3, 4), (5, 6)],)],
        ),
    ],
    ids=["empty", "record", "key", "index", "pairs"],
)
def test_an_error_for_what_no_test_speaks_of_is_not_missed(
    before: Callable[..., Any],
    now: Callable[..., Any],
    given: list[tuple[Any, ...]],
    tested: list[tuple[Any, ...]],
) -> None:
    assert not any("gave a value" in each for each in broken(before, now, given, tested))


def test_a_method_may_change_its_own_object() -> None:
    class Box:
        def __init__(self) -> None:
            self.items: list[int] = []

        def size(self, _: int) -> int:
            return len(self.items)

        def grown(self, item: int) -> int:
            self.items.append(item)
            return len(self.items) - 1

    assert not broken(Box.size, Box.grown, [(Box(), n) for n in range(12)])


def test_who_only_speaks_against_wants_all_to_hold() -> None:
    """What no change keeps was the fault itself, or is no rule."""
    patches = [Patch("a.py", 1, family, 1.0, "", ()) for family in ("one", "two")]
    nobody = Witness("nobody", lambda _inputs, _now: {}, only_against=True)
    holds, fails = {"a": True, "b": True}, {"a": True, "b": False}

    assert decided(nobody, patches, [fails, fails, holds]) == ([1], "nobody: b", [])
    assert decided(nobody, patches, [fails, fails, {"a": False, "b": True}]) is None


def test_all_who_speak_against_are_heard_where_nobody_speaks_for_a_change() -> None:
    patches = [Patch("a.py", 1, family, 1.0, "", ()) for family in ("one", "two")]
    somebody = Witness("somebody", lambda _inputs, _now: {})
    against = Witness("nobody", lambda _inputs, _now: {}, only_against=True)
    fails, holds = {"a": False}, {"a": True}
    said = [fails, fails, holds]

    both = decisive([against, against], patches, [said, said])
    assert ["nobody: a", "nobody: a"] == [each.words for each in both]
    (one,) = decisive([against, somebody], patches, [said, said])
    assert "somebody: a" == one.words


def test_what_is_firm_speaks_against_a_change_with_no_other_beside_it() -> None:
    """And what others say counts no more, where it suits none of those that this one leaves."""
    patches = [Patch("a.py", 1, family, 1.0, "", ()) for family in ("one", "two")]
    firm = Witness("it", lambda _inputs, _now: {}, only_against=True, firm=True)
    other = firm._replace(words="the other", firm=False)
    fails, holds = {"a": False}, {"a": True}

    assert decided(firm, patches[:1], [fails, fails]) == ([], "it: a", [])
    assert decided(firm, patches[:1], [holds, holds]) is None
    (told,) = decisive([firm, other], patches, [[fails, fails, holds], [holds, holds, fails]])
    assert ([1], "it: a") == (told.favoured, told.words)
    both = decisive([firm, other], patches, [[fails, fails, holds], [fails, fails, holds]])
    assert ["it: a", "the other: a"] == [each.words for each in both]


LATEST = {
    "gauge.py": "def latest(readings):\n    if not readings:\n        return None\n"
    "    return sorted(readings)[-1]\n",
    "test_gauge.py": "from gauge import latest\n\n\ndef test_none():\n"
    "    assert latest([]) is None\n\n\n"
    "def test_last():\n    assert latest([3, 9, 5]) == 5\n    assert latest([1, 8, 2]) == 2\n",
}


def test_a_change_with_which_a_list_of_one_has_no_value_stands_behind(tmp_path: Path) -> None:
    """`sorted(readings)[-2]` passes; what is of the same code as another one is counted once."""
    gauge = DebugRun(tmp_path)
    gauge.write(LATEST)

    answer = gauge.search("test_gauge.py::test_last", keep=20)

    complete = {c["description"]: c["against"] for c in answer.candidates if c["complete"]}
    assert "drop the call of `sorted`" == answer.first["description"]
    assert "" == answer.first["against"]
    assert "`latest` gave a value on " in complete["replace `1` by `2`"]
    assert ": `latest([3])` does not any more" in complete["replace `1` by `2`"]
    assert "replace `sorted(readings)[-1]` by `readings[-1]`" not in complete


def test_a_change_beside_which_nothing_was_compared_may_be_spoken_against() -> None:
    """And no inputs are said to show that it does the same as others."""
    patch = Patch("a.py", 1, "one", 1.0, "", ())
    survivors = [Survivor(patch, ("t",), (), 1.0, ("a.py", 1))]

    set_apart(survivors, patch, [], SideBySide(32, [0], [None], [Said([], "it: a", [])]))

    assert ("it: a", 0) == (survivors[0].against, survivors[0].inputs)


@pytest.mark.slow
def test_what_is_left_when_all_better_ones_were_tried_is_spoken_against(tmp_path: Path) -> None:
    gauge = DebugRun(tmp_path)
    gauge.write(LATEST)
    tried: set[str] = set()
    complete: list[dict[str, Any]] = []

    for _ in range(12):  # changes to the same code are shown one after the other
        answer = gauge.search("test_gauge.py::test_last", keep=40, forbidden=sorted(tried))
        complete = [each for each in answer.candidates if each["complete"]]
        others = {e["hash"] for e in complete if e["description"] != "replace `1` by `2`"}
        if not others:
            break
        tried |= others

    (alone,) = complete
    assert ": `latest([3])` does not any more" in alone["against"]


def test_an_error_speaks_against_no_change_where_a_test_waits_for_one(tmp_path: Path) -> None:
    gauge = DebugRun(tmp_path)
    wanted = "\n\ndef test_one():\n    with pytest.raises(IndexError):\n        latest([5])\n"
    tests = "import pytest\n" + LATEST["test_gauge.py"] + wanted
    gauge.write({**LATEST, "test_gauge.py": tests})

    answer = gauge.search("test_gauge.py::test_last", "test_gauge.py::test_one", keep=20)

    assert "replace `1` by `2`" == answer.first["description"]
    assert "" == answer.first["against"]


def test_a_change_that_shares_what_it_is_given_stands_behind(tmp_path: Path) -> None:
    """The report says which relation, and on which input it is broken."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "merge.py": "def merged(base, more):\n    found = {}\n    found.update(more)\n"
            "    return found\n",
            "test_merge.py": "from merge import merged\n\n\ndef test_merged():\n"
            "    assert merged({'a': 1}, {'b': 2}) == {'a': 1, 'b': 2}\n",
        }
    )

    answer = shop.search("test_merge.py::test_merged", keep=20)

    shared = next(each for each in answer.candidates if "found = base" in each["description"])
    assert shared["against"].startswith("`merged` left what it is given as it was on ")
    assert shared["against"].endswith(" does not any more")
    assert ("", "") == (answer.first["against"], answer.first["witness"])


def test_of_a_call_that_a_slip_ended_nothing_is_known() -> None:
    """The right code may refuse it: it was never seen to give anything."""
    given = [([n] * (n % 3 + 1),) for n in range(30)]
    calls = calls_of(lambda n: n.nope if len(n) == 2 else n[-1], given)
    tests = calls_of(calls[0].function, [([],), ([3, 9, 5],)])

    relations = held(TRIAL, calls, [outcome(call, TRIAL) for call in calls], tests)
    (between,) = (each for each in relations if "of all sizes between" in each.words)

    said = kept(between).ask(calls, [("raises", "IndexError", "IndexError")] * len(calls))
    assert {
        f"`{call.shown()}` does not any more" for call in calls if len(call.arguments[0]) == 1
    } == {words for words, holds in said.items() if not holds}


def test_what_gave_nothing_for_any_size_between_gave_no_value_there() -> None:
    """Only for empty lists, say: then nothing is known of those that tests do not give."""
    calls = calls_of(lambda n: n and n[0].nope, [([n] * (n % 3),) for n in range(60)])
    tests = calls_of(calls[0].function, [([],), ([3, 9, 5],)])
    before = [outcome(call, TRIAL) for call in calls]

    assert not [each for each in held(TRIAL, calls, before, tests) if "of all sizes" in each.words]
