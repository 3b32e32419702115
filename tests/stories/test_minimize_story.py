"""A failing test is made small: what fails, what passes beside it, and where the two part."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.git.project import locate
from commandline import CommandLine
from projects import commit_all, write
from treestate import fingerprint

FILES = {
    "stats.py": (
        "def spread(rows):\n    best = 0\n    for row in rows:\n"
        "        best = max(best, 10 // (row - 13))\n    return best\n\n\n"
        'def slug(text):\n    return text.lower().replace(" ", "-")\n'
    ),
    "test_stats.py": (
        "import pytest\nfrom stats import slug, spread\n\n\n"
        '@pytest.mark.parametrize(("rows", "most"), [([14, 15], 10), ([20, 31, 13, 27], 5)])\n'
        "def test_spread(rows, most):\n    assert spread(rows) == most\n\n\n"
        'def test_slug():\n    title = "A  bc"\n    assert slug(title) == "a-bc"\n'
    ),
}


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    return CommandLine(commit_all(write(tmp_path / "stats", FILES)), tmp_path / "state")


@pytest.mark.slow
def test_a_failing_input_is_made_small(clew: CommandLine) -> None:
    """The parameters that fail alone, and of them the one value; the tree is as it was.

    A row that has too few of them cannot be loaded, and says nothing of the other attempts.
    """
    before = fingerprint(locate(clew.project))

    said = clew.run("minimize", "test_stats.py::test_spread", "--json")

    assert 0 == said.code, said.err
    found = said.summary
    assert 'parametrize(("rows", "most"), [([13], 5)])' in found["after"]
    assert ("stats.py:4", True) == (found["place"], found["smallest"])
    assert found["error"].startswith("ZeroDivisionError")
    parting = found["parting"]
    assert {"rows": "[13]"} == parting["fails"]["given"]
    assert "ZeroDivisionError" in parting["fails"]["raised"]
    assert parting["works"]["gave"]
    assert 4 == parting["way"]["line"]
    assert before == fingerprint(locate(clew.project))


@pytest.mark.slow
def test_an_input_with_which_another_result_is_right_does_not_count(clew: CommandLine) -> None:
    """`slug("A")` is not "a-bc" either, and right: the wrong result has to stay the same."""
    said = clew.run("minimize", "test_stats.py::test_slug")

    assert 0 == said.code, said.err
    assert 'nothing can be left out of:\n    def test_slug():\n        title = "A  bc"' in said.out
    assert "the nearest that passes:\n    def test_slug():\n        title = 'A bc'" in said.out


@pytest.mark.slow
def test_what_stands_behind_the_failing_line_is_left_out(clew: CommandLine) -> None:
    """It never ran. What the test needs to fail as it does stays, though it stands behind."""
    given = "def test_{}():\n    title = 'A B'\n    assert {} == 'a'\n    {} = slug('C')\n"
    text = given.format("plain", "slug(title)", "more") + given.format("bound", "late", "late")
    write(clew.project, {"test_behind.py": f"from stats import slug\n\n\n{text}"})

    plain, bound = (
        clew.run("minimize", f"test_behind.py::test_{name}", "--json").summary["after"]
        for name in ("plain", "bound")
    )

    assert plain.splitlines()[-1] == "    assert slug(title) == 'a'"
    assert bound.splitlines()[-1] == "    late = slug('')"


@pytest.mark.slow
def test_the_words_of_an_exception_stay_the_same(clew: CommandLine) -> None:
    """A test that wants "row 3 of 4" would fail with right code on any other number of rows."""
    write(
        clew.project,
        {
            "rows.py": (
                "def check(rows):\n    for at, row in enumerate(rows):\n        if row < 0:\n"
                '            raise ValueError(f"row {at} of {len(rows)}")\n'
            ),
            "test_rows.py": (
                "import pytest\nfrom rows import check\n\n\ndef test_place():\n"
                '    with pytest.raises(ValueError, match="row 3 of 4"):\n'
                "        check([12, 30, -1, 44])\n"
            ),
        },
    )

    after = clew.run("minimize", "test_rows.py::test_place", "--json").summary["after"]

    assert "check([0, 0, -1, 0])" in after


@pytest.mark.slow
def test_what_does_not_fail_is_said(clew: CommandLine) -> None:
    write(clew.project, {"test_good.py": "def test_good():\n    assert 1\n"})

    passing = clew.run("minimize", "test_good.py::test_good")
    nothing = clew.run("minimize", "test_stats.py::test_missing")
    nowhere = clew.run("minimize", "tests/nosuch.py::test_a")

    assert (0, True) == (passing.code, "passes; there is nothing to make smaller" in passing.out)
    for said, name in ((nothing, "test_stats.py::test_missing"), (nowhere, "tests/nosuch.py")):
        assert 2 == said.code, said
        assert name in said.err
        assert "is no failing test that can be made smaller" in said.err


@pytest.mark.slow
def test_the_nearest_test_is_the_one_that_is_most_alike(clew: CommandLine) -> None:
    """A failure in which nothing can be left out is compared with a test of the same function."""
    write(
        clew.project,
        {
            "test_near.py": (
                "from stats import slug, spread\n\n\n"
                'def test_a_word():\n    assert slug("ab") == "ab"\n\n\n'
                "def test_one():\n    assert spread([14]) == 10\n\n\n"
                "def test_two():\n    assert spread([13]) == 5\n"
            )
        },
    )

    found = clew.run("minimize", "test_near.py::test_two", "--json").summary

    assert "test_near.py::test_one" == found["neighbour"]
    assert "spread" == found["parting"]["works"]["function"]


@pytest.mark.slow
def test_a_test_may_be_named_as_unittest_names_it(tmp_path: Path) -> None:
    """Where pytest runs the tests of unittest, people know them by either name."""
    suite = (
        "import unittest\n\nfrom stats import slug\n\n\n"
        "class SlugTest(unittest.TestCase):\n    def test_slug(self):\n"
        '        self.assertEqual(slug("A  b"), "a-b")\n'
    )
    files = {"stats.py": FILES["stats.py"], "tests/__init__.py": "", "tests/test_slug.py": suite}
    clew = CommandLine(commit_all(write(tmp_path / "stats", files)), tmp_path / "state")
    named = ("minimize", "tests.test_slug.SlugTest.test_slug")

    said = clew.run(*named, "--json", "--test-command", "python -m pytest")

    assert 0 == said.code, said
    assert "tests/test_slug.py" == said.summary["path"]
