"""Which gates there are, in the order in which they are asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from clew import runners
from clew.analysis.plans.ownership import owned
from clew.gates import criteria, integrity, phases, secrets
from clew.gates.checks import checked, of_kind
from clew.gates.detection import left_out
from clew.gates.measurement import Measurement
from clew.gates.testing import tested
from clew.words.errors import ClewError
from clew.words.gates import GateCommand, GateKind, GateResult
from clew.words.printable import shortened

__all__ = ["TABLE", "GateRow"]

Gate = Callable[[Measurement], Iterator[GateResult]]


class GateRow(NamedTuple):
    """One kind of gate: what it promises, and how it is asked."""

    kind: GateKind
    promise: str
    ask: Gate
    of_phase: bool = False  # asks about the work of a phase, so only where there is one
    last: bool = False  # where it fails there is nothing left to measure


def _blocked(measured: Measurement) -> Iterator[GateResult]:
    yield phases.not_blocked(measured.request.blocked)


def _changes(measured: Measurement) -> Iterator[GateResult]:
    yield phases.has_changes(measured.changes)


def _declared(measured: Measurement) -> Iterator[GateResult]:
    yield phases.declared_files_exist(measured.phase, measured.changes, measured.files)


def _scope(measured: Measurement) -> Iterator[GateResult]:
    yield phases.in_scope(measured.phase, measured.changes, measured.files_before)


def _configuration(measured: Measurement) -> Iterator[GateResult]:
    if measured.base is None:
        return
    used = measured.commands_before
    findings = (
        *integrity.redefined(measured.found_before, measured.found),
        *integrity.nested_settings(used, *measured.below),
        *integrity.rewritten_scripts(used, {change.path for change in measured.changes}),
        *integrity.loaded_plugins(*measured.python),
    )
    phase = measured.request.phase
    yield integrity.judged(findings, None if phase is None else owned(phase))


def _secrets(measured: Measurement) -> Iterator[GateResult]:
    place = measured.place
    if left_out(place.settings.gates, GateKind.SECRETS):
        return
    if GateKind.SECRETS in place.settings.gates:
        yield from of_kind(measured, GateKind.SECRETS)
        return
    began = time.monotonic()
    lines = secrets.added_lines(place.repository.diff(measured.before, measured.head))
    forms = tuple(secrets.known_forms(lines))
    try:
        found = secrets.scan(lines, place.settings, place.scratch)
        result = secrets.judged(lines, forms, found)
    except ClewError as error:
        result = secrets.judged(lines, forms, None)
        if not forms:
            result = replace(result, summary=error.message, required=True)
    yield replace(result, seconds=time.monotonic() - began)


def _criteria(measured: Measurement) -> Iterator[GateResult]:
    facts = criteria.CriterionFacts(measured.results, measured.run, measured.files, measured.read)
    for number, argv in enumerate(measured.phase.validation, 1):
        yield checked(measured, _asked(measured, f"validation {number}", argv))
    for number, criterion in enumerate(measured.phase.criteria, 1):
        name = f"criterion {number}"
        if line := criteria.command_of(criterion):
            argv = runners.split(line, f"the command of {name}")
            result = checked(measured, _asked(measured, name, argv))
            text = shortened(criterion.criterion)
            yield replace(result, summary=f"{text}: {result.summary}")
        else:
            yield criteria.judged(criterion, name, facts)


def _asked(measured: Measurement, name: str, argv: tuple[str, ...]) -> GateCommand:
    folder = measured.place.project.subdir
    return GateCommand(name=name, kind=GateKind.CRITERIA, argv=argv, folder=folder)


def _commands(kind: GateKind) -> Gate:
    return lambda measured: of_kind(measured, kind)


TABLE = (
    GateRow(
        GateKind.BLOCKED,
        "the agent did not stop because something was missing",
        _blocked,
        of_phase=True,
        last=True,
    ),
    GateRow(GateKind.CHANGES, "something was changed", _changes, of_phase=True, last=True),
    GateRow(
        GateKind.DECLARED,
        "every declared file exists, unless it was deleted",
        _declared,
        of_phase=True,
    ),
    GateRow(
        GateKind.SCOPE,
        "only declared files were changed: one or two others are a warning; three, or what tests"
        " the work, a failure",
        _scope,
        of_phase=True,
    ),
    GateRow(
        GateKind.CONFIGURATION,
        "the work does not change what it is measured by, unless it declares that",
        _configuration,
    ),
    GateRow(GateKind.SECRETS, "no added line holds a secret", _secrets),
    GateRow(GateKind.LINT, "linters find nothing new", _commands(GateKind.LINT)),
    GateRow(GateKind.TYPES, "type checkers find nothing new", _commands(GateKind.TYPES)),
    GateRow(GateKind.BUILD, "it can be built", _commands(GateKind.BUILD)),
    GateRow(GateKind.TESTS, "the tests pass", tested),
    GateRow(GateKind.PROJECT, "your own commands succeed", _commands(GateKind.PROJECT)),
    GateRow(
        GateKind.CRITERIA,
        "the acceptance criteria are met; a person decides what no test can",
        _criteria,
        of_phase=True,
    ),
)
