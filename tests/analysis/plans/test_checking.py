"""What is wrong with a plan, rule by rule."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from clew.analysis.plans import check, waves
from clew.words.plans import Criterion, Plan, PlanAgent, PlanPhase, Severity
from planplay import graphs, phase, plan


def codes(checked: Plan) -> list[tuple[str, str]]:
    return [(finding.code, finding.severity.value) for finding in check(checked)]


def said(checked: Plan) -> list[str]:
    return [finding.message for finding in check(checked)]


def test_a_sound_plan_has_no_findings() -> None:
    """Phases in order, each with its files."""
    assert [] == codes(plan(phase(1, creates=("a.py",)), phase(2, 1, modifies=("a.py",))))


def test_a_plan_without_phases_is_empty() -> None:
    """There is nothing to carry out."""
    assert [("empty", "error")] == codes(Plan())


@pytest.mark.parametrize(
    ("complexity", "phases", "found"),
    [
        ("simple", 3, []),
        ("simple", 4, [("phase_count", "error")]),
        ("medium", 5, []),
        ("medium", 6, [("phase_count", "error")]),
        ("complex", 20, []),
        ("", 20, []),
        ("huge", 1, [("invalid_field_value", "error")]),
    ],
)
def test_the_complexity_bounds_the_number_of_phases(
    complexity: str, phases: int, found: list[tuple[str, str]]
) -> None:
    """Three for a simple task, five for a medium one."""
    assert found == codes(plan(*(phase(n + 1) for n in range(phases)), complexity=complexity))


@pytest.mark.parametrize(
    ("edges", "way"),
    [
        ({"A": ["B"], "B": ["A"]}, ["A → B → A"]),
        ({"A": ["C"], "B": ["A"], "C": ["B"]}, ["A → C → B → A"]),
        ({"A": ["A"]}, ["A → A"]),
        ({"A": ["B"], "B": ["A"], "C": ["D"], "D": ["C"]}, ["A → B → A", "C → D → C"]),
    ],
)
def test_a_cycle_is_named_by_its_way(edges: dict[str, list[str]], way: list[str]) -> None:
    """Each that has no phase in common with another."""
    found = check(plan(*(phase(id_, *waits) for id_, waits in edges.items())))
    assert {"cyclic_dependency"} == {finding.code for finding in found}
    turned = [finding.message.rpartition(": ")[2] for finding in found]
    assert [sorted(set(each.split(" → "))) for each in way] == [
        sorted(set(each.split(" → "))) for each in turned
    ]
    for message in turned:
        around = message.split(" → ")
        assert around[0] == around[-1]
        assert all(after in edges[one] for one, after in pairwise(around))


@settings(max_examples=50, deadline=None)
@given(graphs(acyclic=False))
def test_a_cycle_that_is_named_is_one(drawn: Plan) -> None:
    """Every phase of it depends on the next; and one is named wherever there is one."""
    waits = {str(each.id): {str(other) for other in each.depends_on} for each in drawn.phases}
    found = [f for f in check(drawn) if f.code == "cyclic_dependency"]
    for finding in found:
        around = finding.message.rpartition(": ")[2].split(" → ")
        assert around[0] == around[-1]
        assert all(after in waits[one] for one, after in pairwise(around))
    left = dict(waits)
    while free := [one for one, others in left.items() if not others & set(left)]:
        left = {one: others for one, others in left.items() if one not in free}
    assert bool(found) == bool(left)


def test_a_dependency_that_dangles_is_no_cycle() -> None:
    """The phase and what it names are told; so is an id that only looks the same."""
    found = check(plan(phase(1, "nobody"), phase(2, "1")))
    assert ["dangling_dependency"] * 2 == [finding.code for finding in found]
    assert "phase 1 depends on nobody, which does not exist" == found[0].message
    assert 'phase 2 depends on "1", which does not exist; 1 is another id' == found[1].message


def test_an_id_stands_once() -> None:
    """1 and "1" are two ids; 1 and 1 are one."""
    assert [] == codes(plan(phase(1), phase("1")))
    assert [("duplicate_id", "error")] == codes(plan(phase("p1"), phase("p1")))


@pytest.mark.parametrize("id_", [0, -1, "", "  "])
def test_an_id_is_a_number_from_one_on_or_a_text(id_: int | str) -> None:
    """Neither zero nor blank."""
    assert [("invalid_field_value", "error")] == codes(plan(phase(id_)))


def test_what_comes_before_another_dependency_need_not_be_named() -> None:
    """C needs A and B, and B needs A: a warning at A."""
    (finding,) = check(plan(phase("A"), phase("B", "A"), phase("C", "A", "B")))
    assert ("redundant_dependency", Severity.WARNING) == (finding.code, finding.severity)
    assert "phase C need not name A: it comes before B anyway" == finding.message
    assert ["phase 2 need not name 1 twice"] == said(plan(phase(1), phase(2, 1, 1)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"creates": ("src/a.py",)}, {"modifies": ("./src/a.py",)}),
        ({"modifies": ("src/a.py",)}, {"deletes": ("src//b/../a.py",)}),
        ({"modifies": ("src/a.py",)}, {"creates": ("src\\a.py",)}),
        ({"test_files": ("tests/test_a.py",)}, {"test_files": ("tests/test_a.py",)}),
        ({"creates": ("src/",)}, {"modifies": ("src/a.py",)}),
        ({"creates": ("src/a.py",)}, {"modifies": (".",)}),
        ({"creates": ("src/a.py",)}, {"modifies": ("src/*.py",)}),
        ({"creates": ("app/[id]/a.ts",)}, {"modifies": ("app/[id]/a.ts",)}),
    ],
)
def test_two_phases_that_may_run_together_share_no_file(
    first: dict[str, tuple[str, ...]], second: dict[str, tuple[str, ...]]
) -> None:
    """However the path is written; a folder and a pattern are owned with all that they hold."""
    assert [("file_overlap", "error")] == codes(plan(phase(1, **first), phase(2, **second)))
    assert [] == codes(plan(phase(1, **first), phase(2, 1, **second)))


def test_an_overlap_names_both_owners_and_the_paths() -> None:
    """Whatever their depth, as long as neither waits for the other."""
    deep = plan(
        phase(1),
        phase(2, 1, modifies=("b.py", "a.py")),
        phase(3, modifies=("a.py", "./b.py")),
    )
    assert [
        "phases 2 and 3 may run together, and both own a.py, b.py; let one depend on the other"
    ] == said(deep)


def test_phases_that_never_run_together_may_share_a_file() -> None:
    """Worth a look where nothing says which comes first; batches say it."""
    alone = plan(phase(1, modifies=("a",)), phase(2, modifies=("a",), parallel=False))
    assert [("file_overlap", "warning")] == codes(alone)
    batches = plan(phase(1, modifies=("a",), batch=1), phase(2, modifies=("a",), batch=2))
    assert [] == codes(batches)


def test_a_dependency_is_in_no_later_batch() -> None:
    """Else neither could begin."""
    assert ["phase 1 of batch 1 depends on 2, which is of batch 2"] == said(
        plan(phase(1, 2, batch=1), phase(2, batch=2))
    )


def test_an_agent_that_writes_nothing_owns_no_files() -> None:
    """An error with files; a warning where the name sounds like it."""
    assert [("agent_capability_mismatch", "error")] == codes(
        plan(phase(1, agent="architect", creates=("a.py",)))
    )
    assert [("agent_capability_mismatch", "error")] == codes(
        plan(phase(1, agent="Code-Reviewer", test_files=("a.py",)))
    )
    assert [("agent_capability_mismatch", "warning")] == codes(
        plan(phase(1, agent="architect", name="Implement the feature"))
    )
    assert [] == codes(plan(phase(1, agent="architect", name="Review the code")))


def test_what_an_agent_may_do_is_a_setting() -> None:
    """It wins over what is known of such agents."""
    checked = plan(phase(1, agent="architect", creates=("a",)), phase(2, creates=("b",)))
    agents = {"architect": PlanAgent(), "coder": PlanAgent(writes=False)}
    (finding,) = check(checked, agents)
    assert "phases[1].agent" == finding.where


@pytest.mark.parametrize(
    ("fields", "code", "where"),
    [
        ({"name": ""}, "missing_required_field", "phases[0].name"),
        ({"agent": " "}, "missing_required_field", "phases[0].agent"),
        ({"creates": ("",)}, "invalid_field_value", "phases[0].creates[0]"),
        ({"creates": ("a", "../b")}, "invalid_field_value", "phases[0].creates[1]"),
        ({"modifies": ("/etc/passwd",)}, "invalid_field_value", "phases[0].modifies[0]"),
        ({"deletes": ("~/a",)}, "invalid_field_value", "phases[0].deletes[0]"),
        ({"test_files": ("C:\\a",)}, "invalid_field_value", "phases[0].test_files[0]"),
        ({"batch": 0}, "invalid_field_value", "phases[0].batch"),
        ({"criteria": (Criterion(criterion=""),)}, "invalid_field_value", "phases[0].criteria[0]"),
        ({"validation": ((),)}, "invalid_field_value", "phases[0].validation[0]"),
    ],
)
def test_a_field_has_a_value_that_can_be_used(
    fields: dict[str, object], code: str, where: str
) -> None:
    """What is missing, empty, or leads out of the project, is told with the field."""
    (finding,) = check(plan(phase(1, **fields)))
    assert (code, where) == (finding.code, finding.where)


def test_five_hundred_phases_are_checked() -> None:
    """However they hang together, and whatever they share."""
    tangled = plan(
        *(phase(n, *range(max(1, n - 9), n), modifies=(f"{n}", "all")) for n in range(1, 501))
    )
    around = plan(*(phase(n, n % 500 + 1) for n in range(1, 501)))
    apart = plan(*(phase(n, modifies=("all",)) for n in range(1, 101)))
    assert {"redundant_dependency"} == {finding.code for finding in check(tangled)}
    assert ["cyclic_dependency"] == [finding.code for finding in check(around)]
    assert 100 * 99 // 2 == len(check(apart))


@settings(max_examples=50, deadline=None)
@given(graphs(acyclic=False))
def test_whatever_hangs_together_is_checked(drawn: Plan) -> None:
    """No plan makes a rule fail."""
    check(drawn)


def test_findings_come_by_the_lines_of_the_file() -> None:
    """Without a file they come by rule."""
    assert ["invalid_field_value", "missing_required_field"] == sorted(
        finding.code for finding in check(plan(PlanPhase(id=0, name="x")))
    )


@pytest.mark.parametrize(("batch", "codes"), [(0, 1), (1, 0), (16, 0), (17, 1)])
def test_a_merge_batch_is_as_large_as_its_setting_may_be(batch: int, codes: int) -> None:
    """Else the plan cannot be carried out."""
    plan = Plan(phases=(PlanPhase(id=1, name="n", agent="coder"),), merge_batch=batch)
    assert ["invalid_field_value"] * codes == [found.code for found in check(plan)]


def test_documentation_comes_after_all_that_it_is_about() -> None:
    """Whatever it names; work that waits for it never begins."""
    manual = PlanPhase(id=1, name="n", agent="a", kind="documentation", creates=("a.md",))
    work = PlanPhase(id=2, name="m", agent="a", creates=("a.py",))
    assert [] == codes(Plan(phases=(manual, work)))
    assert ((2,), (1,)) == waves(Plan(phases=(manual, work)))
    late = replace(work, depends_on=(1,))
    assert [("cyclic_dependency", "error")] == codes(Plan(phases=(manual, late)))
    odd = replace(manual, kind="poetry")
    assert [("invalid_field_value", "error")] == codes(Plan(phases=(odd, work)))
