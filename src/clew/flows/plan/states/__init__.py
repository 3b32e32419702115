"""What the events of a plan come to, and the one function that leads from one state to the next.

Laws held here:
- a phase moves as `clew.words.phases` allows, and nothing else moves it;
- what a phase waits for is completed or skipped before it begins;
- the plan's head moves only when gates have passed, and then to what they were run on;
- an outcome needs its intent in flight; there is one question at a time, of one phase.
"""

from clew.flows.plan.states.folding import fold
from clew.flows.plan.states.record import MergeCandidate, PhaseState, PlanState

__all__ = ["MergeCandidate", "PhaseState", "PlanState", "fold"]
