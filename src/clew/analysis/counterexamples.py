"""Tests that somebody says a fix fails: what they rest on, and what their failure speaks of."""

from __future__ import annotations

import re

from clew.words.facts import Phase, TestResult

__all__ = ["quoted", "speaks_of_the_code"]

ASSERTED = frozenset({"AssertionError", "Failed"})  # an assertion, and pytest's own way to say so
WORD = re.compile(r"\w+")


def quoted(words: str, text: str) -> bool:
    """Tell whether words stand in a text, over line breaks and marks of comments as well."""
    wanted, there = (f" {' '.join(WORD.findall(each))} " for each in (words, text))
    return bool(wanted.strip()) and wanted in there


def speaks_of_the_code(result: TestResult, path: str) -> bool:
    """Tell whether a test that stands in a file is red by what the code does.

    That is an assertion of its own, or an exception of the code; not one of the test, which may
    use a wrong name or a wrong argument.
    """
    crash = result.crash
    if not result.outcome.red or result.phase is not Phase.CALL or crash is None:
        return False
    own = [frame.path for frame in crash.frames if frame.project]
    if crash.type in ASSERTED:
        return True
    return bool(own) and own[-1] != path
