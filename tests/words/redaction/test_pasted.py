"""What a person pastes: logs and settings, in which a name says that a value is secret."""

from __future__ import annotations

import pytest

from clew.words.redaction import redacted_paste


@pytest.mark.parametrize(
    ("pasted", "kept"),
    [
        ('api_key = "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c"', 'api_key = "[redacted]"'),
        ("password=hunter2secret failed", "password=[redacted] failed"),
        ('{"token": "abc-12345.x", "n": 1}', '{"token": "[redacted]", "n": 1}'),
        ("token = session_token", "token = session_token"),
        ('token = request.headers["x1"]', 'token = request.headers["x1"]'),
        ("token = make_token1(user)", "token = make_token1(user)"),
        ("tokens: 12345678 of 9", "tokens: 12345678 of 9"),
        ("the password is long", "the password is long"),
    ],
)
def test_no_value_is_kept_that_a_name_says_is_secret(pasted: str, kept: str) -> None:
    """But code, and what is no value, stays."""
    assert kept == redacted_paste(pasted)
