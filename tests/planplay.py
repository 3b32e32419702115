"""Plans for tests: sound ones of any shape, and any at all."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from clew.words.plans import Criterion, Plan, PlanPhase, SpecReference, VerifyBy


def phase(id_: int | str, *depends_on: int | str, **fields: Any) -> PlanPhase:  # noqa: ANN401 -- any field
    """Return a phase with a name and an agent."""
    named: dict[str, Any] = {"name": f"Part {id_}", "agent": "coder"}
    return PlanPhase(id=id_, depends_on=depends_on, **{**named, **fields})


def plan(*phases: PlanPhase, **fields: Any) -> Plan:  # noqa: ANN401 -- as above
    """Return a plan of these phases."""
    return Plan(title="A plan", phases=phases, **fields)


@st.composite
def graphs(draw: st.DrawFn, *, acyclic: bool = True) -> Plan:
    """Draw a plan by its edges, over few files, some phases alone or in batches."""
    count = draw(st.integers(1, 9))
    phases = []
    for number in range(1, count + 1):
        others = range(1, number) if acyclic else range(1, count + 3)
        waits = draw(st.lists(st.sampled_from(others), max_size=4)) if others else []
        phases.append(
            phase(
                number,
                *waits,
                parallel=draw(st.booleans()),
                modifies=tuple(draw(st.lists(st.sampled_from(["a", "./b", "b/c", "d"])))),
            )
        )
    return plan(*draw(st.permutations(phases)))


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
LINE = WORDS.map(lambda text: " ".join(text.split()))
# What means something in one of the forms, so that prose is tempted to mean it.
TEMPTING = st.sampled_from(
    ["## Phase 1: x\n", "### Done when\n", "```\n", "- [ ] a (test)\n", "#", "\r", "---\n", "\x85"]
)
PROSE = st.lists(st.one_of(WORDS, TEMPTING), max_size=5).map(
    lambda parts: "".join(parts).replace("\r\n", "\n")
)
IDS = st.one_of(st.integers(1, 99), LINE.filter(bool))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | PROSE,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=4,
)
EXTRA = st.dictionaries(WORDS.map(lambda text: f"x-{text}"), VALUES, max_size=2)


def some(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """A few of them, in a tuple."""
    return st.lists(of, max_size=2).map(tuple)


PHASES = st.builds(
    PlanPhase,
    id=IDS,
    name=LINE,
    agent=WORDS,
    objective=PROSE,
    description=PROSE,
    depends_on=some(IDS),
    parallel=st.booleans(),
    batch=st.none() | st.integers(),
    creates=some(WORDS),
    modifies=some(WORDS),
    deletes=some(WORDS),
    test_files=some(WORDS),
    criteria=some(
        st.builds(Criterion, criterion=LINE, verify_by=st.sampled_from(VerifyBy), target=LINE)
    ),
    validation=some(some(WORDS)),
    model=WORDS,
    references=some(st.builds(SpecReference, spec=WORDS, section=WORDS, requirement=WORDS)),
    extra=EXTRA,
)
PLANS = st.builds(
    Plan,
    title=LINE,
    goal=PROSE,
    design=WORDS,
    complexity=st.sampled_from(["", "simple", "medium", "complex"]),
    test_command=WORDS,
    phases=some(PHASES),
    notes=PROSE,
    extra=EXTRA,
)
