"""Tests that stand in the code that they test."""

from __future__ import annotations

import pytest

from clew.analysis.tampering import is_inline, moved_inline

TEXT = """\
pub fn ring(a: i64) -> i64 {
    a + 1
}

#[cfg(test)]
mod tests {
    #[test]
    fn rings() {
        assert_eq!(super::ring(5), 5, "not {");
    }
}

pub fn other() {}
"""


@pytest.mark.parametrize(("line", "inline"), [(2, False), (5, True), (9, True), (13, False)])
def test_a_line_belongs_to_a_test_or_to_the_code(line: int, *, inline: bool) -> None:
    assert is_inline("src/lib.rs", TEXT, line) is inline
    assert not is_inline("src/lib.py", TEXT, line)


def test_a_line_is_found_where_code_above_grew() -> None:
    longer = TEXT.replace("    a + 1\n", "    // one\n    // more\n    a + 1\n")
    assert moved_inline(TEXT, 9, longer) == 11
    assert moved_inline(longer, 11, TEXT) == 9


def test_a_test_that_is_another_is_not_found() -> None:
    assert moved_inline(TEXT, 9, TEXT.replace("(5), 5", "(5), 6")) is None
