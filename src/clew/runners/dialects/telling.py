"""What a report in JUnit's XML says of a failure, as its many writers put it.

Some write the message into an attribute, where XML makes spaces of its line breaks; some cut it
there, or write a word that says nothing; some give it in the text alone, below the test's name and
above a stack.
"""

from __future__ import annotations

import re

__all__ = ["kind_of", "message_of"]

MOST = 4_000  # characters of a message
EMPTY = frozenset({"", "failed", "failure", "error", "test failed", "failed:"})
ASSERTS = re.compile(r"assert|comparison|expectation", re.IGNORECASE)
FRAMING = re.compile(r"\s*(?:=== |--- (?:FAIL|PASS|SKIP)\b|(?:Failure|Error|FAILED):?$)")
STACK = re.compile(r"\s+at \S|goroutine \d+ |\s*(?:\./|/)?[\w./@+-]+\.\w+:\d+(?::in .*|:\d+)?$")
PLACE = re.compile(r"^\s*[\w./-]+\.\w+:\d+: ")


def kind_of(given: str, name: str) -> str:
    """Return the kind of a failure; some writers give the name of the test as one."""
    kind = given.strip()
    if kind in ("", name):
        return "failure"
    return "AssertionError" if ASSERTS.search(kind) else kind


def message_of(given: str, text: str, printed: str, names: tuple[str, ...]) -> str:
    """Return what a failure says: `given` is the attribute; `names` are those of the test."""
    given, text = given.strip(), text[: 2 * MOST]
    if given.lower() not in EMPTY and not given.endswith("..."):
        broken = re.search(r"\s+".join(map(re.escape, given[:MOST].split())), text)
        return broken[0] if broken else given
    found: list[str] = []
    for line in text.splitlines():
        if FRAMING.match(line) or (not found and line.startswith(names)):
            continue
        if STACK.match(line):
            break
        found.append(line if found else PLACE.sub("", line, count=1))
    said = "\n".join(found).strip()[:MOST]
    return said or given or next(reversed(printed.strip().splitlines()), "")
