"""What an agent that asks for permission may do. The sandbox holds, whatever it says of its tools.

A `Judge` answers; the one here goes by a table, which a person may widen beforehand, so that nobody
has to be there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import msgspec

__all__ = ["GRANTED", "Choice", "Judge", "Wish", "by_policy"]

LOOKS = frozenset({"read", "search", "think"})
CHANGES = frozenset({"edit", "delete", "move"})
OTHER = "other"
GRANTED = ("execute", "fetch", "switch_mode", OTHER)
"""What a person may allow; whether files are changed is settled by the role."""
ALLOWING = ("allow_once", "allow_always")  # the least that serves comes first
REFUSING = ("reject_once", "reject_always")


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """One of the answers that an agent offers."""

    id: str
    kind: str


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent wants to do, in its words, and the answers that it takes."""

    kind: str  # of tool: read, edit, execute …; empty where it does not say
    title: str
    choices: tuple[Choice, ...]

    def answer(self, *, allowed: bool) -> str | None:
        """Return the id of the answer that says so; None where none does: a refusal as well."""
        return _first(self.choices, ALLOWING if allowed else REFUSING)


Judge = Callable[[Wish], bool]


def by_policy(*, edits: bool, granted: Collection[str] = ()) -> Judge:
    """Return a judge that allows to look, to change files where the role may, and what is granted.

    What does not say of which kind it is counts as another.
    """
    allowed = LOOKS | (CHANGES if edits else frozenset()) | frozenset(granted)
    return lambda wish: (wish.kind or OTHER) in allowed


def _first(choices: Sequence[Choice], kinds: tuple[str, ...]) -> str | None:
    return next((c.id for kind in kinds for c in choices if c.kind == kind), None)
