"""What a fix's commit says: its work's summary, found again, and nothing that is secret."""

from __future__ import annotations

import pytest

from clew.flows.debugging.driver.fixing import commit_message, summary_of
from clew.words import events as ev
from clew.words.models import AgentRole
from clew.words.redaction import REDACTED
from keyshapes import KEYS

INTENT = ev.CallAgent(role=AgentRole.FIX, iteration=1, agent="claude", attempt=1, call=2, base="c0")
KEY = KEYS["OpenAI"][1]
VALUE = "opensesame-0"


def test_a_fix_s_commit_tells_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in its title nor below; so what a session that goes on reads there has none."""
    monkeypatch.setenv("SHOP_PASSWORD", VALUE)
    message = commit_message(INTENT, f"Send {KEY}\n\nIt is called with {VALUE} now.")
    assert [] == [secret for secret in (KEY, VALUE) if secret in message]
    assert f"Send {REDACTED}" == message.partition("\n")[0]
    kept = f"Send {REDACTED}\n\nIt is called with {REDACTED} now."
    assert kept == summary_of(message, INTENT)


def test_a_title_that_is_cut_says_so() -> None:
    """It keeps to the length that git's own tools show, and ends in an ellipsis."""
    assert f"{'a' * 71}…" == commit_message(INTENT, "a" * 73).partition("\n")[0]
    assert "a" * 72 == commit_message(INTENT, "a" * 72).partition("\n")[0]
