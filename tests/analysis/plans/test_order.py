"""The order of phases."""

from __future__ import annotations

from graphlib import CycleError
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.analysis.plans import critical_path, normalised, ready, waves
from clew.words.plans import PhaseId, Plan
from planplay import graphs, phase, plan

CHAIN = plan(phase(1), phase(2, 1), phase(3, 2))
FORK = plan(phase("p1"), phase("p2", "p1"), phase("p3", "p1"))
DIAMOND = plan(phase(1), phase(2, 1), phase(3, 1), phase(4, 2, 3))


@pytest.mark.parametrize(
    ("drawn", "by_depth", "longest"),
    [
        (CHAIN, ((1,), (2,), (3,)), (1, 2, 3)),
        (FORK, (("p1",), ("p2", "p3")), ("p1", "p2")),
        (DIAMOND, ((1,), (2, 3), (4,)), (1, 2, 4)),
        (plan(phase(3), phase(1), phase(2)), ((3, 1, 2),), (3,)),
        (plan(phase(1, 9)), ((1,),), (1,)),
        (plan(phase(1, batch=2), phase(2, batch=1), phase(3)), ((2, 3), (1,)), (2, 1)),
        (Plan(), (), ()),
    ],
)
def test_phases_go_by_depth(
    drawn: Plan, by_depth: tuple[tuple[PhaseId, ...], ...], longest: tuple[PhaseId, ...]
) -> None:
    """A wave waits for the ones before it; the critical path takes one of each."""
    assert by_depth == waves(drawn)
    assert longest == critical_path(drawn)


def test_a_cycle_has_no_order() -> None:
    """Whoever asks for one has not checked the plan."""
    with pytest.raises(CycleError):
        waves(plan(phase(1, 2), phase(2, 1)))


@settings(max_examples=50, deadline=None)
@given(graphs())
def test_waves_respect_dependencies(drawn: Plan) -> None:
    """Each phase is in one wave, after all that it depends on, and none could come sooner."""
    depth = {id_: n for n, wave in enumerate(waves(drawn)) for id_ in wave}
    assert {each.id for each in drawn.phases} == set(depth)
    for each in drawn.phases:
        assert depth[each.id] == max((depth[o] + 1 for o in each.depends_on), default=0)


@settings(max_examples=50, deadline=None)
@given(graphs())
def test_the_critical_path_is_a_chain_as_long_as_there_are_waves(drawn: Plan) -> None:
    """Each of it depends on the one before."""
    path = critical_path(drawn)
    waits = {each.id: each.depends_on for each in drawn.phases}
    assert len(waves(drawn)) == len(path)
    assert all(one in waits[after] for one, after in pairwise(path))


@pytest.mark.parametrize(
    ("drawn", "statuses", "may_start"),
    [
        (DIAMOND, {}, (1,)),
        (DIAMOND, {1: "in_progress"}, ()),
        (DIAMOND, {1: "completed"}, (2, 3)),
        (DIAMOND, {1: "skipped", 2: "in_progress"}, (3,)),
        (DIAMOND, {1: "completed", 2: "failed", 3: "completed"}, ()),
        (DIAMOND, {1: "completed", 2: "completed", 3: "skipped"}, (4,)),
        (plan(phase(1, modifies=("a",)), phase(2, modifies=("./a",))), {}, (1,)),
        (plan(phase(1, modifies=("a",)), phase(2, modifies=("a/b",))), {1: "in_progress"}, ()),
        (plan(phase(1), phase(2, parallel=False), phase(3)), {}, (1, 3)),
        (plan(phase(1, parallel=False), phase(2)), {}, (1,)),
        (plan(phase(1, parallel=False), phase(2)), {1: "in_progress"}, ()),
        (plan(phase(1, batch=1), phase(2, batch=2)), {}, (1,)),
        (plan(phase(1, batch=1), phase(2, batch=2)), {1: "completed"}, (2,)),
    ],
)
def test_a_phase_is_ready_when_nothing_is_in_its_way(
    drawn: Plan, statuses: dict[PhaseId, str], may_start: tuple[PhaseId, ...]
) -> None:
    """What it waits for is done, its files are free, and it may run beside what runs."""
    assert may_start == ready(drawn, statuses)


@settings(max_examples=50, deadline=None)
@given(graphs(), st.data())
def test_working_a_plan_off_ends(drawn: Plan, data: st.DataObject) -> None:
    """Starting what is ready and completing any of it reaches every phase, blockers first."""
    statuses: dict[PhaseId, str] = {}
    waits = {each.id: each.depends_on for each in drawn.phases}
    while len(done := [id_ for id_, status in statuses.items() if status == "completed"]) < len(
        drawn.phases
    ):
        for id_ in ready(drawn, statuses):
            assert set(waits[id_]) <= set(done)
            statuses[id_] = "in_progress"
        running = [id_ for id_, status in statuses.items() if status == "in_progress"]
        statuses[data.draw(st.sampled_from(running))] = "completed"


@pytest.mark.parametrize(
    ("path", "plain"),
    [
        ("src/a.py", "src/a.py"),
        (" ./src//a.py ", "src/a.py"),
        ("src/b/../a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("src/", "src"),
        (".", "."),
        ("..hidden", "..hidden"),
        ("", ""),
        ("../a", ""),
        ("a/../../b", ""),
        ("/a", ""),
        ("~/a", ""),
        ("C:/a", ""),
    ],
)
def test_a_path_is_told_apart_from_one_that_leads_out(path: str, plain: str) -> None:
    """One spelling for each file of the project."""
    assert plain == normalised(path)
