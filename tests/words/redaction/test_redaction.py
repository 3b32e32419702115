"""Keys are taken out of text from outside; what only looks like one stays."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.words.facts import CaseOutcome, Crash, TestResult
from clew.words.redaction import REDACTED, redacted, secret_values, without_secrets
from keyshapes import HARMLESS, KEYS

NONE: frozenset[str] = frozenset()


@pytest.mark.parametrize("what", KEYS)
def test_a_key_is_taken_out(what: str) -> None:
    """And nothing but the key."""
    around, key = KEYS[what]

    assert around.format(REDACTED) == redacted(around.format(key), NONE)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_key_stays(text: str) -> None:
    """Evidence is worth nothing with holes in it."""
    assert text == redacted(text, NONE)


@given(st.binary(min_size=16, max_size=64), st.uuids())
def test_hashes_and_ids_stay(content: bytes, number: uuid.UUID) -> None:
    """Whatever they are of."""
    text = f"commit {content.hex()} of {number}, {number.hex.upper()} {content!r}"

    assert text == redacted(text, NONE)


@given(st.text())
def test_what_was_redacted_stays_so(text: str) -> None:
    """A second time changes nothing."""
    once = redacted(text, NONE)

    assert once == redacted(once, NONE)


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("OPENAI_API_KEY", "no-shape-at-all-1", True),
        ("DB_PASSWORD", "correct horse", True),
        ("GITHUB_TOKEN", "x1234567", True),
        ("MY_SECRET_2", "x1234567", True),
        ("AWS_SESSION_TOKEN", "x1234567", True),
        ("PGPASSWORD", "x1234567", True),
        ("MYAPIKEY", "x1234567", True),
        ("DJANGO_SECRETKEY", "x1234567", True),
        ("TURKEY", "x1234567", False),
        ("GITHUB_TOKEN", "short1", False),
        ("SSH_AUTH_SOCK", "/run/user/0/ssh.sock", False),
        ("PWD", "/home/me/project-1", False),
        ("KEY_FILE", "secrets/key.pem", False),
        ("AUTH_TYPE", "oauth-personal", False),
        ("MONKEY", "x1234567", False),
        ("AUTHOR", "Somebody 1", False),
        ("TOKEN_COUNTER", "o200k_base", False),
        ("CLEW_PASS_ENV", "SHOP_STEP", False),
        ("SECRET_WORD", "password", False),
    ],
)
def test_a_variable_is_secret_by_its_name(name: str, value: str, secret: bool) -> None:  # noqa: FBT001 - a table
    """Places, kinds and plain words are no secrets, whatever they are called."""
    assert (frozenset({value}) if secret else NONE) == secret_values({name: value})


def test_the_values_of_the_environment_are_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever in a record they stand; names of things stay to the letter."""
    monkeypatch.setenv("SERVICE_TOKEN", "no-shape-at-all-1")
    crash = Crash(type="ValueError", message="bad no-shape-at-all-1")
    result = TestResult(
        id="t[no-shape-at-all-1]", outcome=CaseOutcome.FAILED, crash=crash, output="ok"
    )
    cleaned = without_secrets(result, keep=frozenset({"id"}))

    assert ("t[no-shape-at-all-1]", f"bad {REDACTED}") == (
        cleaned.id,
        cleaned.crash.message if cleaned.crash else "",
    )


def test_a_secret_that_is_part_of_another_leaves_nothing_of_it() -> None:
    """The longer one goes first, whatever their order."""
    values = frozenset({"hunter22", "hunter22-prod-x9", "hunter22-pro"})
    assert f"a {REDACTED} b" == redacted("a hunter22-prod-x9 b", values)


def test_a_record_without_secrets_is_the_same_one() -> None:
    """Nothing is copied for nothing."""
    result = TestResult(id="t", outcome=CaseOutcome.PASSED, output="all is well")

    assert without_secrets(result) is result
