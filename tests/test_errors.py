"""What a person reads of an error where there is one line for it."""

from __future__ import annotations

import pytest

from clew.words.errors import ClewError, UsageError


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            UsageError("no tests were found", hint="name the command"),
            "no tests were found; name the command",
        ),
        (ClewError("the disk refuses", hint="Make room."), "the disk refuses. Make room."),
        (
            ClewError("the disk refuses", hint="`clew doctor` says more"),
            "the disk refuses. `clew doctor` says more",
        ),
        (ClewError("the disk refuses"), "the disk refuses"),
    ],
)
def test_an_error_in_one_line_is_one_sentence_or_two(error: ClewError, line: str) -> None:
    """The next step goes on with the sentence, or is one of its own."""
    assert line == error.whole
