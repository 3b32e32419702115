"""The front matter of a plan's session: its keys and values, in the order of their source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from msgspec.structs import asdict, replace

from clew.documents.front_matter import DocumentUnreadable, clean, converted
from clew.words.phases import (
    ErrorKind,
    PhaseError,
    PhaseRecord,
    SessionRecord,
    TokenCount,
    TokenUsage,
    downstream_context,
)
from clew.words.plans import shown

__all__ = ["front_of", "keys_of", "record_of"]

NAME = re.compile(r"[a-zA-Z0-9_-]+")
TIMES = ("created", "updated", "started", "completed", "timestamp")
UNATTRIBUTED = "unattributed"  # tokens that a document has in its totals alone
SECTIONS = 4096  # phases whose keys are kept: what did not change is not made again
LATER = frozenset(
    {"planned_files", "downstream_context", "requires_reconciliation", "reconciliation_reason"}
)


def front_of(session: SessionRecord) -> dict[str, Any]:
    """Return the front matter as plain values; a phase that did not change is the same object."""
    head: dict[str, Any] = clean(
        {
            "session_id": session.session_id,
            "task": session.task,
            "created": session.created,
            "updated": session.updated,
            "status": session.status,
            "workflow_mode": session.workflow_mode,
            "design_document": session.design_document,
            "implementation_plan": session.implementation_plan,
            "current_phase": session.current_phase,
            "total_phases": session.total_phases,
            "execution_mode": session.execution_mode,
            "execution_backend": session.execution_backend,
            "current_batch": session.current_batch,
            "task_complexity": session.task_complexity,
            "token_usage": {
                **{f"total_{kind}": n for kind, n in asdict(session.token_usage.total).items()},
                "by_agent": {a: asdict(n) for a, n in session.token_usage.by_agent.items()},
            },
        }
    )
    return {**head, "phases": [keys_of(phase) for phase in session.phases]}


def keys_of(phase: PhaseRecord, *, later: bool = True) -> dict[str, Any]:
    """Return the keys of one phase; those of its log are none, `later` ones came with others."""
    keys = _keys_of(phase)
    return keys if later else {name: keys[name] for name in keys if name not in LATER}


@lru_cache(SECTIONS)
def _keys_of(phase: PhaseRecord) -> dict[str, Any]:
    keys: dict[str, Any] = clean(
        {
            "id": phase.id,
            "name": phase.name,
            "status": phase.status,
            "agents": phase.agents,
            "parallel": phase.parallel,
            "started": phase.started,
            "completed": phase.completed,
            "blocked_by": phase.blocked_by,
            "files_created": phase.files_created,
            "files_modified": phase.files_modified,
            "files_deleted": phase.files_deleted,
            "planned_files": phase.planned_files,
            "downstream_context": asdict(phase.downstream_context),
            "errors": [asdict(error) for error in phase.errors],
            "retry_count": phase.retry_count,
            "requires_reconciliation": phase.requires_reconciliation,
            "reconciliation_reason": phase.reconciliation_reason,
        }
    )
    return keys


def record_of(front: Mapping[str, Any]) -> SessionRecord:
    """Return the session that a front matter of any writer describes.

    Raises DocumentUnreadable, naming the key, for an invalid value. Keys that are
    missing or unknown are no fault; what of the errors is not understood is kept as their message.
    """
    known = {key: front[key] for key in SessionRecord.__struct_fields__ if key in front}
    known["phases"] = [_phase(each) for each in _list(front, "phases")]
    known["token_usage"] = {}
    session = converted(_timed(known), SessionRecord)
    if not NAME.fullmatch(session.session_id):
        raise DocumentUnreadable(
            f"session_id: {session.session_id!r} is not a valid session name",
            hint="It is made of letters, digits, `-` and `_`.",
        )
    _ensure_ids(session)
    return replace(session, token_usage=_usage(front.get("token_usage")))


def _phase(raw: object) -> object:
    if not isinstance(raw, Mapping):
        return raw
    known = {key: raw[key] for key in PhaseRecord.__struct_fields__ if key in raw}
    known |= {"errors": [_error(each) for each in _list(raw, "errors")]}
    known["downstream_context"] = asdict(downstream_context(raw.get("downstream_context")))
    return _timed({k: v for k, v in known.items() if k not in ("outputs", "validation")})


def _error(raw: object) -> dict[str, Any]:
    """Return the fields of an error; other tools write whatever they like there."""
    if not isinstance(raw, Mapping):
        raw = {"message": raw}
    known = {key: raw[key] for key in PhaseError.__struct_fields__ if raw.get(key) is not None}
    kind = str(known.get("type", ""))
    return {
        "timestamp": None,
        **known,
        "agent": str(known.get("agent", "unknown")),
        "type": kind if kind in list(ErrorKind) else ErrorKind.RUNTIME,
        "message": str(known.get("message", "")),
        "resolution": str(known.get("resolution", "pending")),
        "resolved": known.get("resolved") is True,
    }


def _timed(keys: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is null, and make times of their texts."""
    return {
        key: _instant(key, value) if key in TIMES else value
        for key, value in keys.items()
        if value is not None
    }


def _instant(key: str, value: object) -> datetime:
    try:
        at = datetime.fromisoformat(str(value).strip())
        return at.replace(tzinfo=at.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise DocumentUnreadable(
            f"{key}: {str(value)[:40]!r} is not a time",
            hint="Write it as in 2026-03-14T09:26:53Z, or null.",
        ) from error


def _ensure_ids(session: SessionRecord) -> None:
    """Raise DocumentUnreadable for an id that is none, or that two phases have."""
    for phase in session.phases:
        named = session.find(phase.id)
        if phase.id == "" or (isinstance(phase.id, int) and phase.id < 1):
            raise DocumentUnreadable(
                f"phases: {phase.id!r} is not a valid phase id",
                hint="It is a whole number from 1 on, or a text.",
            )
        if named is not phase:
            raise DocumentUnreadable(
                f"phases: two have the id {shown(phase.id)}", hint="Give one of them another."
            )


def _usage(raw: object) -> TokenUsage:
    """Return the tokens by agent; what the totals have beyond them is nobody's in particular."""
    if not isinstance(raw, Mapping):
        return TokenUsage()
    agents = raw.get("by_agent")
    by_agent = {
        str(agent): TokenCount(
            **{kind: _count(count, kind) for kind in ("input", "output", "cached")}
        )
        for agent, count in (agents.items() if isinstance(agents, Mapping) else ())
        if isinstance(count, Mapping)
    }
    usage = TokenUsage(by_agent=by_agent)
    beyond = TokenCount(
        **{
            kind: _beyond(_count(raw, f"total_{kind}"), known)
            for kind, known in asdict(usage.total).items()
        }
    )
    return usage.plus(UNATTRIBUTED, beyond) if beyond != TokenCount() else usage


def _beyond(whole: int | None, known: int | None) -> int | None:
    if known is None:
        return 0  # what an agent leaves unknown is nobody else's
    return None if whole is None else max(0, whole - known)


def _count(keys: Mapping[str, Any], name: str) -> int | None:
    value = keys.get(name, 0)
    if value is None:
        return None
    return max(0, int(value)) if isinstance(value, int | float) else 0


def _list(keys: Mapping[str, Any], name: str) -> list[Any]:
    value = keys.get(name)
    if value is None or isinstance(value, list):
        return value or []
    raise DocumentUnreadable(
        f"{name}: {str(value)[:40]!r} is not a list", hint="Correct that key, or make it []."
    )
