"""Whether the result of a phase counts: lint, types, build, tests, secrets, scope, criteria.

results = run_gates(place, base, head, GateRequest(phase=…))
if verdict(results) is GateStatus.FAIL: brief(results)

table          which gates there are, in their order
running        they are asked one after another
measurement    what is known of the commit that is measured
checks, commands, baselines   gates that are commands: run, and judged by what is new
testing        the tests, by the runners
phases         changes against what was declared
integrity      changes of what is measured by
secrets        what added lines hold
criteria       acceptance criteria
detection      which gates a project has
verdicts, rendering   what they say together, and how people and agents are told
"""

from clew.gates.criteria import decided_by_hand
from clew.gates.rendering import brief, lines, listed
from clew.gates.request import GatePlace, GateRequest
from clew.gates.running import list_gates, run_gates
from clew.gates.snapshot import Glimpse, on_snapshot
from clew.gates.table import TABLE
from clew.gates.verdicts import verdict

__all__ = [
    "TABLE",
    "GatePlace",
    "GateRequest",
    "Glimpse",
    "brief",
    "decided_by_hand",
    "lines",
    "list_gates",
    "listed",
    "on_snapshot",
    "run_gates",
    "verdict",
]
