"""The files of a phase: what an agent reports, against what git says truly changed."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from clew.words.facts import Fact
from clew.words.phases.records import PhaseRecord

__all__ = ["Manifest", "appended", "checked", "reconciled"]

NAMED = 5  # files that a reason names


class Manifest(Fact, frozen=True, kw_only=True):
    """Files by what became of them; none stands in two of the lists."""

    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def paths(self) -> frozenset[str]:
        return frozenset((*self.created, *self.modified, *self.deleted))


def appended(phase: PhaseRecord, seen: Manifest) -> PhaseRecord:
    """Return the phase with further changes of files.

    What they come to together counts: created and deleted again is nothing, deleted and created
    again is modified.
    """
    created = dict.fromkeys(phase.files_created)
    modified = dict.fromkeys(phase.files_modified)
    deleted = dict.fromkeys(phase.files_deleted)
    for path in seen.created:
        back = path in deleted or path in modified
        deleted.pop(path, None)
        (modified if back else created)[path] = None
    for path in seen.modified:
        deleted.pop(path, None)
        if path not in created:
            modified[path] = None
    for path in seen.deleted:
        modified.pop(path, None)
        if path in created:
            del created[path]
        else:
            deleted[path] = None
    return replace(
        phase,
        files_created=tuple(created),
        files_modified=tuple(modified),
        files_deleted=tuple(deleted),
    )


def checked(phase: PhaseRecord, reported: Manifest | None, seen: Manifest) -> PhaseRecord:
    """Return the phase with the changes that git shows; `reported` is None without a report.

    It requires reconciliation where the agent kept silent on any of them. A file that was reported
    and did not change is only named.
    """
    silent = sorted(seen.paths - reported.paths) if reported else sorted(seen.paths)
    invented = sorted(reported.paths - seen.paths) if reported else []
    reasons = [] if reported is not None else ["the agent did not report which files it changed"]
    if silent:
        reasons.append(f"changed and not reported: {_named(silent)}")
    if invented:
        reasons.append(f"reported and not changed: {_named(invented)}")
    missing = reported is None or bool(silent)
    return replace(
        appended(phase, seen),
        requires_reconciliation=phase.requires_reconciliation or missing,
        reconciliation_reason="; ".join(filter(None, (phase.reconciliation_reason, *reasons))),
    )


def reconciled(phase: PhaseRecord, reason: str) -> PhaseRecord:
    """Return the phase once somebody looked at its files; `reason` says who, and what was found."""
    return replace(phase, requires_reconciliation=False, reconciliation_reason=reason)


def _named(paths: Iterable[str]) -> str:
    every = list(paths)
    more = f" and {len(every) - NAMED} more" if len(every) > NAMED else ""
    return ", ".join(every[:NAMED]) + more
