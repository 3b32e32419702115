"""What speaks for one of several changes that pass the same tests, and is no test."""

from __future__ import annotations

import re
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from clew.probe.search.apart import heard
from clew.probe.search.inputs import Input
from clew.probe.search.ranking import Survivor
from clew.probe.search.source import Patch, Source
from clew.probe.search.witnesses import Witness, as_before, as_then, decided, decisive, is_set
from searchplay import DebugRun

if TYPE_CHECKING:
    from clew.probe.search.trying import Trial

METER = """from math import log2


def _extremes(readings):
    good = sorted((r for r in readings if r), reverse=True)
    return good[0], good[-1]


def stops(readings):
    low, high = _extremes(readings)
    return log2(high / low)


def exposure(readings):
    _, high = _extremes(readings)
    return round(160 / high, 1)
"""
BEFORE = METER.replace(
    "    good = sorted((r for r in readings if r), reverse=True)\n    return good[0], good[-1]\n",
    "    return min(readings), max(readings)\n",
)
TESTS = """from meter import exposure, stops


def test_stops():
    assert stops([2.0, 32.0]) == 4.0


def test_even():
    assert exposure([8.0, 8.0]) == 20.0


def test_spoilt():
    assert exposure([8.0, None]) == 20.0
"""
SPAN = '''def span(low, high):
    """How many numbers there are.

    >>> span(2, 7)
    6
    """
    return high - low
'''
FRAME = """def encode(text):
    data = text.encode('utf-8')
    return bytes([len(text)]) + data


def decode(frame):
    count = frame[0]
    return frame[1:1 + count].decode('utf-8', 'ignore')
"""
NOBODY = Witness("nobody", lambda _inputs, _now: {})


@pytest.mark.slow
def test_the_code_before_a_commit_says_what_other_inputs_gave(tmp_path: Path) -> None:
    """Tests pass when two are exchanged where they are used; another function uses them too."""
    shop = DebugRun(tmp_path)
    shop.write({"meter.py": METER, "test_meter.py": TESTS})

    alone = shop.search("test_meter.py::test_stops")
    told = shop.search("test_meter.py::test_stops", earlier=[("meter.py", "a1b2c3", BEFORE)])

    assert "reverse=False" not in shop.repaired(alone.first)["meter.py"]
    assert "reverse=False" in shop.repaired(told.first)["meter.py"]
    assert told.first["witness"].startswith("the code before a1b2c3: `exposure(")
    assert {""} == {each["witness"] for each in alone.candidates}
    rival = next(each for each in told.candidates if each["description"].startswith("swap"))
    assert "exposure" in rival["parting"][0]  # they are put beside the one that is first now


@pytest.mark.slow
def test_an_older_file_that_no_test_runs_is_no_part_of_it(tmp_path: Path) -> None:
    shop = DebugRun(tmp_path)
    tools = "def unused():\n    return 1\n"
    shop.write({"meter.py": METER, "test_meter.py": TESTS, "tools.py": tools})

    earlier = [("tools.py", "a1b2c3", tools.replace("1", "2")), ("meter.py", "a1b2c3", BEFORE)]
    told = shop.search("test_meter.py::test_stops", earlier=earlier)

    assert "reverse=False" in shop.repaired(told.first)["meter.py"]


@pytest.mark.parametrize(("cost", "asked"), [(0.01, 1), (0.5, 0)])
def test_a_dear_test_is_not_asked_of_older_code(cost: float, asked: int) -> None:
    """All that changes do is compared in a few seconds, or not at all."""
    seen: list[object] = []

    def failure(check: object) -> Exception:
        seen.append(check)
        return ValueError()

    check = SimpleNamespace(cost=cost, record=SimpleNamespace(died=False))
    trial = SimpleNamespace(
        concerned=lambda _: ([check], [], []),
        failure=failure,
        project=SimpleNamespace(
            request=SimpleNamespace(earlier=[("meter.py", "a1b2c3", BEFORE)]),
            source=lambda path: Source(path, METER),
        ),
        paths=("meter.py",),
        swap=lambda patch: patch,
        put_back=seen.count,
        swapper=SimpleNamespace(clear_caches=list),
        memory=SimpleNamespace(restore=list),
    )

    assert [] == as_before(cast("Trial", trial), [], [], [])
    assert asked == len(seen)


def test_older_code_does_not_speak_for_what_puts_it_back() -> None:
    """It would in any case, whatever else does as it did."""
    patches = [Patch("a.py", 1, family, 1.0, "", ()) for family in ("history", "wrap", "call")]
    older = Witness("the code before a1b2c3", lambda _inputs, _now: {}, ("history",))
    holds, fails = {"a": True}, {"a": False}

    told = decided(older, patches, [holds, holds, holds, fails])

    assert told is not None
    assert told == ([0, 1], "the code before a1b2c3: a", [1])
    survivors = [Survivor(patch, (), (), 1.0, patch.family) for patch in patches]
    found = [heard(each, at, [told]) for at, each in enumerate(survivors)]
    assert ["", told.words, ""] == [each.witness for each in found]
    assert [True, True, False] == [each.favoured for each in found]
    assert decided(older, patches, [holds, holds, fails, fails]) is None


SLUGS = """import re


def slug(text):
    text = text.lower().replace("&", " and ")
    return re.sub(r"[^a-z0-9]", "-", text)


def short(text, limit=40):
    full = slug(text)
    if len(full) <= limit:
        return full
    return full[: limit + 1].rpartition("-")[0]


def path(section, title):
    return f"/{slug(section)}/{short(title)}"
"""
TEST_SLUGS = """from slugs import path, short, slug


def test_short_cuts_at_a_word():
    assert short("one two three four", 10) == "one-two"
    assert short("one two three four", 13) == "one-two-three"


def test_and():
    assert slug("Salt & Pepper") == "salt-and-pepper"


def test_path():
    assert path("News", "What's new?") == "/news/what-s-new"
"""


@pytest.mark.slow
def test_what_breaks_where_older_code_and_todays_agree_is_spoken_against(tmp_path: Path) -> None:
    """`==` for `<=` cuts nearly every short text; nothing is put back that does what was lost."""
    shop = DebugRun(tmp_path)
    shop.write({"slugs.py": SLUGS, "test_slugs.py": TEST_SLUGS})
    old = 'low = text.lower()\n    return "-".join(re.findall(r"[a-z0-9]+", low))\n'
    before = re.sub(r"text = text(.*\n)*?.*, text\)\n", lambda _: old, SLUGS, count=1)

    failing = ("test_slugs.py::test_and", "test_slugs.py::test_path")
    told = shop.search(*failing, earlier=[("slugs.py", "a1b2c3", before)], keep=40)

    equal = [each for each in told.candidates if "replace `<=` by `==`" in each["description"]]
    said = "today's code and the code before a1b2c3: `short('"
    assert any(each["against"].startswith(said) for each in equal), equal


def test_what_is_firm_is_heard_before_what_speaks_for_a_change() -> None:
    patches = [Patch("a.py", 1, family, 1.0, "", ()) for family in ("wrap", "call")]
    older = Witness("older", lambda _inputs, _now: {})
    both = Witness("both", lambda _inputs, _now: {}, only_against=True, firm=True)
    holds, fails = {"a": True}, {"a": False}

    told = decisive([older, both], patches, [[holds, holds, fails], [fails, fails, holds]])

    survivors = [Survivor(patch, (), (), 1.0, patch.family) for patch in patches]
    found = [heard(each, at, told) for at, each in enumerate(survivors)]
    assert ["both: a", "older: a"] == [each.against for each in found]
    assert ["", ""] == [each.witness for each in found]


@pytest.mark.slow
def test_older_code_says_nothing_where_a_constant_was_another(tmp_path: Path) -> None:
    """With today's it gives what it never gave."""
    shop = DebugRun(tmp_path)
    meter = METER.replace("160", "LIGHT").replace("2\n", "2\n\nLIGHT = 160\n", 1)
    shop.write({"meter.py": meter, "test_meter.py": TESTS})

    before = BEFORE.replace("160", "LIGHT").replace("2\n", "2\n\nLIGHT = 150\n", 1)
    told = shop.search("test_meter.py::test_stops", earlier=[("meter.py", "a1b2c3", before)])

    assert {""} == {each["witness"] for each in told.candidates}


@pytest.mark.slow
def test_code_with_which_the_tests_fail_as_well_says_nothing(tmp_path: Path) -> None:
    shop = DebugRun(tmp_path)
    shop.write({"meter.py": METER, "test_meter.py": TESTS})

    bad = BEFORE.replace("min(readings), max(readings)", "max(readings), min(readings)")
    told = shop.search("test_meter.py::test_stops", earlier=[("meter.py", "a1b2c3", bad)])

    assert {""} == {each["witness"] for each in told.candidates}


def test_an_example_in_a_docstring_decides(tmp_path: Path) -> None:
    """`high` alone passes as well."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "numbers_of.py": SPAN,
            "test_numbers.py": "from numbers_of import span\n\n\ndef test_span():\n"
            "    assert span(1, 5) == 5\n",
        }
    )

    told = shop.search("test_numbers.py::test_span", keep=20)

    first, *others = [each for each in told.candidates if each["complete"]]
    assert "the example in the docstring of `span`: `span(2, 7)` gives `6`" == first["witness"]
    assert any(not each["witness"] for each in others)


@pytest.mark.parametrize(
    "example",
    [
        ">>> span(2, 7)\n  6\n      >>> span(2, 8)\n    7",
        ">>> while True: pass\n    >>> while True: pass",
    ],
)
def test_examples_that_cannot_be_read_or_do_not_end_say_nothing(
    tmp_path: Path, example: str
) -> None:
    """What changes do is compared all the same."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "numbers_of.py": SPAN.replace(">>> span(2, 7)\n    6", example),
            "test_numbers.py": "from numbers_of import span\n\n\ndef test_span():\n"
            "    assert span(1, 5) == 5\n",
        }
    )

    told = shop.search("test_numbers.py::test_span", keep=20)

    complete = [each for each in told.candidates if each["complete"]]
    assert len(complete) > 1
    assert all(each["inputs"] for each in complete)
    assert {""} == {each["witness"] for each in complete}


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """Other changes of the length pass for the one text."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "frame.py": FRAME,
            "test_frame.py": "from frame import encode\n\n\ndef test_umlaut():\n"
            "    assert encode('\\xfc') == b'\\x02\\xc3\\xbc'\n",
        }
    )

    told = shop.search("test_frame.py::test_umlaut", keep=20)

    assert "len(data)" in shop.repaired(told.first)["frame.py"]
    assert told.first["witness"].startswith("what undoes it: `decode(encode(")


def test_a_witness_decides_only_where_all_it_says_holds_with_some() -> None:
    """What differs when it is asked twice is left to chance."""
    holds, fails = {"a": True, "b": True}, {"a": True, "b": False}
    patches = [Patch("a.py", 1, family, 1.0, "", ()) for family in ("one", "two")]

    assert decided(NOBODY, patches, [fails, fails, holds]) == ([1], "nobody: b", [1])
    assert decided(NOBODY, patches, [holds, fails, holds]) is None
    assert decided(NOBODY, patches, [holds, holds, holds]) is None
    assert decided(NOBODY, patches, [fails, fails, {"a": False, "b": True}]) is None
    assert decided(NOBODY, patches, [holds, holds, {"a": True}]) is None
    assert decided(NOBODY._replace(of_itself=("two",)), patches, [fails, fails, holds]) is None


def test_what_reads_a_variable_before_it_has_a_value_is_spoken_against() -> None:
    """Where another change gives something. What all of them read in vain says nothing."""
    calls = [cast("Input", SimpleNamespace(shown=lambda each=e: each)) for e in ("f(0)", "f(1)")]
    patches = [Patch("a.py", 1, family, 1.0, "", ()) for family in ("one", "two")]
    unset = Witness("unset", is_set, only_against=True)
    value, error = ("gives", "1", "1"), ("raises", "UnboundLocalError", "UnboundLocalError")

    bad, good, worse = (
        is_set(calls, ends) for ends in ([error, value], [value, value], [error, error])
    )

    saying = "unset: `f(0)` raises `UnboundLocalError`"
    assert decided(unset, patches, [bad, bad, good]) == ([1], saying, [])
    assert decided(unset, patches, [worse, worse, worse]) is None


def test_what_a_call_gives_and_what_it_does_are_said_for_themselves() -> None:
    """That it gives nothing, as each does that keeps something, speaks for no change."""
    call = Input(FunctionType((lambda: None).__code__, {}), "kept", ([3, 1],), {}, inner=False)
    then, now = (("gives", "None", (("NoneType", None), left)) for left in ("[1, 3]", "[3, 1]"))

    said = as_then([then])([call], [now])

    assert {
        "`kept([3, 1])` gives `None`": True,
        "`kept([3, 1])` has the same effect": False,
    } == said
