"""An agent tried out: on one planted fault, beside every project and every session.

whole    the whole loop, to a proven fix
roles    one role alone, judged by what a run of the tests says of it
scratch  the project made for it, with state of its own; both are gone afterwards
"""

from clew.evaluation.agent_trials.roles import RoleCheck, RoleTrial, attempt_role
from clew.evaluation.agent_trials.whole import AgentTrial, attempt

__all__ = ["AgentTrial", "RoleCheck", "RoleTrial", "attempt", "attempt_role"]
