"""A plan as a picture: phases in columns by the wave they run in, the critical path stressed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from statistics import fmean
from xml.sax.saxutils import escape

from clew.analysis.plans import critical_path, waves
from clew.words.plans import DOCUMENTATION, PhaseId, Plan, PlanPhase, shown
from clew.words.printable import one_line, shortened

__all__ = ["mermaid", "svg"]

WIDTH, HEIGHT = 210, 62  # of a phase
ACROSS, DOWN = 64, 24  # between phases
MARGIN, TOP = 28, 104  # around all; above the first row
ROUND = 9  # radius of corners
FITS = 23  # characters of a name
HUES = ("#2f6fde", "#1a8f6b", "#b4621a", "#8a4fc9", "#c23d5b", "#5b6b7a")  # of agents, in turn

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1d2733; }
  .title { font-size: 19px; font-weight: 600; }
  .quiet { font-size: 12px; fill: #66717e; }
  .name { font-weight: 600; }
  .phase { fill: #fff; stroke: #cfd6de; }
  .edge { fill: none; stroke: #b4bdc8; stroke-width: 1.5; }
  .phase.critical { stroke: #2f6fde; stroke-width: 2; }
  .edge.critical { stroke: #2f6fde; stroke-width: 2.5; }
  .ground { fill: #f7f9fb; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6ebf0; }
    .quiet { fill: #98a4b1; }
    .phase { fill: #222b35; stroke: #3b4754; }
    .edge { stroke: #526070; }
    .ground { fill: #161c23; }
  }
"""

Place = tuple[float, float]  # the upper left corner of a phase


def mermaid(plan: Plan) -> str:
    """Return a plan as a Mermaid graph. Raises graphlib.CycleError."""
    names = {phase.id: f"p{number}" for number, phase in enumerate(plan.phases, 1)}
    lines = ["graph LR"]
    for phase in plan.phases:
        words = f"{shown(phase.id)} · {one_line(phase.name)}<br/>{one_line(phase.agent)}"
        lines.append(f'    {names[phase.id]}["{_entities(words)}"]')
    lines += [f"    {names[one]} --> {names[after]}" for one, after in _edges(plan)]
    stressed = ",".join(names[each] for each in critical_path(plan))
    return "\n".join(
        [*lines, "    classDef critical stroke-width:3px", f"    class {stressed} critical", ""]
    )


def _entities(text: str) -> str:
    """Return text as it stands within quotes in Mermaid; a line break is its own."""
    for character, name in (("#", "#35;"), ('"', "#quot;"), ("`", "#96;")):
        text = text.replace(character, name)
    return text.replace("<", "#lt;").replace("#lt;br/>", "<br/>")


def svg(plan: Plan) -> str:
    """Return a plan as an SVG image that needs nothing else. Raises graphlib.CycleError."""
    columns = waves(plan)
    places = _places(plan, columns)
    longest = critical_path(plan)
    tallest = max(map(len, columns), default=0)
    width = 2 * MARGIN + len(columns) * (WIDTH + ACROSS) - ACROSS
    height = TOP + tallest * (HEIGHT + DOWN) - DOWN + MARGIN
    title = _escaped(shortened(plan.title or "Plan", 90))
    count = f"{len(plan.phases)} phases in {len(columns)} waves, critical path of {len(longest)}"
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{title}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{width}" height="{height}" rx="12"/>',
        f'<text class="title" x="{MARGIN}" y="38">{title}</text>',
        f'<text class="quiet" x="{MARGIN}" y="58">{count}</text>',
        *_waves(len(columns)),
        *_arrows(plan, places, set(pairwise(longest))),
        *_boxes(plan, places, frozenset(longest)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _places(plan: Plan, columns: tuple[tuple[PhaseId, ...], ...]) -> dict[PhaseId, Place]:
    """Place each phase in the column of its wave, near those that it waits for."""
    waits = {phase.id: phase.depends_on for phase in plan.phases}
    places: dict[PhaseId, Place] = {}
    tallest = max(map(len, columns), default=0)
    for number, column in enumerate(columns):
        near = {id_: [places[each][1] for each in waits[id_] if each in places] for id_ in column}
        above = (tallest - len(column)) * (HEIGHT + DOWN) / 2
        for row, id_ in enumerate(sorted(column, key=lambda id_: fmean(near[id_] or [0.0]))):
            places[id_] = (
                MARGIN + number * (WIDTH + ACROSS),
                TOP + above + row * (HEIGHT + DOWN),
            )
    return places


def _waves(count: int) -> Iterator[str]:
    for number in range(count):
        x = MARGIN + number * (WIDTH + ACROSS)
        yield f'<text class="quiet" x="{x}" y="{TOP - 12}">wave {number + 1}</text>'


def _arrows(
    plan: Plan, places: Mapping[PhaseId, Place], stressed: set[tuple[PhaseId, PhaseId]]
) -> Iterator[str]:
    for one, after in sorted(_edges(plan), key=stressed.__contains__):
        x, y = places[one][0] + WIDTH, places[one][1] + HEIGHT / 2
        to_x, to_y = places[after][0], places[after][1] + HEIGHT / 2
        bend = ACROSS * 0.6
        kind = "edge critical" if (one, after) in stressed else "edge"
        path = f"M{x:g},{y:g} C{x + bend:g},{y:g} {to_x - bend:g},{to_y:g} {to_x:g},{to_y:g}"
        yield f'<path class="{kind}" d="{path}"/>'


def _boxes(
    plan: Plan, places: Mapping[PhaseId, Place], stressed: frozenset[PhaseId]
) -> Iterator[str]:
    agents = list(dict.fromkeys(phase.agent for phase in plan.phases))
    for phase in plan.phases:
        x, y = places[phase.id]
        kind = "phase critical" if phase.id in stressed else "phase"
        hue = HUES[agents.index(phase.agent) % len(HUES)]
        name = _escaped(shortened(f"{shown(phase.id)} {phase.name}", FITS))
        alone = "" if phase.parallel else ", alone"
        yield (
            f'<g transform="translate({x:g},{y:g})"><title>{_escaped(_told(phase))}</title>'
            f'<rect class="{kind}" width="{WIDTH}" height="{HEIGHT}" rx="{ROUND}"/>'
            f'<rect x="0" y="{ROUND}" width="4" height="{HEIGHT - 2 * ROUND}" fill="{hue}"/>'
            f'<text class="name" x="16" y="26">{name}</text>'
            f'<text class="quiet" x="16" y="46">{_escaped(shortened(phase.agent, FITS))}{alone}'
            "</text></g>"
        )


def _told(phase: PlanPhase) -> str:
    files = f" — {', '.join(phase.files)}" if phase.files else ""
    return f"{shown(phase.id)} {phase.name}{files}"


def _edges(plan: Plan) -> list[tuple[PhaseId, PhaseId]]:
    """Return who comes before whom, as the plan says it; documentation after what comes last."""
    work = [phase for phase in plan.phases if phase.kind != DOCUMENTATION]
    known = {phase.id for phase in plan.phases}
    waited_for = {each for phase in work for each in phase.depends_on}
    last = [phase.id for phase in work if phase.id not in waited_for]
    return [
        (before, phase.id)
        for phase in plan.phases
        for before in dict.fromkeys(
            (*phase.depends_on, *(last if phase.kind == DOCUMENTATION else ()))
        )
        if before in known
    ]


def _escaped(text: str) -> str:
    return escape(one_line(text))
