"""The front matter: the source's keys, and ours."""

from __future__ import annotations

from math import inf
from typing import Any

from msgspec.structs import asdict

from clew.documents.front_matter import DocumentUnreadable
from clew.words.debug_sessions import Aim, DebugBounds, DebugDocument, DebugStatus, PendingQuestion

__all__ = ["front_of", "keys_read"]


def front_of(document: DebugDocument) -> dict[str, Any]:
    """Return the front matter as plain values, in the order in which they are written."""
    bounds = {n: value for n, value in asdict(document.bounds).items() if value is not None}
    front: dict[str, Any] = {
        "status": str(document.status),
        "trigger": document.trigger,
        "created": document.created,
        "updated": document.updated,
        "goal": str(document.goal),
        "tdd": document.tdd,
        **({"session": document.session} if document.session else {}),
        "cycles": {"investigation": document.cycles, "fix": document.fixes},
        **({"bounds": bounds} if bounds else {}),
    }
    asked = document.question
    if asked is not None:
        answers = list(asked.answers)
        front["question"] = {"about": asked.about, "text": asked.text, "answers": answers}
    return front


def keys_read(keys: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the record that are in the front matter. Raises DocumentUnreadable."""
    cycles = _map(keys.get("cycles"))
    return {
        "status": _status(keys.get("status")),
        "trigger": _trigger(keys),
        "created": _text(keys.get("created")),
        "updated": _text(keys.get("updated")),
        "session": _text(keys.get("session")),
        "goal": Aim.FIND if keys.get("goal") == Aim.FIND else Aim.FIX,
        "tdd": keys.get("tdd") is True,
        "cycles": _number(cycles.get("investigation")),
        "fixes": _number(cycles.get("fix")),
        "bounds": _bounds(_map(keys.get("bounds"))),
        "question": _question(_map(keys.get("question"))),
    }


def _status(said: object) -> DebugStatus:
    try:
        return DebugStatus(str(said))
    except ValueError as error:
        raise DocumentUnreadable(
            f"{said!r} is no status of a debug session",
            hint=f"It is one of {', '.join(DebugStatus)}.",
        ) from error


def _trigger(keys: dict[str, Any]) -> str:
    if not (trigger := _text(keys.get("trigger"))):
        raise DocumentUnreadable(
            "the front matter has no `trigger`", hint="Say there what was first seen, in a line."
        )
    return trigger


def _text(said: object) -> str:
    return "" if said is None or isinstance(said, dict | list) else str(said)


def _map(said: object) -> dict[str, Any]:
    return said if isinstance(said, dict) else {}


def _number(said: object) -> int:
    return said if isinstance(said, int) and not isinstance(said, bool) and said > 0 else 0


def _bounds(said: dict[str, Any]) -> DebugBounds:
    """Return the bounds that are numbers above 0; others bound nothing."""
    return DebugBounds(
        max_iterations=_number(said.get("max_iterations")) or None,
        max_seconds=_amount(said.get("max_seconds")),
        max_tokens=_number(said.get("max_tokens")) or None,
        max_usd=_amount(said.get("max_usd")),
    )


def _amount(said: object) -> float | None:
    if isinstance(said, bool) or not isinstance(said, int | float):
        return None
    return said if 0 < said < inf else None


def _question(said: dict[str, Any]) -> PendingQuestion | None:
    answers = said.get("answers")
    if not said:
        return None
    return PendingQuestion(
        about=_text(said.get("about")),
        text=_text(said.get("text")),
        answers=tuple(map(_text, answers)) if isinstance(answers, list) else (),
    )
