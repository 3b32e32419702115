"""What a session does next: a pure decision on its state.

`decide(state, now)` answers with a set of actions: intents, whose side effects the hands carry out,
and `Record`s, conclusions that need no hands and go straight into the journal. An empty set means
that nothing is to be done until a person speaks, or ever.

Every path that can repeat work runs against a bound: iterations against the cap of the round, agent
failures against the retries of a step, rungs against the length of the ladder, time and money
against the budgets, rounds and generations against a person's answers.

deciding    the rule of each stage; a round ends in `_on_round`
limits      budgets, caps of agents, waits
entries     what an iteration came to
by_hand     what follows a person's work
questions   what a person is asked, and may answer
actions     what a decision may be
"""

from clew.flows.debugging.decisions.actions import (
    ESCALATION,
    ITERATION,
    PASSING,
    START,
    Action,
    Pause,
    Record,
)
from clew.flows.debugging.decisions.deciding import decide
from clew.flows.debugging.decisions.limits import is_capped_out, seconds_left, tokens_left
from clew.flows.debugging.decisions.questions import options

__all__ = [
    "ESCALATION",
    "ITERATION",
    "PASSING",
    "START",
    "Action",
    "Pause",
    "Record",
    "decide",
    "is_capped_out",
    "options",
    "seconds_left",
    "tokens_left",
]
