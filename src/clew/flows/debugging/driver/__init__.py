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

from clew.flows.debugging.driver.briefing import brief_for, first_brief, informed
from clew.flows.debugging.driver.closing import note_applied, summary_meta
from clew.flows.debugging.driver.documenting import own_folder
from clew.flows.debugging.driver.escalating import escalated
from clew.flows.debugging.driver.loop import drive, settle
from clew.flows.debugging.driver.performing import hands_ref, keep_hands
from clew.flows.debugging.driver.surroundings import surrounded
from clew.flows.debugging.driver.viewing import iteration_views, session_view
from clew.flows.debugging.driver.workshop import Watcher, Workshop

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
