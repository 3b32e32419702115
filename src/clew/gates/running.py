"""Gates asked one after another, in the order of the table."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from clew.gates.detection import left_out
from clew.gates.measurement import Measurement, measuring
from clew.gates.request import GatePlace, GateRequest
from clew.gates.table import TABLE
from clew.gates.testing import TESTS, command_of
from clew.words.errors import TestsDidNotRun, UsageError
from clew.words.gates import GateCommand, GateKind, GateResult, GateStatus

__all__ = ["list_gates", "run_gates"]


def _unheard(_: GateResult) -> None:
    pass


def run_gates(
    place: GatePlace,
    base: str | None,
    head: str,
    request: GateRequest,
    tell: Callable[[GateResult], None] = _unheard,
) -> tuple[GateResult, ...]:
    """Measure the commit `head`, whose work began at `base`; each result is told as it comes.

    No gate raises for what the commit holds. Nothing is written but to checkouts that are gone
    afterwards, and outputs to the store. Raises UsageError for settings that cannot be carried out.
    """
    with measuring(place, base, head, request) as measured:
        _demand_known(measured)
        for row in TABLE:
            if not measured.asks(row.kind) or (row.of_phase and request.phase is None):
                continue
            for result in row.ask(measured):
                measured.results.append(result)
                tell(result)
            if row.last and _failed(measured, row.kind):
                break
        return tuple(measured.results)


def list_gates(place: GatePlace, head: str, request: GateRequest) -> tuple[GateCommand, ...]:
    """Return the gates that a commit has whatever it changes, in their order.

    The one of secrets has no command; one whose command is not known says why. Raises UsageError.
    """
    with measuring(place, None, head, request) as measured:
        _demand_known(measured)
        listed: list[GateCommand] = []
        for row in TABLE:
            ours = [gate for gate in measured.commands if gate.kind is row.kind]
            if row.kind is GateKind.TESTS and not left_out(place.settings.gates, row.kind):
                ours = [_tests(measured)]
            if row.kind is GateKind.SECRETS and row.kind not in place.settings.gates:
                ours = [GateCommand(name=row.kind.value, kind=row.kind, required=False)]
            listed += [gate for gate in ours if measured.wants(gate)]
        return tuple(listed)


def _tests(measured: Measurement) -> GateCommand:
    try:
        command = command_of(measured)
    except TestsDidNotRun as error:
        return replace(TESTS, unread=error.whole)
    return replace(TESTS, argv=command.argv, source=command.source)


def _demand_known(measured: Measurement) -> None:
    """Raise UsageError for an unknown gate; settings are read for it."""
    names = sorted({*GateKind, *(gate.name for gate in measured.commands)})
    for name in measured.request.only:
        if name not in names:
            raise UsageError(f"there is no gate {name!r}", hint=f"Known: {', '.join(names)}.")


def _failed(measured: Measurement, kind: GateKind) -> bool:
    return any(each.kind is kind and each.status is GateStatus.FAIL for each in measured.results)
