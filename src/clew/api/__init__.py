"""Every command as a function, for whatever shows Clew: a terminal, a program, a page, a protocol.

A function takes and returns records. What it cannot do it raises, as an error of
`clew.words.errors` with what to do next. It prints nothing and asks nobody: a question that a
session waits with stands in its status, and `answer` answers it, now or after a restart. Whoever
wants to look on while a session is worked on hands in a `Watcher`.

`sessions` is always what `sessions_at` returns for a project, and `name` the id of a session, the
start of one, or None for the session that was last worked on. One process may hold several
projects; one `ProjectSessions` belongs to one thread.

Each name is loaded when it is first asked for, so that whoever only looks does not wait for what
work takes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.api.fixing import fix as fix
    from clew.api.looking import SessionDiff as SessionDiff
    from clew.api.looking import SessionRow as SessionRow
    from clew.api.looking import changed as changed
    from clew.api.looking import diff as diff
    from clew.api.looking import events as events
    from clew.api.looking import follow as follow
    from clew.api.looking import list_sessions as list_sessions
    from clew.api.looking import proof as proof
    from clew.api.looking import raw_events as raw_events
    from clew.api.looking import report as report
    from clew.api.looking import status as status
    from clew.api.plans import run_plan as run_plan
    from clew.api.projects import sessions_at as sessions_at
    from clew.api.projects import settings_for as settings_for
    from clew.api.summaries import ClaimSummary as ClaimSummary
    from clew.api.summaries import LeftOutFile as LeftOutFile
    from clew.api.summaries import ProofSummary as ProofSummary
    from clew.api.summaries import SessionSummary as SessionSummary
    from clew.api.summaries import SpentSummary as SpentSummary
    from clew.api.summaries import summary_of as summary_of
    from clew.api.working import answer as answer
    from clew.api.working import apply as apply
    from clew.api.working import pause as pause
    from clew.api.working import resume as resume
    from clew.api.working import rollback as rollback
    from clew.api.working import terminate as terminate
    from clew.api.working import work_on as work_on
    from clew.flows.debugging.sessions import exit_code as exit_code
    from clew.flows.debugging.sessions import is_applied as is_applied
    from clew.flows.debugging.sessions import load_state as load_state
    from clew.flows.debugging.states import State as State
    from clew.flows.debugging.states import fold as fold
    from clew.flows.debugging.working import check as check
    from clew.flows.debugging.working import proven as proven
    from clew.git.worktrees import Applied as Applied
    from clew.git.worktrees import Change as Change
    from clew.journal.store import Holder as Holder
    from clew.journal.streams import Listed as Listed
    from clew.journal.streams import Raw as Raw
    from clew.sessions import Delivery as Delivery
    from clew.sessions import ProjectSessions as ProjectSessions
    from clew.sessions import SessionStatus as SessionStatus
    from clew.sessions import Unwatched as Unwatched
    from clew.sessions import Watcher as Watcher

SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "A project": {
        "clew.api.projects": ("sessions_at", "settings_for"),
        "clew.sessions": ("ProjectSessions",),
    },
    "Work": {
        "clew.api.fixing": ("fix",),
        "clew.flows.debugging.working": ("check", "proven"),
        "clew.api.plans": ("run_plan",),
        "clew.api.working": (
            *("resume", "answer", "rollback", "terminate", "pause", "apply", "work_on"),
        ),
        "clew.sessions": ("Watcher", "Unwatched", "Delivery"),
        "clew.git.worktrees": ("Applied",),
    },
    "See what was done": {
        "clew.api.looking": (
            *("list_sessions", "status", "events", "follow", "raw_events", "diff", "changed"),
            *("proof", "report", "SessionRow", "SessionDiff"),
        ),
        "clew.api.summaries": (
            *("summary_of", "SessionSummary", "ProofSummary", "ClaimSummary", "SpentSummary"),
            "LeftOutFile",
        ),
        "clew.sessions": ("SessionStatus",),
        "clew.journal.streams": ("Listed", "Raw"),
        "clew.flows.debugging.sessions": ("load_state", "is_applied", "exit_code"),
        "clew.flows.debugging.states": ("State", "fold"),
        "clew.git.worktrees": ("Change",),
        "clew.journal.store": ("Holder",),
    },
}
"""What there is, by purpose: the modules that it is in, and its names there."""

_HOMES = {
    name: home for homes in SECTIONS.values() for home, names in homes.items() for name in names
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever is asked for
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted(_HOMES)
