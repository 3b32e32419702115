"""Which form a plan has is seen from its text; what is wrong with it is told all at once."""

from __future__ import annotations

import re
from collections.abc import Mapping

from clew.analysis.plans import check
from clew.documents.plans import data, own, prose
from clew.documents.plans.building import PlanRead, RawPlan, build
from clew.documents.plans.lines import front_and_lines, phase_in, unified
from clew.documents.plans.located import Misread, from_json, from_yaml
from clew.words.errors import PlanInvalid
from clew.words.plans import Plan, PlanAgent, PlanFinding, PlanRule

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
        return own.read(name, front, lines)
    if KEY.match(text) and not any(phase_in(line.heading[1]) for line in lines):
        return data.read(name, from_yaml(text))
    return prose.read(name, front, lines)
