"""Whether and how a plan is cut anew for a phase that failed.

An agent proposes phases in place of those that have not begun; these rules put them into the plan,
say what that does to it, and refuse what changes work that stands or leaves work out. A person
takes the proposal, unless a setting does.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from clew.agents.replies import Move
from clew.analysis.plans import check
from clew.analysis.plans.revising import dropped, left_out, revisions
from clew.documents.plans import difference
from clew.flows.plan.events import PlanAsked, PlanChanged, PlanOption
from clew.flows.plan.states import PhaseState, PlanState
from clew.flows.plan.states.folding import REPLAN, REVISE
from clew.words.declared import APPLY, OFF
from clew.words.errors import UsageError
from clew.words.phases import ErrorKind, PhaseStatus
from clew.words.plans import PhaseId, Plan, PlanPhase, shown
from clew.words.printable import below

__all__ = [
    "MOST",
    "OPEN",
    "edited",
    "may_revise",
    "proposed",
    "replan_option",
    "revised",
    "revision",
    "taken_back",
    "taken_unasked",
    "wanted",
]

PERSON = "a person"
MOST = 2  # revisions of the plan for one phase; then a person decides
IN_A_ROW = 2  # failures of its tests that suggest that the cut is wrong
OPEN = (PhaseStatus.PENDING, PhaseStatus.FAILED)
# What a planner says of a phase; all else of one that stays is as it was.
SAID = (
    *("name", "agent", "objective", "description", "depends_on", "parallel", "creates"),
    *("modifies", "deletes", "test_files", "criteria", "validation"),
)


def may_revise(state: PlanState, phase: PhaseState) -> bool:
    """Whether the plan may be cut anew for a phase, once more."""
    return state.settings.plan_revisions != OFF and phase.replans < MOST


def wanted(state: PlanState, phase: PhaseState) -> str | None:
    """Return what a planner is to know; None where nobody wants the plan to be cut anew.

    A person does, or a supervisor; or the setting that takes revisions unasked, once the tests of
    a phase failed twice in a row. Where a person took one back, only they do.
    """
    advice = phase.advice
    if phase.replan is not None:
        return phase.replan
    if phase.taken_back:
        return None
    if advice and advice.move is Move.REPLAN and not advice.halt:
        return advice.guidance or advice.reason
    last = phase.errors[-IN_A_ROW:]
    red = len(last) == IN_A_ROW and all(each.type is ErrorKind.VALIDATION for each in last)
    return "" if red and state.settings.plan_revisions == APPLY else None


def revised(state: PlanState, phase: PhaseState, left: Plan) -> tuple[Plan, tuple[str, ...]]:
    """Return the plan with other phases in place of those that have not begun, and what is wrong.

    Phases that have begun stay as they are; new ones come after the one that failed.
    """
    new = {each.id: each for each in left.phases}
    known = {each.id for each in state.plan.phases}
    phases: list[PlanPhase] = []
    for each in state.plan.phases:
        if told := new.get(each.id):
            phases.append(replace(each, **{name: getattr(told, name) for name in SAID}))
        elif state.phase(each.id).status not in OPEN:
            phases.append(each)
        if each.id == phase.id:
            phases += [new[id_] for id_ in new if id_ not in known]
    plan = replace(state.plan, phases=tuple(phases))
    lost = (
        f"nobody does the work of phase {shown(id_)}: to leave it out is a person's decision"
        for id_ in left_out(state.plan, plan)
    )
    return plan, (*_wrong(state, plan), *lost)


def _wrong(state: PlanState, plan: Plan) -> Iterator[str]:
    if plan == state.plan:
        yield "nothing of the plan is changed"
    kept = {each.id: each for each in plan.phases}
    for standing in state.phases.values():
        if standing.status not in OPEN and kept.get(standing.id) != standing.phase:
            status = standing.status.replace("_", " ")
            yield f"phase {shown(standing.id)} is {status} and stays as it is"
    for finding in check(plan, state.settings.plan_agents):
        if finding.is_error:
            yield f"{finding.message} [{finding.code}]"


def edited(state: PlanState, plan: Plan, digest: str) -> PlanChanged:
    """Return the change to a plan as a person wrote it. Raises UsageError where it may not be."""
    if wrong := tuple(_wrong(state, plan)):
        raise UsageError(
            f"the plan cannot be revised so: {'; '.join(wrong)}",
            hint="Only phases that have not begun, or that failed, can be changed.",
        )
    return PlanChanged(
        plan=plan,
        before=state.plan,
        reason="a person revised it",
        by=PERSON,
        revisions=revisions(state.plan, plan),
        revised=_new(state.plan, plan),
        plan_hash=digest,
    )


def taken_back(state: PlanState) -> PlanChanged:
    """Return what takes the newest change of the plan back. Raises UsageError where it cannot."""
    if not state.changes:
        raise UsageError(
            "the plan was not changed since it began", hint="There is nothing to take back."
        )
    last = state.changes[-1]
    if wrong := tuple(_wrong(state, last.before)):
        raise UsageError(
            f"the change cannot be taken back: {'; '.join(wrong)}",
            hint="`clew rollback` goes back to a checkpoint, and its work with it.",
        )
    return PlanChanged(
        plan=last.before,
        before=state.plan,
        reason=f"taken back: {last.reason}",
        by=PERSON,
        revisions=last.revisions,
        revised=_new(state.plan, last.before),
        replans=max(0, last.replans - 1),
        undoes=True,
    )


def _new(before: Plan, after: Plan) -> tuple[PhaseId, ...]:
    old = {each.id: each for each in before.phases}
    return tuple(each.id for each in after.phases if old.get(each.id) != each)


def revision(state: PlanState, phase: PhaseState) -> PlanChanged | None:
    """Return the change that a proposal comes to; None where what has begun since excludes it."""
    proposal = phase.proposal
    if proposal is None:
        return None
    plan, wrong = revised(state, phase, proposal.plan)
    if wrong:
        return None
    return PlanChanged(
        plan=plan,
        before=state.plan,
        reason=proposal.plan.notes or f"phase {shown(phase.id)} failed, and its plan was cut anew",
        by=proposal.agent,
        retry=phase.id if any(each.id == phase.id for each in plan.phases) else None,
        revisions=revisions(state.plan, plan),
        revised=_new(state.plan, plan),
        replans=phase.replans + 1,
    )


def taken_unasked(state: PlanState, phase: PhaseState, change: PlanChanged) -> bool:
    """Whether a change needs no person (any more); to leave something out is theirs to decide."""
    by_setting = state.settings.plan_revisions == APPLY
    return phase.taken or (by_setting and not dropped(change.before, change.plan))


def proposed(state: PlanState, phase: PhaseState, change: PlanChanged) -> PlanAsked:
    """Return the question whether a proposal is taken, with the difference that it makes."""
    session, id_ = state.session.session_id, shown(phase.id)
    error = (phase.errors[-1].message if phase.errors else "") or "it failed"
    gone = dropped(change.before, change.plan)
    lines = [
        below(error, f"Phase {id_} ({phase.phase.name}) failed:"),
        below(change.reason, f"{change.by} proposes to revise the plan:"),
        *(below(str(each), "-") for each in change.revisions),
        *([below("; ".join(gone), "It leaves out:")] if gone else []),
        "",
        *difference(change.before, change.plan, ("the plan as it is", "the plan as proposed")),
    ]
    answer = f"clew answer {session}"
    return PlanAsked(
        id=f"q{state.asked + 1}",
        phase=phase.id,
        text="\n".join(lines),
        options=(
            PlanOption(word=REVISE, text="take that plan, and go on", command=f"{answer} {REVISE}"),
            PlanOption(
                word="retry",
                text="leave the plan as it is, and try the phase again",
                command=f'{answer} retry "what it should know"',
            ),
            PlanOption(word="skip", text="leave it out", command=f"{answer} skip"),
            PlanOption(word="abort", text="end the plan; work is kept", command=f"{answer} abort"),
            *replan_option(state, phase),
        ),
    )


def replan_option(state: PlanState, phase: PhaseState) -> Iterator[PlanOption]:
    """Offer to have the plan cut anew, where it may be."""
    if may_revise(state, phase):
        yield PlanOption(
            word=REPLAN,
            text="have an agent revise the plan; say what is wrong with it",
            command=f'clew answer {state.session.session_id} {REPLAN} "what is wrong with it"',
        )
