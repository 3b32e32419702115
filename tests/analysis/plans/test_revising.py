"""What another cut of a plan comes to."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.analysis.plans.revising import left_out, revisions
from clew.words.plans import Plan, PlanPhase


def phase(id_: int | str, *files: str, after: tuple[int | str, ...] = ()) -> PlanPhase:
    return PlanPhase(id=id_, name=f"phase {id_}", agent="coder", depends_on=after, creates=files)


ONE, TWO = phase(1, "a.py", "b.py"), phase(2, "c.py", after=(1,))
PLAN = Plan(phases=(ONE, TWO))


@pytest.mark.parametrize(
    ("phases", "told"),
    [
        ((ONE, TWO), []),
        ((replace(ONE, description="in cents"), TWO), ["update_tasks 1"]),
        ((replace(ONE, creates=("a.py", "b.py", "x.py")), TWO), ["expand_phase 1"]),
        ((replace(ONE, creates=("a.py",)), TWO), ["update_tasks 1"]),
        ((ONE, phase(3, "x.py"), TWO), ["add_phase 3"]),
        (
            (phase("1a", "a.py"), phase("1b", "b.py"), replace(TWO, depends_on=("1a", "1b"))),
            ["split_phase 1 → 1a, 1b", "update_tasks 2"],
        ),
        ((replace(ONE, creates=("a.py",)), phase(3, "b.py"), TWO), ["split_phase 1 → 3"]),
        ((replace(ONE, creates=("a.py", "b.py", "c.py")),), ["collapse_phase 2 → 1"]),
        ((phase(9, "a.py", "b.py", "c.py"),), ["collapse_phase 1 → 9", "collapse_phase 2 → 9"]),
        (
            (phase(9, "a.py", "b.py"), replace(TWO, depends_on=(9,))),
            ["update_tasks 1 → 9", "update_tasks 2"],
        ),
    ],
)
def test_what_was_done_is_seen_from_the_files_that_phases_own(
    phases: tuple[PlanPhase, ...], told: list[str]
) -> None:
    """The agent's own word for it counts for nothing."""
    assert told == list(map(str, revisions(PLAN, Plan(phases=phases))))


def test_a_phase_whose_work_nobody_does_is_left_out() -> None:
    """A new phase that owns other files is no heir of it; one that owns its folder is."""
    assert (2,) == left_out(PLAN, Plan(phases=(ONE, phase(3, "x.py"))))
    assert () == left_out(PLAN, Plan(phases=(ONE, phase(3, "."))))


def test_a_phase_without_files_is_taken_over_by_what_is_new() -> None:
    """Nobody can tell by which part."""
    plan = Plan(phases=(phase(1), TWO))
    after = Plan(phases=(phase(3, "x.py"), replace(TWO, depends_on=(3,))))
    assert () == left_out(plan, after)
    assert "update_tasks 1 → 3" == str(revisions(plan, after)[0])
