"""What a search tried in vain is not tried again on the same code."""

from __future__ import annotations

import shutil
from types import SimpleNamespace
from typing import Any

import pytest

from clew.probe.search.files import ProjectSources
from clew.probe.search.vain import Vain
from searchplay import DebugRun

CODE = """def f(a, b):
    total = a * 3 + b
    if total > 10:
        total = total - b
    return total


def g(a):
    return a + 1
"""
TEST = """from code_ import f


def test_f():
    assert f(2, 3) == 4711
    assert f(4, 1) == 815
    assert f(9, 2) == 1234
"""


def test_a_second_search_of_the_same_code_leaves_out_what_the_first_tried(shop: DebugRun) -> None:
    """It goes on where the first one ended, or says that no more is left."""
    shop.write({"code_.py": CODE, "test_code.py": TEST})
    kept = shop.scratch / "kept"

    first = shop.search("test_code.py::test_f", seconds=8, vain=(str(kept), "a commit"))
    shutil.copyfile(shop.scratch / "vain", kept)
    again = shop.search("test_code.py::test_f", seconds=8, vain=(str(kept), "a commit"))

    assert [] == first.candidates == again.candidates
    (note,) = [note for note in again.done["notes"] if "tried in vain on the same code" in note]
    assert int(note.split()[0]) > 100
    assert not [note for note in first.done["notes"] if "tried in vain" in note]


@pytest.mark.slow
def test_another_state_or_a_file_of_anything_is_searched_whole(shop: DebugRun) -> None:
    """Data that tests read may be others there; and what is no such file says nothing."""
    shop.write({"code_.py": CODE, "test_code.py": TEST})
    kept = shop.scratch / "kept"
    shop.search("test_code.py::test_f", seconds=5, vain=(str(kept), "a commit"))
    shutil.copyfile(shop.scratch / "vain", kept)

    other = shop.search("test_code.py::test_f", seconds=5, vain=(str(kept), "another"))
    kept.write_bytes(b"anything at all" * 100)
    odd = shop.search("test_code.py::test_f", seconds=5, vain=(str(kept), "a commit"))

    for answer in (other, odd):
        assert not [note for note in answer.done["notes"] if "tried in vain" in note]


def test_where_the_state_is_not_told_nothing_is_kept(shop: DebugRun) -> None:
    shop.write({"code_.py": CODE, "test_code.py": TEST})
    shop.search("test_code.py::test_f", seconds=2)
    assert not (shop.scratch / "vain").exists()


@pytest.mark.slow
def test_what_was_stopped_is_not_in_vain(shop: DebugRun) -> None:
    """A busy machine stops what would have passed: it is tried again."""
    code = """def f(n):
    found = 0
    while n > 0:
        n -= 1
        found += 2
    return found
"""
    test = "from code_ import f\n\n\ndef test_f():\n    assert f(3) == 4711\n"
    shop.write({"code_.py": code, "test_code.py": test})
    kept = shop.scratch / "kept"

    shop.search("test_code.py::test_f", seconds=6, vain=(str(kept), "a commit"))
    shutil.copyfile(shop.scratch / "vain", kept)
    again = shop.search("test_code.py::test_f", seconds=6, vain=(str(kept), "a commit"))

    assert again.done["families"].get("augmented assignment")  # among them `n += 1`


def test_the_likeliest_are_tried_again(shop: DebugRun) -> None:
    """What made them fail may be gone: a machine that was busy, a service that was away."""
    away = shop.scratch / "away"
    away.write_text("")
    test = (
        f"import os\n\nfrom code_ import f\n\n\ndef test_f():\n    found = (f(3), f(5))\n"
        f"    assert not os.path.exists({str(away)!r})\n    assert found == (6, 10)\n"
    )
    shop.write({"code_.py": "def f(a):\n    return a * 3\n", "test_code.py": test})
    kept = shop.scratch / "kept"
    first = shop.search("test_code.py::test_f", seconds=5, vain=(str(kept), "a commit"))
    shutil.copyfile(shop.scratch / "vain", kept)
    away.unlink()

    again = shop.search("test_code.py::test_f", seconds=5, vain=(str(kept), "a commit"))

    assert [] == first.candidates
    assert "replace `3` by `2`" == again.candidates[0]["description"]


def test_a_search_that_goes_on_from_a_patch_keeps_nothing() -> None:
    """There the same change of another file is another."""
    request: Any = SimpleNamespace(vain=("kept", "a commit"))
    assert "a commit" == Vain(ProjectSources(request)).state
    assert "" == Vain(ProjectSources(request, {"code_.py": "a = 1\n"})).state
