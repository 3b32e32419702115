"""Whether a run of a command shows a symptom, as far as a machine can tell."""

from __future__ import annotations

import re

from clew.words.debug_sessions import Symptoms

__all__ = ["ending_of", "printed", "shows"]

LONGEST = 200  # characters of what is looked for in an output
_ERROR = re.compile(r"^([A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt))\b", re.MULTILINE)


def printed(symptoms: Symptoms) -> tuple[str, str]:
    """Return what is printed and what should be, where the symptoms name both as short texts."""
    actual, expected = (text.strip("`'\" ") for text in (symptoms.actual, symptoms.expected))
    short = all(0 < len(text) <= LONGEST and "\n" not in text for text in (actual, expected))
    return (actual, expected) if short and actual != expected else ("", "")


def shows(symptoms: Symptoms, exit_code: int | None, output: str) -> bool:
    """Whether a run shows it: it fails, or prints what is said to be wrong and not what is right.

    One that could not be run (None) shows nothing.
    """
    if exit_code is None:
        return False
    actual, expected = printed(symptoms)
    return bool(exit_code) or (_has(output, actual) and not _has(output, expected))


def _has(output: str, text: str) -> bool:
    """Whether an output has a text that is no part of a longer word or number."""
    found = rf"(?<![\w.-]){re.escape(text)}(?!\w|\.\d)"
    return bool(text) and re.search(found, output) is not None


def ending_of(output: str) -> str:
    """Return the bare name of the exception that an output ends with; empty for none."""
    found = _ERROR.findall(output[-4_000:])
    return found[-1].rpartition(".")[2] if found else ""
