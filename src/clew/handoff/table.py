"""Which workflow follows which, and what comes next for a project as it stands. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["HANDOFFS", "NextWorkflow", "PlanningState", "Row", "following"]


class Row(NamedTuple):
    """One hand-off: after this workflow, when this holds, comes that command."""

    after: str
    when: str
    command: str


HANDOFFS = (
    Row("discuss-milestone", "", "/gsd:new-milestone [context]"),
    Row("create-milestone", "", "/gsd:plan-phase [first-phase]"),
    Row("discuss-phase", "", "/gsd:plan-phase [N]"),
    Row("plan-phase", "", "/gsd:execute-plan [path]"),
    Row("execute-phase", "plan done", "/gsd:execute-plan [next-path]"),
    Row("execute-phase", "phase done", "/gsd:plan-phase [N+1]"),
    Row("execute-phase", "milestone done", "/gsd:complete-milestone"),
    Row("complete-milestone", "", "/gsd:discuss-milestone"),
    Row("transition", "", "/gsd:plan-phase [N+1]"),
)


class PlanningState(NamedTuple):
    """A project as its `.planning` folder shows it."""

    paths: frozenset[str]  # all files, as `phases/05-search/05-01-PLAN.md`
    roadmap: str = ""  # what ROADMAP.md says; empty without one


class NextWorkflow(NamedTuple):
    """What comes next, and what says so."""

    command: str
    because: str


_PLAN = re.compile(r"^phases/(?P<folder>(?P<phase>\d+(?:\.\d+)?)[^/]*)/(?P<plan>[^/]*)PLAN\.md$")
_HEADING = re.compile(r"^#+\s*Phase\s+(\d+(?:\.\d+)?)\b", re.MULTILINE | re.IGNORECASE)
_LISTED = re.compile(
    r"^\s*[-*]\s*\[[ xX]\]\s*\**Phase\s+(\d+(?:\.\d+)?)\b", re.MULTILINE | re.IGNORECASE
)


def following(standing: PlanningState) -> NextWorkflow | None:  # noqa: PLR0911 -- one return a row
    """Return what comes next by the same table; None if no milestone is under way or planned.

    A plan is done when a summary stands beside it; a phase when it has plans, all of them done.
    """
    paths = standing.paths
    if not standing.roadmap:
        if "MILESTONE-CONTEXT.md" in paths:
            return NextWorkflow("/gsd:new-milestone", "the milestone has no roadmap yet")
        if "PROJECT.md" in paths:
            return NextWorkflow("/gsd:discuss-milestone", "there is no roadmap")
        return None
    plans = sorted(filter(None, map(_PLAN.match, paths)), key=_order)
    for plan in plans:
        summary = f"phases/{plan['folder']}/{plan['plan']}SUMMARY.md"
        if summary not in paths:
            return NextWorkflow(
                f"/gsd:execute-plan .planning/{plan.string}", "it is the first plan without summary"
            )
    planned = {float(plan["phase"]) for plan in plans}
    named = {*_HEADING.findall(standing.roadmap), *_LISTED.findall(standing.roadmap)}
    for phase in sorted(named, key=float):
        if float(phase) not in planned:
            return NextWorkflow(
                f"/gsd:plan-phase {phase}", f"phase {phase} of the roadmap has no plan"
            )
    if named:
        return NextWorkflow("/gsd:complete-milestone", "every phase of the roadmap is done")
    return None


def _order(plan: re.Match[str]) -> tuple[float, str]:
    return float(plan["phase"]), plan.string
