"""A change that is known, put beside what the search finds in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from searchplay import DebugRun

AREA = "def area(w, h):\n    return w + h\n"
TEST = "from shop import area\n\n\ndef test_area():\n    assert area(3, 4) == 12\n"
RED = "test_shop.py::test_area"


@pytest.fixture
def shop(tmp_path: Path) -> DebugRun:
    made = DebugRun(tmp_path)
    made.write({"shop.py": AREA, "test_shop.py": TEST})
    return made


def test_it_comes_first_and_a_likelier_one_is_told_by_a_call(shop: DebugRun) -> None:
    found = shop.search(RED, given=[("shop.py", AREA.replace("w + h", "w * 4"))])
    first, *others = found.candidates
    assert "given" == first["family"]
    assert "replace `+` by `*`" == others[0]["description"]
    assert others[0]["parting"][:3] == ["area(3, 0)", "12", "0"]


def test_where_it_is_the_likeliest_nothing_stands_beside_it(shop: DebugRun) -> None:
    found = shop.search(RED, given=[("shop.py", AREA.replace("+", "*"))])
    assert ["given"] == [each["family"] for each in found.candidates]


@pytest.mark.parametrize(
    "text",
    [
        AREA,  # no change at all
        AREA.replace("w + h", "w * 5"),  # does not pass
        AREA.replace("(w, h)", "(w, h, by=4)").replace("w + h", "w * by"),  # of its head
        AREA.replace("w + h", "w *"),
    ],
)
def test_one_that_cannot_be_put_in_is_said_and_nothing_is_searched(
    shop: DebugRun, text: str
) -> None:
    found = shop.search(RED, given=[("shop.py", text)])
    assert not found.candidates
    assert "the change that is known cannot be put in" in found.done["notes"]


def test_changes_of_two_files_and_new_names_beside_them_are_one(shop: DebugRun) -> None:
    shop.write(
        {
            "shop.py": "from sides import long\n\n\ndef area(w, h):\n    return w + long(h)\n",
            "sides.py": "def long(h):\n    return -h\n",
        }
    )
    given = [
        ("shop.py", "from sides import long\n\n\ndef area(w, h):\n    return w * long(h)\n"),
        ("sides.py", "SIGN = 1\n\n\ndef long(h):\n    return SIGN * h\n"),
    ]
    found = shop.search(RED, given=given)
    assert "given" == found.first["family"]
    assert found.first["complete"]
    assert {"shop.py", "sides.py"} == {edit["path"] for edit in found.first["edits"]}
