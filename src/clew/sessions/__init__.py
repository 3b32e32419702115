"""The sessions of a project, of whatever kind: listed, found, and worked on as each kind does.

project_sessions    all sessions of one project
kinds               what each kind of session has to answer to
plans               plans on disk: read, known by a hash, approved
answers             what a person answers
delivery            what a session came to, put into the person's tree
nest                children, begun as processes of this program
run                 a session that this process works on
knowledge_base      what was fixed before, and what is learned
calling             one call of an agent, the same for every kind of session
table               the kinds that there are
recovery            a damaged journal, built anew
"""

from clew.sessions.delivery import deliver
from clew.sessions.kinds import (
    INTERRUPTED,
    UNWATCHED,
    Delivery,
    SessionKind,
    SessionStatus,
    Unwatched,
    Watcher,
)
from clew.sessions.nest import ProjectNest
from clew.sessions.project_sessions import ProjectSessions

__all__ = [
    "INTERRUPTED",
    "UNWATCHED",
    "Delivery",
    "ProjectNest",
    "ProjectSessions",
    "SessionKind",
    "SessionStatus",
    "Unwatched",
    "Watcher",
    "deliver",
]
