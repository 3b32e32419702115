"""The rule of each stage."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime

from msgspec.structs import replace

from clew.agents.roles import wished
from clew.analysis.tampering import blames_tests
from clew.analysis.testfiles import is_test_path
from clew.flows.debugging.decisions.actions import (
    ESCALATION,
    ITERATION,
    PASSING,
    START,
    Action,
    Record,
)
from clew.flows.debugging.decisions.by_hand import ask_about_tests, on_taken_up
from clew.flows.debugging.decisions.entries import conclude
from clew.flows.debugging.decisions.limits import (
    deserted,
    is_capped_out,
    is_free,
    overspent,
    passed_by,
    passed_over,
    pause,
    spent_bound,
)
from clew.flows.debugging.decisions.questions import ask
from clew.flows.debugging.states import (
    KNOWLEDGE,
    Stage,
    State,
    acceptable,
    dispute,
    doubted,
    draft,
    repeated,
    require,
    tried,
    undecided,
    undone,
)
from clew.words import events as ev
from clew.words.facts import BUILT_IN, Verdict
from clew.words.models import AgentRole
from clew.words.printable import revealed

__all__ = ["decide"]


def decide(state: State, now: datetime) -> frozenset[Action]:
    """Return the actions that come next; they may be carried out side by side.

    While an intent is in flight nothing else is begun: its outcome comes first.
    """
    if state.in_flight:
        return frozenset()
    if waits := pause(state, now):
        return frozenset({waits})
    rule = _RULES.get(state.stage)
    return frozenset({_told_parent(state, rule(state))}) if rule else frozenset()


def _told_parent(state: State, action: Action) -> Action:
    """Have the end of a child say what its parent needs: the commit, and what it took."""
    match action:
        case Record(event=ev.SessionEnded() as ended) if state.session.parent:
            skipped = state.closing is ev.Status.SKIPPED and state.kept
            failing = tuple(red.id for red in state.kept.red) if skipped and state.kept else ()
            told = replace(ended, commit=state.head, usage=state.usage, known_failing=failing)
            return Record(event=told)
        case _:
            return action


def _snapshot(state: State) -> Action:
    return ev.TakeSnapshot(generation=state.generation)


def _baseline(state: State) -> Action:
    if state.by_hand:
        return ev.RunTests(purpose=ev.Purpose.CARRIED, commit=state.carrying)
    return ev.RunTests(purpose=ev.Purpose.BASELINE, commit=state.head)


def _on_baseline(state: State) -> Action:
    run = require(state.baseline)
    match run.verdict:
        case Verdict.PASSED:
            of = "selected " if run.selected else ""
            many = f"all {run.passed} {of}tests pass"
            reason = f"the only {of}test passes" if run.passed == 1 else many
            return Record(event=ev.SessionEnded(status=ev.Status.NOTHING_TO_DO, reason=reason))
        case Verdict.DID_NOT_RUN if run.misused and not state.round:
            reason = f"{run.reason}\nA session keeps its arguments: start a new one with others."
            return Record(event=ev.SessionEnded(status=ev.Status.TERMINATED, reason=reason))
        case Verdict.DID_NOT_RUN:
            return ask(state, ev.QuestionKind.INFRASTRUCTURE, run.reason)
        case Verdict.FAILED:
            # In the other order, so that none of them runs after what the suite ran before it.
            only = tuple(r.id for r in run.red)
            return ev.RunTests(
                purpose=ev.Purpose.RECHECK, commit=state.head, only=only, first=only[::-1]
            )


def _on_recheck(state: State) -> Action:
    baseline, again = require(state.baseline), require(state.rechecked)
    if state.carrying:
        return ev.RunTests(purpose=ev.Purpose.CARRIED, commit=state.carrying)
    if again.verdict is Verdict.DID_NOT_RUN:
        return ask(state, ev.QuestionKind.INFRASTRUCTURE, again.reason)
    if not state.red:
        return ask(state, ev.QuestionKind.FLAKY, _flaky(state))
    if state.settings.bisect and state.bisected is None:
        return ev.Bisect(commit=state.head)
    return Record(
        event=ev.RoundBegan(
            number=state.round + 1,
            cap=state.settings.max_iterations,
            topic=state.topic or again.topic or baseline.topic,
            budget=state.granted,
        )
    )


def _flaky(state: State) -> str:
    """Say what is known of each: seen red and green, or red each time but not often enough."""
    known = {flake.test: f" ({flake.kind}: {flake.evidence})" for flake in state.flakes}
    turned = ", ".join(test + known.get(test, "") for test in sorted(state.flaky - state.perhaps))
    perhaps = [
        f"{flake.test} ({flake.evidence})"
        for flake in sorted(state.flakes, key=lambda flake: flake.test)
        if flake.test in state.perhaps
    ]
    said = f"These tests failed, then passed in another run of the same code: {turned}"
    doubt = f"Perhaps flaky, and not fixed: {'; '.join(perhaps)}"
    return "\n".join([said] * bool(turned) + [doubt] * bool(perhaps))


def _left_over(state: State) -> str:
    """Say which tests are red in a proven run, and why they had no say."""
    red = "; ".join(f"{each.test} ({each.kind}: {each.evidence})" for each in state.left_over)
    return f"The fix is proven, and the suite is not green. Red still, and perhaps faults: {red}"


def _stand(state: State) -> Action:
    if state.counter:
        return ev.SaveCheckpoint(name=f"{ITERATION}-{state.overall}")
    return ev.SaveCheckpoint(name=START if state.round == 1 else f"round-{state.round}")


def _on_round(state: State) -> Action:
    """Begin the next iteration, or end the round.

    It ends where it was halted or its cap is reached; and before that where a budget is spent, no
    edit would help, the only agent left has said all it knows, no diagnosis can be used, or nobody
    is left to call.
    """
    if not state.halted and (bereft := _bereft(state)):
        return bereft
    if state.halted or state.counter >= state.cap:
        return ev.SaveCheckpoint(name=_numbered(ESCALATION, state))
    began = ev.IterationBegan(number=state.counter + 1, overall=state.overall + 1)
    halt = (
        overspent(state)
        or _hopeless(state)
        or _insisted(state)
        or _unsettled(state)
        or _exhausted(state)
    )
    halt = halt or _unreported(state) or deserted(state)
    return halt or Record(event=began)


def _hopeless(state: State) -> Action | None:
    """Ask at once where the last diagnosis says that no edit of the code would help."""
    told = state.diagnosed.diagnosis if state.diagnosed and state.counter else None
    untried = (ev.Result.NO_FIX, ev.Result.NOT_DONE)
    if told is None or state.history[-1].result not in untried:
        return None
    reason = "; ".join(dict.fromkeys(filter(None, (told.elsewhere, dispute(state)))))
    return Record(event=ev.Halted(kind=ev.HaltKind.SCOPE, reason=reason)) if reason else None


def _insisted(state: State) -> Action | None:
    """Ask at once where a fix that only a doubt refused is proposed once more."""
    told = state.diagnosed
    again = state.counter and told and state.history[-1].result is ev.Result.REPEATED
    attempt = repeated(state, told) if again and told else None
    if attempt is None or attempt not in acceptable(state):
        return None
    helps = "is progress" if attempt.entry.red_after else "makes all tests pass"
    reason = (
        f"the fix of iteration {attempt.entry.iteration} was proposed once more; it {helps}, and"
        " only you can say whether it is right"
    )
    return Record(event=ev.Halted(kind=ev.HaltKind.EXHAUSTED, reason=reason))


def _unsettled(state: State) -> Action | None:
    """Ask at once where the tests do not settle which change is right: another one is no surer."""
    attempt = undecided(state) if state.counter or state.ask_again else None
    made_now = attempt and attempt.entry == state.history[-1]
    claim = attempt.open_claim if attempt and (made_now or not state.counter) else None
    if claim is None:
        return None
    reason = f"the tests do not settle which change is right: {claim.measured}"
    return Record(event=ev.Halted(kind=ev.HaltKind.EXHAUSTED, reason=reason))


def _bereft(state: State) -> Action | None:
    """Ask at once where a change of tests that a person approved took red ones away."""
    run, fix = state.verified, state.fix
    if not state.counter or run is None or not run.taken or fix is None or not fix.tampering:
        return None
    name = state.session.session_id
    reason = (
        "the change of tests that you approved was rolled back, because failing tests were"
        f" removed, which fixes nothing: {'; '.join(run.taken)}. If they should not exist,"
        f" `clew terminate {name}`, remove them yourself, and `clew fix` starts without them"
    )
    return Record(event=ev.Halted(kind=ev.HaltKind.SCOPE, reason=reason))


def _exhausted(state: State) -> Action | None:
    """Ask at once where the only agent that is left has said all that it knows."""
    if not state.counter:
        return _searched(state)
    told = state.diagnosed
    if told is None or not told.diagnosis.exhausted:
        return None
    alone = set(state.settings.agent) - state.unfit <= {told.agent}
    if not alone or state.history[-1].result is not ev.Result.NO_FIX:
        return None
    return Record(event=ev.Halted(kind=ev.HaltKind.EXHAUSTED, reason=told.diagnosis.exhausted))


def _searched(state: State) -> Action | None:
    """Ask at once where the built-in repairer is alone, and has searched this very code in vain."""
    if state.session.rules == 1 or set(state.settings.agent) != {BUILT_IN}:
        return None
    stands = (state.edition, state.helped)
    for attempt in reversed(tried(state)):
        ground, told = attempt.ground, attempt.diagnosis
        made = sum(each.round == ground.round for each in state.grounds)
        vain = (
            attempt.entry.result is ev.Result.NO_FIX and (ground.edition, ground.helped) == stands
        )
        if vain and told and (told.searched or made >= state.cap):
            why = told.exhausted or "the built-in repairer found nothing in its longest search"
            reason = f"{why}; the code is the same, so it does not search again"
            return Record(event=ev.Halted(kind=ev.HaltKind.EXHAUSTED, reason=reason))
    return None


def _unreported(state: State) -> Action | None:
    """Ask at once where no agent gave a diagnosis that can be used, unless the settings go on."""
    last = state.agent_errors[-1] if state.agent_errors else None
    if not state.counter or last is None or state.settings.on_invalid_report != "escalate":
        return None
    lost = state.history[-1].result is ev.Result.AGENT_FAILED and last.iteration == state.overall
    if not lost or (last.role, last.kind) != ("diagnose", "invalid_output"):
        return None
    reason = f"{last.agent} gave no usable diagnosis; it was told: {last.message}"
    return Record(event=ev.Halted(kind=ev.HaltKind.REPORT, reason=reason))


def _model(state: State, role: str, agent: str) -> str:
    """Return what an agent is to be asked with in a role; a time-out is a setback as well."""
    settings, last = state.settings, state.agent_errors[-1] if state.agent_errors else None
    slow = bool(state.failures and last and last.kind == "timeout")
    failed = sum(not entry.progress for entry in state.history)
    return wished(role, settings.profile, settings.models, failed + slow, agent)


def _diagnose(state: State) -> Action:
    stopped = _with_its_draft(state) or overspent(state) or passed_by(state, state.agent)
    return stopped or _call(state, AgentRole.DIAGNOSE, state.agent, investigate=doubted(state))


def _call(
    state: State,
    role: AgentRole,
    agent: str,
    *,
    base: str = "",
    investigate: bool = False,
    exact: bool = False,
) -> ev.CallAgent:
    """Return the next call, on `base` or what is kept; of an `exact` fix nobody is asked."""
    return ev.CallAgent(
        role=role,
        iteration=state.overall,
        agent=agent,
        attempt=state.failures + 1,
        call=state.next_call,
        base=base or state.head,
        model="" if exact else _model(state, role, agent),
        conversation="" if exact else _conversation(state),
        investigate=investigate,
        exact=exact,
    )


def _with_its_draft(state: State) -> Action | None:
    """Take what an answer that was sent back holds, where no call is left to better it."""
    return passed_over(state, state.agent) if draft(state) else None


def _report(state: State) -> Action:
    return ev.WriteReport(iteration=state.overall)


def _review(state: State) -> Action:
    reviewer = state.settings.review
    unread = passed_over(state, reviewer) if is_free(state) else None
    stopped = unread or overspent(state) or passed_by(state, reviewer)
    return stopped or _call(state, AgentRole.REVIEW, reviewer)


def _fix(state: State) -> Action:
    free = is_free(state)
    exact = free or undone(state) or bool(state.aside or state.deviation) or is_capped_out(state)
    stopped = None if free else overspent(state)
    stopped = stopped or (None if exact else passed_by(state, state.fixing_agent))
    return stopped or _call(state, AgentRole.FIX, state.fixing_agent, exact=exact)


def _conversation(state: State) -> str:
    """Name the conversation of the next call: a UUID, the same whenever it is asked for."""
    words = f"{state.session.session_id} {state.created} {state.next_call}"
    digits = hashlib.sha256(words.encode()).hexdigest()
    return "-".join(
        (digits[:8], digits[8:12], f"8{digits[13:16]}", f"a{digits[17:20]}", digits[20:32])
    )


def _consult(state: State) -> Action:
    if state.by_hand:
        return ask_about_tests(state)
    fix, told = require(state.fix), require(state.diagnosed).diagnosis
    why = "The diagnosis says that the tests are wrong, and the fix changes them"
    if not (blames_tests(told) or any(map(is_test_path, fix.tampering))):
        why = "The fix changes what it is judged by, and may be right to"
    change = revealed(fix.test_diff)
    if len(fix.test_diff) >= ev.SHOWN_DIFF:
        whole = f"clew diff {state.session.session_id} --iteration {fix.iteration}"
        change += f"\n\nThat is the beginning of it; all of it: {whole}"
    text = f"{why}: {told.root_cause}\nIt changes {', '.join(fix.tampering)}:\n\n{change}"
    return ask(state, ev.QuestionKind.TEST_EDIT, text)


def _verify(state: State) -> Action:
    return ev.RunTests(purpose=ev.Purpose.VERIFY, commit=require(require(state.fix).commit))


def _challenge(state: State) -> Action:
    """Have it looked for what a fix gets wrong that passes; a bound that is reached leaves that."""
    challenger, fix = state.challenger, require(state.verified).commit
    stopped = passed_over(state, challenger) or passed_by(state, challenger)
    return stopped or _call(state, AgentRole.CHALLENGE, challenger, base=fix)


def _prove(state: State) -> Action:
    return ev.Prove(commit=require(state.verified).commit)


def _undo(state: State) -> Action:
    return ev.RollBack(iteration=state.overall, commit=state.head)


def _on_passed(state: State) -> Action:
    return ev.SaveCheckpoint(name=_numbered(PASSING, state))


def _numbered(name: str, state: State) -> str:
    return name if state.round <= 1 else f"{name}-{state.round}"


def _close(state: State) -> Action:
    """Write down what a proven fix taught, once, before the summary that links it.

    No suite is green in which a test is red that may be a fault: that is asked first.
    """
    if state.closing is ev.Status.GREEN and state.left_over:
        return ask(state, ev.QuestionKind.FLAKY, _left_over(state))
    taught = state.learned == state.head or not state.session.teaches
    if state.closing is ev.Status.GREEN and not taught:
        return ev.WriteDocument(kind=KNOWLEDGE)
    if state.closing is ev.Status.GREEN and _may_narrate(state):
        return _call(state, AgentRole.DOCUMENT, state.settings.document)
    return ev.WriteDocument(kind="summary")


def _may_narrate(state: State) -> bool:
    """Whether an agent is asked what happened: a bound that is reached leaves it unasked."""
    agent = state.settings.document
    if not agent or agent in state.unfit or state.told == state.head:
        return False
    return not (overspent(state) or passed_by(state, agent))


def _end(state: State) -> Action:
    closing = require(state.closing)
    known = () if closing is ev.Status.GREEN else state.issues
    return Record(event=ev.SessionEnded(status=closing, known_issues=known))


def _tell(_: State) -> Action:
    return ev.WriteDocument(kind=ESCALATION)


def _escalate(state: State) -> Action:
    later = " of this round" if state.overall > state.counter else ""
    text = f"{_stands(state)} after {state.counter} of {state.cap} iterations{later}."
    if state.halted:
        text = f"{text.removesuffix('.')}: {state.halted.reason.removesuffix('.')}."
    if bound := spent_bound(state):
        again = f"`clew resume {state.session.session_id} --{bound} N`"
        text = f"{text} The limit is `{bound}`: {again} sets another for the next round."
    return ask(state, ev.QuestionKind.ESCALATION, text)


def _stands(state: State) -> str:
    """Say what the round came to."""
    doubted = [str(each.entry.iteration) for each in acceptable(state) if not each.entry.red_after]
    if not doubted:
        return "Tests still fail"
    return f"A fix with which all tests pass is doubted (iteration {', '.join(doubted)})"


_RULES: dict[Stage, Callable[[State], Action]] = {
    Stage.OPENED: _snapshot,
    Stage.SNAPPED: _baseline,
    Stage.BASELINED: _on_baseline,
    Stage.TAKEN_UP: on_taken_up,
    Stage.RECHECKED: _on_recheck,
    Stage.STANDING: _stand,
    Stage.ROUND: _on_round,
    Stage.DIAGNOSING: _diagnose,
    Stage.REPORTING: _report,
    Stage.REVIEWING: _review,
    Stage.FIXING: _fix,
    Stage.CONSULTING: _consult,
    Stage.VERIFYING: _verify,
    Stage.CHALLENGING: _challenge,
    Stage.PROVING: _prove,
    Stage.UNDOING: _undo,
    Stage.RETURNING: _undo,
    Stage.JUDGED: conclude,
    Stage.PASSED: _on_passed,
    Stage.CLOSING: _close,
    Stage.CLOSED: _end,
    Stage.ESCALATING: _tell,
    Stage.ESCALATED: _escalate,
}
