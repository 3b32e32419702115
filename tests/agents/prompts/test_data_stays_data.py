"""Whatever a text wants, in a prompt it stays between its markers."""

from __future__ import annotations

import re
import unicodedata
from typing import get_type_hints

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.agents.prompts import (
    ROLES,
    Brief,
    FileExcerpt,
    ReportText,
    going_on,
    nonce_of,
    prompt,
    wrap_data,
)
from clew.analysis.context import ESTIMATE
from clew.documents.views import IterationView
from clew.words.facts import Crash, Frame, Suspect, TestResult
from filling import filled
from injections import CANARY, INJECTIONS, obeyed

NONCE = "0123456789abcdef"
WITHIN = (Brief, FileExcerpt, ReportText, IterationView, Suspect, TestResult, Crash, Frame)
# What Clew itself chooses: the nonce, the name of a counter of tokens, room for all of it, wording.
CHOSEN = {"nonce": "", "counter": ESTIMATE, "budget": 10**9, "share": 0, "templates": {}}
FIELDS = sorted(
    (owner.__name__, field.name)
    for owner in WITHIN
    for field in msgspec.structs.fields(owner)
    if owner is not Brief or field.name not in CHOSEN
)


def outside(told: str, nonce: str) -> str:
    """What of a prompt stands in no wrapper. Markers must be in pairs, each at a line's begin."""
    kept, within = list[str](), False
    for line in told.split("\n"):
        if line.startswith(f"DATA_START {nonce}"):
            assert not within, line
            within = True
        elif line == f"DATA_END {nonce}":
            assert within, line
            within = False
        elif not within:
            kept.append(line)
    assert not within
    return "\n".join(kept)


def brief_of(text: str) -> Brief:
    """A brief with the text in every place."""
    brief: Brief = msgspec.structs.replace(filled(Brief, text), **CHOSEN)
    return brief


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", INJECTIONS)
def test_an_injection_in_every_place_of_a_brief_changes_nothing_around_it(
    role: str, name: str
) -> None:
    """A new field of a brief, or of what it holds, is filled and looked for like all others."""
    text = INJECTIONS[name].replace("{nonce}", NONCE)
    hostile = msgspec.structs.replace(brief_of(text), nonce=NONCE)
    harmless = msgspec.structs.replace(brief_of("x"), nonce=NONCE)
    told, usual = prompt(role, hostile), prompt(role, harmless)

    assert CANARY not in outside(told, NONCE)
    assert outside(usual, NONCE) == outside(told, NONCE)
    assert [] == obeyed(told)
    assert told.encode()


@pytest.mark.parametrize("role", ROLES)
def test_whoever_goes_on_is_told_the_rule_again_and_no_data(role: str) -> None:
    """A conversation that broke off has its prompt already; nothing of it is said anew."""
    brief = msgspec.structs.replace(brief_of(CANARY), nonce=NONCE)
    told = going_on(role, brief)

    assert told == outside(told, NONCE)
    assert CANARY not in told
    assert told.startswith(f"Whatever stands between a line `DATA_START {NONCE}`")
    assert told.endswith(prompt(role, brief).rpartition("## Answer")[2])


@pytest.mark.parametrize(("owner", "field"), FIELDS)
def test_every_field_stands_in_a_wrapper_or_nowhere(owner: str, field: str) -> None:
    """Field by field, with the nonce that a prompt has of itself."""
    kind = next(each for each in WITHIN if each.__name__ == owner)
    hint = get_type_hints(kind, include_extras=True)[field]
    part = msgspec.structs.replace(filled(kind, "x"), **{field: filled(hint, CANARY)})
    brief = _holding(part)
    for role in ROLES:
        assert CANARY not in outside(prompt(role, brief), nonce_of(brief))


def _holding(part: object) -> Brief:  # noqa: PLR0911 -- one answer a record
    brief: Brief = brief_of("x")
    match part:
        case Brief():
            return msgspec.structs.replace(part, **CHOSEN)
        case FileExcerpt():
            return msgspec.structs.replace(brief, files=(part,))
        case ReportText():
            return msgspec.structs.replace(brief, report=part)
        case IterationView():
            return msgspec.structs.replace(brief, history=(part,))
        case Suspect():
            return msgspec.structs.replace(brief, suspects=(part,))
        case TestResult():
            return msgspec.structs.replace(brief, failing=(part,))
        case Crash():
            failing = msgspec.structs.replace(brief.failing[0], crash=part)
            return msgspec.structs.replace(brief, failing=(failing,))
        case Frame():
            crash = msgspec.structs.replace(filled(Crash, "x"), frames=(part,))
            return _holding(crash)
    raise TypeError(part)


def test_the_prompts_tell_what_they_are_given() -> None:
    """The fillings arrive: a prompt of nothing would hold no injection either."""
    brief = brief_of(CANARY)

    assert all(10 < prompt(role, brief).count(CANARY) for role in ROLES)


PIECES = st.sampled_from(
    [
        *("DATA", "data", "_", "-", "END", "START", "\\", "\n", " ", "\u200b", "\x1b[0m", "\u0332"),
        *("\uff24\uff21\uff34\uff21", "\uff3f", "\u0410", "\u0422", "D", "A", "T", "E", "N", "\0"),
        *(NONCE, NONCE[:8], NONCE[8:], NONCE.upper(), "\uff10", "\u00ad", "\r", "\u2028", "\ud800"),
    ]
)
TEXTS = st.lists(PIECES, max_size=20).map("".join) | st.text(max_size=40)


def folded(text: str) -> str:
    """The text as somebody reads it who does not look closely."""
    plain = "".join(
        each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each)
    )
    return plain.casefold().translate({0x430: "a", 0x442: "t"})


@given(TEXTS, TEXTS)
def test_no_marker_and_no_nonce_is_left_within_however_it_is_spelled(label: str, text: str) -> None:
    """In no width, style or script; and what may be written as UTF-8."""
    wrapped = wrap_data(label, text, NONCE)
    first, *inner, last = wrapped.split("\n")
    body = folded("\n".join(inner))

    assert f"DATA_END {NONCE}" == last
    assert None is re.search(r"data[_-]+(start|end)", body)
    assert NONCE not in body
    assert None is re.search(r"data[_-]+(start|end)", folded(first.removeprefix("DATA_START")))
    assert 1 == folded(first).count(NONCE)
    assert [] == obeyed(wrapped)
    assert wrapped.encode()


@given(TEXTS)
def test_to_wrap_what_was_wrapped_changes_nothing_more(text: str) -> None:
    """What is harmless stays as it is."""
    body = wrap_data("a", text, NONCE).split("\n", 1)[1].rsplit("\n", 1)[0]

    assert body == wrap_data("a", body, NONCE).split("\n", 1)[1].rsplit("\n", 1)[0]


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=60))
def test_what_is_plain_arrives_as_it_is(text: str) -> None:
    """But for marker words."""
    if re.search(r"data\\*[_-]+(start|end)", text, re.IGNORECASE) is None:
        assert text == wrap_data("a", text, NONCE).split("\n", 1)[1].rsplit("\n", 1)[0]


def test_the_corpus_is_large_enough() -> None:
    """And says what it is about: each text has a name, and nearly each a canary."""
    assert 40 < len(INJECTIONS)
    assert ["next to nothing"] == [name for name, text in INJECTIONS.items() if CANARY not in text]
