"""Fixes that ask for what a double of the tests has."""

from __future__ import annotations

import pytest

from clew.analysis.tampering import of_doubles, questions

BEFORE = "def notify(channel, text):\n    channel.deliver(text)\n"
AFTER = (
    "def notify(channel, text):\n    if {}:\n        text = text[:9]\n    channel.deliver(text)\n"
)
TESTS = "class Fake:\n    def __init__(self):\n        self.sent = []\n"


@pytest.mark.parametrize("asked", ["hasattr(channel, 'sent')", "getattr(channel, 'sent', None)"])
def test_what_only_a_double_has_is_told(asked: str) -> None:
    """Asked before, had by the product as well, or by nothing in the tests, it says nothing."""
    after = AFTER.format(asked)
    assert {"sent": 2} == questions(BEFORE, after)
    assert {} == questions(after, after)
    assert {"sent"} == of_doubles(["sent"], [BEFORE], [TESTS])
    assert set() == of_doubles(["sent"], [BEFORE, "mail.sent = 1\n"], [TESTS])
    assert set() == of_doubles(["sent"], [BEFORE], ["sent = []\n"])


@pytest.mark.parametrize("asked", ["hasattr(channel, 'read')", "getattr(channel, 'sent')"])
def test_what_plain_things_have_and_what_has_to_be_there_is_no_question(asked: str) -> None:
    assert {} == questions(BEFORE, AFTER.format(asked))
