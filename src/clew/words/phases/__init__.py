"""A session of a plan, as its document has it: phases, what came of each, and what they took.

records       a session, its phases, their errors; tokens, whose totals are sums by definition
transitions   which status follows which, and what a session that moves on looks like
manifests     the files of a phase: what an agent reports against what git says
downstream    what a phase tells those that come after it

All of it is pure: a change makes a new record. The engine makes them; no agent does.
"""

from clew.words.phases.downstream import NO_CONTEXT, DownstreamContext, downstream_context
from clew.words.phases.manifests import Manifest, appended, checked, reconciled
from clew.words.phases.records import (
    AgentOutput,
    ErrorKind,
    OverallStatus,
    PhaseError,
    PhaseRecord,
    PhaseStatus,
    SessionRecord,
    TokenCount,
    TokenUsage,
)
from clew.words.phases.transitions import (
    MAY_END,
    MAY_FOLLOW,
    amended,
    current,
    ended,
    erred,
    moved,
    settled,
    spent,
    unmet,
)

__all__ = [
    "MAY_END",
    "MAY_FOLLOW",
    "NO_CONTEXT",
    "AgentOutput",
    "DownstreamContext",
    "ErrorKind",
    "Manifest",
    "OverallStatus",
    "PhaseError",
    "PhaseRecord",
    "PhaseStatus",
    "SessionRecord",
    "TokenCount",
    "TokenUsage",
    "amended",
    "appended",
    "checked",
    "current",
    "downstream_context",
    "ended",
    "erred",
    "moved",
    "reconciled",
    "settled",
    "spent",
    "unmet",
]
