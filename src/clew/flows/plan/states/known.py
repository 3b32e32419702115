"""Known issues: tests that a person lets fail, when they skip them in a debugging session."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from clew.flows.plan.events import GatesRan
from clew.words.gates import GateKind, GateStatus
from clew.words.records import ChildEnded

__all__ = ["FAILING", "ISSUES", "SKIPPED", "known_in", "passed", "recorded"]

SKIPPED = "skipped"  # how a debugging session ends that a person goes on from
ISSUES, FAILING = "known_issues", "known_failing"  # in what a session says of its work


def recorded(event: ChildEnded) -> dict[str, list[str]]:
    """Return the known issues of a debugging session that ended, in words and as ids of tests."""
    return {ISSUES: list(event.known_issues), FAILING: list(event.known_failing)}


def known_in(result: Mapping[str, Any]) -> frozenset[str]:
    """Return the tests that a person lets fail, by what a phase says of its work."""
    return frozenset(result.get(FAILING, ()))


def passed(ran: GatesRan, known: Collection[str], own: Collection[str] = ()) -> bool:
    """Whether gates say that a commit counts, or fail with nothing but known issues.

    With issues of its `own` a phase may miss criteria as well: they ask for those tests.
    """
    if ran.status in (GateStatus.PASS, GateStatus.WARN):
        return True
    may = {GateKind.TESTS, GateKind.CRITERIA} if own else {GateKind.TESTS}
    failing = frozenset(ran.failing)
    return bool(failing) and set(ran.failed) <= may and failing <= {*known, *own}
