"""Which workflow follows which, and what a project's files say comes next."""

from __future__ import annotations

import pytest

from clew.handoff.table import HANDOFFS, PlanningState, following

ROADMAP = """\
# Roadmap
- [x] **Phase 1: Ground** - first
- [ ] **Phase 2: Walls**
- [ ] **Phase 2.1: Windows** (INSERTED)

## Phase Details
### Phase 1: Ground
### Phase 2: Walls
### Phase 2.1: Windows
### Phase 10: Roof
"""
ONE = ("phases/01-ground/01-01-PLAN.md", "phases/01-ground/01-01-SUMMARY.md")
TWO = ("phases/02-walls/02-01-PLAN.md", "phases/02-walls/02-01-SUMMARY.md")
WINDOWS = ("phases/02.1-windows/02.1-01-PLAN.md", "phases/02.1-windows/02.1-01-SUMMARY.md")
ROOF = ("phases/10-roof/10-01-PLAN.md", "phases/10-roof/10-01-SUMMARY.md")


def test_the_table() -> None:
    """After this, when that holds, comes the other."""
    assert [
        ("discuss-milestone", "", "/gsd:new-milestone [context]"),
        ("create-milestone", "", "/gsd:plan-phase [first-phase]"),
        ("discuss-phase", "", "/gsd:plan-phase [N]"),
        ("plan-phase", "", "/gsd:execute-plan [path]"),
        ("execute-phase", "plan done", "/gsd:execute-plan [next-path]"),
        ("execute-phase", "phase done", "/gsd:plan-phase [N+1]"),
        ("execute-phase", "milestone done", "/gsd:complete-milestone"),
        ("complete-milestone", "", "/gsd:discuss-milestone"),
        ("transition", "", "/gsd:plan-phase [N+1]"),
    ] == [tuple(row) for row in HANDOFFS]


@pytest.mark.parametrize(
    ("paths", "roadmap", "command"),
    [
        ((), "", None),
        (("STATE.md",), "", None),
        (("PROJECT.md",), "", "/gsd:discuss-milestone"),
        (("PROJECT.md", "MILESTONE-CONTEXT.md"), "", "/gsd:new-milestone"),
        (("PROJECT.md",), ROADMAP, "/gsd:plan-phase 1"),
        (ONE[:1], ROADMAP, "/gsd:execute-plan .planning/phases/01-ground/01-01-PLAN.md"),
        (
            (*ONE, "phases/01-ground/01-02-PLAN.md"),
            ROADMAP,
            "/gsd:execute-plan .planning/phases/01-ground/01-02-PLAN.md",
        ),
        (ONE, ROADMAP, "/gsd:plan-phase 2"),
        ((*ONE, *TWO), ROADMAP, "/gsd:plan-phase 2.1"),
        ((*ONE, *TWO, *WINDOWS), ROADMAP, "/gsd:plan-phase 10"),
        (
            (*ONE, *TWO, *WINDOWS, ROOF[0], "phases/2-x/PLAN.md"),
            ROADMAP,
            "/gsd:execute-plan .planning/phases/2-x/PLAN.md",
        ),
        ((*ONE, *TWO, *WINDOWS, *ROOF), ROADMAP, "/gsd:complete-milestone"),
        (("PROJECT.md",), "# Roadmap\nnothing yet", None),
    ],
)
def test_what_comes_next(paths: tuple[str, ...], roadmap: str, command: str | None) -> None:
    """Plans without a summary first, then phases without a plan, each in the order of numbers."""
    found = following(PlanningState(frozenset(paths), roadmap))
    assert command == (found and found.command)


def test_what_comes_next_is_a_row_of_the_table() -> None:
    """The reverse speaks the words of the table."""
    names = {row.command.partition(" ")[0] for row in HANDOFFS}
    standings = [("PROJECT.md",), (), ONE[:1], ONE, (*ONE, *TWO, *WINDOWS, *ROOF)]
    for paths in standings:
        for roadmap in ("", ROADMAP):
            found = following(PlanningState(frozenset(paths), roadmap))
            assert found is None or found.command.partition(" ")[0] in names
