"""The driver of debugging sessions.

workshop      a session with its tools
loop          decide, carry out, journal; again
performing    one hand an intent
reconciling   one probe an intent: what became of it?
proving       the proof that a fix must carry
viewing       the state, as documents show it
documenting   the documents on disk
escalating    what a person is told when the loop hands over
closing       the summary, and the last words of the reports
learning      what a proven fix taught, in the knowledge base
briefing      what an agent is told
surroundings  the files around a failure
"""

from clew.debugging.briefing import brief_for, first_brief, informed
from clew.debugging.closing import note_applied, summary_meta
from clew.debugging.documenting import own_folder
from clew.debugging.escalating import escalated
from clew.debugging.loop import drive, settle
from clew.debugging.performing import hands_ref, keep_hands
from clew.debugging.surroundings import surrounded
from clew.debugging.viewing import iteration_views, session_view
from clew.debugging.workshop import Watcher, Workshop

__all__ = [
    "Watcher",
    "Workshop",
    "brief_for",
    "drive",
    "escalated",
    "first_brief",
    "hands_ref",
    "informed",
    "iteration_views",
    "keep_hands",
    "note_applied",
    "own_folder",
    "session_view",
    "settle",
    "summary_meta",
    "surrounded",
]
