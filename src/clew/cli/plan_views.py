"""Plans as a person reads them, and as programs do."""

from __future__ import annotations

import os
from collections.abc import Sequence
from graphlib import CycleError
from typing import Any

import click
import msgspec

from clew.analysis.plans import critical_path, waves
from clew.cli.streams import json_line, say
from clew.cli.words import counted
from clew.git.project import locate
from clew.sessions.plans import PlanApprovals, PlanFile
from clew.words.plans import PhaseId, Plan, PlanAgent, PlanFinding, PlanRule, shown
from clew.words.printable import one_line, shortened
from clew.words.settings import load

__all__ = ["agents_around", "in_order", "page", "record", "sized", "summary", "tell", "verdict"]

WIDEST = 44  # characters of a phase's name
HEAD = ("wave", "phase", "", "agent", "after", "files")


def agents_around(file: PlanFile) -> dict[str, PlanAgent]:
    """Return what the agents of plans stand for in the project of one. Raises UsageError."""
    project = locate(file.folder)
    return load((project.root, project.path), os.environ, {}).plan_agents


def tell(findings: Sequence[PlanFinding], *, json: bool) -> None:
    """Print findings, one a line."""
    for finding in findings:
        if json:
            record = {"type": "PlanFinding", **msgspec.structs.asdict(finding)}
            click.echo(json_line(record))
        else:
            say(one_line(str(finding)))


def verdict(findings: Sequence[PlanFinding]) -> str:
    """Say how many findings there are, and what they mean."""
    errors = sum(finding.is_error for finding in findings)
    kinds = ((errors, "error"), (len(findings) - errors, "warning"))
    said = [counted(number, kind) for number, kind in kinds if number]
    return ", ".join([*said, "it cannot be carried out" if errors else "it can be carried out"])


def in_order(plan: Plan, findings: Sequence[PlanFinding]) -> bool:
    """Whether the phases of a plan have an order, so that it can be shown."""
    if not plan.phases or any(finding.code == PlanRule.DUPLICATE_ID for finding in findings):
        return False
    try:
        waves(plan)
    except CycleError:
        return False
    return True


def sized(plan: Plan) -> str:
    """Say how many phases a plan has, and how many of them may run side by side."""
    by_depth = waves(plan)
    widest = max(map(len, by_depth))
    beside = f", {widest} side by side" if widest > 1 else ""
    return f"{counted(len(plan.phases), 'phase')} in {counted(len(by_depth), 'wave')}{beside}"


def summary(plan: Plan, findings: Sequence[PlanFinding]) -> dict[str, Any]:
    """Return the last line of `clew plan check --json`."""
    ordered = in_order(plan, findings)
    errors = sum(finding.is_error for finding in findings)
    return {
        "type": "PlanChecked",
        "phases": len(plan.phases),
        "errors": errors,
        "warnings": len(findings) - errors,
        "waves": waves(plan) if ordered else None,
        "critical_path": critical_path(plan) if ordered else None,
    }


def record(plan: Plan, file: PlanFile, findings: Sequence[PlanFinding]) -> dict[str, Any]:
    """Return a plan with its order as programs read it."""
    fields = msgspec.structs.asdict(plan)
    del fields["places"]
    return {
        "type": "Plan",
        **fields,
        "waves": waves(plan),
        "critical_path": critical_path(plan),
        "findings": findings,
        "digest": file.digest,
        "approved": PlanApprovals.around(file).of(file) is not None,
    }


def page(plan: Plan, file: PlanFile, findings: Sequence[PlanFinding]) -> list[str]:
    """Return a plan as lines: what it is for, its phases, what is to be known of it."""
    chain = " → ".join(map(_id, critical_path(plan)))
    return [
        *filter(None, (one_line(plan.title), shortened(plan.goal, 200))),
        "",
        *_table(plan),
        "",
        f"critical path: {chain}",
        _standing(file),
        *(one_line(str(finding)) for finding in findings),
    ]


def _table(plan: Plan) -> list[str]:
    depths = {id_: number for number, wave in enumerate(waves(plan), 1) for id_ in wave}
    rows = [HEAD]
    for phase in sorted(plan.phases, key=lambda phase: depths[phase.id]):
        name = shortened(phase.name, WIDEST) + ("" if phase.parallel else " (alone)")
        after, files = " ".join(map(_id, phase.depends_on)), one_line(", ".join(phase.files))
        wave, agent = str(depths[phase.id]), one_line(phase.agent)
        rows.append((wave, _id(phase.id), name, agent, after, files))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    spaced = (
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return [line.rstrip() for line in spaced]


def _id(phase: PhaseId) -> str:
    return one_line(shown(phase))


def _standing(file: PlanFile) -> str:
    """Say whether a plan is approved as it is now."""
    approvals = PlanApprovals.around(file)
    if approval := approvals.of(file):
        return f"approved {approval.at:%Y-%m-%d %H:%M} UTC"
    if before := approvals.before(file):
        return f"edited since it was approved, {before.at:%Y-%m-%d %H:%M} UTC"
    return "not approved"
