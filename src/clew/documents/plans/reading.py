"""Which form a plan has is seen from its text; what is wrong with it is told all at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from clew.analysis.plans import check
from clew.documents.plans import data, own, prose
from clew.documents.plans.building import PlanRead, RawPlan, build
from clew.documents.plans.fields import wrong_value
from clew.documents.plans.lines import Line, front_and_lines, misread_phase, phase_in, unified
from clew.documents.plans.located import Misread, from_json, from_yaml
from clew.words.errors import PlanInvalid
from clew.words.plans import Plan, PlanAgent, PlanFinding, PlanRule, Severity

__all__ = ["examine", "read", "read_plan"]

JSON = re.compile(r"\s*(?:[\[{\"]|(?:null|true|false|-?[0-9.]+)\s*\Z)")
KEY = re.compile(r"(?:\s*(?:#.*)?\n)*(?:[A-Za-z_][\w-]*[ \t]*:(?:\s|\Z)|- )")


def read_plan(text: str, name: str) -> Plan:
    """Read a plan of any form. Raises PlanInvalid, which names the file, its line and the field."""
    found = read({name: text})
    if wrong := [finding for finding in found.findings if finding.is_error]:
        raise PlanInvalid(name, wrong)
    return found.plan


def examine(
    texts: Mapping[str, str], agents: Mapping[str, PlanAgent] | None = None
) -> tuple[Plan, tuple[PlanFinding, ...]]:
    """Read and check a plan: what is wrong with how it is written, and with what it says."""
    found = read(texts)
    fatal = not found.plan.phases and found.findings
    checked = () if fatal else check(found.plan, agents)
    new = (each for each in checked if not any(_covers(f, each) for f in found.findings))
    return found.plan, tuple(sorted([*found.findings, *new], key=lambda f: (f.path, f.line)))


def _covers(read: PlanFinding, checked: PlanFinding) -> bool:
    """Whether a field lacks what it should hold because it could not be read."""
    if not read.is_error or not read.where:
        return False
    return checked.where == read.where or checked.where.startswith(f"{read.where}.")


def read(texts: Mapping[str, str]) -> PlanRead:
    """Read a plan of one text, or of a folder's, by the names of the files.

    What cannot be read is told in the findings; nothing is raised.
    """
    name = next(iter(texts), "")
    try:
        if len(texts) == 1:
            return build(_form(name, unified(texts[name])))
        files = {}
        for name, text in texts.items():
            files[name] = from_json(unified(text))
        return build(data.read_folder(name.rpartition("/")[0], files))
    except Misread as error:
        wrong = PlanFinding(
            code=PlanRule.INVALID_PLAN, message=str(error), path=name, line=error.line
        )
        return PlanRead(plan=Plan(), findings=(wrong,))


def _form(name: str, text: str) -> RawPlan:
    if not text.strip():
        raise Misread("the file is empty", 1)
    if JSON.match(text):
        return data.read(name, from_json(text))
    front, lines = front_and_lines(text)
    if own.is_own(front, lines):
        return _with_headings(own.read(name, front, lines), lines)
    if KEY.match(text) and not any(phase_in(line.heading[1]) for line in lines):
        return data.read(name, from_yaml(text))
    return _with_headings(prose.read(name, front, lines), lines)


def _with_headings(plan: RawPlan, lines: Sequence[Line]) -> RawPlan:
    """Tell of headings that look like a phase's and begin none.

    It is an error where fields follow, or where the plan has no other phase; else it may be prose.
    """
    told = []
    for at, line in enumerate(lines):
        title = line.heading[1]
        if not misread_phase(title):
            continue
        below = next((each.text for each in lines[at + 1 :] if each.text.strip()), "")
        fields = below.startswith(("```", "~~~"))
        message = f"{title[:60]!r} begins no phase: an id is one word, as in `Phase a-b: Its name`"
        found = wrong_value(plan.path, line.number, f"phases[{len(plan.phases)}]", message)
        if plan.phases and not fields:
            found = replace(found, severity=Severity.WARNING)
        told.append(found)
    return replace(plan, findings=(*plan.findings, *told))
