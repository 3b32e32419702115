"""Plans: read, checked, begun from a template, approved, carried out."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from graphlib import CycleError
from pathlib import Path

import msgspec

from clew.analysis.plans import critical_path, waves
from clew.documents.plans import examine
from clew.documents.templating import fill
from clew.git.project import locate
from clew.sandbox.files import create_exclusively, write_atomically
from clew.sessions import ProjectSessions, lessons_file
from clew.sessions.layouts import ProjectLayout
from clew.sessions.plans import PlanApproval, PlanApprovals, PlanFile
from clew.words.errors import PlanInvalid, UsageError
from clew.words.lessons import Lesson
from clew.words.plans import PhaseId, Plan, PlanFinding, PlanRule
from clew.words.settings import load
from clew.words.slugs import slug

__all__ = [
    "CheckedPlan",
    "approvals_of",
    "approve_plan",
    "check_plan",
    "learnings",
    "new_plan",
    "write_out",
]


class CheckedPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A plan as it lies on the disk, and all that is wrong with it."""

    file: PlanFile
    plan: Plan
    findings: tuple[PlanFinding, ...]
    waves: tuple[tuple[PhaseId, ...], ...] | None  # phases that may run side by side, in order
    critical_path: tuple[PhaseId, ...] | None  # both are None where the phases have no order

    @property
    def errors(self) -> tuple[PlanFinding, ...]:
        """What keeps it from being carried out; the other findings are warnings."""
        return tuple(finding for finding in self.findings if finding.is_error)


def check_plan(path: Path) -> CheckedPlan:
    """Read a plan's file, of any form, or a folder of task files, and find all that is wrong.

    Raises UsageError for one that cannot be read at all.
    """
    file = PlanFile.at(path)
    project = locate(file.folder)
    agents = load((project.root, project.path), os.environ, {}).plan_agents
    plan, found = examine(file.texts, agents)
    findings = tuple(found)
    ordered = _is_ordered(plan, findings)
    return CheckedPlan(
        file=file,
        plan=plan,
        findings=findings,
        waves=waves(plan) if ordered else None,
        critical_path=critical_path(plan) if ordered else None,
    )


def approvals_of(checked: CheckedPlan) -> tuple[PlanApproval | None, PlanApproval | None]:
    """Return the approval of a plan as it is now, and the newest of what it was before.

    Raises UsageError where it lies in no project.
    """
    approvals = PlanApprovals.around(checked.file)
    return approvals.of(checked.file), approvals.before(checked.file)


def _is_ordered(plan: Plan, findings: tuple[PlanFinding, ...]) -> bool:
    """Whether the phases of a plan have an order."""
    if not plan.phases or any(finding.code == PlanRule.DUPLICATE_ID for finding in findings):
        return False
    try:
        waves(plan)
    except CycleError:
        return False
    return True


def learnings(sessions: ProjectSessions) -> tuple[Lesson, ...]:
    """Return what failed more than once in phases of the project's plans, as its file has it.

    The file is `.clew/learnings.md`, a person's to edit.
    """
    return lessons_file.read(sessions.project.root)


def new_plan(name: str) -> Path:
    """Begin a plan from a template; return its file.

    `name` is what it is about, and the file plans/NAME.md then, or as the setting `layout` says; or
    it is a path. Raises UsageError where there is a file already, which is left alone, and where
    none can be written.
    """
    path = Path(name) if "/" in name or name.endswith(".md") else _place(name)
    path = path if path.suffix else path.with_name(f"{path.name}.md")
    title = slug(path.stem if "/" in name else name.removesuffix(".md"), " ").capitalize()
    try:
        create_exclusively(path, fill("clew.documents", "plan", title=title).encode())
    except FileExistsError as error:
        raise UsageError(
            f"{path} is there already, and was left alone", hint="Give the plan another name."
        ) from error
    except OSError as error:
        raise _unwritable(path, error) from error
    return path


def approve_plan(path: Path) -> PlanApproval:
    """Approve a plan as it is now; an edit takes the approval away.

    Raises UsageError for one that cannot be read, and PlanInvalid with all that is wrong with one
    that cannot be carried out.
    """
    checked = check_plan(path)
    if checked.errors:
        raise PlanInvalid(str(path), checked.errors)
    return PlanApprovals.around(checked.file).approve(checked.file)


def write_out(path: Path, content: bytes) -> None:
    """Write a plan's picture, or a document, to a file, whole or not at all. Raises UsageError."""
    try:
        write_atomically(path, content)
    except OSError as error:
        raise _unwritable(path, error) from error


def _place(name: str) -> Path:
    if not (found := slug(name)):
        raise UsageError(f"{name!r} names no plan", hint="Use letters or digits.")
    project = locate(Path())
    settings = load((project.root, project.path), os.environ, {})
    return next(ProjectLayout(Path(), settings.layout).plans(found, datetime.now(UTC).date())).plan


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path} cannot be written: {error.strerror}", hint="Name another place.")
