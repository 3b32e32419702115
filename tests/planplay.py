"""Plans for tests: sound ones of any shape, and any at all."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from clew.words.plans import Plan, PlanPhase


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
