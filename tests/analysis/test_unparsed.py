"""Whether a file could not be parsed, or running code raised what is only named so."""

from __future__ import annotations

import pytest

from clew.analysis.failures import categorise, fingerprint_of, unparsed
from clew.words.facts import Category, Crash, Frame
from failurekit import crash, failed, frame, run

TEST = frame("test_q.py:3", "test_parse", 'assert parse("a b") == []')
RAISED = frame("query.py:9", "parse", 'raise SyntaxError(f"unexpected {token}")')
READ = frame("calc.py:4", "answer", "return ast.literal_eval(text)")
IMPORT = frame("test_q.py:1", "<module>", "from query import parse")
NOWHERE = Frame(path="<unknown>", line=1, function="", code="1 +")
LIBRARY = Frame(path="/usr/lib/python3/ast.py", line=50, function="parse", code="return node")


@pytest.mark.parametrize(
    ("told", "is_unparsed"),
    [
        (crash("SyntaxError", "unexpected b", TEST, RAISED), False),
        (crash("SyntaxError", "unexpected b", TEST, RAISED, frame("query:1", "")), False),
        (crash("SyntaxError", "invalid syntax", TEST, READ, LIBRARY, NOWHERE), False),
        (crash("lang.SyntaxError", "unexpected b", TEST), False),
        (crash("SyntaxError", "expected ':'", IMPORT, frame("query.py:2", "")), True),
        (crash("SyntaxError", "source code string cannot contain null bytes", IMPORT), True),
        (crash("IndentationError", "unexpected indent (query.py, line 3)"), True),
    ],
)
def test_only_a_file_that_is_no_code_is_unparsed(told: Crash, is_unparsed: bool) -> None:  # noqa: FBT001 - a table
    """A parser of the project raises what Python raises; only the frames tell the two apart."""
    category = Category.SYNTAX_ERROR if is_unparsed else Category.TEST_FAILURE

    assert unparsed(told) is is_unparsed
    assert categorise(run(failed("test_q.py::test_parse", told))) == category


def test_errors_that_a_parser_of_the_project_raises_are_told_apart_by_their_words() -> None:
    """Of a file that cannot be parsed the words vary with Python's version; here they do not."""
    one, other = (
        failed("test_q.py::test_parse", crash("SyntaxError", message, TEST, RAISED))
        for message in ("unexpected comma", "unexpected end")
    )

    assert fingerprint_of(one) != fingerprint_of(other)
