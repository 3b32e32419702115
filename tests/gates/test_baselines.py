from __future__ import annotations

import pytest

from clew.gates.baselines import comparable, found_in, new_findings
from clew.words.gates import GateFinding

RUFF = ("ruff", "check", "--output-format=concise")
MYPY = ("mypy", "src")

BEFORE = "a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n"
AFTER = (
    "a.py:3:8: F401 [*] `os` imported but unused\n"
    "a.py:9:1: F401 [*] `os` imported but unused\n"
    "b.py:1:1: F821 Undefined name `x`\nFound 3 errors.\n"
)


def test_lines_that_moved_are_no_new_findings() -> None:
    """A finding is known by its file and words, and as often as it was there."""
    before, after = found_in(BEFORE, ()), found_in(AFTER, ())
    assert [("a.py", 9), ("b.py", 1)] == [(e.path, e.line) for e in new_findings(before, after)]
    assert () == new_findings(after, before)


def test_numbers_of_lines_in_words_move_too() -> None:
    """What is said of another line is the same finding."""
    before = [GateFinding(path="a.py", line=5, text='error: Name "f" already defined on line 2')]
    after = [GateFinding(path="a.py", line=9, text='error: Name "f" already defined on line 6')]
    assert () == new_findings(before, after)


def test_paths_are_relative_to_the_root() -> None:
    """Some checkers name whole paths."""
    said = "  /home/ada/x/a.py:3:5 - error: bad (rule)\n1 error, 0 warnings, 0 informations\n"
    (finding,) = found_in(said, ("/home/ada/x/",))
    assert "a.py:3" == finding.place
    assert comparable(("pyright",), said, (finding,))


@pytest.mark.parametrize(
    ("argv", "output", "expected"),
    [
        (RUFF, BEFORE, True),
        (RUFF, "words\nFound 2 errors.\n" + BEFORE.splitlines()[0], False),
        (("npm", "run", "lint"), BEFORE, False),
        (MYPY, "a.py:1: error: bad  [x]\nFound 1 error in 1 file (checked 1 source file)\n", True),
        (MYPY, "mypy: can't read file 'src'\n", False),
        (("flake8",), "./a.py:1:1: F401 'os' imported but unused\n", True),
        (("flake8",), "./a.py:1:1: F401 'os' imported\nTraceback\n", False),
        (RUFF, "", False),
    ],
)
def test_findings_are_compared_only_where_they_are_all_that_was_said(
    argv: tuple[str, ...], output: str, *, expected: bool
) -> None:
    """A checker counts them, or prints nothing else; other commands may hide more."""
    assert expected == comparable(argv, output, found_in(output, ()))
