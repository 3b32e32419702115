"""Modules that load further with a patch than before."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clew.probe.search.crashes import SearchCrash, place_of
from clew.probe.search.files import ProjectSources
from clew.probe.search.importing import Importer
from clew.probe.search.joining import together
from clew.probe.search.onward import Advance, further, onward, unmoved, without_unread
from clew.probe.search.outcome import SearchOutcome
from clew.probe.search.ranking import Survivor
from clew.probe.search.request import SearchRequest
from clew.probe.search.source import Patch, Splice, apply_changes
from searchplay import DebugRun

TEXT = "import os\n\nROOT = os.pth\nNAMES = jsn.loads('[]')\n"


def project(folder: Path, text: str = TEXT) -> ProjectSources:
    (folder / "calc.py").write_text(text, encoding="utf-8", newline="")
    return ProjectSources(SearchRequest({"root": str(folder), "results": str(folder / "r.jsonl")}))


def crash(folder: Path, kind: str, *lines: int, missing: str = "", syntax: int = 0) -> SearchCrash:
    path = str(folder.resolve() / "calc.py")
    frames = tuple((path, line, "<module>") for line in lines)
    place = (path, syntax, 1) if syntax else ("", 0, 0)
    return SearchCrash(kind, "", frames, missing=missing, syntax=place)


def patch(*changes: Splice) -> Patch:
    return Patch("calc.py", 1, "test", 1.0, "a repair", changes)


@pytest.mark.parametrize(
    ("before", "after", "later"),
    [
        (("AttributeError", 3), ("NameError", 4), True),
        (("NameError", 4), ("AttributeError", 3), False),
        (("NameError", 3), ("AttributeError", 3), False),
        (("NameError", 3, 8), ("AttributeError", 3), True),
        (("AttributeError", 3), ("NameError", 3, 8), False),
        (("ImportError", 3), ("NameError", 3, 8), True),
    ],
)
def test_a_later_place_is_further(
    tmp_path: Path, before: tuple[str, int], after: tuple[str, int], *, later: bool
) -> None:
    advance = Advance(patch(), crash(tmp_path, *after))
    assert further(crash(tmp_path, *before), advance, project(tmp_path)) is later


def test_a_line_put_in_above_takes_nothing_further(tmp_path: Path) -> None:
    above = patch(Splice(0, 0, "import re\n"))
    before = crash(tmp_path, "AttributeError", 3)
    assert not further(before, Advance(above, crash(tmp_path, "NameError", 4)), project(tmp_path))
    assert further(before, Advance(above, crash(tmp_path, "NameError", 5)), project(tmp_path))


@pytest.mark.parametrize(
    ("line", "after", "later"),
    [(4, "IndexError", True), (4, "TypeError", False), (3, "IndexError", False)],
)
def test_what_only_some_values_break_is_further_than_a_name_on_the_same_line(
    tmp_path: Path, line: int, after: str, *, later: bool
) -> None:
    """`if xs[i + 1] == 0: xs[i2] = 1` in a loop: a wrong name would break all of them."""
    mended = patch()._replace(line=line)
    before = crash(tmp_path, "NameError", 4, missing="i2")

    assert further(before, Advance(mended, crash(tmp_path, after, 4)), project(tmp_path)) is later


def test_a_deep_recursion_is_told_by_both_of_its_ends(tmp_path: Path) -> None:
    """The test that began it, and where it ended."""
    (tmp_path / "deep.py").write_text("def deep(n):\n    return deep(n + 1)\n")
    place = runpy.run_path(str(tmp_path / "deep.py"))
    try:
        exec(compile("deep(0)", str(tmp_path / "test_deep.py"), "exec"), place)  # noqa: S102 - ours
    except RecursionError as error:
        frames = place_of(error, str(tmp_path)).frames
    else:
        frames = ()

    assert len(frames) == 60
    assert ("test_deep.py", "deep.py") == (Path(frames[0][0]).name, Path(frames[-1][0]).name)


def test_what_parses_or_lacks_another_name_is_further(tmp_path: Path) -> None:
    files = project(tmp_path)
    names = [crash(tmp_path, "NameError", 4, missing=name) for name in ("jsn", "other")]
    broken = crash(tmp_path, "SyntaxError", syntax=2)
    assert further(names[0], Advance(patch(), names[1]), files)
    assert not further(names[0], Advance(patch(), names[0]), files)
    assert further(broken, Advance(patch(), names[0]), files)
    assert not further(broken, Advance(patch(), broken), files)
    assert not further(names[0], Advance(patch(), broken), files)


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n")])
def test_the_next_repair_is_joined_where_it_lies_in_the_first_text(
    tmp_path: Path, text: str
) -> None:
    place = text.index("pth")
    first = patch(Splice(0, 0, "import json\n"), Splice(place, place + 3, "path"))
    missing = crash(tmp_path, "NameError", 5, missing="jsn")._replace(names=("json", "os"))

    found = list(onward(Advance(first, missing), project(tmp_path, text)))

    changed = [apply_changes(text, dict(each.files)["calc.py"]) for each in found]
    assert (
        "import json{0}import os{0}{0}ROOT = os.path{0}NAMES = json.loads('[]'){0}".format(
            "\r\n" if "\r" in text else "\n"
        )
        in changed
    )
    assert all(each.single[0] == first for each in found)


def test_changes_that_touch_what_was_put_in_belong_to_no_earlier_text() -> None:
    before = (Splice(2, 4, "wxyz"),)
    assert unmoved((Splice(0, 1, "a"), Splice(6, 7, "b")), before) == (
        Splice(0, 1, "a"),
        Splice(4, 5, "b"),
    )
    assert unmoved((Splice(3, 5, "a"),), before) is None
    assert unmoved((Splice(1, 7, "a"),), before) is None


def test_what_another_part_breaks_anew_is_no_way_on(tmp_path: Path) -> None:
    """A file of tests that the first part let load, and the second does not."""
    joined = patch()
    importer: Any = SimpleNamespace(
        batch=[joined], errors={joined: {}}, project=project(tmp_path), allowed=lambda _: True
    )
    importer.known = SimpleNamespace(errors={})
    error = list(crash(tmp_path, "NameError", 4, missing="jsn"))

    assert [] == Importer.onward(importer, [[0, [], [], [], {"test_calc.py": error}]])


def test_the_search_goes_on_from_where_a_module_loads_again(tmp_path: Path) -> None:
    """Its tests never ran before, and one of them is red for another fault."""
    shop = DebugRun(tmp_path)
    shop.write(
        {
            "calc.py": "def first(items)\n    return items[0]\n\n\n"
            "def area(width, height):\n    return width + height\n",
            "test_calc.py": "from calc import area, first\n\n\n"
            "def test_first():\n    assert first([1, 2]) == 1\n\n\n"
            "def test_area():\n    assert area(2, 3) == 6\n    assert area(4, 5) == 20\n",
        }
    )

    answer = shop.search("test_calc.py", last=True)

    assert answer.first["complete"]
    assert [["test_calc.py"], ["test_calc.py::test_area"]] == [
        part["turns_green"] for part in answer.first["parts"]
    ]
    repaired = shop.repaired(answer.first)["calc.py"]
    assert "def first(items):" in repaired
    assert "return width * height" in repaired


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        ("def f(n):\n    slip = 0\n    n -= 1\n    return n\n", 1),
        ("def f(n):\n    slip = 0\n    slip -= 1\n    return n\n", 2),
        ("def f(n):\n    slip = 0\n    return slip\n", 2),
        ("def f(n):\n    slip = g()\n    return n\n", 2),
    ],
)
def test_a_variable_that_nothing_reads_any_more_is_left_out(
    tmp_path: Path, body: str, parts: int
) -> None:
    """It was given a value to get further, before its name was known for a slip."""
    text = "def f(n):\n    slip -= 1\n    return slip\n"
    head, rest = "def f(n):\n    ", body.split("\n", 2)
    first = patch(Splice(len(head), len(head), rest[1].strip() + "\n    "))
    later = patch(Splice(len(head), len(text), rest[2].strip() + "\n"))
    whole = together([first, later])
    files = project(tmp_path, text)
    assert body == apply_changes(text, dict(whole.files)["calc.py"])
    assert parts == len(without_unread(whole, files).single)


def test_what_a_second_search_makes_needless_is_not_kept(tmp_path: Path) -> None:
    """It goes on from a variable that is set, and finds that its name was a slip."""
    text = "def f(n):\n    n += 2\n    slip -= 1\n    return n\n"
    at, name = text.index("n +="), "slip = 0\n    "
    base = Survivor(patch(Splice(at, at, name)), (), ("t",), 1.0, 0)
    moved = text.index("slip") + len(name)
    found = Survivor(patch(Splice(moved, moved + 4, "n")), ("t",), (), 1.0, 0)
    first = SearchOutcome([], ["t"], [], [], 1, 1, {}, False, False, [], {}, [base], [])
    after = first.after(
        base, first._replace(survivors=[found], further=[]), project(tmp_path, text)
    )
    (kept,) = after.survivors
    assert text.replace("slip", "n") == apply_changes(text, dict(kept.patch.files)["calc.py"])


@pytest.mark.parametrize(("reds", "kept"), [((), 1), (("u",), 0)])
def test_what_a_second_search_leaves_red_and_passes_today_is_no_repair(
    tmp_path: Path, reds: tuple[str, ...], kept: int
) -> None:
    """What the first edit broke has to be green again, and nobody is told that it turned so."""
    text = "def f(n):\n    a = 1\n    b = 2\n    return n\n"
    one, two = text.index("1"), text.index("2")
    base = Survivor(patch(Splice(one, one + 1, "3")), (), ("t",), 1.0, 0)
    greens = tuple(test for test in ("t", "u") if test not in reds)
    found = Survivor(patch(Splice(two, two + 1, "4")), greens, reds, 1.0, 0)
    first = SearchOutcome([], ["t"], [], [], 1, 1, {}, False, False, [], {}, [base], ["u"])
    later = first._replace(survivors=[found], further=[], targets=["t", "u"])

    after = first.after(base, later, project(tmp_path, text))

    assert [("t",)] * kept == [survivor.greens for survivor in after.survivors]
    assert ["t"] == after.targets
    assert all(set(mended) <= {"t"} for mended in after.mended.values())
