"""The gates of a project: what decides whether a result counts."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from clew.gates import GateRequest, list_gates, on_snapshot, run_gates, verdict
from clew.sessions import ProjectSessions
from clew.words.gates import GateCommand, GateResult, GateStatus
from clew.words.settings import Settings

__all__ = ["GatesReport", "gates", "gates_listed"]


class GatesReport(msgspec.Struct, frozen=True, kw_only=True):
    """What came of all gates: the verdict, and the result of each in their order."""

    verdict: GateStatus
    results: tuple[GateResult, ...]


def _unheard(_: GateResult) -> None:
    pass


def gates(
    sessions: ProjectSessions,
    settings: Settings,
    only: tuple[str, ...] = (),
    base: str | None = None,
    report: Callable[[GateResult], None] = _unheard,
) -> GatesReport:
    """Run the gates of a project on a private copy of it as it is now.

    `only` are names or kinds of gates, and none means all; with `base`, a revision, only what is
    new since then is blamed. `report` hears each result as it comes. Raises UsageError, SessionHeld
    and SandboxUnavailable; that a gate could not run is a result. One that `only` names has to run.
    """

    def asked(result: GateResult) -> GateResult:
        return replace(result, required=result.required or result.name in only)

    def tell(result: GateResult) -> None:
        report(asked(result))

    request = GateRequest(only=only)
    with on_snapshot(sessions.project, sessions.store, sessions.repository, settings, base) as seen:
        found = run_gates(seen.place, seen.base, seen.head, request, tell)
    results = tuple(map(asked, found))
    return GatesReport(verdict=verdict(results), results=results)


def gates_listed(
    sessions: ProjectSessions,
    settings: Settings,
    only: tuple[str, ...] = (),
    base: str | None = None,
) -> tuple[GateCommand, ...]:
    """Return the gates that `gates` would run, and run none. Raises as it does."""
    request = GateRequest(only=only)
    with on_snapshot(sessions.project, sessions.store, sessions.repository, settings, base) as seen:
        return list_gates(seen.place, seen.head, request)
