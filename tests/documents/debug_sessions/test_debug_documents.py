"""The document of a debug session: read of any writer, and brought up to date."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from clew.documents.debug_sessions import DocumentUnreadable, read, render, save, summary
from clew.documents.debug_sessions.fields import tidy
from clew.words.debug_sessions import (
    ACTIVE,
    MAY_FOLLOW,
    Aim,
    CurrentFocus,
    DebugBounds,
    DebugDocument,
    DebugStatus,
    Eliminated,
    EvidenceEntry,
    PendingQuestion,
    Reasoning,
    Resolution,
    Symptoms,
    broken_rules,
    is_slug,
    slug_of,
)
from clew.words.errors import UsageError
from injections import INJECTIONS

GOLDEN = Path(__file__).parents[2] / "formats" / "golden"
# As the tool writes it that the format comes from, with words of a person between its parts.
ORIGIN = (GOLDEN / "debug-session-from-gsd-v1.md").read_text("utf-8")

NEW = EvidenceEntry(
    timestamp="2026-03-14T10:00:00Z", checked="total", found="round", implication="here"
)


def test_a_document_of_the_origin_is_read() -> None:
    """Its front matter, and each part by its fields."""
    known = read(ORIGIN.encode())
    assert (DebugStatus.INVESTIGATING, "checkout total is off by a cent") == (
        known.status,
        known.trigger,
    )
    assert "rounding: each line is rounded, not the sum" == known.focus.hypothesis
    assert "9.99" == known.symptoms.actual
    assert ["the tax table is old"] == [each.hypothesis for each in known.eliminated]
    assert ["prices are floats", "Mara saw it too"] == [each.found for each in known.evidence]
    assert (Aim.FIX, False, None) == (known.goal, known.tdd, known.question)


def test_what_did_not_change_keeps_its_bytes() -> None:
    """Unknown parts and keys, comments, and what is only added to; and nothing else is new."""
    known = read(ORIGIN.encode())
    assert ORIGIN.encode() == save(ORIGIN.encode(), known)
    grown = replace(
        known, evidence=(*known.evidence, NEW), focus=CurrentFocus(next_action="look again")
    )
    saved = save(ORIGIN.encode(), grown).decode()
    assert grown == read(saved.encode())
    before, after = (set(text.split("\n")) for text in (ORIGIN, saved))
    focus = {"hypothesis: rounding: each line is rounded, not the sum", "expecting: 10.00"}
    focus |= {"test: sum three lines by hand", "next_action: read src/shop/total.py"}
    assert focus == before - after
    assert "## Evidence\n```\n" in saved
    assert "owner: mara  # ours" in saved


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("no front matter", "no front matter"),
        ("---\nstatus: wild\ntrigger: x\n---\n", "'wild' is no status"),
        ("---\nstatus: gathering\n---\n", "no `trigger`"),
        ("---\nstatus: [\n---\n", "not valid YAML"),
    ],
)
def test_a_malformed_document_says_what_is_wrong(text: str, why: str) -> None:
    """So that a list can show it as such."""
    with pytest.raises(DocumentUnreadable, match=why):
        read(text.encode())


words = st.text(max_size=60).map(tidy)
lines = words.map(lambda text: " ".join(text.split()))
said = lines.filter(bool)
reasonings = st.builds(
    Reasoning,
    hypothesis=words,
    confirming_evidence=st.lists(said, max_size=2).map(tuple),
    falsification_test=words,
    fix_rationale=words,
    blind_spots=words,
    candidate_causes=st.lists(said, max_size=2).map(tuple),
)
documents = st.builds(
    DebugDocument,
    status=st.sampled_from(DebugStatus),
    trigger=said,
    created=st.just("2026-03-14T09:26:53Z"),
    updated=st.just("2026-03-14T09:26:53Z"),
    session=st.just("") | st.just("2026-03-14-off-by-a-cent"),
    goal=st.sampled_from(Aim),
    tdd=st.booleans(),
    cycles=st.integers(0, 9),
    fixes=st.integers(0, 9),
    bounds=st.builds(
        DebugBounds,
        max_iterations=st.none() | st.integers(1, 9),
        max_seconds=st.none() | st.floats(0.5, 900),
        max_tokens=st.none() | st.integers(1, 10**6),
        max_usd=st.none() | st.floats(0.25, 5),
    ),
    question=st.none()
    | st.builds(PendingQuestion, about=said, text=words, answers=st.just(("yes",))),
    focus=st.builds(
        CurrentFocus,
        **dict.fromkeys(set(CurrentFocus.__struct_fields__) - {"reasoning_checkpoint"}, words),
        reasoning_checkpoint=st.none() | reasonings,
    ),
    symptoms=st.builds(Symptoms, **dict.fromkeys(Symptoms.__struct_fields__, words)),
    eliminated=st.lists(
        st.builds(Eliminated, hypothesis=words.filter(bool), evidence=words, timestamp=words),
        max_size=2,
    ).map(tuple),
    evidence=st.lists(
        st.builds(
            EvidenceEntry,
            checked=words.filter(bool),
            found=words,
            implication=words,
            timestamp=said,
        ),
        max_size=2,
    ).map(tuple),
    resolution=st.builds(
        Resolution,
        root_cause=words,
        fix=words,
        verification=words,
        files_changed=st.lists(said, max_size=2).map(tuple),
        oracle_type=words,
    ),
    review=st.lists(said, max_size=2).map(tuple),
)


@settings(max_examples=25)
@given(documents)
def test_what_is_written_is_read_back_equal(document: DebugDocument) -> None:
    """Whatever texts it holds: headings, fences, markup, quotes; and saving it changes nothing."""
    content = render(document)
    assert document == read(content)
    assert content == save(content, document)


@settings(max_examples=20)
@given(documents, documents)
def test_any_change_can_be_saved(one: DebugDocument, other: DebugDocument) -> None:
    """A document brought up to date says what it is to say."""
    assert other == read(save(render(one), other))


def test_a_document_changes_by_its_rules() -> None:
    """What is immutable, frozen, or only added to; and the table of statuses."""
    known = read(ORIGIN.encode())
    assert [] == list(broken_rules(known, replace(known, evidence=(*known.evidence, NEW))))
    worse = replace(
        known,
        trigger="another",
        symptoms=Symptoms(),
        evidence=(NEW,),
        status=DebugStatus.RESOLVED,
    )
    assert [
        "`trigger` never changes",
        "symptoms are frozen once they are gathered",
        "evidence is only added to",
        "investigating cannot become resolved",
    ] == list(broken_rules(known, worse))


def test_every_status_can_be_left_and_reached() -> None:
    """None is a trap, and only a person's word leads to resolved."""
    reached = {after for each in MAY_FOLLOW.values() for after in each}
    assert set(DebugStatus) - {DebugStatus.GATHERING} <= reached
    assert all(MAY_FOLLOW.values())
    before = {each for each, after in MAY_FOLLOW.items() if DebugStatus.RESOLVED in after}
    assert {DebugStatus.AWAITING_HUMAN_VERIFY} == before < ACTIVE


def test_a_reasoning_says_what_it_lacks() -> None:
    """One cause alone is no choice among causes."""
    whole = Reasoning(
        hypothesis="h",
        confirming_evidence=("c",),
        falsification_test="f",
        fix_rationale="r",
        blind_spots="b",
        candidate_causes=("code", "data"),
    )
    assert () == whole.lacking
    assert ("blind_spots",) == replace(whole, blind_spots=" ").lacking
    assert ("candidate_causes",) == replace(whole, candidate_causes=("code", "code")).lacking


@pytest.mark.parametrize(
    ("trigger", "slug"),
    [
        ("Login fails on mobile Safari!!", "login-fails-on-mobile-safari"),
        (" API / login 🚨 flaky ", "api-login-flaky"),
        ("../../etc/passwd", "etc-passwd"),
    ],
)
def test_a_description_names_its_session(trigger: str, slug: str) -> None:
    """By its words, never by a path."""
    assert slug == slug_of(trigger)
    assert is_slug(slug)
    assert not any(map(is_slug, ("", "..", "a/b", "a\\b", "-a", "A", "a" * 65)))


def test_a_description_without_words_is_refused() -> None:
    """With what to do instead."""
    with pytest.raises(UsageError, match="no letters or digits"):
        slug_of("🚨🚨")


def test_the_summary_is_short_whatever_was_found() -> None:
    """One sentence a row; an abandoned session says how it goes on."""
    known = read(ORIGIN.encode())
    long = replace(known, resolution=Resolution(root_cause="word " * 5_000, fix="word " * 5_000))
    assert len(summary(long, "debug/sessions/x.md", "x")) < 2_000
    ended = summary(replace(known, status=DebugStatus.ABANDONED), "debug/sessions/x.md", "x")
    assert "**Status:** ABANDONED — session saved for `clew debug continue x`" in ended


@pytest.mark.parametrize("text", INJECTIONS.values(), ids=INJECTIONS)
def test_no_text_breaks_out_of_its_place(text: str) -> None:
    """It opens no part, no markup, and no field; and it is read back as it was."""
    told = tidy(text)
    line = " ".join(told.split())
    document = DebugDocument(
        status=DebugStatus.INVESTIGATING,
        trigger="it is off",
        focus=CurrentFocus(hypothesis=told, test=told, next_action=told),
        symptoms=Symptoms(**dict.fromkeys(Symptoms.__struct_fields__, told)),
        evidence=(EvidenceEntry(checked="it", found=told, implication=told, timestamp="t"),),
        eliminated=(Eliminated(hypothesis="it", evidence=told, timestamp="t"),),
        resolution=Resolution(root_cause=told, fix=told, files_changed=(line,) if line else ()),
        review=(line,) if line else (),
        question=PendingQuestion(about="checkpoint", text=told, answers=("words",)),
    )
    content = render(document)
    assert document == read(content)
    body = content.decode().partition("\n---\n")[2]
    assert 6 == sum(row.startswith("#") for row in body.splitlines())
    assert "<script" not in body
    assert "![" not in body
