"""Whether a run of a command shows a symptom, as far as a machine can tell."""

from __future__ import annotations

import re

from clew.words.debug_sessions import Symptoms

__all__ = ["ASSERTED", "LAST_LINES", "awaited", "ending_of", "lacks", "printed", "shows"]

ASSERTED = "AssertionError"  # an ending by what a program asks of itself, once it is loaded
QUOTES = "`'\""
BRACKETS = ("{}", "[]")
LAST_LINES = 12  # of an output that are kept in sight
LONGEST = 200  # characters of what is looked for in an output
_WITHIN = re.compile(r'"([^"\n]+)"|`([^`\n]+)`')
_ERROR = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt))\b", re.MULTILINE)


def printed(symptoms: Symptoms) -> tuple[str, str]:
    """Return what is printed and what should be, where the symptoms name both as short texts."""
    actual, expected = map(_short, (symptoms.actual, symptoms.expected))
    return (actual, expected) if actual and expected and actual != expected else ("", "")


def awaited(symptoms: Symptoms) -> str:
    """Return what should be printed, where that is told alone: in quotes, or a value by its look.

    Words may stand around one text in double quotes or backticks. A value has a digit, and one word
    beside it at most, as in `total 6`; or it stands in braces or brackets: other words may be about
    what is printed.
    """
    told, text = symptoms.expected.strip(), _short(symptoms.expected)
    if told[:1] + told[-1:] in BRACKETS:
        return text
    within = [one or other for one, other in _WITHIN.findall(told)]
    if within:
        return within[0] if len(within) == 1 and text else ""
    is_quoted = len(told) > 2 and told[0] == told[-1] and told[0] in QUOTES  # noqa: PLR2004 - two quotes
    words = [word for word in text.split() if word.isalpha()]
    is_value = len(words) <= 1 and any(map(str.isdigit, text))
    return text if is_quoted or is_value else ""


def lacks(output: str, text: str) -> bool:
    """Whether an output is known to lack a text: there is one, and its end that is kept is all."""
    said = output.strip()
    whole = bool(said) and said.count("\n") < LAST_LINES - 1
    return whole and bool(text) and not re.search(_whole(text), said)


def _short(told: str) -> str:
    """Return a text that may stand in an output; nothing of a longer account."""
    text = told.strip(f"{QUOTES} ")
    return text if len(text) <= LONGEST and "\n" not in text else ""


def shows(symptoms: Symptoms, exit_code: int | None, output: str) -> bool:
    """Whether a run shows it: it fails, or prints what is said to be wrong and not what is right.

    One that could not be run (None) shows nothing.
    """
    if exit_code is None:
        return False
    actual, expected = printed(symptoms)
    without = re.sub(_whole(actual), "", output) if actual else output
    right = expected and re.search(_whole(expected), without)
    return bool(exit_code) or (without != output and not right)


def _whole(text: str) -> str:
    """Return the pattern of a text that is no part of a longer word or number."""
    return rf"(?<![\w.-]){re.escape(text)}(?!\w|\.\d)"


def ending_of(output: str) -> str:
    """Return the bare name of the exception that an output ends with; empty for none."""
    found = _ERROR.findall(output[-4_000:])
    return found[-1].rpartition(".")[2] if found else ""
