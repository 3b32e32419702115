"""Plans as other tools write them in Markdown: headings of phases, labels, lists and checkboxes.

    ### Phase 2: Core solver            also `## Phase 2`, `[COMPLETE]` or `(Parallel)` behind it
    - **Objective**: …                  also `**Objective:** …`, `### Objective` and text below
    - **Agent**: `coder`
    - **Files to Create**:
      - `src/solver.py`: what it holds
    - **Validation**: `pytest -q`       code alone is a command; words are for a person to judge
    - **Dependencies**: Blocked by Phase 1        also `[1, 2]`, `depends_on: [phase_1]`, None

Where no phase says what it depends on, the section Dependency Graph does; where one says neither
its agent nor whether it runs beside others, the table of the section Execution Strategy does.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

from clew.documents.plans.building import RawPhase, RawPlan
from clew.documents.plans.fields import wrong_value
from clew.documents.plans.labels import Labelled, PlanSection, blocks, cut, items
from clew.documents.plans.lines import Line, criterion, joined, phase_in
from clew.documents.plans.located import Located, node
from clew.documents.plans.meanings import commands, files, phase_ids
from clew.documents.plans.stages import Fields, graph, more, strategy
from clew.words.plans import CODER, PlanFinding

__all__ = ["read"]

NUMBERED = re.compile(r"^[0-9]+[.)][ \t]+")
STATUS = re.compile(r"[ \t]*(?:\[([A-Z][A-Z ]*)\]|[✓✅☑])[ \t]*$")
BESIDE = re.compile(r"[ \t]*\(parallel\)[ \t]*$", re.IGNORECASE)
BLOCKED_BY = re.compile(r"\**\s*blocked[ _]by\s*\**\s*:?\**\s*", re.IGNORECASE)
BLOCKS = re.compile(r"\**\s*blocks\b", re.IGNORECASE)

# What a label says, by its words in small letters.
LABELS = {
    **dict.fromkeys(("objective", "goal"), "objective"),
    **dict.fromkeys(("agent", "agents", "agent(s)", "assigned agent"), "agent"),
    **dict.fromkeys(("parallel", "parallelizable"), "parallel"),
    **dict.fromkeys(("files to create", "files created", "new files"), "creates"),
    **dict.fromkeys(("files to modify", "files modified", "files", "affected files"), "modifies"),
    **dict.fromkeys(("files to create/modify", "files to create or modify"), "modifies"),
    **dict.fromkeys(("files to delete", "files deleted"), "deletes"),
    "test files": "test_files",
    **dict.fromkeys(("validation", "validation commands", "validation criteria"), "validation"),
    **dict.fromkeys(("testing", "tests", "verification"), "validation"),
    **dict.fromkeys(("acceptance criteria", "success criteria", "done when"), "criteria"),
    "definition of done": "criteria",
    **dict.fromkeys(("dependencies", "depends on", "depends_on", "blocked by"), "depends_on"),
    "blocks": "blocks",
    **dict.fromkeys(("description", "details", "implementation details"), "description"),
    **dict.fromkeys(("tasks", "steps", "implementation"), "description"),
    "model": "model",
}
PLAN_LABELS = {
    "task complexity": "complexity",
    "test command": "test_command",
    **dict.fromkeys(("design", "design document", "design doc"), "design"),
    **dict.fromkeys(("goal", "objective", "feature"), "goal"),
}
SAID_IN_FRONT = {"complexity": "task_complexity", "design": "design_ref", "goal": "description"}
GOALS = ("plan overview", "overview", "objective", "goal", "summary")


def read(path: str, front: Located, lines: Sequence[Line]) -> RawPlan:
    """Read a plan by its headings and labels; what cannot be understood is told."""
    level = next((line.heading[0] for line in lines if _is_phase(line.heading[1])), 0)
    parts = cut(lines, level)
    reading = _Reading(path)
    phases = [reading.phase(p) for p in parts if p.level == level and _is_phase(p.title)]
    others = [p for p in parts if p.level != level or not _is_phase(p.title)]
    by_id: dict[object, Fields] = {fields["id"].value: fields for fields in phases}
    for part in others:
        name = NUMBERED.sub("", part.title).casefold()
        if name.startswith("dependency graph") and not reading.dependent:
            graph(part.lines, by_id)
        if name.startswith("execution strategy"):
            strategy(part.lines, by_id)
    named = any("agent" in fields for fields in phases)
    return RawPlan(
        path=path,
        fields=_plan(front, others),
        phases=tuple(RawPhase(path=path, fields=Located(f, f["id"].line)) for f in phases),
        agent="" if named else CODER,
        findings=tuple(reading.findings),
    )


def _is_phase(title: str) -> bool:
    return (phase_in(title) or (None, ""))[0] is not None


def _plan(front: Located, sections: Sequence[PlanSection]) -> Located:
    """Return what is said of the plan: in its front matter, by labels, in its overview."""
    fields: Fields = dict(front.value) if isinstance(front.value, dict) else {}
    for section in sections:
        if section.level == 1 and section.title:
            fields.setdefault("title", Located(section.title, section.line))
        intro, *labelled = blocks(section.lines)
        for block in labelled:
            key = PLAN_LABELS.get(block.label.casefold(), "")
            if key and block.value and SAID_IN_FRONT.get(key) not in fields:
                fields.setdefault(key, Located(block.value.strip("`"), block.line))
        words = joined(intro.lines).strip()
        if NUMBERED.sub("", section.title).casefold() in GOALS and words:
            fields.setdefault("goal", Located(words.split("\n\n")[0], section.line))
    return Located(fields, front.line)


class _Reading:
    """Phases as they are read, and what could not be understood."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.findings: list[PlanFinding] = []
        self.count = 0
        self.dependent = False  # whether a phase says what it depends on

    def phase(self, section: PlanSection) -> Fields:
        id_, name = phase_in(section.title) or (None, "")
        fields: Fields = {"id": Located(id_, section.line)}
        if status := STATUS.search(name):
            name = name[: status.start()]
            fields["status"] = Located((status[1] or "completed").lower(), section.line)
        if BESIDE.search(name):
            name = BESIDE.sub("", name)
            fields["parallel"] = Located(value=True, line=section.line)
        fields["name"] = Located(name.strip(), section.line)
        prose: list[str] = []
        for block in blocks(section.lines):
            self.block(block, fields, prose)
        if text := "\n\n".join(filter(str.strip, prose)):
            fields["description"] = Located(text, section.line)
        self.count += 1
        return fields

    def block(self, block: Labelled, fields: Fields, prose: list[str]) -> None:
        """Put what a label says into the fields of its phase, or behind its prose."""
        match LABELS.get(block.label.casefold(), ""):
            case "objective" | "model" as name:
                fields.setdefault(name, Located(_whole(block).strip("`"), block.line))
            case "agent":
                named = (each.partition("(")[0] for each in re.split(r",|\band\b|&", block.value))
                bare = (each.strip(" \t`*.") for each in named)
                fields["agent"] = node(list(filter(None, bare)), block.line)
            case "parallel":
                yes = block.value.casefold().startswith(("yes", "true"))
                fields["parallel"] = Located(yes, block.line)
            case "creates" | "modifies" | "deletes" | "test_files" as name:
                self.files(name, block, fields)
            case "validation":
                typed, words = commands(block)
                more(fields, "validation", typed)
                more(fields, "criteria", words)
            case "criteria":
                more(fields, "criteria", [criterion(*item) for item in items(block)])
            case "depends_on" | "blocks" as name:
                self.dependencies(name, block, fields)
            case "description":
                prose.append(_whole(block))
            case _:
                _keep(block, fields, prose)

    def files(self, name: str, block: Labelled, fields: Fields) -> None:
        for line, item in items(block):
            found = files(item)
            if not found:
                self.wrong(name, line, f"no file can be made out in {item[:80]!r}")
            more(fields, name, [Located(each, line) for each in found])

    def dependencies(self, name: str, block: Labelled, fields: Fields) -> None:
        """Read what a phase waits for; what it blocks is said again by the phases that wait."""
        if name == "blocks":
            return
        self.dependent = True
        fields.setdefault("depends_on", Located([], block.line))
        for line, item in items(block):
            if BLOCKS.match(item):
                continue
            found = phase_ids(BLOCKED_BY.sub("", item, count=1))
            if found is None:
                self.wrong("depends_on", line, f"no phases can be made out in {item[:80]!r}")
            more(fields, "depends_on", [Located(each, line) for each in found or ()])

    def wrong(self, field: str, line: int, message: str) -> None:
        where = f"phases[{self.count}].{field}"
        self.findings.append(wrong_value(self.path, line, where, message))


def _keep(block: Labelled, fields: Fields, prose: list[str]) -> None:
    """Keep what an unknown label says: a few words as a field of its own, more with the prose."""
    key = re.sub(r"\W+", "_", block.label.casefold()).strip("_")
    if key and not joined(block.lines).strip():
        fields.setdefault(key, Located(block.value, block.line))
    else:
        label = f"**{block.label}**: {block.value}".strip() if block.label else ""
        prose.append("\n".join(filter(None, [label, joined(block.lines)])))


def _whole(block: Labelled) -> str:
    below = textwrap.dedent(joined(block.lines)).strip("\n")
    return "\n".join(filter(None, [block.value, below]))
