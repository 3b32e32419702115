"""Whether a chain goes on: each rule, its edge, and their order."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.handoff.config import Config
from clew.handoff.deciding import REFUSALS, HandoffFacts, decide
from clew.handoff.markers import MarkerCommand

NOW = 1_000_000.0
NEXT = MarkerCommand("/gsd:plan-phase 6")


def config(**more: Any) -> Config:  # noqa: ANN401 -- whatever a configuration has
    fields: dict[str, Any] = {"active": True, "reason": "mode is yolo"} | more
    return Config(**fields)


def limits(**most: float) -> Config:
    return config(limits=most)


TABLE: list[tuple[str, MarkerCommand, Config, dict[str, Any]]] = [
    ("", NEXT, config(), {}),
    ("marker", MarkerCommand("/gsd:x", "two markers on one line"), config(), {}),
    ("interactive", NEXT, config(active=False), {}),
    ("command", MarkerCommand("/exit"), config(), {}),
    ("command", MarkerCommand("/gsd:plan-phase 6"), config(commands=("/gsd:x",)), {}),
    ("stop-at", NEXT, config(stop_at=("/gsd:plan-phase",)), {}),
    ("stop-at", NEXT, config(stop_at=("/gsd:plan-phase 6",)), {}),
    ("", NEXT, config(stop_at=("/gsd:plan-phase 7", "/gsd:complete-milestone")), {}),
    ("stopped", NEXT, config(), {"stopped": NOW - 1, "started": NOW - 2}),
    ("", NEXT, config(), {"stopped": NOW - 2, "started": NOW - 1}),
    ("stopped", NEXT, config(), {"stopped": NOW - 2, "started": NOW - 1, "begun": NOW - 3}),
    ("stopped", NEXT, config(), {"stopped": NOW - 9}),
    ("question", NEXT, config(), {"questions": ("session x waits for an answer",)}),
    ("", NEXT, limits(max_depth=3), {"hops": 2}),
    ("depth", NEXT, limits(max_depth=3), {"hops": 3}),
    ("depth", NEXT, limits(max_depth=0), {}),
    ("", NEXT, limits(max_minutes=10), {"begun": NOW - 599}),
    ("time", NEXT, limits(max_minutes=10), {"begun": NOW - 600}),
    ("", NEXT, limits(max_tokens=100), {"tokens": 99}),
    ("tokens", NEXT, limits(max_tokens=100), {"tokens": 100}),
]


@pytest.mark.parametrize(("word", "asked", "held", "facts"), TABLE)
def test_each_rule_and_its_edge(
    word: str, asked: MarkerCommand, held: Config, facts: dict[str, Any]
) -> None:
    """The verdict names the rule that forbids it, and a sentence for people."""
    verdict = decide(asked, held, HandoffFacts(now=NOW, **facts))
    assert (word, not word) == (verdict.word, verdict.goes_on)
    assert bool(word) == bool(verdict.why)


def test_every_rule_stands_in_the_table() -> None:
    """A rule without a case would be a rule nobody has seen work."""
    assert set(REFUSALS) == {row[0] for row in TABLE} - {""}


@settings(max_examples=50)
@given(
    hops=st.integers(0, 20),
    tokens=st.integers(0, 200),
    age=st.integers(0, 1200),
    stop=st.none() | st.integers(0, 2000),
    questions=st.lists(st.text(), max_size=1).map(tuple),
)
def test_a_chain_that_goes_on_is_within_all_its_bounds(
    hops: int, tokens: int, age: int, stop: int | None, questions: tuple[str, ...]
) -> None:
    """There is no way around a rule by breaking another one."""
    held = limits(max_depth=10, max_minutes=10, max_tokens=100)
    facts = HandoffFacts(
        now=NOW,
        hops=hops,
        tokens=tokens,
        begun=NOW - age,
        stopped=None if stop is None else NOW - stop,
        questions=questions,
    )
    within = hops < 10 and tokens < 100 and age < 600 and not questions
    assert decide(NEXT, held, facts).goes_on == (within and (stop is None or stop > age))
