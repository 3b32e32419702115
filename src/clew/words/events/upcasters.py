"""Events of former versions, led step by step to those of today.

What stands here is about events as they once were: it knows nothing of what they are now.
"""

from __future__ import annotations

from typing import Any

import msgspec

from clew.words.codec import Upcaster

__all__ = ["UPCASTERS"]

Fields = dict[str, Any]

_OPENING = frozenset(
    {"type", "session_id", "goal", "kind", "parent", "number", "clew_version", "root", "path"}
    | {"runner_args", "base", "plan", "phase", "only", "unbounded", "unasked", "rules"}
)
_RENAMED = {"agents": "agent", "cap": "max_iterations", "settings": "sources"}
_BUDGETS = {"budget": "max", "iteration_budget": "iteration_max"}


def _opened(fields: Fields) -> Fields:
    """Up to version 3 each setting was a field of the opening event, some by other names."""
    bounds = {
        f"{prefix}_{name}": bound
        for budget, prefix in _BUDGETS.items()
        for name, bound in msgspec.convert(fields.pop(budget, {}), Fields).items()
    }
    return _gathered(fields | bounds, _OPENING)


def _read(fields: Fields) -> Fields:
    """Up to version 3 each setting of the tests was a field of the event."""
    return _gathered(fields, frozenset({"type"}))


def _gathered(fields: Fields, own: frozenset[str]) -> Fields:
    settings = {_RENAMED.get(k, k): value for k, value in fields.items() if k not in own}
    return {k: value for k, value in fields.items() if k in own} | {"settings": settings}


_CALLS = {"Diagnose": "diagnose", "Review": "review", "ApplyFix": "fix", "Narrate": "document"}


def _begun(fields: Fields) -> Fields:
    """Up to version 4 a call of an agent was an intent of its own for each role."""
    intent = msgspec.convert(fields.get("intent"), Fields)
    role = _CALLS.get(str(intent.get("do")))
    called = {"do": "CallAgent", "role": role} if role else {}
    return fields | {"intent": intent | called}


UPCASTERS: dict[tuple[str, int], Upcaster] = {
    ("SessionOpened", 3): _opened,
    ("SetUpRead", 3): _read,
    ("Started", 4): _begun,
    ("Abandoned", 4): _begun,
}
"""(type, version it was written with) → a function to the next version's fields."""
