"""Candidates that pass the same tests: which do the same elsewhere, and where the others part."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from clew.probe.search.behaviour import beyond, compared, told_apart
from clew.probe.search.inputs import Input
from clew.probe.search.wholes import parted, whole
from searchplay import Answer, DebugRun

MEAN = {
    "stats.py": "def mean(xs):\n    return sum(xs) / (len(xs) + 1)\n",
    "test_stats.py": "from stats import mean\n\n\ndef test_one():\n    assert mean([4]) == 4\n\n\n"
    "def test_three():\n    assert mean([1, 2, 6]) == 3\n",
}


@pytest.fixture(scope="module")
def mean(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    run = DebugRun(tmp_path_factory.mktemp("mean"))
    run.write(MEAN)
    return run.search("test_stats.py::test_one", "test_stats.py::test_three", keep=20)


def test_the_smallest_input_on_which_two_changes_part_is_told(mean: Answer) -> None:
    """`len(xs) | 1` passes for lists of one and three; two numbers show what it is."""
    parting = {each["description"]: each["parting"] for each in mean.candidates if each["complete"]}

    assert parting["drop `1`"] is None
    assert ["mean([1, 2])", "1.5", "1.0", "stats", "1.0"] == parting["replace `+` by `|`"]


def test_a_change_that_does_the_same_everywhere_is_no_other_one(mean: Answer) -> None:
    """`len(xs) // 1` is `len(xs)`, and says nothing against it."""
    complete = [each["description"] for each in mean.candidates if each["complete"]]

    assert "drop `1`" == complete[0]
    assert "replace `+` by `//`" not in complete
    assert all(each["inputs"] >= 5 for each in mean.candidates if each["complete"])


def test_what_a_call_leaves_behind_does_not_reach_the_next(tmp_path: Path) -> None:
    """A counter in the module does not make every second call alike."""
    run = DebugRun(tmp_path)
    run.write(
        {
            "queue_of.py": "LAST = []\n\n\ndef place(n):\n    LAST.append(n)\n"
            "    if len(LAST) > 1:\n        raise RuntimeError\n    return n - 2\n",
            "test_queue.py": "import queue_of\n\n\ndef test_place():\n"
            "    del queue_of.LAST[:]\n    assert queue_of.place(2) == 4\n",
        }
    )

    answer = run.search("test_queue.py::test_place", keep=20)

    complete = {c["description"]: c["parting"] for c in answer.candidates if c["complete"]}
    assert {"replace `-` by `+`", "replace `-` by `*`"} <= complete.keys()
    assert ["place(0)", "2", "0", "queue_of", "-2"] == complete["replace `-` by `*`"]


def test_values_are_compared_without_asking_them() -> None:
    """An object that says that it equals everything is compared by what it holds."""

    class Sly:
        def __init__(self, held: int) -> None:
            self.held = held

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    assert whole(Sly(1), 5) != whole(Sly(2), 5)
    assert whole(True, 5) != whole(1, 5)
    assert whole(float("nan"), 5) == whole(float("nan"), 5)


def test_a_comparison_that_did_not_come_to_its_end_is_none() -> None:
    assert compared([]) is None


def test_values_that_are_equal_show_no_parting_while_others_part(tmp_path: Path) -> None:
    """`/` and `//` give `0.0` and `0` of the smallest input; a rest shows what they are."""
    run = DebugRun(tmp_path)
    run.write(
        {
            "price.py": "def discount(price, percent):\n    return price - price * percent\n",
            "test_price.py": "from price import discount\n\n\ndef test_discount():\n"
            "    assert discount(200, 10) == 180\n",
        }
    )

    answer = run.search("test_price.py::test_discount", keep=20)

    complete = {c["description"]: c["parting"] for c in answer.candidates if c["complete"]}
    assert ["discount(1, 10)", "0.9", "1", "price", "-9"] == complete["replace `*` by `//`"]


def test_where_calls_give_the_same_it_is_told_what_they_leave_otherwise(tmp_path: Path) -> None:
    """A method that gives nothing is told by the attribute that it sets."""
    run = DebugRun(tmp_path)
    run.write(
        {
            "meter.py": "class Meter:\n    def __init__(self, total):\n"
            "        self.total = total\n\n    def add(self, value):\n"
            "        self.total = self.total - value\n",
            "test_meter.py": "from meter import Meter\n\n\ndef test_add():\n"
            "    meter = Meter(2)\n    meter.add(2)\n    assert meter.total == 4\n",
        }
    )

    answer = run.search("test_meter.py::test_add", keep=20)

    complete = {c["description"]: c["parting"] for c in answer.candidates if c["complete"]}
    call = "self.total after Meter.add(Meter(total=0), 2)"
    assert [call, "2", "0", "", ""] == complete["replace `-` by `*`"]


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ([1, {"a": (2, 3)}], [1, {"a": (2, 4)}], ("[1]['a'][1]", "3", "4")),
        ([1], [1, 2], ("", "[1]", "[1, 2]")),
        ({"a": 1}, {"b": 1}, ("", "{'a': 1}", "{'b': 1}")),
        ({1, 2}, {1, 3}, ("", "{1, 2}", "{1, 3}")),
        ((0.5,), [0.5], ("", "(0.5,)", "[0.5]")),
        (Path("a"), Path("b"), ("", "PosixPath('a')", "PosixPath('b')")),
    ],
)
def test_two_values_are_shown_where_they_part(
    one: object, other: object, apart: tuple[str, str, str]
) -> None:
    assert apart == parted(whole(one, 8), whole(other, 8))


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("gives 1", "gives 2", True),
        ("gives 0", "gives 0.0", False),
        ("gives None", "gives <Money>", True),
        ("gives 0", "gives <Money>", False),
        ("gives 0", "raises KeyError", True),
        ("gives <Money>", "raises KeyError", False),
        ("raises KeyError", "raises TypeError", False),
    ],
)
def test_a_value_is_asked_for_where_it_equals_one_end_alone(
    one: str, other: str, *, apart: bool
) -> None:
    first, second = ((each.split(" ")[0], each.split(" ")[1], None) for each in (one, other))

    assert apart == told_apart(first, second) == told_apart(second, first)


def test_examples_of_a_docstring_can_be_asked_again_and_again(tmp_path: Path) -> None:
    """Whatever an earlier run of them took out of their namespace."""
    run = DebugRun(tmp_path)
    run.write(
        {
            "h.py": 'def half(n):\n    """Half.\n\n    >>> half(4)\n    2\n    """\n'
            "    return n * 2\n",
            "pytest.ini": "[pytest]\naddopts = --doctest-modules\n",
        }
    )

    answer = run.search("h.py::h.half", keep=20)

    complete = [c["description"] for c in answer.candidates if c["complete"]]
    assert "replace `*` by `//`" == complete[0]
    assert len(complete) > 3


BAG = """\
class Bag:
    def __init__(self, xs):
        self.xs = xs

    def __le__(self, other):
        return inside(self.xs, other.xs)


def inside(xs, ys):
    return len(xs) <= len(ys) and all(x for x in xs)


def size(bag):
    return len(bag.xs)
"""


def test_changes_that_no_call_of_the_tests_comes_to_are_told_apart(tmp_path: Path) -> None:
    """All tests call `size`, which does the same with each; what `<=` calls shows what they do."""
    sizes = "".join(f"    assert size(Bag([{'1, ' * n}])) == {n}\n" for n in range(8))
    run = DebugRun(tmp_path)
    run.write(
        {
            "bag.py": BAG,
            "test_bag.py": "from bag import Bag, size\n\n\ndef test_inside():\n"
            f"{sizes}    assert not Bag([4]) <= Bag([1, 2])\n",
        }
    )

    answer = run.search("test_bag.py::test_inside", keep=20, seconds=60)

    complete = {c["description"]: c["parting"] for c in answer.candidates if c["complete"]}
    assert "replace `x` by `x in ys`" == next(iter(complete))
    assert "replace `<=` by `>`" in complete
    assert "inside(" in complete["replace `<=` by `>`"][0]


SLOT = """\
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Slot:
    start: datetime
    end: datetime

    def overlaps(self, other):
        return self.start <= other.end and other.start <= self.end
"""
SLOTS = """\
from datetime import datetime

import pytest

from slots import Slot


def slot(start, end):
    return Slot(datetime(2024, 5, 6, start), datetime(2024, 5, 6, end))


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ((9, 10), (8, 9), False),
        ((8, 9), (10, 11), False),
        ((9, 11), (10, 12), True),
        ((10, 12), (9, 11), True),
        ((8, 12), (9, 10), True),
        ((9, 10), (8, 12), True),
    ],
)
def test_overlaps(one, two, expected):
    assert slot(*one).overlaps(slot(*two)) is expected
"""


def test_the_calls_of_the_tests_do_not_make_two_changes_one(tmp_path: Path) -> None:
    """Whatever passes does the same in them. One bound is moved, or both: the hour parts them."""
    run = DebugRun(tmp_path)
    run.write({"slots.py": SLOT, "test_slots.py": SLOTS})

    answer = run.search("test_slots.py::test_overlaps[one0-two0-False]", keep=20)

    found = {each["description"]: each for each in answer.candidates if each["complete"]}
    assert "replace `<=` by `<` in both comparisons" == answer.first["description"]
    call, gives, other, *_ = found["replace `<=` by `<`"]["parting"]
    assert call.startswith("Slot.overlaps(Slot(start=datetime.datetime(2024, 5, 6, ")
    assert ("False", "True") == (gives, other)


def test_a_number_below_zero_is_beyond_what_tests_give_if_none_of_them_gives_one() -> None:
    """A person was asked how many pages -20 items take."""

    def call(*arguments: object) -> Input:
        return Input(cast("Any", abs), "pages", arguments, {})

    made = [call(20, 10), call(0, 10), call("2026-11-30", (3,))]
    inputs = [call(-20, 10), call(20, [1, -5.5]), call(21, 10), call("2026-11-29", "-3")]
    assert {0, 1} == beyond(inputs, made)
    assert not beyond(inputs, [*made, call(-1, 10)])
