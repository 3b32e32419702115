"""A bound in a docstring, and a change that moves it."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, cast

import pytest
from msgspec.structs import replace

from candidatekit import BEST, bare_scene
from clew.evidence.explain.certainty import confidence_of
from clew.evidence.explain.documented import speaks_against
from clew.words.facts import Candidate, Edit

if TYPE_CHECKING:
    from clew.evidence.explain.scene import Scene


def group(says: str, asked: str) -> str:
    return f'def group(age):\n    """{says}"""\n    if {asked}:\n        return 1\n    return 0\n'


def changed(was: str, becomes: str) -> Candidate:
    edit = Edit(path="s.py", line=3, current=f"    if {was}:", should_be=f"    if {becomes}:")
    return replace(BEST, path="s.py", line=3, family="comparison", edits=(edit,))


@pytest.mark.parametrize(
    ("says", "was", "becomes"),
    [
        ("Minor below 18.", "age < 18", "age <= 18"),
        ("Adult from 18 on.", "age >= 18", "age > 18"),
        ("Adult at least 18 years old.", "18 <= age", "18 < age"),
        ("Senior at 65 or more.", "age >= 65", "age > 65"),
        ("Up to 12 rows.", "age <= 12", "age < 12"),
        ("More than 2.5 metres.", "age > 2.5", "age >= 2.5"),
    ],
)
def test_a_bound_is_moved_away_from_where_the_docstring_has_it(
    says: str, was: str, becomes: str
) -> None:
    """The test that asks for it may be wrong: a guess, which is asked about."""
    source = {"s.py": group(says, was)}
    best = changed(was, becomes)

    said = speaks_against(best, source)

    assert said.startswith("The docstring of `group` says `")
    rated, why = confidence_of(cast("Scene", bare_scene(sources=source)), (best,))
    assert ("low", True) == (rated, said in why)


@pytest.mark.parametrize(
    ("says", "was", "becomes"),
    [
        ("Adult from 18 on.", "age > 18", "age >= 18"),  # to where the docstring has it
        ("Minor below 18.", "age < 18", "age < 19"),
        ("Minor below 18, up to 18 with a card.", "age < 18", "age <= 18"),
        ("Minor below 16.", "age < 18", "age <= 18"),
        ("Minor below 180.", "age < 18", "age <= 18"),
        ("", "age < 18", "age <= 18"),
    ],
)
def test_nothing_is_said_where_the_docstring_does_not_decide(
    says: str, was: str, becomes: str
) -> None:
    assert "" == speaks_against(changed(was, becomes), {"s.py": group(says, was)})


def test_methods_of_one_name_are_held_each_against_itself() -> None:
    """Another class has the same method; its bound, and its docstring, are its own."""
    twin = "class B:\n" + indent(group("Child below 6.", "age < 6"), "    ")
    method = "class A:\n" + indent(group("Minor below 18.", "age < 18"), "    ")
    edit = Edit(
        path="s.py", line=4, current="        if age < 18:", should_be="        if age <= 18:"
    )
    best = replace(changed("", ""), line=4, edits=(edit,))

    said = speaks_against(best, {"s.py": method + twin})

    assert said.startswith("The docstring of `A.group` says `below 18`")


def test_an_edit_of_another_text_says_nothing() -> None:
    best = changed("age < 18", "age <= 18")
    assert "" == speaks_against(best, {"s.py": "x = 1\n"})
    assert "" == speaks_against(best, {})
