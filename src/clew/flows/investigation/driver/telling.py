"""A root cause in words, for whoever reviews it or writes the test of it."""

from __future__ import annotations

from clew.agents.prompts import ReportText
from clew.flows.investigation.states import DebugState

__all__ = ["report_of"]


def report_of(state: DebugState) -> ReportText:
    """Return the symptom and its cause."""
    cause, told = state.cause, state.symptoms
    rows = [("symptom", state.session.trigger), ("expected", told.expected)]
    rows += [("actual", told.actual), ("reproduction", told.reproduction)]
    if cause is not None:
        rows += [("root cause", cause.root_cause), ("fix direction", cause.fix_direction)]
        rows += [(each.file, each.issue) for each in cause.files]
    text = "\n\n".join(f"{name}: {text}" for name, text in rows if text)
    return ReportText(path=state.session.document, text=text)
