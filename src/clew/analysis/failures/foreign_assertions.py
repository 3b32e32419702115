"""What failed assertions of other languages say: the value that was got, and the one wanted.

One pattern for each way that a runner, or the custom of a language, has of saying it.
"""

from __future__ import annotations

import re

import msgspec

__all__ = ["AssertedValues", "called_in", "said"]


class AssertedValues(msgspec.Struct, frozen=True, kw_only=True):
    """The two values in the assertion's own words; `call` where the message names it."""

    actual: str
    expected: str
    relation: str = "=="
    call: str = ""


_PATTERNS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        # Node
        (
            r"\AExpected values to be (?:strictly|loosely) (?:deep-)?equal:\n\n"
            r"(?P<actual>.+) !==? (?P<expected>.+)$"
        ),
        # Jest
        r"^Expected: (?P<relation>>=?|<=?)? *(?P<expected>(?!not ).+)\nReceived: +(?P<actual>.+)$",
        # Vitest, Chai
        (
            r"\Aexpected (?P<actual>.+?)(?<! not) to (?:be|(?:deeply |strictly )?equal)"
            r" (?P<expected>.+?)(?: // Object\.is equality)?$"
        ),
        # Rust
        (
            r"\Aassertion `left (?P<relation>[!=]=) right` failed.*\n *left: (?P<actual>.+)"
            r"\n *right: (?P<expected>.+)$"
        ),
        # JUnit, its relatives and AssertJ; RSpec; PHPUnit
        r"expected: ?<(?P<expected>.+?)> but was: ?<(?P<actual>.+?)>",
        r"^ *expected: (?P<expected>.+)\n *(?:but was|got|actual) *: (?P<actual>.+)$",
        (
            r"^Failed asserting that (?P<actual>.+) (?:matches expected|is identical to)"
            r" (?P<expected>.+)\.$"
        ),
        # Go, by custom
        (
            r"\A(?P<call>[\w.]+\(.*\)) ?(?:=|==|returned|got|:) ?(?P<actual>.+?)[,;:]? "
            r"(?:want|wanted|expected):? (?P<expected>.+)$"
        ),
        r"\A(?:\w+: )?[Gg]ot:? (?P<actual>.+?)[,;]? (?:want|wanted|expected):? (?P<expected>.+)$",
        (
            r"\A(?:\w+: )?(?:[Ww]ant|[Ww]anted|[Ee]xpected):? (?P<expected>.+?)[,;]?"
            r" (?:but )?(?:got|was):? (?P<actual>.+)$"
        ),
    )
)
_DEEP = re.compile(r"\AExpected values to be .*deep-equal:\n\+ actual - expected\b")
_TURNED = re.compile(r"assert_\w+!\(\s*[-\d\"'\[]")
_CALL = re.compile(r"(?<![\w.!])([A-Za-z_][\w.:]*)\(")
_ASSERTING = re.compile(
    r"(?:\w+[.:]+)?(?:assert|require|expect|t|self|this|Assert|Assertions)"
    r"(?:[.:]+\w+)*|assert\w*|expect\w*|be|eql?|test|it|describe"
)
_KEYWORDS = frozenset({"if", "for", "while", "switch", "return", "await", "func", "function"})


def said(message: str, code: str = "") -> AssertedValues | None:
    """Return what the message of an assertion says; `code` is the line that asserts.

    None where it says it in no way that is known here.
    """
    for pattern in _PATTERNS:
        found = pattern.search(message)
        if found is None:
            continue
        parts = {name: text.strip(" `,") for name, text in found.groupdict().items() if text}
        relation = parts.get("relation", "==")
        actual, expected = parts["actual"], parts["expected"]
        if _TURNED.search(code):
            actual, expected = expected, actual
        call = parts.get("call") or called_in(code)
        return AssertedValues(actual=actual, expected=expected, relation=relation, call=call)
    if _DEEP.match(message):
        lines = message.split("\n")[1:]
        got, wanted = (
            " ".join(line[1:].strip() for line in lines[1:] if line.startswith(sign))
            for sign in "+-"
        )
        if got and wanted:
            return AssertedValues(actual=got, expected=wanted, call=called_in(code))
    return None


def called_in(code: str) -> str:
    """Return the first call of a line that is no assertion itself, as it is written there."""
    for found in _CALL.finditer(code):
        name = found[1]
        if name not in _KEYWORDS and not _ASSERTING.fullmatch(name):
            return name + _bracketed(code[found.end() - 1 :])
    return ""


def _bracketed(text: str) -> str:
    depth = 0
    for at, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if not depth:
            return text[: at + 1]
    return text
