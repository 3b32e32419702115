"""What a session does next: a pure decision on its state.

`decide(state, now)` answers with a set of actions: intents, whose side effects the hands carry out,
and `Record`s, conclusions that need no hands and go straight into the journal. An empty set means
that nothing is to be done until a person speaks, or ever.

Every path that can repeat work runs against a bound: iterations against the cap of the round, agent
failures against the retries of a step, rungs against the length of the ladder, time and money
against the budgets, rounds and generations against a person's answers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime, timedelta

import msgspec

from clew import events as ev
from clew.facts import Verdict
from clew.models import wished
from clew.setbacks import Follow, follow, wait
from clew.states import KNOWLEDGE, Spent, Stage, State, doubted, given

__all__ = [
    "ESCALATION",
    "ITERATION",
    "PASSING",
    "START",
    "Action",
    "Pause",
    "Record",
    "decide",
    "options",
    "seconds_left",
    "tokens_left",
]

ESCALATION = "escalation"
PASSING = "tests_passing"
START = "start"
ITERATION = "iteration"


class Pause(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing is to be done before that time. It is not journalled: the failure before it is."""

    until: datetime
    why: str


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A conclusion, to be journalled as it is."""

    event: ev.AnyEvent


Action = Record | Pause | ev.AnyIntent


def decide(state: State, now: datetime) -> frozenset[Action]:
    """Return the actions that come next; they may be carried out side by side.

    While an intent is in flight nothing else is begun: its outcome comes first.
    """
    if state.in_flight is not None:
        return frozenset()
    if pause := _pause(state, now):
        return frozenset({pause})
    rule = _RULES.get(state.stage)
    return frozenset({rule(state)}) if rule else frozenset()


def _pause(state: State, now: datetime) -> Pause | None:
    """Wait before a busy agent is called again; with a clock that was put back there is no wait."""
    calling = state.stage in (Stage.DIAGNOSING, Stage.REVIEWING, Stage.FIXING) and state.failures
    if not calling or state.erred_at is None or _overspent(state):
        return None
    last = state.agent_errors[-1]
    if follow(last.kind) is not Follow.LATER or _over_cap(state, last.agent):
        return None
    told = min(last.after, state.session.longest_wait)
    seconds = timedelta(seconds=wait(state.session.retry_wait, state.failures, told))
    until = state.erred_at + seconds
    why = f"{last.agent} ({last.kind}) for {seconds.total_seconds():g} s"
    return Pause(until=until, why=why) if now < until <= now + seconds else None


def _snapshot(state: State) -> Action:
    return ev.TakeSnapshot(generation=state.generation)


def _baseline(state: State) -> Action:
    return ev.RunTests(purpose=ev.Purpose.BASELINE, commit=state.head)


def _on_baseline(state: State) -> Action:
    run = given(state.baseline)
    match run.verdict:
        case Verdict.PASSED:
            reason = f"all {run.passed} tests pass"
            return Record(event=ev.SessionEnded(status=ev.Status.NOTHING_TO_DO, reason=reason))
        case Verdict.DID_NOT_RUN:
            return _ask(state, ev.QuestionKind.INFRASTRUCTURE, run.reason)
        case Verdict.FAILED:
            # In the other order, so that none of them runs after what the suite ran before it.
            only = tuple(r.id for r in run.red)
            return ev.RunTests(
                purpose=ev.Purpose.RECHECK, commit=state.head, only=only, first=only[::-1]
            )


def _on_recheck(state: State) -> Action:
    baseline, again = given(state.baseline), given(state.rechecked)
    if state.carrying:
        return ev.RunTests(purpose=ev.Purpose.CARRIED, commit=state.carrying)
    if again.verdict is Verdict.DID_NOT_RUN:
        return _ask(state, ev.QuestionKind.INFRASTRUCTURE, again.reason)
    if not state.red:
        return _ask(state, ev.QuestionKind.FLAKY, _flaky(state))
    if state.session.bisect and state.bisected is None:
        return ev.Bisect(commit=state.head)
    return Record(
        event=ev.RoundBegan(
            number=state.round + 1, cap=state.session.cap, topic=state.topic or baseline.topic
        )
    )


def _flaky(state: State) -> str:
    known = {flake.test: f" ({flake.kind}: {flake.evidence})" for flake in state.flakes}
    names = ", ".join(test + known.get(test, "") for test in sorted(state.flaky))
    return f"These tests failed, and passed when run once more on the same code: {names}"


def _stand(state: State) -> Action:
    if state.counter:
        return ev.SaveCheckpoint(name=f"{ITERATION}-{state.overall}")
    return ev.SaveCheckpoint(name=START if state.round == 1 else f"round-{state.round}")


def _on_round(state: State) -> Action:
    if state.halted or state.counter >= state.cap:
        return ev.SaveCheckpoint(name=_numbered(ESCALATION, state))
    began = ev.IterationBegan(number=state.counter + 1, overall=state.overall + 1)
    halt = _overspent(state) or _hopeless(state) or _unreported(state) or _deserted(state)
    return halt or Record(event=began)


def _overspent(state: State) -> Action | None:
    over = _over_budget(state)
    return Record(event=ev.Halted(kind=ev.HaltKind.BUDGET, reason=over)) if over else None


def _hopeless(state: State) -> Action | None:
    """Ask at once where the last diagnosis says that no edit of the code would help."""
    told = state.diagnosed.diagnosis if state.diagnosed and state.counter else None
    if told is None or not told.elsewhere or state.history[-1].result is not ev.Result.NO_FIX:
        return None
    return Record(event=ev.Halted(kind=ev.HaltKind.SCOPE, reason=told.elsewhere))


def _unreported(state: State) -> Action | None:
    """Ask at once where no agent gave a diagnosis that can be used, unless the settings go on."""
    last = state.agent_errors[-1] if state.agent_errors else None
    if not state.counter or last is None or state.session.on_invalid_report != "escalate":
        return None
    lost = state.history[-1].result is ev.Result.AGENT_FAILED and last.iteration == state.overall
    if not lost or (last.role, last.kind) != ("diagnose", "invalid_output"):
        return None
    return Record(event=ev.Halted(kind=ev.HaltKind.REPORT, reason=f"{last.agent}: {last.message}"))


def _deserted(state: State) -> Action | None:
    """Ask at once where no agent is left that could be called."""
    agents = state.session.agents
    if state.unfit.issuperset(agents):
        return Record(event=ev.Halted(kind=ev.HaltKind.AGENT, reason=state.history[-1].note))
    capped = {agent: _over_cap(state, agent) for agent in agents if agent not in state.unfit}
    if not all(capped.values()):
        return None
    reason = "; ".join(f"{agent}: {why}" for agent, why in capped.items())
    return Record(event=ev.Halted(kind=ev.HaltKind.BUDGET, reason=reason))


def _over_budget(state: State) -> str:
    """Say which budget is spent; nothing while there is some left."""
    session = state.session
    spent = state.spent.since(state.spent_before_round)
    if reason := _beyond(spent, session.budget, "until you are asked"):
        return reason
    if state.stage is Stage.ROUND:
        return ""
    spent = state.spent.since(state.spent_before_iteration)
    return _beyond(spent, session.iteration_budget, "for one iteration")


def _over_cap(state: State, agent: str) -> str:
    """Say which cap of an agent is reached; nothing while it has some left."""
    cap = state.session.ladder.get(agent)
    if cap is None:
        return ""
    spent = state.spent_by.get(agent, Spent())
    if cap.calls is not None and spent.calls >= cap.calls:
        return f"{spent.calls} of {cap.calls} calls in a round are spent"
    budget = ev.Budget(seconds=cap.max_seconds, tokens=cap.max_tokens, usd=cap.max_usd)
    return _beyond(spent, budget, "in a round")


def _passed_by(state: State, agent: str) -> Action | None:
    why = _over_cap(state, agent)
    event = ev.RungPassed(iteration=state.overall, agent=agent, reason=why)
    return Record(event=event) if why else None


def _model(state: State, role: str) -> str:
    """Return what a role is to be asked with; a time-out counts as a setback as well."""
    session, last = state.session, state.agent_errors[-1] if state.agent_errors else None
    slow = bool(state.failures and last and last.kind == "timeout")
    failed = sum(not entry.progress for entry in state.history)
    return wished(role, session.profile, session.models, failed + slow)


def seconds_left(state: State) -> float:
    """Return how long work may still take; without a budget that is without end."""
    session = state.session
    pairs = (
        (session.budget, state.spent_before_round),
        (session.iteration_budget, state.spent_before_iteration),
    )
    return min(
        (b.seconds - state.spent.since(s).seconds for b, s in pairs if b.seconds is not None),
        default=float("inf"),
    )


def tokens_left(state: State) -> int | None:
    """Return how many tokens agents may still take; None without a budget of tokens."""
    session = state.session
    pairs = (
        (session.budget, state.spent_before_round),
        (session.iteration_budget, state.spent_before_iteration),
    )
    return min(
        (max(0, b.tokens - state.spent.since(s).tokens) for b, s in pairs if b.tokens is not None),
        default=None,
    )


def _beyond(spent: Spent, budget: ev.Budget, until: str) -> str:
    if budget.seconds is not None and spent.seconds >= budget.seconds:
        return f"{spent.seconds:.0f} of {budget.seconds:.0f} seconds {until} are spent"
    if budget.tokens is not None and spent.tokens >= budget.tokens:
        return f"{spent.tokens} of {budget.tokens} tokens {until} are spent"
    if budget.usd is not None and spent.usd >= budget.usd:
        return f"{spent.usd:.2f} of {budget.usd:.2f} dollars {until} are spent"
    return ""


def _diagnose(state: State) -> Action:
    stopped = _overspent(state) or _passed_by(state, state.agent)
    return stopped or ev.Diagnose(
        iteration=state.overall,
        agent=state.agent,
        attempt=state.failures + 1,
        call=state.calls + 1,
        base=state.head,
        conversation=_conversation(state),
        investigate=doubted(state),
        model=_model(state, "diagnose"),
    )


def _report(state: State) -> Action:
    return ev.WriteReport(iteration=state.overall)


def _review(state: State) -> Action:
    reviewer = state.session.review
    stopped = _overspent(state) or _passed_by(state, reviewer)
    return stopped or ev.Review(
        iteration=state.overall,
        agent=reviewer,
        attempt=state.failures + 1,
        call=state.calls + 1,
        model=_model(state, "review"),
        base=state.head,
        conversation=_conversation(state),
    )


def _fix(state: State) -> Action:
    stopped = _overspent(state) or _passed_by(state, state.hands)
    return stopped or ev.ApplyFix(
        iteration=state.overall,
        agent=state.hands,
        attempt=state.failures + 1,
        call=state.calls + 1,
        base=state.head,
        model=_model(state, "fix"),
        conversation=_conversation(state),
    )


def _conversation(state: State) -> str:
    """Name the conversation of the next call: a UUID, the same whenever it is asked for."""
    words = f"{state.session.session_id} {state.created} {state.calls + 1}"
    digits = hashlib.sha256(words.encode()).hexdigest()
    return "-".join(
        (digits[:8], digits[8:12], f"8{digits[13:16]}", f"a{digits[17:20]}", digits[20:32])
    )


def _consult(state: State) -> Action:
    fix, told = given(state.fix), given(state.diagnosed).diagnosis
    text = (
        f"The diagnosis says that the tests are wrong, and the fix changes them: {told.root_cause}"
        f"\nIt changes {', '.join(fix.tampering)}:\n\n{fix.test_diff}"
    )
    return _ask(state, ev.QuestionKind.TEST_EDIT, text)


def _verify(state: State) -> Action:
    return ev.RunTests(purpose=ev.Purpose.VERIFY, commit=given(given(state.fix).commit))


def _prove(state: State) -> Action:
    return ev.Prove(commit=given(state.verified).commit)


def _undo(state: State) -> Action:
    return ev.RollBack(iteration=state.overall, commit=state.head)


def _conclude(state: State) -> Action:
    """Sum the iteration up as one entry of the history."""
    verdict, verified = given(state.verdict), state.verified
    fix, diagnosed = state.fix, state.diagnosed
    last = verdict is not ev.Result.PASSING and state.counter >= state.cap
    halted = state.halted.reason if state.halted else ""
    return Record(
        event=ev.IterationEnded(
            iteration=state.overall,
            result=verdict,
            report=state.report.path if state.report else None,
            root_cause=diagnosed.diagnosis.root_cause if diagnosed else "",
            fix_attempted=fix.summary if fix else _again(state),
            agent=(fix or diagnosed or state).agent,
            model=by.model if (by := fix or diagnosed) else "",
            commit=fix.commit if fix else None,
            patch=fix.patch if fix else "",
            progress=verdict in _PROGRESS,
            new_errors=_errors(state) if verdict is not ev.Result.PASSING else (),
            note=state.note or _note(verified),
            escalation_reason="Maximum debugging iterations reached" if last else halted,
            files=fix.files if fix else (),
            seconds=sum(p.seconds for p in (diagnosed, state.reviewed, fix, verified) if p),
            red_before=_count_red(state, state.before),
            red_after=_count_red(state, verified),
            total=verified.total if verified else None,
        )
    )


_PROGRESS = (ev.Result.PASSING, ev.Result.FEWER, ev.Result.DIFFERENT)


def _again(state: State) -> str:
    chosen = state.diagnosed.diagnosis.chosen if state.diagnosed else None
    return chosen.title if chosen and state.verdict is ev.Result.REPEATED else ""


def _errors(state: State) -> tuple[str, ...]:
    run = state.verified or state.kept
    return tuple(r.error for r in run.red if r.id not in state.flaky) if run else ()


def _count_red(state: State, run: ev.TestsRan | None) -> int | None:
    if run is None or run.verdict is Verdict.DID_NOT_RUN:
        return None
    return sum(r.id not in state.flaky for r in run.red)


def _note(verified: ev.TestsRan | None) -> str:
    if verified and verified.regressions:
        return "passed before and failed after: " + ", ".join(verified.regressions)
    return ""


def _on_passed(state: State) -> Action:
    return ev.SaveCheckpoint(name=_numbered(PASSING, state))


def _numbered(name: str, state: State) -> str:
    return name if state.round <= 1 else f"{name}-{state.round}"


def _close(state: State) -> Action:
    """Write down what a proven fix taught, once, before the summary that links it."""
    if state.closing is ev.Status.GREEN and state.learned != state.head:
        return ev.WriteDocument(kind=KNOWLEDGE)
    return ev.WriteDocument(kind="summary")


def _end(state: State) -> Action:
    closing = given(state.closing)
    green = closing is ev.Status.GREEN
    known = () if green or not state.kept else tuple(r.error for r in state.kept.red)
    return Record(event=ev.SessionEnded(status=closing, known_issues=known))


def _tell(_: State) -> Action:
    return ev.WriteDocument(kind=ESCALATION)


def _escalate(state: State) -> Action:
    text = f"Tests still fail after {state.counter} of {state.cap} iterations."
    if state.halted:
        text = text.replace(".", f": {state.halted.reason}.")
    return _ask(state, ev.QuestionKind.ESCALATION, text)


def _ask(state: State, kind: ev.QuestionKind, text: str) -> Record:
    return Record(
        event=ev.QuestionAsked(
            id=f"q{state.asked + 1}", kind=kind, text=text, options=options(state, kind)
        )
    )


def options(state: State, kind: ev.QuestionKind) -> tuple[ev.OptionOffered, ...]:
    """Return the answers that a question of this kind takes, with the commands that give them."""
    name = state.session.session_id
    by_hand = ev.OptionOffered(
        word="investigate",
        text="Investigate by hand: mend it in your own tree"
        + (f" or in {state.snapshot.worktree}" if state.snapshot else "")
        + ", then go on from there",
        command=f"clew resume {name}",
    )
    guidance = ev.OptionOffered(
        word="guidance",
        text="Retry with guidance: a new round that is told what you know",
        command=f'clew resume {name} --with-context "what you know"',
    )
    rollback = ev.OptionOffered(
        word="rollback",
        text="Another approach: go back to a checkpoint, and try otherwise from there",
        command=f"clew rollback {name} {START}",
    )
    skip = ev.OptionOffered(
        word="skip",
        text="Go on with failing tests; they are recorded as known issues",
        command=f"clew continue {name} --skip-tests",
    )
    terminate = ev.OptionOffered(
        word="terminate",
        text="End here; all work is kept",
        command=f"clew terminate {name}",
    )
    approve = ev.OptionOffered(
        word="approve",
        text="The tests are wrong: judge the fix by the tests as it leaves them",
        command=f"clew answer {name} approve",
    )
    reject = ev.OptionOffered(
        word="reject",
        text="The tests are right: roll the fix back, and try otherwise",
        command=f"clew answer {name} reject",
    )
    repair = msgspec.structs.replace(by_hand, text="Repair the test set-up, then go on from there")
    match kind:
        case ev.QuestionKind.ESCALATION:
            return (by_hand, guidance, rollback, skip, terminate)
        case ev.QuestionKind.INFRASTRUCTURE:
            return (repair, skip, terminate)
        case ev.QuestionKind.FLAKY:
            return (by_hand, skip, terminate)
        case ev.QuestionKind.TEST_EDIT:
            return (approve, reject, terminate)


_RULES: dict[Stage, Callable[[State], Action]] = {
    Stage.OPENED: _snapshot,
    Stage.SNAPPED: _baseline,
    Stage.BASELINED: _on_baseline,
    Stage.RECHECKED: _on_recheck,
    Stage.STANDING: _stand,
    Stage.ROUND: _on_round,
    Stage.DIAGNOSING: _diagnose,
    Stage.REPORTING: _report,
    Stage.REVIEWING: _review,
    Stage.FIXING: _fix,
    Stage.CONSULTING: _consult,
    Stage.VERIFYING: _verify,
    Stage.PROVING: _prove,
    Stage.UNDOING: _undo,
    Stage.RETURNING: _undo,
    Stage.JUDGED: _conclude,
    Stage.PASSED: _on_passed,
    Stage.CLOSING: _close,
    Stage.CLOSED: _end,
    Stage.ESCALATING: _tell,
    Stage.ESCALATED: _escalate,
}
