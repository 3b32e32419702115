"""What the events of a debug session come to, and the function from one state to the next.

Laws held here:
- the status moves as `clew.words.debug_sessions.MAY_FOLLOW` allows;
- evidence, what was eliminated and what specialists said only grow;
- nothing is fixed before a root cause whose reasoning lacks nothing;
- a session that is to find the cause alone fixes nothing before a person says so;
- an outcome needs its intent in flight; there is one question at a time.
"""

from clew.flows.investigation.states.folding import fold
from clew.flows.investigation.states.record import DebugState, PersonsWords

__all__ = ["DebugState", "PersonsWords", "fold"]
