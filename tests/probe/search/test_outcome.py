"""What a search came to: changes that say the same are one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from clew.probe.search.outcome import of_one_text
from clew.probe.search.ranking import Survivor
from clew.probe.search.source import Patch, Splice

if TYPE_CHECKING:
    from clew.probe.search.files import ProjectSources

TEXT = "def f(a):\n    return a = 10\n"
PROJECT = cast("ProjectSources", SimpleNamespace(text=lambda _: TEXT))


def made(text: str, *, complete: bool = True) -> Survivor:
    at = TEXT.index("= 10")
    patch = Patch("a.py", 2, "syntax", 1.0, text, (Splice(at, at + 4, text),))
    return Survivor(patch, ("t",), () if complete else ("u",), 1.0, text)


@pytest.mark.parametrize(
    ("other", "kinds"),
    [("== +10", 1), ("==  10  # ten", 1), ("== (10)", 1), ("== -10", 2), ("+ 10", 2), ("== +", 2)],
)
def test_changes_that_say_the_same_are_one(other: str, kinds: int) -> None:
    """Their layout, remarks and the sign of a number are nothing that a person would choose by."""
    found = of_one_text([made("== 10"), made(other)], PROJECT)

    assert kinds == len({survivor.key for survivor in found})


def test_what_mends_a_part_is_one_by_its_text_alone() -> None:
    found = of_one_text([made("== 10", complete=False), made("== +10", complete=False)], PROJECT)

    assert 2 == len({survivor.key for survivor in found})
