"""What a person changed since a plan began, told before the plan goes on."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from clew.analysis.plans.ownership import covers, owned
from clew.documents.plans import difference, examine
from clew.flows.plan.driver import PlanRun
from clew.flows.plan.states import PhaseState
from clew.git.worktrees import path_text
from clew.sessions.plans import PlanFile
from clew.words.errors import UsageError
from clew.words.plans import shown

__all__ = ["changed_since"]

SHOWN = 40  # lines of a difference


def changed_since(run: PlanRun) -> Iterator[str]:
    """Yield lines on the plan and on files of its phases, where they are not what they were."""
    if run.state.session.plan_path:
        yield from _plan(run)
    if run.state.base is not None:
        yield from _files(run, run.state.base.commit)


def _plan(run: PlanRun) -> Iterator[str]:
    session = run.state.session
    try:
        file = PlanFile.at(run.sessions.project.path / session.plan_path)
    except UsageError:
        return
    if file.digest == run.state.plan_hash:
        return
    yield f"{session.plan_path} was changed since; the plan goes on as it was approved"
    now, _ = examine(file.texts, session.settings.plan_agents)
    names = (f"{session.plan_path} as approved", f"{session.plan_path} now")
    yield from _first(difference(run.state.plan, now, names))


def _files(run: PlanRun, base: str) -> Iterator[str]:
    """Yield what the person changed of the files that phases change."""
    repository = run.repository
    own = repository.without_applied(run.id, repository.glimpse(run.id).commit)
    phases = run.state.phases.values()
    touched = {
        change.path: shown(phase.id)
        for change in repository.changed(base, own)
        for phase in phases
        if _concerns(phase, change.path)
    }
    for path, phase in touched.items():
        yield f"you changed {path_text(path)} since, which phase {phase} changes as well:"
        yield from _first(repository.diff(base, own, [path]).splitlines())
    if touched:
        yield "the plan goes on from your files as they were; `clew apply` merges both"


def _concerns(phase: PhaseState, path: str) -> bool:
    if phase.status.done:
        return path_text(path) in (*phase.created, *phase.modified, *phase.deleted)
    return any(covers(declared, path) for declared in owned(phase.phase))


def _first(lines: Iterable[str]) -> Iterator[str]:
    every = list(lines)
    yield from itertools.islice(every, SHOWN)
    if len(every) > SHOWN:
        yield f"and {len(every) - SHOWN} more lines"
