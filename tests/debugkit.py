"""A debug session for tests that has met everything."""

from __future__ import annotations

from clew.words.debug_sessions import (
    CurrentFocus,
    DebugDocument,
    DebugStatus,
    Eliminated,
    EvidenceEntry,
    PendingQuestion,
    Reasoning,
    Resolution,
    Symptoms,
)

__all__ = ["DEBUGGED", "REASONING"]

REASONING = Reasoning(
    hypothesis="each line is rounded, and so is their sum",
    confirming_evidence=("three lines at 3.33 give 9.99", "round() stands in Line.total"),
    falsification_test="sum before rounding: the cent comes back",
    fix_rationale="the sum alone is money that somebody pays",
    blind_spots="other currencies were not looked at",
    candidate_causes=("code: rounded too early", "data: prices with more than two digits"),
)

DEBUGGED = DebugDocument(
    status=DebugStatus.INVESTIGATING,
    trigger='checkout total is off by a cent: "9.99"',
    created="2026-03-14T09:26:53Z",
    updated="2026-03-14T09:42:00Z",
    session="2026-03-14-checkout-total-is-off-by-a",
    tdd=True,
    cycles=2,
    fixes=1,
    question=PendingQuestion(
        about="fix", text="Root cause identified.\nHow to go on?", answers=("now", "plan", "manual")
    ),
    focus=CurrentFocus(
        hypothesis="each line is rounded, and so is their sum",
        test="sum before rounding",
        expecting="10.00",
        next_action="ask how the fix is to be made",
        reasoning_checkpoint=REASONING,
        known_pattern_candidate="rounded-too-early",
    ),
    symptoms=Symptoms(
        expected="10.00",
        actual="9.99",
        errors='Traceback (most recent call last):\n  File "shop.py", line 3\n## not a heading',
        reproduction="python -m shop 3.33 3.33 3.34",
    ),
    eliminated=(
        Eliminated(
            timestamp="2026-03-14T09:30:00Z",
            hypothesis="the tax table is old",
            evidence="it has this year's rates",
        ),
    ),
    evidence=(
        EvidenceEntry(
            timestamp="2026-03-14T09:31:00Z",
            checked="src/shop/cart.py:12",
            found="total += round(line, 2)",
            implication="a cent is lost where lines end on half a cent",
        ),
    ),
    resolution=Resolution(
        root_cause="src/shop/cart.py rounds each line", files_changed=("src/shop/cart.py",)
    ),
    review=("python: SUGGEST_CHANGE: use Decimal",),
)
