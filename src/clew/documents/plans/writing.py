"""A plan written in our own form, as a person would write it.

What Markdown cannot carry unchanged (a name that ends with `#`, a description with a heading of a
phase) goes into the YAML, so that what was written is what is read.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Mapping
from typing import Any

import msgspec

from clew.documents import front_matter
from clew.documents.plans import own
from clew.documents.plans.building import build
from clew.documents.plans.lines import front_and_lines, unified
from clew.documents.plans.located import Misread
from clew.runners.commands import split
from clew.words.errors import UsageError
from clew.words.plans import Criterion, Plan, PlanPhase, SpecReference, VerifyBy

__all__ = ["difference", "write"]

SHORT = 72  # characters of a list that stays on one line
# How a phase is headed, and whether its prose is prose: the first that is read back is taken.
WAYS = (("## Phase {id}: {name}", True), ("## Phase: {name}", True), ("## Phase:", False))
PLAIN = re.compile(r"[\w./][\w ./=+-]*", re.ASCII)  # is safe within brackets
ODD = re.compile(r"[^\S \n]|[\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff]")


def write(plan: Plan) -> str:
    """Return a plan as a document: `read` gives the same plan back, wherever it was written."""
    below = f"## Phase 1: Any\n\n{plan.notes}\n"
    notes = plan.notes if plan.phases and _back(below).notes == plan.notes else ""
    head = _head(plan, prose=True, notes=not notes)
    whole = msgspec.structs.replace(plan.bare, phases=(), notes="" if notes else plan.notes)
    if _back(head) != whole:
        head = _head(plan, prose=False, notes=not notes)
    parts = [head, *map(_section, plan.phases), *([f"{notes}\n"] if notes else [])]
    return "\n".join(parts)


def difference(before: Plan, after: Plan, names: tuple[str, str]) -> tuple[str, ...]:
    """Return how two plans differ, as the lines of a unified diff of their documents."""
    old, new = (write(plan.bare).splitlines() for plan in (before, after))
    return tuple(difflib.unified_diff(old, new, *names, n=1, lineterm=""))


def _section(phase: PlanPhase) -> str:
    for heading, prose in WAYS[:-1]:
        section = _phase(phase, heading, prose=prose)
        if _back(section).phases == (phase,):
            return section
    return _phase(phase, WAYS[-1][0], prose=WAYS[-1][1])


def _back(text: str) -> Plan:
    """Return what is read of a text; nothing where it cannot be."""
    try:
        front, lines = front_and_lines(unified(text))
        return build(own.read("", front, lines)).plan.bare
    except Misread:
        return Plan()


def _head(plan: Plan, *, prose: bool, notes: bool) -> str:
    fields = {
        "plan": own.FORMAT,
        "title": "" if prose else plan.title,
        "design": plan.design,
        "complexity": plan.complexity,
        "test_command": plan.test_command,
        "merge_batch": plan.merge_batch,
        "goal": "" if prose else plan.goal,
        "notes": plan.notes if notes else "",
    }
    said = {key: value for key, value in fields.items() if value not in ("", None)} | plan.extra
    body = [f"# {plan.title}" if plan.title else "", plan.goal] if prose else []
    return "\n\n".join([f"---\n{_yaml(said)}---", *filter(None, body)]) + "\n"


def _phase(phase: PlanPhase, heading: str, *, prose: bool) -> str:
    fields = {
        "id": "" if "{id}" in heading else phase.id,
        "name": "" if "{name}" in heading else phase.name,
        "agent": phase.agent,
        "kind": phase.kind,
        "depends_on": list(phase.depends_on),
        "parallel": None if phase.parallel else False,
        "batch": phase.batch,
        "creates": list(phase.creates),
        "modifies": list(phase.modifies),
        "deletes": list(phase.deletes),
        "test_files": list(phase.test_files),
        "validation": [_command(command) for command in phase.validation],
        "model": phase.model,
        "references": [_reference(each) for each in phase.references],
        "objective": phase.objective,
        "description": "" if prose else phase.description,
        "criteria": [] if prose else [_map(each) for each in phase.criteria],
    }
    said = {key: value for key, value in fields.items() if value not in ("", [], None)}
    block = _yaml(said | phase.extra)
    ticks = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`+", block))])
    titled = heading.format(id=phase.id, name=phase.name)
    parts = [titled, f"{ticks}yaml\n{block}{ticks}"]
    if prose and phase.description:
        parts.append(phase.description)
    if prose and phase.criteria:
        boxes = (f"- [ ] {_suffixed(each)}" for each in phase.criteria)
        parts += [f"### {own.DONE_WHEN}", "\n".join(boxes)]
    return "\n\n".join(parts) + "\n"


def _suffixed(criterion: Criterion) -> str:
    target = f": {criterion.target}" if criterion.target else ""
    return f"{criterion.criterion} ({criterion.verify_by}{target})"


def _command(command: tuple[str, ...]) -> str | list[str]:
    """Return a command as a person types it, or as a list where only that is read back."""
    line = shlex.join(command)
    try:
        return line if split(line) == command else list(command)
    except UsageError:
        return list(command)


def _reference(reference: SpecReference) -> str | dict[str, str]:
    return _map(reference) if reference.section or reference.requirement else reference.spec


def _map(record: Criterion | SpecReference) -> dict[str, str]:
    return {
        name: str(value)
        for name in record.__struct_fields__
        if (value := getattr(record, name)) not in ("", VerifyBy.MANUAL)
    }


def _yaml(fields: Mapping[str, Any]) -> str:
    return front_matter.dump({_told(key): _told(value) for key, value in fields.items()})


def _told(value: Any) -> Any:  # noqa: ANN401 - of the same shape as what came in
    """Return a value so that it is read back: odd characters escaped, short lists on one line."""
    from ruamel.yaml.comments import CommentedSeq  # noqa: PLC0415 - slow to import
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString  # noqa: PLC0415 - as above

    match value:
        case str():
            return DoubleQuotedScalarString(value) if ODD.search(value) else value
        case dict():
            return {_told(key): _told(inner) for key, inner in value.items()}
        case list():
            sequence = CommentedSeq(map(_told, value))
            plain = all(PLAIN.fullmatch(str(each)) for each in value)
            if plain and sum(len(str(each)) + 2 for each in value) <= SHORT:
                sequence.fa.set_flow_style()
            return sequence
    return value
