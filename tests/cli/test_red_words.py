"""How red tests are counted: a file that could not be loaded is no test."""

from __future__ import annotations

import pytest

from clew.cli.words import red_words
from clew.words import events as ev


@pytest.mark.parametrize(
    ("files", "tests", "words"),
    [
        (0, 3, "3 red"),
        (1, 0, "1 red (a file of tests that could not be loaded)"),
        (3, 0, "3 red (files of tests that could not be loaded)"),
        (1, 2, "3 red (1 of them a file of tests that could not be loaded)"),
        (2, 2, "4 red (2 of them files of tests that could not be loaded)"),
    ],
)
def test_files_that_could_not_be_loaded_are_told_from_tests(
    files: int, tests: int, words: str
) -> None:
    """Nobody knows yet how many tests they have."""
    red = [
        ev.FailingTest(id=f"t{n}", fingerprint="", error="", file=n < files)
        for n in range(files + tests)
    ]
    assert words == red_words(red)
