"""The driver of debugging sessions.

workshop      a session with its tools
loop          decide, carry out, journal; again
performing    one hand an intent
reconciling   one probe an intent: what became of it?
proving       the proof that a fix must carry
viewing       the state, as documents show it
documenting   the documents on disk
briefing      what an agent is told
"""

from clew.debugging.documenting import own_folder, summary_meta
from clew.debugging.loop import drive, settle
from clew.debugging.performing import keep_hands
from clew.debugging.viewing import session_view
from clew.debugging.workshop import Watcher, Workshop

__all__ = [
    "Watcher",
    "Workshop",
    "drive",
    "keep_hands",
    "own_folder",
    "session_view",
    "settle",
    "summary_meta",
]
