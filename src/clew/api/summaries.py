"""A debugging session in one record, for programs."""

from __future__ import annotations

import msgspec

from clew.analysis.spending import Tally, by_agent, total
from clew.flows.debugging.states import State
from clew.words.events import Flake, Proved, Status
from clew.words.facts import Unsettled
from clew.words.verdicts import verdict

__all__ = [
    "ClaimSummary",
    "LeftOutFile",
    "ProofSummary",
    "SessionSummary",
    "SpentSummary",
    "summary_of",
]


class LeftOutFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the person's that the snapshot left out, and why."""

    path: str
    reason: str
    bytes: int


class ClaimSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One claim of a proof: one that is not `tested` counts for nothing.

    Of one that is `vouched` for, a person settled the doubt.
    """

    claim: str
    measured: str
    holds: bool
    decides: bool
    tested: bool
    vouched: bool


class ProofSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A proof: of which commit, whether it was accepted, and on what it stands."""

    verdict: str  # in one line
    accepted: bool
    commit: str
    sandbox: str
    network: str
    weak: bool
    approved: list[str]  # test files that were changed, as a person approved
    rows: list[ClaimSummary]


class SpentSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What calls of agents took."""

    total: Tally
    by_agent: dict[str, Tally]


class SessionSummary(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", tag="Summary"):
    """What came of a debugging session; the last line of `--json`."""

    status: Status
    session_id: str
    iterations: int  # over all rounds
    branch: str | None  # None where no snapshot was taken
    left_out: list[LeftOutFile]
    solved_by: list[str]
    reports: list[str]  # paths below the project's root
    proof: ProofSummary | None
    spent: SpentSummary
    question_id: str | None  # of the question that it waits with
    unsettled: Unsettled | None  # which of two changes is right, where it asks that
    flaky: list[str]  # ids of tests
    flakes: tuple[Flake, ...]
    known_issues: list[str]


def summary_of(state: State) -> SessionSummary:
    """Return a session in one record."""
    taken = by_agent(state.usages)
    skipped = state.snapshot.skipped if state.snapshot else ()
    return SessionSummary(
        status=state.status,
        session_id=state.session.session_id,
        iterations=state.overall,
        branch=state.snapshot.branch if state.snapshot else None,
        left_out=[LeftOutFile(path=s.path, reason=s.reason, bytes=s.bytes) for s in skipped],
        solved_by=list(state.solvers),
        reports=[report.path for report in state.reports],
        proof=_proof(state.proof) if state.proof else None,
        spent=SpentSummary(total=total(taken.values()), by_agent=taken),
        question_id=state.question.id if state.question else None,
        unsettled=state.question.unsettled if state.question else None,
        flaky=sorted(state.still_flaky),
        flakes=state.still_flakes,
        known_issues=list(state.ended.known_issues) if state.ended else [],
    )


def _proof(proof: Proved) -> ProofSummary:
    rows = [
        ClaimSummary(
            claim=row.claim,
            measured=row.measured,
            holds=row.holds,
            decides=row.decides,
            tested=row.tested,
            vouched=row.vouched,
        )
        for row in proof.rows
    ]
    return ProofSummary(
        verdict=verdict(proof.rows, accepted=proof.accepted),
        accepted=proof.accepted,
        commit=proof.commit,
        sandbox=proof.sandbox,
        network=proof.network,
        weak=proof.weak,
        approved=list(proof.approved),
        rows=rows,
    )
