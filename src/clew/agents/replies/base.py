"""What every answer of an agent is made of."""

from __future__ import annotations

import msgspec

from clew.agents.form import Change, UsageReply

__all__ = ["Changing", "Reply"]


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What every agent may say beside its answer."""

    usage: UsageReply = UsageReply()


class Changing(Reply, frozen=True, kw_only=True):
    """An answer with changes, which are carried out by Clew."""

    changes: tuple[Change, ...] = ()

    @property
    def unready(self) -> str:
        """Why nothing is to be carried out; empty if there is no such reason."""
        return ""
