"""Text from outside on one line."""

from __future__ import annotations

from clew.words.printable import one_line, shortened


def test_blanks_within_a_line_stay() -> None:
    """They may be all that a test fails for: without them a call gives something else."""
    told = "slug('fox, and  a dog')\n    -> 'fox--a'"
    assert "slug('fox, and  a dog') -> 'fox--a'" == one_line(told)
    assert "a  b c" == shortened(" a  b\r\n\tc ")
