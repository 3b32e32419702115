"""Plans as a person reads them, and as programs do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import msgspec

from clew import api
from clew.api import CheckedPlan
from clew.cli.streams import json_line, say
from clew.cli.words import counted
from clew.documents.templating import duration
from clew.words.plans import DOCUMENTATION, PhaseId, PlanFinding, shown
from clew.words.printable import one_line, shortened

__all__ = ["page", "record", "show_forecast", "sized", "summary", "tell", "verdict"]

WIDEST = 44  # characters of a phase's name
HEAD = ("wave", "phase", "", "agent", "after", "files")


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


def sized(checked: CheckedPlan) -> str:
    """Say how many phases a plan has, and how many of them may run side by side."""
    by_depth = checked.waves or ()
    widest = max(map(len, by_depth))
    beside = f", {widest} side by side" if widest > 1 else ""
    return (
        f"{counted(len(checked.plan.phases), 'phase')} in {counted(len(by_depth), 'wave')}{beside}"
    )


def summary(checked: CheckedPlan) -> dict[str, Any]:
    """Return the last line of `clew plan check --json`."""
    errors = len(checked.errors)
    return {
        "type": "PlanChecked",
        "phases": len(checked.plan.phases),
        "errors": errors,
        "warnings": len(checked.findings) - errors,
        "waves": checked.waves,
        "critical_path": checked.critical_path,
    }


def record(checked: CheckedPlan) -> dict[str, Any]:
    """Return a plan with its order as programs read it."""
    fields = msgspec.structs.asdict(checked.plan)
    del fields["places"]
    return {
        "type": "Plan",
        **fields,
        "waves": checked.waves,
        "critical_path": checked.critical_path,
        "findings": checked.findings,
        "digest": checked.file.digest,
        "approved": api.approvals_of(checked)[0] is not None,
    }


def page(checked: CheckedPlan) -> list[str]:
    """Return a plan as lines: what it is for, its phases, what is to be known of it."""
    plan, chain = checked.plan, " → ".join(map(_id, checked.critical_path or ()))
    return [
        *filter(None, (one_line(plan.title), shortened(plan.goal, 200))),
        "",
        *_table(checked),
        "",
        f"critical path: {chain}",
        _standing(checked),
        *(one_line(str(finding)) for finding in checked.findings),
    ]


def _table(checked: CheckedPlan) -> list[str]:
    depths = {id_: number for number, wave in enumerate(checked.waves or (), 1) for id_ in wave}
    rows = [HEAD]
    for phase in sorted(checked.plan.phases, key=lambda phase: depths[phase.id]):
        name = shortened(phase.name, WIDEST) + ("" if phase.parallel else " (alone)")
        after = "all" if phase.kind == DOCUMENTATION else " ".join(map(_id, phase.depends_on))
        files = one_line(", ".join(phase.files))
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


def _standing(checked: CheckedPlan) -> str:
    """Say whether a plan is approved as it is now."""
    approval, before = api.approvals_of(checked)
    if approval:
        return f"approved {approval.at:%Y-%m-%d %H:%M} UTC"
    if before:
        return f"edited since it was approved, {before.at:%Y-%m-%d %H:%M} UTC"
    return "a draft, not approved" if checked.plan.is_draft else "not approved"


def show_forecast(forecast: api.Forecast, *, json: bool) -> None:
    """Say what a plan may take, or that nobody knows."""
    if json:
        click.echo(json_line(forecast))
        return
    chain = counted(forecast.steps, "phase")
    say(f"{counted(forecast.phases, 'phase')}; the longest chain has {chain}")
    for agent, number in forecast.agents.items():
        say(f"  {agent}: {counted(number, 'phase')}")
    if not forecast.known:
        say("nothing is known yet of what phases of these agents take here")
        return
    told = [
        "time unknown" if forecast.seconds is None else duration(forecast.seconds),
        "tokens unknown" if forecast.tokens is None else f"{forecast.tokens:,} tokens",
        "money unknown" if forecast.usd is None else f"${forecast.usd:.2f}",
    ]
    say(f"about {', '.join(told)}: by {counted(forecast.known, 'phase')} completed here before")
