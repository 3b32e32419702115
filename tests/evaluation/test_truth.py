"""The true fix, and what is measured by it."""

from __future__ import annotations

import pytest

from clew.evaluation.truth import differing_functions, rank, same, touched
from clew.words.facts import Suspect


def suspects(*places: tuple[str, int | None]) -> list[Suspect]:
    return [Suspect(path=path, line=line) for path, line in places]


def test_changed_and_removed_lines_are_true() -> None:
    """They are counted in the faulty program."""
    found = touched({"a.py": "1\n2\n3\n4\n"}, {"a.py": "1\nX\n3\n"})
    assert {"a.py": frozenset({2, 4})} == found


def test_an_insertion_is_between_two_true_lines() -> None:
    """Where code is missing, its neighbours are as near as a ranking can come."""
    assert {"a.py": frozenset({1, 2})} == touched({"a.py": "1\n2\n"}, {"a.py": "1\nX\n2\n"})
    assert {"a.py": frozenset({2})} == touched({"a.py": "1\n2\n"}, {"a.py": "1\n2\nX\n"})


def test_what_does_nothing_is_no_part_of_the_fix() -> None:
    """Comments, blank lines and strings that stand alone, wherever they are: of Python alone."""
    buggy = 'def f(a):\n    # why\n    return a\n\n\n"""\nWhat f is for.\n"""\n'
    fixed = 'def f(a):\n    return -a\n\n"""\ndef f(a):\n    return 0 - a\n"""\n'
    assert {"a.py": frozenset({3})} == touched({"a.py": buggy}, {"a.py": fixed})
    assert {} == touched({"a.py": buggy}, {"a.py": buggy.replace("# why\n", '"""Why."""\n')})
    assert {"a.txt", "a.py"} == touched(
        {"a.py": "x = (\n", "a.txt": "# 1\n"}, {"a.py": "# x\n", "a.txt": "# 2\n"}
    ).keys()


def test_a_file_that_the_fix_adds_has_no_lines() -> None:
    """Nothing of the faulty program could have been suspected."""
    assert {} == touched({"a.py": "1\n"}, {"a.py": "1\n", "b.py": "2\n"})


def test_ranks_count_places_and_files() -> None:
    """The first true line, and the first file that has one."""
    ranking = suspects(("b.py", 1), ("b.py", 2), ("a.py", 1), ("a.py", 7))
    truth = {"a.py": frozenset({7, 8})}
    assert (4, 2) == rank(ranking, truth)
    assert (None, None) == rank(ranking, {"c.py": frozenset({1})})
    assert (None, 1) == rank(suspects(("a.py", None)), truth)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1  # one\n", "x = (1)\n"),
        ("x = 1\n'one'\n", "'a'\nx = 1\n'other'\n"),
        ('def f():\n    """Say."""\n    return 1\n', "def f():\n    return 1\n"),
        ("if not a in b: pass\n", "if a not in b:\n    pass\n"),
    ],
)
def test_the_same_program_may_be_written_otherwise(one: str, other: str) -> None:
    """Layout, comments, docstrings and `not in` do not change a program."""
    assert same(one, other, python=True)
    assert not same(one, other, python=False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 1\n", "x = 2\n"),
        ("x = 0.0\n", "x = -0.0\n"),
        ("x = a - b\n", "x = b - a\n"),
        ("(", ")"),
    ],
)
def test_another_program_is_another(one: str, other: str) -> None:
    """Values, order and what does not parse."""
    assert not same(one, other, python=True)


def test_functions_that_differ_are_named() -> None:
    """Qualified, whole, and apart from what differs beside them."""
    one = (
        "A = 1\nclass C:\n    def f(self):\n        return 1\n    def g(self):\n        return 1\n"
    )
    assert (("C.g",), False) == differing_functions(one, one[:-2] + "2\n")
    assert ((), True) == differing_functions(one, one.replace("A = 1", "A = 2"))
    assert ((), True) == differing_functions(one, one + "def h():\n    pass\n")
    assert ((), False) == differing_functions(one, one + "\n# the end\n")


@pytest.mark.parametrize(
    ("other", "found"),
    [
        ("import re\n{f}return len(a)\n{g}", (("f",), False)),
        ("{f}return a\n{g}", (("g",), False)),  # it reads what is not imported
        ("import re\nimport os\n{f}return a\n{g}", ((), False)),
        ("import re\nfrom os import *\n{f}return a\n{g}", ((), True)),
        ("import re\n{f}return h(a)\n{g}def h(a):\n    return a\n", (("f",), False)),
        ("import re\n{f}return a\n{g}def h(a):\n    return a\n", ((), True)),
    ],
)
def test_what_functions_read_differs_with_them(
    other: str, found: tuple[tuple[str, ...], bool]
) -> None:
    """Imports, and functions that only the changed ones call."""
    parts = {"f": "def f(a):\n    ", "g": "def g(a):\n    return re.escape(a)\n"}
    one = "import re\n{f}return a\n{g}".format(**parts)
    assert found == differing_functions(one, other.format(**parts))
