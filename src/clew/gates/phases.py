"""What is asked of a phase's changes before anything is run. Pure."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Sequence

from clew.analysis.plans.ownership import covers, normalised
from clew.analysis.testfiles import is_test_config, is_test_path
from clew.gates.phrases import counted, some
from clew.git.worktrees import ChangeKind, TreeChange, path_text
from clew.words.gates import GateFinding, GateKind, GateResult, GateStatus
from clew.words.plans import PlanPhase

__all__ = [
    "declared_files_exist",
    "has_changes",
    "in_scope",
    "not_blocked",
]

TOLERATED = 2  # undeclared files that are written: up to so many are a warning


def not_blocked(blocked: str) -> GateResult:
    """Fail for an agent that says that it cannot go on."""
    if blocked.strip():
        return _result(GateKind.BLOCKED, GateStatus.FAIL, f"the agent is blocked: {blocked}")
    return _result(GateKind.BLOCKED, GateStatus.PASS, "the agent is not blocked")


def has_changes(changes: Sequence[TreeChange]) -> GateResult:
    """Fail where nothing was changed."""
    if not changes:
        return _result(GateKind.CHANGES, GateStatus.FAIL, "nothing was changed")
    return _result(GateKind.CHANGES, GateStatus.PASS, f"{counted(len(changes), 'file')} changed")


def declared_files_exist(
    phase: PlanPhase, changes: Iterable[TreeChange], files: Collection[str]
) -> GateResult:
    """Fail for a declared file that is not there, unless the phase was free to delete it, and did.

    `files` are those of the commit. A folder is there with any file in it.
    """
    gone = {change.path for change in changes if change.kind is ChangeKind.DELETED}
    deleted = {normalised(path) for path in phase.deletes}
    wanted = [path for path in _declared(phase) if path not in deleted]
    there = {*files, *gone}
    missing = [path for path in wanted if not any(covers(path, name) for name in there)]
    if missing:
        return _result(
            GateKind.DECLARED,
            GateStatus.FAIL,
            f"{counted(len(missing), 'declared file')} missing: {some(missing)}",
            tuple(GateFinding(path=path, text="declared, but missing") for path in missing),
        )
    return _result(GateKind.DECLARED, GateStatus.PASS, f"{counted(len(wanted), 'file')} there")


def in_scope(
    phase: PlanPhase, changes: Iterable[TreeChange], before: Collection[str] = ()
) -> GateResult:
    """Compare what was touched with what was declared; `before` are the files as the work began.

    One or two undeclared files that were written are a warning, three or more a failure. Deleted
    ones are allowed: they are said, and never fail it. What the work is tested by is not touched
    unless it is declared: a test or settings of tests that were there, or new settings above one.
    """
    declared = _declared(phase)
    strange = [
        change for change in changes if not any(covers(path, change.path) for path in declared)
    ]
    written = [path_text(each.path) for each in strange if each.kind is not ChangeKind.DELETED]
    deleted = [path_text(each.path) for each in strange if each.kind is ChangeKind.DELETED]
    findings = (
        *(GateFinding(path=path, text="changed, and not declared") for path in written),
        *(GateFinding(path=path, text="deleted, and not declared") for path in deleted),
    )
    if not findings:
        return _result(GateKind.SCOPE, GateStatus.PASS, "only declared files were changed")
    tests = [path_text(each.path) for each in strange if _is_tested_by(each, before)]
    if tests:
        told = f"tests or their settings were changed, and not declared: {some(tests)}"
        return _result(GateKind.SCOPE, GateStatus.FAIL, told, findings)
    status = GateStatus.FAIL if len(written) > TOLERATED else GateStatus.WARN
    summary = f"{counted(len(findings), 'undeclared file')} changed: {some(written + deleted)}"
    return _result(GateKind.SCOPE, status, summary, findings)


def _is_tested_by(change: TreeChange, before: Collection[str]) -> bool:
    """Whether a change can make tests pass that were there before it."""
    path = path_text(change.path)
    if change.kind is not ChangeKind.CREATED:
        return is_test_path(path) or is_test_config(path)
    return is_test_config(path) and any(
        is_test_path(name) and covers(posixpath.dirname(path) or ".", name) for name in before
    )


def _declared(phase: PlanPhase) -> list[str]:
    return list(dict.fromkeys(filter(None, map(normalised, phase.files))))


def _result(
    kind: GateKind, status: GateStatus, summary: str, findings: tuple[GateFinding, ...] = ()
) -> GateResult:
    return GateResult(name=kind.value, kind=kind, status=status, summary=summary, findings=findings)
