"""Results in lines: for a person, and for an agent that is to mend what failed. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from clew.words.gates import GateCommand, GateFinding, GateResult, GateStatus
from clew.words.printable import one_line, printable, shortened

__all__ = ["brief", "command_line", "lines", "listed"]

SHOWN = 10  # findings
ENDS = 10  # lines of an output
WIDE = 200  # characters of a command
SAID = {
    GateStatus.PASS: "pass",
    GateStatus.WARN: "warn",
    GateStatus.FAIL: "FAIL",
    GateStatus.DID_NOT_RUN: "did not run",
}


def lines(result: GateResult) -> Iterator[str]:
    """Yield what a person is told of one gate: the result, then what it is about."""
    seconds = f"  {result.seconds:.1f} s" if result.seconds else ""
    said = f"{SAID[result.status]:<12} {one_line(result.name):<14}"
    yield f"{said} {one_line(result.summary)}{seconds}"
    if result.status not in (GateStatus.FAIL, GateStatus.WARN):
        return
    for finding in result.findings[:SHOWN]:
        yield f"             {_finding(finding)}"
    if len(result.findings) > SHOWN:
        yield f"             and {len(result.findings) - SHOWN} more"
    if result.status is GateStatus.FAIL and not result.findings:
        ends = [line for line in printable(result.output).split("\n") if line.strip()][-ENDS:]
        yield from (f"             {shortened(line, WIDE)}" for line in ends)


def brief(results: Iterable[GateResult]) -> str:
    """Return what an agent is told: each gate that did not pass, with its output.

    The texts in it are anybody's: it belongs between markers.
    """
    parts = []
    for result in results:
        if result.status is GateStatus.PASS:
            continue
        head = f"{SAID[result.status]}: {one_line(result.name)}: {one_line(result.summary)}"
        ran = f"command: {command_line(result.command)}" if result.command else ""
        found = [_finding(each) for each in result.findings]
        said = printable(result.output) if result.status is GateStatus.FAIL else ""
        parts.append("\n".join(filter(None, (head, ran, *found, said))))
    return "\n\n".join(parts)


def command_line(argv: Iterable[str]) -> str:
    """Return a command as it would be typed, shortened."""
    return shortened(shlex.join(argv), WIDE)


def _finding(finding: GateFinding) -> str:
    return shortened(f"{finding.place}  {finding.text}" if finding.path else finding.text, WIDE)


def listed(gates: Iterable[GateCommand]) -> Iterator[str]:
    """Yield a line for each gate of a project: its kind, its name, and what it runs."""
    for gate in gates:
        source = f"  ({one_line(gate.source)})" if gate.source else ""
        words = gate.unread or command_line(gate.argv) or "added lines"
        yield f"{gate.kind:<8} {one_line(gate.name):<14} {one_line(words)}{source}"
