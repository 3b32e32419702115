"""The kinds of session that there are, one line each; each is loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import cast

from clew.sessions import SessionKind
from clew.words.errors import UsageError
from clew.words.records import DEBUGGING

__all__ = ["KINDS", "kind_named"]

KINDS = {
    DEBUGGING: "clew.flows.debugging.kind",
}


def kind_named(name: str) -> SessionKind:
    """Return a kind of session by its name. Raises UsageError for one of a newer Clew."""
    if name not in KINDS:
        raise UsageError(
            f"this Clew knows no session of the kind {name!r}",
            hint="Open it with the version that wrote it.",
        )
    return cast("SessionKind", import_module(KINDS[name]))
