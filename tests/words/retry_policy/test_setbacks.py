"""What follows when an agent fails."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.words.retry_policy import FOLLOWS, Reaction, follow, is_hopeless, kind_of, told_wait, wait


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("error: database is locked", "locked"),
        ("resource busy", "busy"),
        ("the request timed out", "timeout"),
        ("temporary failure in name resolution", "temporary"),
        ("the service is unavailable", "unavailable"),
        ("HTTP 503", "unavailable"),
        ("something went wrong, try again", "temporary"),
        ("429 Too Many Requests", "rate_limited"),
        ("OSError: [Errno 28] No space left on device", "disk_full"),
        ("Permission denied, please try again.", "permission_denied"),
        ("sh: 1: helper: command not found", "not_installed"),
        ("open: no such file or directory", "not_installed"),
        ("You are not logged in", "not_logged_in"),
        ("the index is corrupted", "corrupted"),
        ("no credit left", "error"),
        ("Prompt is too long · the request is ~250000 tokens", "context_too_long"),
        ("This model's maximum context length is 8192 tokens", "context_too_long"),
        ("which appears to violate our Usage Policy", "refusal"),
        ("connection refused", "error"),
        ("the model gpt-0 does not exist", "unknown_model"),
        ("cannot read temporary_files/blocker", "error"),
        ("", "error"),
    ],
)
def test_the_last_words_of_a_program_tell_the_kind(words: str, kind: str) -> None:
    """What no call can mend is looked for first, but for what a wait mends."""
    assert kind == kind_of(words)


def test_what_passes_is_waited_for_and_what_does_not_is_not() -> None:
    """Three answers, and every kind has one."""
    by_answer = {each: {k for k, f in FOLLOWS.items() if f is each} for each in Reaction}

    assert {"timeout", "busy", "locked", "temporary", "unavailable", "rate_limited", "silent"} == (
        by_answer[Reaction.LATER]
    )
    assert {
        *("disk_full", "permission_denied", "not_installed", "not_logged_in", "corrupted"),
        *("refusal", "out_of_credit", "unknown_model", "unsupported", "sandbox"),
    } == by_answer[Reaction.NEXT]
    assert {
        *("invalid_output", "not_ready", "tool_access", "context_too_long", "endless_output"),
        *("error", "lone_option"),
    } == by_answer[Reaction.AGAIN]
    assert {"limit"} == by_answer[Reaction.ONCE]


def test_what_was_ended_for_a_limit_has_one_more_call() -> None:
    """Whatever else went wrong before that; other failures are counted, and no more."""
    assert [False, False, True] == [
        is_hopeless("limit", before) for before in ([], ["error", "timeout"], ["limit", "error"])
    ]
    assert [False, True] == [is_hopeless(kind, [kind] * 9) for kind in ("error", "refusal")]


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Retry-After: 30", 30.0),
        ('{"retry_after": 1.5}', 1.5),
        ("try again in 5 minutes", 300.0),
        ("Rate limited. Please retry in 250ms.", 0.25),
        ("your limit resets in 2h", 7200.0),
        ("try again later", 0.0),
        ("", 0.0),
    ],
)
def test_how_long_to_wait_is_read_from_words(words: str, seconds: float) -> None:
    """A number alone is seconds, as in HTTP."""
    assert seconds == told_wait(words)


def test_what_a_server_answered_counts_more_than_words() -> None:
    """A status is a fact."""
    assert "rate_limited" == kind_of("the model was not found", 429)
    assert "unknown_model" == kind_of("the model was not found", 400)
    found = [kind_of("", status) for status in (402, 500, 503)]
    assert ["out_of_credit", "temporary", "temporary"] == found
    assert "out_of_credit" == kind_of("Your credit balance is too low to access the API", 400)


@given(st.text())
def test_any_kind_and_any_words_have_an_answer(text: str) -> None:
    """An unknown kind is an error like any other."""
    assert kind_of(text) in FOLLOWS
    assert follow(text) is FOLLOWS.get(text, Reaction.AGAIN)


@given(st.floats(0, 60), st.integers(1, 5))
def test_waits_double(first: float, failures: int) -> None:
    """Half a second, a second, two seconds …"""
    assert first == wait(first, 1)
    assert 2 * wait(first, failures) == wait(first, failures + 1)


def test_an_agent_that_tells_how_long_is_left_alone_so_long() -> None:
    """A shorter word than our own wait changes nothing."""
    assert [30.0, 2.0] == [wait(0.5, 3, told) for told in (30.0, 1.0)]
