"""What speaks for one of several changes that pass the same tests, and is no test."""

from __future__ import annotations

from pathlib import Path

from clew.probe.search.source import Patch
from clew.probe.search.witnesses import Witness, decided
from searchplay import DebugRun

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

    assert decided(NOBODY, patches, [fails, fails, holds]) == ([1], "nobody: b")
    assert decided(NOBODY, patches, [holds, fails, holds]) is None
    assert decided(NOBODY, patches, [holds, holds, holds]) is None
    assert decided(NOBODY, patches, [fails, fails, {"a": False, "b": True}]) is None
    assert decided(NOBODY, patches, [holds, holds, {"a": True}]) is None
    assert decided(NOBODY._replace(of_itself=("two",)), patches, [fails, fails, holds]) is None
