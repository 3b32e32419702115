"""What a plan says of its phases together: the graph that it draws, the table of its stages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from clew.documents.plans.lines import Line
from clew.documents.plans.located import Located, node

__all__ = ["Fields", "graph", "more", "strategy"]

Fields = dict[str, Located]  # of a phase or a plan

SPAN = re.compile(r"`([^`]+)`")
REMARK = re.compile(r"\([^)]*\)|\[[^\]]*\]|\|[^|]*\|")
ARROW = re.compile(r"-{1,3}>|={1,3}>|→")
PHASE = re.compile(r"\s*P(?:hase)?[ _]*([0-9]{1,9})\s*;?\s*", re.IGNORECASE)
NUMBER = re.compile(r"[0-9]{1,9}")


def more(fields: Fields, name: str, found: Sequence[Located]) -> None:
    """Put more into a field that is a list."""
    before = fields.get(name)
    if not found:
        return
    if before is not None and isinstance(before.value, list):
        fields[name] = Located([*before.value, *found], before.line)
    else:
        fields[name] = Located([*found], found[0].line)


def graph(lines: Sequence[Line], phases: Mapping[object, Fields]) -> None:
    """Add the arrows of a drawn graph, as far as they lead from phase to phase: `P1 --> P2`."""
    for line in lines:
        parts = ARROW.split(REMARK.sub("", line.text))
        ends = [[PHASE.fullmatch(each) for each in part.split("&")] for part in parts]
        named = [[int(found[1]) for found in part if found] for part in ends]
        if any(None in part for part in ends):
            continue
        for sources, targets in pairwise(named):
            for target in filter(phases.__contains__, targets):
                more(phases[target], "depends_on", [Located(each, line.number) for each in sources])


def strategy(lines: Sequence[Line], phases: Mapping[object, Fields]) -> None:
    """Add what the table of stages says of phases that do not say it themselves."""
    rows = [
        (line.number, [cell.strip() for cell in line.text.strip().strip("|").split("|")])
        for line in lines
        if line.text.strip().startswith("|")
    ]
    if not rows:
        return
    head = [re.sub(r"\(s\)$|s$", "", cell.casefold()) for cell in rows[0][1]]
    for line, cells in rows[1:]:
        row = dict(zip(head, cells, strict=False))
        which = row.get("phase", row.get("stage", ""))
        numbers = map(int, NUMBER.findall(which))
        named = [phases[number] for number in numbers if number in phases]
        mode = row.get("mode", row.get("execution", row.get("execution mode", ""))).casefold()
        if mode.startswith(("parallel", "sequential")):
            for fields in named:
                fields.setdefault("parallel", Located(mode.startswith("parallel"), line))
        agents = SPAN.findall(row.get("agent", ""))
        agents = agents * len(named) if len(agents) == 1 else agents
        for fields, agent in zip(named, agents, strict=False):
            fields.setdefault("agent", node([agent], line))
