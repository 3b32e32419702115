"""What a yes or a no stands for."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from clew.flows.debugging import decisions as debugging
from clew.flows.investigation import decisions as investigation
from clew.flows.plan import decisions as plan
from clew.sessions.answers import (
    OF_QUESTIONS,
    chosen,
    is_bare_number,
    is_of_another,
    no_answer,
    yes_or_no,
)
from clew.words.errors import UsageError

ASKED = ("confirmed", "words", "stop")


@pytest.mark.parametrize("said", ["yes", "y", "Y", "Yes.", "YES!", " yes "])
def test_a_plain_yes_is_told_the_word_that_goes_on(said: str) -> None:
    """In small letters or large, with or without the end of a sentence."""
    with pytest.raises(UsageError, match="only 'confirmed' goes on here") as error:
        yes_or_no(said, "", ASKED, "s")
    assert "To agree: clew answer s confirmed" in error.value.whole


@pytest.mark.parametrize(
    ("word", "text"),
    [("yes, gone", ""), ("yes", "gone"), ("Yes", "but the name is wrong"), ("yes?", "")],
)
def test_a_yes_with_more_words_is_refused(word: str, text: str) -> None:
    """They may be criticism; the refusal names the answers, and how to say more."""
    with pytest.raises(UsageError, match="says yes, and more") as error:
        yes_or_no(word, text, ASKED, "s")
    assert "Answers: confirmed, words, stop" in error.value.whole
    assert 'clew answer s words "…"' in error.value.whole
    assert 2 == error.value.exit_code


@pytest.mark.parametrize("said", ["no", "N", "No."])
def test_a_plain_no_has_to_say_why(said: str) -> None:
    """Whoever writes it anew has nothing to go by."""
    with pytest.raises(UsageError, match="does not say what is wrong") as error:
        yes_or_no(said, "", ASKED, "s")
    assert 'clew answer s words "…"' in error.value.whole


@pytest.mark.parametrize("said", ["yes", "No."])
def test_neither_says_which_of_several_is_meant(said: str) -> None:
    """Where nothing is to be confirmed."""
    with pytest.raises(UsageError, match="is not an answer") as error:
        yes_or_no(said, "", ("now", "plan", "words"), "s")
    assert "Answers: now, plan, words" in error.value.whole


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("words", "yes, but it asks for the wrong sum"),
        ("no, it asks for the wrong sum", ""),
        ("no", "it is red for another reason"),
        ("yesterday it was gone", ""),
        ("stop", ""),
        ("confirmd", ""),
    ],
)
def test_all_other_answers_stay_as_they_are(word: str, text: str) -> None:
    """What is said as words is taken as that, whatever it begins with."""
    assert word == yes_or_no(word, text, ASKED, "s")


@pytest.mark.parametrize("said", ["now", "Later.", "accept-1", "rollback", "skip"])
def test_a_word_of_another_question_is_told_from_words_about_a_fix(said: str) -> None:
    """A slip of the hand is no criticism; a sentence with such a word may be."""
    assert is_of_another(said, ASKED)
    assert not is_of_another(said, (*ASKED, said))
    assert not is_of_another(f"{said} it is gone", ASKED)
    assert not is_of_another("timeout", ASKED)


@pytest.mark.parametrize("said", ["9", "0", "4", "9."])
def test_a_number_that_no_option_has_is_no_words(said: str) -> None:
    """It is a slip of the hand; as a value it stands behind the word for words."""
    assert is_bare_number(chosen(said, ASKED), ASKED)
    refused = no_answer(said, ASKED).whole
    assert f"{said!r} is not an answer" in refused
    assert f"(`words {said.rstrip('.')}` says the number itself)" in refused
    assert "itself" not in no_answer(said, ("now", "plan")).whole


@pytest.mark.parametrize("said", ["3", "9 of them are left", "words", "9.5", "-1"])
def test_an_option_and_longer_words_are_no_bare_numbers(said: str) -> None:
    """The number of an option is that option."""
    assert not is_bare_number(chosen(said, ASKED), ASKED)


@pytest.mark.parametrize(
    ("questions", "pattern"),
    [
        (debugging, r'word="([a-z]+)"'),
        (plan, r'word="([a-z]+)"'),
        (investigation, r'(?:^ +\(|= \()"([a-z]+)", f?"'),
    ],
)
def test_the_words_of_each_question_are_known(questions: ModuleType, pattern: str) -> None:
    """As the code offers them: a new one has to be entered."""
    source = "".join(path.read_text() for path in Path(questions.__path__[0]).glob("*.py"))
    offered = set(re.findall(pattern, source, re.MULTILINE))
    assert offered
    assert offered <= OF_QUESTIONS
