"""What a phase tells those that come after it."""

from __future__ import annotations

from collections.abc import Mapping

from clew.words.facts import Fact

__all__ = ["NO_CONTEXT", "DownstreamContext", "downstream_context"]

ABSENT = frozenset({"", "none", "n/a", "not applicable"})


class DownstreamContext(Fact, frozen=True, kw_only=True):
    """What later phases have to know of one; no entry is empty, or says that there is none."""

    key_interfaces_introduced: tuple[str, ...] = ()
    patterns_established: tuple[str, ...] = ()
    integration_points: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


NO_CONTEXT = DownstreamContext()


def downstream_context(told: object) -> DownstreamContext:
    """Return what was told in the form in which it is kept, whatever its own form.

    Each field is a text or a list of them. Texts are trimmed; what is no text, an unknown field,
    and a text that only says "none" are left out. What is in that form already stays as it is.
    """
    if isinstance(told, DownstreamContext):
        told = {name: getattr(told, name) for name in told.__struct_fields__}
    if not isinstance(told, Mapping):
        return NO_CONTEXT
    known = DownstreamContext.__struct_fields__
    return DownstreamContext(**{name: _entries(told[name]) for name in known if name in told})


def _entries(told: object) -> tuple[str, ...]:
    each = (told,) if isinstance(told, str) else told if isinstance(told, list | tuple) else ()
    trimmed = (text.strip() for text in each if isinstance(text, str))
    return tuple(text for text in trimmed if text.lower() not in ABSENT)
