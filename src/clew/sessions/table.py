"""The kinds of session that there are, one line each; each is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

from clew.journal.flow import Flow
from clew.sessions import SessionKind
from clew.words.errors import UsageError
from clew.words.records import DEBUGGING

__all__ = ["KINDS", "flow_named", "kind_named"]

KINDS = {
    DEBUGGING: "clew.flows.debugging.kind",
    "investigation": "clew.flows.investigation.kind",
    "plan": "clew.flows.plan.kind",
    "phase": "clew.flows.plan.phases.kind",
}


def flow_named(name: str) -> Flow[Any, Any]:
    """Return the flow of a kind of session. Raises UsageError for one of a newer Clew."""
    return kind_named(name).FLOW


def kind_named(name: str) -> SessionKind:
    """Return a kind of session by its name. Raises UsageError for one of a newer Clew."""
    if name not in KINDS:
        raise UsageError(
            f"this Clew knows no session of the kind {name!r}",
            hint="Open it with the version that wrote it.",
        )
    return cast("SessionKind", import_module(KINDS[name]))
