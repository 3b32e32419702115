"""What steers Clew: files that an agent's work does not change, unless its phase declares them."""

from __future__ import annotations

import os

from clew.analysis.plans.ownership import covers, normalised, owned
from clew.git.project import Project
from clew.sessions.layouts import ProjectLayout
from clew.words.plans import PlanPhase

__all__ = ["steering"]


def steering(project: Project, plan: str, layout: str, phase: PlanPhase) -> tuple[str, ...]:
    """Return the plan, documents, Clew's settings and its folder, but for what the phase declares.

    Paths are relative to the project's root.
    """
    own = (project.path / plan,) if plan else ()
    kept = (project.root / folder for folder in ProjectLayout(project.root, layout).kept)
    places = (*own, *kept, project.path / "clew.toml", project.root / ".clew")
    found = (normalised(os.path.relpath(place, project.root)) for place in places)
    declared = owned(phase)
    return tuple(
        place for place in found if place and not any(covers(each, place) for each in declared)
    )
