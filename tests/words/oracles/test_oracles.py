"""A run shows a symptom where it fails, or prints what is said to be wrong."""

from __future__ import annotations

import pytest

from clew.words.debug_sessions import Symptoms, command_in, working_in
from clew.words.oracles import ending_of, shows

OFF = Symptoms(expected="total 6", actual="`total 5`")


@pytest.mark.parametrize(
    ("code", "output", "shown"),
    [
        (0, "total 5", True),
        (0, "total 6", False),
        (0, "total 50", False),
        (0, "total 5.1", False),
        (0, "total 5, not total 6", False),
        (0, "subtotal 5", False),
        (0, "nothing", False),
        (1, "total 6", True),
        (None, "total 5", False),
    ],
)
def test_what_shows_a_wrong_output(code: int | None, output: str, *, shown: bool) -> None:
    """The wrong text as a whole word and not the right one, or a status that is not 0."""
    assert shown is shows(OFF, code, output)


@pytest.mark.parametrize(
    ("actual", "expected"), [("hello-", "hello"), ("ok?", "ok"), ("Hello Bob!!", "Hello Bob")]
)
def test_what_is_expected_may_be_a_part_of_what_is_wrong(actual: str, expected: str) -> None:
    """A character too many shows it; the right text beside it does not."""
    told = Symptoms(expected=expected, actual=actual)
    assert shows(told, 0, f"said: {actual}\n")
    assert not shows(told, 0, f"said: {expected}\n")
    assert not shows(told, 0, f"said: {actual}, then {expected}\n")


@pytest.mark.parametrize(
    "told", [Symptoms(), Symptoms(actual="5"), Symptoms(actual="5", expected="5")]
)
def test_without_both_texts_the_status_decides(told: Symptoms) -> None:
    assert not shows(told, 0, "5")
    assert shows(told, 2, "5")


def test_an_output_ends_with_an_exception() -> None:
    """The last one that it names, without its module."""
    text = "Traceback …\nKeyError: 1\n\nDuring …\njson.decoder.JSONDecodeError: no\n"
    assert ("JSONDecodeError", "") == (ending_of(text), ending_of("total 5"))


def test_a_reproduction_names_what_fails_and_what_works() -> None:
    """Each on a line; a command that shows it anew takes the place of the one before."""
    told = Symptoms().shown_by("shop 1 2", "shop 1")
    assert ("shop 1 2", "shop 1") == (command_in(told), working_in(told))
    assert ("shop 3", "") == (command_in(told.shown_by("shop 3")), working_in(Symptoms()))
    assert "by hand" == Symptoms(reproduction="by hand").shown_by("").reproduction
