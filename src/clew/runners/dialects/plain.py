"""Any command at all: its exit code is the one thing it says."""

from __future__ import annotations

import shlex

from clew.runners.dialects.protocol import (
    CommandOutput,
    DialectRequest,
    DialectResult,
    InstrumentedCommand,
    RunLocation,
    printed,
)
from clew.words.facts import CaseOutcome, TestResult

__all__ = ["Plain"]


class Plain:
    """One result a run: its id is the command."""

    about = "the run as one fact: its exit code, and the end of what it printed"

    def ask(self, question: DialectRequest) -> InstrumentedCommand:
        """Change nothing."""
        return InstrumentedCommand(arguments=(*question.meant.arguments, *question.request.extra))

    def hear(
        self, question: DialectRequest, ground: RunLocation, spoken: CommandOutput
    ) -> DialectResult:
        """Take the exit code; the command's own words tell one failure from another."""
        del ground
        outcome = CaseOutcome.PASSED if spoken.code == 0 else CaseOutcome.FAILED
        said = "" if spoken.code == 0 else printed(spoken.output)
        label = shlex.join(question.command.argv)
        return DialectResult(results=(TestResult(id=label, outcome=outcome, output=said),))
