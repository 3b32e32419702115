"""What agents answer: one form a role, read strictly.

parsing   JSON out of an agent's words
base      what every answer has
mending   a fix: made, reviewed, tested, challenged, told
planning  a plan: written, carried out, a failure of it judged
investigating  a symptom looked into

A diagnosis has its form in `clew.agents.form`.
"""

from clew.agents.form import DiagnosisReply, as_diagnosis, edits
from clew.agents.replies.base import Changing, Reply
from clew.agents.replies.investigating import InvestigateReply
from clew.agents.replies.mending import (
    ChallengeReply,
    DocumentReply,
    FixReply,
    ReviewReply,
    TestReply,
)
from clew.agents.replies.parsing import parse, reported
from clew.agents.replies.planning import (
    ImplementReply,
    Move,
    PlanReply,
    SuperviseReply,
    SupervisorAction,
)

__all__ = [
    "ChallengeReply",
    "Changing",
    "DiagnosisReply",
    "DocumentReply",
    "FixReply",
    "ImplementReply",
    "InvestigateReply",
    "Move",
    "PlanReply",
    "Reply",
    "ReviewReply",
    "SuperviseReply",
    "SupervisorAction",
    "TestReply",
    "as_diagnosis",
    "edits",
    "parse",
    "reported",
]
