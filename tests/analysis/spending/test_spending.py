"""What agents took: sums that hold, and what is unknown stays so."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.analysis.spending import Tally, by_agent, priced, tally, total
from clew.flows.debugging.states import State
from clew.words import events as ev
from clew.words.facts import Category, Diagnosis, Usage
from clew.words.settings import Price

COUNTS = st.none() | st.integers(0, 10**9)
USAGES = st.builds(
    Usage,
    input=COUNTS,
    output=COUNTS,
    cached=COUNTS,
    cache_write=COUNTS,
    usd=st.none() | st.floats(0, 1e4),
    partial=st.booleans(),
)
NOTHING = Diagnosis(title="", category=Category.TEST_FAILURE, root_cause="")


def diagnosed(agent: str, usage: Usage) -> ev.Diagnosed:
    return ev.Diagnosed(iteration=1, agent=agent, diagnosis=NOTHING, proposes=False, usage=usage)


def fixed(agent: str, usage: Usage) -> ev.FixApplied:
    return ev.FixApplied(iteration=1, agent=agent, summary="", commit=None, usage=usage)


def erred(agent: str, usage: Usage) -> ev.AgentErred:
    return ev.AgentErred(
        iteration=1, role="fix", agent=agent, kind="error", message="", usage=usage
    )


CALLS = st.tuples(
    st.sampled_from((diagnosed, fixed, erred)), st.sampled_from(("claude", "llm:a:b")), USAGES
)


@given(st.lists(CALLS))
def test_totals_are_the_sums_of_the_agents_and_of_the_calls(
    calls: list[tuple[type, str, Usage]],
) -> None:
    """Diagnoses, fixes and calls that failed: none is left out, none counts twice."""
    made = [kind(agent, usage) for kind, agent, usage in calls]
    state = State(
        diagnoses=tuple(e for e in made if isinstance(e, ev.Diagnosed)),
        fixes=tuple(e for e in made if isinstance(e, ev.FixApplied)),
        agent_errors=tuple(e for e in made if isinstance(e, ev.AgentErred)),
    )
    sums = total(by_agent(state.usages).values())
    each = total(tally(usage) for _, _, usage in calls)
    assert math.isclose(sums.usd, each.usd, abs_tol=1e-6)
    assert [getattr(each, name) for name in Tally.__struct_fields__ if name != "usd"] == [
        getattr(sums, name) for name in Tally.__struct_fields__ if name != "usd"
    ]
    assert len(calls) == sums.calls


@given(st.lists(USAGES, min_size=1, max_size=5))
def test_a_call_in_parts_tells_what_none_of_them_hides(parts: list[Usage]) -> None:
    """If of one part not all is known, neither is it of the whole."""
    whole, each = tally(Usage.total(parts)), [tally(part) for part in parts]
    assert (any(t.untold for t in each), any(t.unpriced for t in each)) == (
        bool(whole.untold),
        bool(whole.unpriced),
    )


def test_the_built_in_repairer_takes_nothing_and_that_is_known() -> None:
    """It asks no model; of another that tells nothing, nothing is known."""
    state = State(diagnoses=(diagnosed("repair", Usage()), diagnosed("command:x", Usage())))
    taken = by_agent(state.usages)
    assert [("unknown", "unknown"), ("0 in, 0 out", "$0.00")] == [
        (each.tokens, each.money) for each in taken.values()
    ]


def test_what_is_known_of_some_calls_is_told_beside_what_is_not() -> None:
    """A sum with an unknown part does not pass for the whole."""
    known = Usage(input=1500, output=20, cached=1000, usd=0.25)
    told = tally(known) + tally(Usage())
    assert "1,500 in (1,000 cached), 20 out, and of 1 call not all is known" == told.tokens
    assert "$0.2500, and of 1 call not all is known" == told.money
    written = tally(Usage(input=1500, output=20, cached=1000, cache_write=400))
    assert "1,500 in (1,000 cached, 400 written to a cache), 20 out" == written.tokens


TABLE = {
    "model-1": Price(input=3, output=15, cached=0.3),
    "llm:openai:*": Price(input=1, output=2),
    "model-3": Price(input=3, output=15, cached=0.3, cache_write=3.75),
    "model-4": Price(input=3, output=15, cache_write=6),
}
TAKEN = Usage(input=2_000_000, output=1_000_000, cached=1_000_000)
WRITTEN = Usage(input=3_000_000, output=1_000_000, cached=1_000_000, cache_write=1_000_000)


@pytest.mark.parametrize(
    ("agent", "usage", "usd"),
    [
        ("claude:model-1", TAKEN, 18.3),  # 3 + 0.3 + 15
        ("llm:openai:model-1", TAKEN, 18.3),  # the first that fits
        ("llm:openai:other:8b", TAKEN, 4.0),  # cached ones cost as others
        ("claude:model-2", TAKEN, None),
        ("claude:model-1", Usage(input=1, output=1), None),  # how many of them were cached?
        ("claude:model-1", WRITTEN, 21.3),  # 3 + 0.3 + 3 + 15: written ones cost as others
        ("claude:model-3", WRITTEN, 22.05),  # 3 + 0.3 + 3.75 + 15
        ("claude:model-4", WRITTEN, 27.0),  # 3 + 3 + 6 + 15
        ("claude:model-3", TAKEN, None),  # how many of them were written?
        ("llm:openai:other", Usage(input=1), None),
        ("claude:model-1", Usage(input=1, output=1, cached=0, usd=0.5), 0.5),  # its own word
    ],
)
def test_money_comes_from_the_agent_or_from_the_prices_or_is_unknown(
    agent: str, usage: Usage, usd: float | None
) -> None:
    """Nothing is guessed."""
    found = priced(usage, agent, TABLE)
    assert (usd, usage.usd is None and usd is not None) == (found.usd, found.priced)
