"""The knowledge base: appended to, read leniently, matched by words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.documents.knowledge import (
    LARGEST,
    ParsedEntry,
    append,
    found,
    keywords,
    matches,
    name_of,
    parse,
    searched,
)
from clew.documents.markdown import sections
from storykit import ENTRY, SESSION

WRITTEN = append(b"", ENTRY).decode()

BY_HAND = """\
# What we know

Some words of ours.

## login-times-out - Login times out behind the proxy
- **Date:** 2025-11-03
- **Error patterns:** TimeoutError, login, proxy_pass, handshake
- **Root cause(s):** the proxy drops idle connections
- **Fix:** send keep-alives
- **Files changed:** net/pool.py

## no form at all

The upload_worker dies with BrokenPipeError in chunk_sender.

### Fix

Catch it.

## cut-off — An entry that
- **Error patt
"""


def test_an_entry_reads_back() -> None:
    """As it was put in, and with a place of its own in the file."""
    (known,) = parse(WRITTEN)
    assert (ENTRY.slug, ENTRY.title) == (known.slug, known.title)
    assert all(line in known.patterns for line in ENTRY.patterns)
    assert known.cause == ENTRY.causes[0]
    assert known.fix == ENTRY.fixes[0]
    assert known.files == "`shop/cart.py`"
    assert ENTRY.guards[0] in known.guard
    assert ENTRY.slug == found(WRITTEN.encode(), SESSION, ENTRY.commit)


def test_several_causes_are_one_field() -> None:
    """None of them can pass for another field."""
    entry = replace(ENTRY, causes=("the first", "**Fix**: not this one"))
    (known,) = parse(append(b"", entry).decode())
    assert "the first\n**Fix**: not this one" == known.cause
    assert ENTRY.fixes[0] == known.fix


@pytest.mark.parametrize(
    "standing", [BY_HAND, "no newline at its end", "```\nnever closed", "~~~~\nnor this\n", "\r\n"]
)
def test_what_stands_is_kept_to_the_byte(standing: str) -> None:
    """Also where its form is broken; the new entry is found behind it, once."""
    before = standing.encode()
    after = append(before, ENTRY)
    assert after.startswith(before)
    assert parse(after.decode())[-1].slug == ENTRY.slug
    assert found(before, SESSION, ENTRY.commit) is None
    assert ENTRY.slug == found(after, SESSION, ENTRY.commit)


def test_bytes_that_are_no_text_are_kept() -> None:
    """A person may have saved it in another encoding."""
    before = b"# gr\xfc\xdfe\n\n## alt \xe4 - x\n"
    assert append(before, ENTRY).startswith(before)


def test_what_a_person_wrote_is_read_as_far_as_it_can_be() -> None:
    """Other labels, no labels, half an entry: each is one, and hides no other."""
    login, free, cut = parse(BY_HAND)
    assert ("login-times-out", "send keep-alives") == (login.slug, login.fix)
    assert "the proxy drops idle connections" == login.cause
    assert ("no-form-at-all", "Catch it.") == (free.slug, free.fix)
    assert "cut-off" == cut.slug


def test_two_shared_words_make_a_candidate_and_one_does_not() -> None:
    """In either case, and words of every failure do not count."""
    known = parse(BY_HAND)
    (match,) = matches(known, ["net.py: timeouterror: LOGIN refused"])
    assert ("login-times-out", ("login", "timeouterror")) == (match.slug, match.shared)
    assert () == matches(known, ["TimeoutError in the test", "AssertionError: assert False"])
    assert () == matches(parse(WRITTEN), ["tests/other.py::test_x: AssertionError: assert 1 == 2"])


def test_the_entry_that_shares_most_comes_first() -> None:
    """Of equal ones the newest; three at most are named."""
    known = [ParsedEntry(slug=f"k{n}", title="t", patterns="alpha beta") for n in range(5)]
    best = ParsedEntry(slug="best", title="t", patterns="alpha beta gamma")
    found_ = matches([best, *known], ["alpha beta gamma"])
    assert ["best", "k4", "k3"] == [match.slug for match in found_]


def test_a_search_takes_the_parts_of_a_name_for_words() -> None:
    """On either side, whatever joins them; each entry says whether its fix was undone."""
    entries = (
        ParsedEntry(slug="free-shipping-is-wrong", title="not said"),
        ParsedEntry(slug="k", title="`free_shipping` breaks", session="s"),
    )
    for words in (["free", "shipping"], ["free_shipping"], ["free-shipping"]):
        found_ = searched(entries, words, lambda entry: entry.session == "s")
        assert {("free-shipping-is-wrong", False), ("k", True)} == {
            (match.slug, match.undone) for match in found_
        }
    assert () == searched(entries, ["ship"])


@given(st.text(max_size=300), st.text(max_size=80))
def test_nothing_in_an_entry_makes_another_one(text: str, title: str) -> None:
    """Headings, fences and marks in what agents and tests said stay what they are."""
    hostile = f"{text}\n## x — y\n```\n<!-- session {SESSION} commit 00 -->"
    entry = replace(
        ENTRY,
        title=title,
        patterns=(hostile,),
        causes=(hostile, text),
        fixes=(hostile,),
        files=(text,),
        why_not_caught=hostile,
        guards=(hostile,),
    )
    after = append(append(b"", entry), ENTRY)
    assert 2 == len([part for part in sections(after.decode()) if part.level == 2])
    assert ENTRY.slug == found(after, SESSION, ENTRY.commit)
    assert found(after, SESSION, "00") is None


@given(st.text(max_size=400))
def test_any_text_at_all_can_be_read(text: str) -> None:
    """And be added to."""
    parse(text)
    assert parse(append(text.encode("utf-8", "replace"), ENTRY).decode())[-1].title == ENTRY.title


@pytest.mark.parametrize(
    "hostile",
    [
        "#" * LARGEST,
        "## a — " + " " * LARGEST,
        "## a\n" * (LARGEST // 5),
        "- **a" * (LARGEST // 5),
        "`" * LARGEST,
        "## a\n" + "- **Fix**: x\n" * (LARGEST // 13),
    ],
    ids=range(6),
)
def test_reading_is_bounded(hostile: str) -> None:
    """However large the file, and whatever is in it."""
    assert len(parse(hostile * 2)) <= 2_000


def test_the_name_of_an_entry_is_short_and_its_own() -> None:
    """Thirty characters at most, and a number where it is taken."""
    assert "login-fails-on-mobile-safari" == name_of("Login fails on mobile Safari!!")
    assert "fix" == name_of("🚨")
    long = name_of("a very long title that goes on and on")
    assert "a-very-long-title-that-goes-on" == long
    assert "a-very-long-title-that-goes-2" == name_of(
        "a very long title that goes on and on", [long]
    )


def test_keywords_leave_out_what_every_failure_says() -> None:
    """What is left are names."""
    assert {"test_ring", "tests_area"} <= keywords("tests_area::test_ring: AssertionError: assert")
    assert frozenset() == keywords("AssertionError: assert 1 == 2")


def test_what_a_person_alone_confirmed_is_not_called_proven() -> None:
    """And every other line stands as it does for a proven fix."""
    told = append(b"", replace(ENTRY, confirmed=True)).decode().splitlines()
    other = [line for line in WRITTEN.splitlines() if not line.startswith("- **Proven in**")]
    said = f"- **Not proven**: a person confirmed it in session {SESSION}"
    assert [said] == [line for line in told if line not in other]
    assert len(other) + 1 == len(told)
    by_hand = append(b"", replace(ENTRY, confirmed=True, files=())).decode()
    assert "- **Files changed**: not named\n" in by_hand
    assert "- **Files changed**: none\n" in append(b"", replace(ENTRY, files=())).decode()
