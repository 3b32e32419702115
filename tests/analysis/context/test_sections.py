"""Sections of a prompt, each within its share."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.analysis.context import SHARES, SectionPart, counter, fit_parts, sampled, truncated

COUNTER = counter("estimate")
LINES = st.lists(st.text("ab [:]é", max_size=20), max_size=80).map("\n".join)
PARTS = st.lists(
    st.builds(
        SectionPart,
        section=st.sampled_from(("task", "output", "diff")),
        label=st.just("it"),
        text=LINES,
    ),
    max_size=9,
)


@settings(max_examples=50, deadline=None)
@given(PARTS, st.integers(100, 2_000), st.integers(0, 9))
def test_no_section_overflows(parts: list[SectionPart], budget: int, frame: int) -> None:
    """Each stays within its share and what those before it left; together they never overflow."""
    texts, spent = fit_parts(parts, budget, COUNTER, frame=frame)
    before = 0

    assert ["task", "output", "diff", "code"] == [each.section for each in spent]
    for each in spent:
        own = [t for t, p in zip(texts, parts, strict=True) if p.section == each.section and t]
        assert each.used == sum(COUNTER.count(text) + frame for text in own)
        assert each.used <= each.room == int(budget * SHARES[each.section]) + before
        before = each.room - each.used


@settings(max_examples=50, deadline=None)
@given(PARTS, st.integers(100, 2_000))
def test_what_fits_is_left_alone(parts: list[SectionPart], budget: int) -> None:
    """A text is shortened only where its section has no room for it."""
    texts, spent = fit_parts(parts, budget, COUNTER)
    rooms = {each.section: each.room for each in spent}
    for section, room in rooms.items():
        own = [p for p in parts if p.section == section]
        if sum(COUNTER.count(p.text) for p in own) <= room:
            assert [p.text for p in own] == [
                t for t, p in zip(texts, parts, strict=True) if p.section == section
            ]


@settings(max_examples=50, deadline=None)
@given(LINES, st.integers(0, 300))
def test_a_truncated_text_fits_and_says_what_is_left_out(text: str, room: int) -> None:
    """It ends at the ends of lines; what it says is left out and what it shows are all there is."""
    short = truncated(text, "it", room, COUNTER)

    assert COUNTER.count(short) <= room
    if short and short != text:
        marks = [line for line in short.split("\n") if line.startswith("[Truncated: it: ")]
        assert len(text.split("\n")) == (
            len(short.split("\n")) - 1 + int(marks[-1].split(": ")[2].split()[0])
        )


def test_a_long_output_is_sampled() -> None:
    """Its first 500 and its last 500 lines are kept."""
    lines = [str(n) for n in range(1_234)]
    short = sampled("\n".join(lines), "test a").split("\n")

    assert lines[:500] == short[:500]
    assert "[Truncated: test a: 234 lines omitted]" == short[500]
    assert lines[-500:] == short[501:]


def test_shares_are_all_of_the_budget() -> None:
    """The reserve among them."""
    assert 1.0 == round(sum(SHARES.values()), 9)
