"""The main line of a debug session: know the symptom, look into it, have it fixed, be told it is.

One thing at a time. While a person is asked, or something is under way, nothing is begun.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

import msgspec
from msgspec.structs import replace

from clew.agents.roles import wished
from clew.analysis.spending import budget_left
from clew.flows.investigation.decisions.asking import (
    ask_about_agents,
    ask_about_bounds,
    ask_about_checkpoint,
    ask_about_edit,
    ask_about_fix,
    ask_about_inconclusive,
    ask_about_red,
    ask_about_rejection,
    ask_about_symptoms,
    ask_about_test,
    ask_to_verify,
)
from clew.flows.investigation.decisions.bounds import circling, overspent, pause
from clew.flows.investigation.decisions.redness import leaving_out
from clew.flows.investigation.events import (
    KIND,
    FileAway,
    LookUp,
    MapTraceback,
    Reproduce,
    SeeRed,
    Topic,
    WritePlan,
)
from clew.flows.investigation.states import DebugState
from clew.flows.investigation.states.answers import FOR_A_PERSON
from clew.journal.flow import Action, Record
from clew.words.debug_sessions import Aim, DebugStatus
from clew.words.declared import CONFIDENCES
from clew.words.facts import BUILT_IN
from clew.words.models import AgentRole
from clew.words.records import DEBUGGING, AgentCall, Answered, Concluded, RunSession, TakeBase
from clew.words.settings import Settings

__all__ = ["decide"]

REWRITES = 2  # of a test that does not go red


def decide(state: DebugState, now: datetime) -> Collection[Action]:
    """Return the action that comes next, if any does before a person or a side effect is done."""
    if state.opened is None or state.ended or state.in_flight:
        return ()
    if state.question is not None:
        return _answer_given_before(state)
    if state.stopping:
        return (_end(state, DebugStatus.ABANDONED, state.stopping),)
    if state.edited is not None:
        return (ask_about_edit(state, state.edited),)
    step = _STEPS.get(state.status)
    return (step(state, now),) if step else ()


def _answer_given_before(state: DebugState) -> Collection[Record]:
    """Answer as a setting says, by what is asked; without one a person is waited for.

    None says that a symptom is gone without a proof, makes a goal of what a person wants found, or
    goes on beyond a bound.
    """
    question = state.question
    word = state.settings.debug_answers.get(str(question.about)) if question else None
    if question is None or word not in [option.word for option in question.options]:
        return ()
    unproven = question.about is Topic.VERIFY and state.fix is None
    unwanted = question.about is Topic.FIX and state.aim is Aim.FIND
    if unproven or unwanted or question.about in FOR_A_PERSON:
        return ()
    return (Record(event=Answered(id=question.id, option=word)),)


def _gather(state: DebugState, _: datetime) -> Action:
    return ask_about_symptoms(state)


def _investigate(state: DebugState, now: datetime) -> Action:
    return _prepare(state) or _conclude(state) or _ask_first(state) or _look(state, now)


def _prepare(state: DebugState) -> Action | None:
    """Compute first what needs nobody: the code, what was known before, a reproduction."""
    if state.base is None:
        return TakeBase()
    if state.known is None:
        return LookUp()
    if state.mapped is None and (state.traceback is not None or state.requests):
        return MapTraceback()
    if state.command and state.reproduced is None:
        return Reproduce(command=state.command, commit=state.base.commit)
    if state.working and (state.works is None or state.works.command != state.working):
        return Reproduce(command=state.working, commit=state.base.commit)
    return None


def _conclude(state: DebugState) -> Action | None:
    """Do what follows from a cause that is explained: end, ask, or what was chosen."""
    if state.cause is None:
        return None
    settings = state.settings
    if settings.review and not state.reviewed and not state.session.tdd:
        return _call(state, AgentRole.REVIEW, settings.review)
    if state.choice == "plan" and not state.plan:
        return WritePlan()
    if state.choice:
        how = f"`clew run {state.plan}` fixes it" if state.plan else "a person fixes it by hand"
        return _end(state, DebugStatus.DIAGNOSED, how)
    if state.aim is Aim.FIND and state.reopened != DebugStatus.DIAGNOSED:
        return _end(state, DebugStatus.DIAGNOSED, "the root cause is found")
    return ask_about_fix(state)


def _ask_first(state: DebugState) -> Action | None:
    """Ask what a person has to say before an investigator goes on."""
    told = state.unread
    if told is not None and told.checkpoint is not None:
        return ask_about_checkpoint(state, told.checkpoint)
    if told is not None and told.inconclusive is not None:
        return ask_about_inconclusive(state, told.inconclusive)
    if why := circling(state):
        return ask_about_bounds(state, Topic.CIRCLES, why)
    if why := overspent(state):
        return ask_about_bounds(state, Topic.BUDGET, why)
    return None if state.agent else ask_about_agents(state)


def _look(state: DebugState, now: datetime) -> Action:
    """Send in a fresh investigator."""
    return pause(state, now) or _call(state, AgentRole.INVESTIGATE)


def _call(state: DebugState, role: AgentRole, agent: str = "") -> AgentCall:
    settings, agent = state.settings, agent or state.agent
    setbacks = len(state.returns) + state.rung
    return AgentCall(
        role=role,
        agent=agent,
        attempt=len(state.failures) + 1,
        call=state.calls + 1,
        base=state.base.commit if state.base else "",
        model=wished(role, settings.profile, settings.models, setbacks, agent),
    )


def _fix(state: DebugState, now: datetime) -> Action:
    if state.rejected is not None:
        return ask_about_rejection(state)
    if state.base is None:
        return TakeBase()
    return _gate(state, now) or _run_fix(state)


def _gate(state: DebugState, now: datetime) -> Action | None:
    """See a test red before anything is fixed; the fix's own session looks for one without TDD."""
    if state.tests and not (state.session.tdd or state.test):
        return None
    if state.seen is not None:
        unsure = state.session.tdd and not state.confirmed
        return ask_about_red(state, state.seen) if unsure else None
    if state.tests:
        return SeeRed(commit=state.fix_base, tests=state.tests)
    return _write_test(state, now)


def _write_test(state: DebugState, now: datetime) -> Action:
    if state.rewrites > REWRITES:
        return ask_about_test(state)
    if why := overspent(state):
        return ask_about_bounds(state, Topic.BUDGET, why)
    if not state.agent:
        return ask_about_agents(state)
    return pause(state, now) or _call(state, AgentRole.WRITE_TEST)


def _run_fix(state: DebugState) -> RunSession:
    session = state.session
    return RunSession(
        child=f"{session.session_id}-fix{f'-{state.fixes + 1}' if state.fixes else ''}",
        kind=DEBUGGING,
        request={
            "base": state.fix_base,
            "settings": msgspec.to_builtins(_told_how_sure(state.settings)),
            "goal": f"fix: {session.trigger}",
            "runner_args": list(_words(state)),
            "guidance": list(_guidance(state)),
            "refused": list(state.refused),
            "teaches": False,  # a person may find that it is not gone
        },
        budget=budget_left(state.settings, state.spent_since, state.worked_since),
    )


def _told_how_sure(settings: Settings) -> Settings:
    """Let the fix be a guess: the person who gave the symptom is there, and told how sure it is."""
    guess, _, high = CONFIDENCES
    return settings if settings.accept == high else replace(settings, accept=guess)


def _words(state: DebugState) -> Collection[str]:
    """Return what the runner is given: the tests to turn green, and what they were seen beside.

    The built-in investigator names all that are red: the fix is looked for beside those that pass.
    """
    seen = state.seen
    if state.test is None and state.found_by == BUILT_IN:
        return (*state.session.runner_args, *leaving_out(state.aside or ()))
    if state.test is not None and seen is not None and seen.words is not None:
        return seen.words
    return state.tests or state.session.runner_args


def _guidance(state: DebugState) -> Collection[str]:
    """Return what whoever fixes it has to know: the cause, and what reviewers want otherwise."""
    cause = state.cause
    if cause is None:
        return ()
    files = "".join(f"\n{each.file}: {each.issue}" for each in cause.files)
    told = f"Root cause: {cause.root_cause}\nFix direction: {cause.fix_direction}{files}"
    return (told, *state.review)


def _verify(state: DebugState, _: datetime) -> Action:
    """Run what shows the symptom once more, also where it is only said to be gone; then ask."""
    if state.base is None:
        return TakeBase()
    if state.command and state.checked is None:
        return Reproduce(command=state.command, commit=state.commit)
    if state.works is not None and state.still_works is None:
        return Reproduce(command=state.works.command, commit=state.commit)
    return ask_to_verify(state)


def _file_away(state: DebugState, _: datetime) -> Action:
    if state.filed is None:
        return FileAway()
    return _end(state, DebugStatus.RESOLVED, state.resolution.root_cause)


_STEPS: Mapping[DebugStatus, Callable[[DebugState, datetime], Action]] = {
    DebugStatus.GATHERING: _gather,
    DebugStatus.INVESTIGATING: _investigate,
    DebugStatus.FIXING: _fix,
    DebugStatus.VERIFYING: _verify,
    DebugStatus.AWAITING_HUMAN_VERIFY: _verify,
    DebugStatus.RESOLVED: _file_away,
}


def _end(state: DebugState, status: DebugStatus, reason: str) -> Record:
    ended = Concluded(status=status, reason=reason, commit=state.commit, usage=state.usage)
    return Record(event=msgspec.structs.replace(ended, result={"kind": KIND}))
