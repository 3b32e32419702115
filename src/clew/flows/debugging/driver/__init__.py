"""The driver of debugging sessions.

debug_run      a session with its tools
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
settling      what a person decides, written down
asking        the calls of agents
fixing        what an agent changed, or Clew itself
measuring     runs of the tests
regressions   red with a change: broken by it, or by chance
resampling, examining, chance     which red tests are flaky, and why
steering      files that steer the tests
taking        tests that are gone or muted
surroundings  the files around a failure
"""

from clew.flows.debugging.driver.briefing import brief_for, first_brief, informed
from clew.flows.debugging.driver.closing import (
    note_applied,
    note_gone_back,
    note_taken_back,
    summary_meta,
)
from clew.flows.debugging.driver.debug_run import DebugRun
from clew.flows.debugging.driver.escalating import escalated
from clew.flows.debugging.driver.loop import drive, settle
from clew.flows.debugging.driver.performing import (
    keep_manual_edits,
    manual_edits_ref,
    with_later_progress,
)
from clew.flows.debugging.driver.settling import settled
from clew.flows.debugging.driver.surroundings import surrounded
from clew.flows.debugging.driver.viewing import iteration_views, session_view

__all__ = [
    "DebugRun",
    "brief_for",
    "drive",
    "escalated",
    "first_brief",
    "informed",
    "iteration_views",
    "keep_manual_edits",
    "manual_edits_ref",
    "note_applied",
    "note_gone_back",
    "note_taken_back",
    "session_view",
    "settle",
    "settled",
    "summary_meta",
    "surrounded",
    "with_later_progress",
]
