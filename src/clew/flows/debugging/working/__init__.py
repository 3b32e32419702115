"""Work on sessions: opened, gone on with, answered, taken back, ended.

Whoever works on a session holds it. What is settled when it is opened holds for its whole life.

starting       opened: by a person, or for a parent
set_up         what no session could be carried out with
resuming       gone on with
answering      a question answered
answers        what a person typed, as an answer
going_back     taken back to a checkpoint, or ended
held           a session in hand
"""

from clew.flows.debugging.working.answering import answer
from clew.flows.debugging.working.going_back import mark_of, roll_back, terminate
from clew.flows.debugging.working.resuming import resume
from clew.flows.debugging.working.set_up import check_settings
from clew.flows.debugging.working.starting import (
    ChildRequest,
    check_rival,
    earlier_session,
    start,
    work_as_child,
)

__all__ = [
    "ChildRequest",
    "answer",
    "check_rival",
    "check_settings",
    "earlier_session",
    "mark_of",
    "resume",
    "roll_back",
    "start",
    "terminate",
    "work_as_child",
]
