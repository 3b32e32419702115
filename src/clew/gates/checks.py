"""Gates that are commands: run on the commit, and judged by what they said before the work.

Commands run in a checkout of their own that is put back after each of them, so that none judges
what another one left.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from clew.gates.baselines import comparable, found_in, new_findings
from clew.gates.commands import CommandEnd, run_command
from clew.gates.measurement import Measurement
from clew.gates.phrases import counted
from clew.git.worktrees import path_text
from clew.words.gates import GateCommand, GateFinding, GateKind, GateResult, GateStatus
from clew.words.printable import shortened

__all__ = ["capped", "checked", "did_not_run", "of_kind"]

CHECKERS = (GateKind.LINT, GateKind.TYPES)
COMPARED = (*CHECKERS, GateKind.BUILD)  # what was red before is not blamed on the work
LONGEST = 400  # characters of a line that is shown


def of_kind(measured: Measurement, kind: GateKind) -> Iterator[GateResult]:
    """Run the commands of one kind that are asked for."""
    for gate in measured.commands:
        if gate.kind is kind and measured.wants(gate):
            yield checked(measured, gate)


def checked(measured: Measurement, gate: GateCommand) -> GateResult:
    """Run one command, and say what it says of the commit."""
    if gate.unread:
        return did_not_run(gate, gate.unread)
    end, rewritten = _ran(measured, gate, measured.worktree, measured.head)
    result = _result(measured, gate, end)
    if end.why_not:
        return replace(result, summary=end.why_not)
    if rewritten and gate.kind is GateKind.LINT:
        names = tuple(GateFinding(path=path_text(path), text="rewritten") for path in rewritten)
        said = f"it would rewrite {counted(len(names), 'file')}"
        return replace(result, status=GateStatus.FAIL, summary=said, findings=names)
    if end.exit_code == 0:
        return replace(result, status=GateStatus.PASS, summary="nothing to complain of")
    return _red(measured, gate, result, end)


def _red(
    measured: Measurement, gate: GateCommand, result: GateResult, end: CommandEnd
) -> GateResult:
    """Judge a command that ended with another exit code than 0."""
    if end.bound and gate.kind not in CHECKERS:
        return replace(result, summary=end.bound)
    if gate.kind in COMPARED:
        return _compared(measured, gate, result, end)
    return _failed(result, (), end)


def did_not_run(gate: GateCommand, why: str) -> GateResult:
    """Return the result of a gate that says nothing, and why."""
    return GateResult(
        name=gate.name,
        kind=gate.kind,
        status=GateStatus.DID_NOT_RUN,
        summary=why,
        command=gate.argv,
        required=gate.required,
    )


def capped(output: str, label: str) -> str:
    """Return head and tail of an output, as a person or an agent is shown it."""
    from clew.analysis.context import sampled  # noqa: PLC0415 - loads all grammars

    lines = output.strip("\n").split("\n")
    cut = (line if len(line) <= LONGEST else f"{line[:LONGEST]} …" for line in lines)
    return sampled("\n".join(cut), label)


def _compared(
    measured: Measurement, gate: GateCommand, result: GateResult, end: CommandEnd
) -> GateResult:
    """Judge a command that is red: what it said before the work began has no say."""
    found = found_in(end.output, end.roots)
    before = next((each for each in measured.commands_before if each.name == gate.name), None)
    if measured.base is None or before is None or before.unread:
        return _failed(result, found, end)
    earlier, _ = _ran(measured, before, measured.worktree_before, measured.before)
    if earlier.why_not or earlier.exit_code == 0:
        return _failed(result, found, end)
    known = found_in(earlier.output, earlier.roots)
    if new := new_findings(known, found):
        old = len(found) - len(new)
        return _failed(result, new, end, f"; {old} more were there before" if old else "")
    sides = ((gate.argv, end, found), (before.argv, earlier, known))
    said = f"{counted(len(found), 'finding')}, all of them there before"
    if not all(comparable(argv, each.output, seen) for argv, each, seen in sides):
        said = "red, as it was before; what it prints cannot be compared, so it has no say"
    return replace(result, status=GateStatus.WARN, summary=said, findings=found)


def _failed(
    result: GateResult, found: tuple[GateFinding, ...], end: CommandEnd, more: str = ""
) -> GateResult:
    said = f"it ended with exit code {end.exit_code}{_last_line(end.output)}"
    if found:
        said = f"{counted(len(found), 'finding')}{more}"
    return replace(result, status=GateStatus.FAIL, summary=said, findings=found)


def _last_line(output: str) -> str:
    lines = output.split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "")
    return f": {shortened(last)}" if last else ""


def _ran(
    measured: Measurement, gate: GateCommand, worktree: Path, commit: str
) -> tuple[CommandEnd, tuple[str, ...]]:
    """Run a command, and put its worktree back; return also the files that it rewrote."""
    place = measured.place
    end = run_command(
        place,
        worktree,
        gate.argv,
        folder=gate.folder,
        cache=measured.cache,
        timeout=place.settings.gate_timeout,
    )
    return end, place.repository.put_back(worktree, commit)


def _result(measured: Measurement, gate: GateCommand, end: CommandEnd) -> GateResult:
    """Return what is kept of a run; what it comes to is still to be said."""
    return replace(
        did_not_run(gate, ""),
        command=end.command,
        seconds=end.seconds,
        output=capped(end.output, gate.name),
        output_key=measured.place.store.put(end.output.encode()) if end.output else "",
    )
