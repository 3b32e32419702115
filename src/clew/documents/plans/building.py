"""From the values of a form to a plan.

What has the wrong type is told with its line and left out, so that one look finds all that is
wrong. What a value may be is checked on the plan itself: see `clew.analysis.plans`.
"""

from __future__ import annotations

import re

import msgspec

from clew.documents.plans.fields import PlanFields
from clew.documents.plans.located import Located
from clew.runners.commands import split
from clew.words.errors import UsageError
from clew.words.plans import (
    Criterion,
    PhaseId,
    Plan,
    PlanFinding,
    PlanPhase,
    PlanPlace,
    PlanRule,
    Severity,
    SpecReference,
    VerifyBy,
)

__all__ = ["PlanRead", "RawPhase", "RawPlan", "build"]

BULLET = re.compile(r"\s*[-*+]\s+(?:\[[ xX]\]\s+)?")
TOUCHED = ("files_touched", "planned_files", "files")  # created or modified: nobody says which


class RawPhase(msgspec.Struct, frozen=True, kw_only=True):
    """A phase as a form has it, and the file that it stands in."""

    path: str
    fields: Located


class RawPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan as a form has it; `agent` is whose the phases are that name nobody."""

    path: str
    fields: Located
    phases: tuple[RawPhase, ...] = ()
    agent: str = ""
    findings: tuple[PlanFinding, ...] = ()


class PlanRead(msgspec.Struct, frozen=True, kw_only=True):
    """A plan as far as it could be read, and what could not."""

    plan: Plan
    findings: tuple[PlanFinding, ...] = ()


def build(raw: RawPlan) -> PlanRead:
    """Return the plan that a form holds, and what is wrong with its fields."""
    findings = list(raw.findings)
    places: dict[str, PlanPlace] = {}
    fields = PlanFields(raw.fields, "", raw.path, findings, places)
    phases = tuple(
        _phase(
            PlanFields(each.fields, f"phases[{place}]", each.path, findings, places),
            agent=raw.agent,
            unnamed=f"#{place + 1}",
        )
        for place, each in enumerate(raw.phases)
    )
    plan = Plan(
        title=_line(fields.text("title")),
        goal=fields.text("goal"),
        design=fields.text("design"),
        complexity=fields.text("complexity").lower(),
        test_command=fields.text("test_command"),
        merge_batch=fields.one("merge_batch", fields.as_number),
        notes=fields.text("notes"),
        phases=phases,
        extra=fields.rest(),
        places=places,
    )
    return PlanRead(plan=plan, findings=tuple(findings))


def _phase(fields: PlanFields, *, agent: str, unnamed: str) -> PlanPhase:
    """Return a phase; one without an id that could be used has `unnamed` for it."""
    if not fields.is_map:
        return PlanPhase(id=unnamed)
    if not fields.has("id"):
        fields.missing("id", "the phase has no id")

    def as_id(where: str, node: Located) -> PhaseId | None:
        if isinstance(node.value, int | str) and not isinstance(node.value, bool):
            return node.value
        fields.mistyped(where, node, "a whole number or a text")
        return None

    id_ = fields.one("id", as_id)
    agents = fields.texts("agent")
    created, modified = fields.texts("creates"), fields.texts("modifies")
    touched = [path for name in TOUCHED for path in fields.texts(name) if path not in created]
    phase = PlanPhase(
        id=unnamed if id_ is None else id_,
        name=_line(fields.text("name")),
        agent=agents[0] if agents else agent,
        kind=fields.text("kind"),
        objective=fields.text("objective"),
        description=fields.text("description"),
        depends_on=fields.each("depends_on", as_id),
        parallel=fields.flag("parallel", default=True),
        batch=fields.one("batch", fields.as_number),
        creates=created,
        modifies=(*modified, *touched),
        deletes=fields.texts("deletes"),
        test_files=fields.texts("test_files"),
        criteria=fields.each("criteria", lambda *at: _criterion(fields, *at), lines=True),
        validation=fields.each("validation", lambda *at: _command(fields, *at)),
        model=fields.text("model"),
        references=fields.each("references", lambda *at: _reference(fields, *at)),
        extra=fields.rest(),
    )
    if len(agents) > 1:
        message = f"the phase names {len(agents)} agents; {agents[0]} carries it out"
        fields.misused("agent", message, Severity.WARNING)
        phase.extra["other_agents"] = list(agents[1:])
    return phase


def _criterion(around: PlanFields, where: str, node: Located) -> Criterion | None:
    """Take a criterion: a map of its fields, or a text that a person verifies."""
    if not isinstance(node.value, dict):
        text = around.as_text(where, node)
        return None if text is None else Criterion(criterion=_line(BULLET.sub("", text, count=1)))
    fields = around.within(where, node)
    text, way, target = (fields.text(name) for name in ("criterion", "verify_by", "target"))
    fields.refuse_rest()
    if way not in ("", *VerifyBy):
        fields.misused("verify_by", f"{way!r} is none of {', '.join(VerifyBy)}")
        return None
    verify_by = VerifyBy(way or VerifyBy.MANUAL)
    return Criterion(criterion=_line(text), verify_by=verify_by, target=_line(target))


def _command(around: PlanFields, where: str, node: Located) -> tuple[str, ...] | None:
    """Take a command as a list of arguments, as which it may stand there already."""
    if isinstance(node.value, list):
        words = [around.as_text(where, each) for each in node.value]
        return None if None in words else tuple(word for word in words if word is not None)
    text = around.as_text(where, node)
    if text is None or not text.strip():
        return None if text is None else ()
    try:
        return split(text, "the command")
    except UsageError as error:
        around.note(PlanRule.INVALID_FIELD_VALUE, where, error.whole, node.line)
        return None


def _reference(around: PlanFields, where: str, node: Located) -> SpecReference | None:
    """Take a reference: a map of its fields, or a text that names the specification."""
    if not isinstance(node.value, dict):
        text = around.as_text(where, node)
        return None if text is None else SpecReference(spec=text)
    fields = around.within(where, node)
    spec, section, wanted = (fields.text(name) for name in ("spec", "section", "requirement"))
    fields.refuse_rest()
    return SpecReference(spec=spec, section=section, requirement=wanted)


def _line(text: str) -> str:
    return " ".join(text.split())
