"""What bounds the work: budgets, the caps of agents, and the wait before a busy one is called."""

from __future__ import annotations

from datetime import datetime, timedelta

from clew.flows.debugging.decisions.actions import Action, Pause, Record
from clew.flows.debugging.states import Spent, Stage, State, fixing_agent_after, objected
from clew.words import events as ev
from clew.words.retry_policy import Reaction, follow, wait

__all__ = [
    "deserted",
    "is_capped_out",
    "is_free",
    "overspent",
    "passed_by",
    "passed_over",
    "pause",
    "seconds_left",
    "spent_bound",
    "tokens_left",
]

CALLING = (Stage.DIAGNOSING, Stage.REVIEWING, Stage.FIXING, Stage.CHALLENGING)


def pause(state: State, now: datetime) -> Pause | None:
    """Wait before a busy agent is called again; with a clock that was put back there is no wait."""
    calling = state.stage in CALLING and state.failures
    if not calling or not state.erred_at or overspent(state):
        return None
    last = state.agent_errors[-1]
    if follow(last.kind) is not Reaction.LATER or _over_cap(state, last.agent):
        return None
    told = min(last.after, state.settings.longest_wait)
    seconds = timedelta(seconds=wait(state.settings.retry_wait, state.failures, told))
    until = state.erred_at[-1] + seconds
    why = f"{last.agent} ({last.kind}) for {seconds.total_seconds():g} s"
    return Pause(until=until, why=why) if now < until <= now + seconds else None


def overspent(state: State) -> Action | None:
    over = _over_budget(state)
    return Record(event=ev.Halted(kind=ev.HaltKind.BUDGET, reason=over)) if over else None


def is_free(state: State) -> bool:
    """Tell whether a fix goes on though tokens or dollars are spent: known edits take none."""
    known = state.diagnosed is not None and bool(state.diagnosed.diagnosis.edits)
    return known and bool(_over_budget(state)) and seconds_left(state) > 0


def is_capped_out(state: State) -> bool:
    """Tell whether known edits are made though their fixer reached its cap: they take no call.

    A reviewer's objection is weighed by the next fixer, where there is one.
    """
    told = state.diagnosed
    if told is None or not told.diagnosis.edits or not _over_cap(state, state.fixing_agent):
        return False
    return not (objected(state) and fixing_agent_after(state))


def passed_over(state: State, agent: str) -> Action | None:
    """Leave an agent unasked where a budget is spent, and go on with what is known."""
    over = _over_budget(state)
    event = ev.RungPassed(iteration=state.overall, agent=agent, reason=over)
    return Record(event=event) if over else None


def passed_by(state: State, agent: str) -> Action | None:
    why = _over_cap(state, agent)
    event = ev.RungPassed(iteration=state.overall, agent=agent, reason=why)
    return Record(event=event) if why else None


def deserted(state: State) -> Action | None:
    """Ask at once where no agent is left that could be called."""
    agents = state.settings.agent
    if state.unfit.issuperset(agents):
        return Record(event=ev.Halted(kind=ev.HaltKind.AGENT, reason=state.history[-1].note))
    capped = {agent: _over_cap(state, agent) for agent in agents if agent not in state.unfit}
    if not all(capped.values()):
        return None
    reason = "; ".join(f"{agent}: {why}" for agent, why in capped.items())
    return Record(event=ev.Halted(kind=ev.HaltKind.BUDGET, reason=reason))


def _over_budget(state: State) -> str:
    """Say which budget is spent; nothing while there is some left."""
    (round_budget, in_round), (iteration_budget, in_iteration) = _budgets(state)
    if reason := _beyond(in_round, round_budget, "until you are asked"):
        return reason
    if state.stage is Stage.ROUND:
        return ""
    return _beyond(in_iteration, iteration_budget, "for one iteration")


def _budgets(state: State) -> tuple[tuple[ev.Budget, Spent], ...]:
    """Return the budgets of the round and of the iteration, and what is spent of each."""
    return (
        (state.budget, state.spent.since(state.spent_before_round)),
        (state.settings.iteration_budget, state.spent.since(state.spent_before_iteration)),
    )


def spent_bound(state: State) -> str:
    """Name the bound of a round that is spent, as settings do; nothing while there is some left."""
    budget, spent = _budgets(state)[0]
    named = {
        "max-seconds": (budget.seconds, spent.seconds),
        "max-tokens": (budget.tokens, spent.tokens),
        "max-usd": (budget.usd, spent.usd),
    }
    over = (name for name, (most, took) in named.items() if most is not None and took >= most)
    return next(over, "") if state.halted and state.halted.kind is ev.HaltKind.BUDGET else ""


def _over_cap(state: State, agent: str) -> str:
    """Say which cap of an agent is reached; nothing while it has some left."""
    cap = state.settings.ladder.get(agent)
    if cap is None:
        return ""
    spent = state.spent_by.get(agent, Spent())
    if cap.calls is not None and spent.calls >= cap.calls:
        return f"{spent.calls} of {cap.calls} calls in a round are spent"
    return _beyond(spent, cap.budget, "in a round")


def _beyond(spent: Spent, budget: ev.Budget, until: str) -> str:
    if budget.seconds is not None and spent.seconds >= budget.seconds:
        return f"{spent.seconds:.0f} of {budget.seconds:.0f} seconds {until} are spent"
    if budget.tokens is not None and spent.tokens >= budget.tokens:
        return f"{spent.tokens} of {budget.tokens} tokens {until} are spent"
    if budget.usd is not None and spent.usd >= budget.usd:
        return f"{spent.usd:.2f} of {budget.usd:.2f} dollars {until} are spent"
    return ""


def seconds_left(state: State) -> float:
    """Return how long work may still take; without a budget that is without end."""
    return min(
        (b.seconds - spent.seconds for b, spent in _budgets(state) if b.seconds is not None),
        default=float("inf"),
    )


def tokens_left(state: State) -> int | None:
    """Return how many tokens agents may still take; None without a budget of tokens."""
    return min(
        (max(0, b.tokens - spent.tokens) for b, spent in _budgets(state) if b.tokens is not None),
        default=None,
    )
