"""The answer of an investigator: what it found out, and what it comes back with."""

from __future__ import annotations

from msgspec.structs import asdict

from clew.agents.form import UsageReply
from clew.words.investigations import Investigation

__all__ = ["InvestigateReply"]


class InvestigateReply(Investigation, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The JSON that an investigator prints."""

    usage: UsageReply = UsageReply()

    @property
    def told(self) -> Investigation:
        """What is kept of it."""
        fields = asdict(self)
        return Investigation(**{name: fields[name] for name in Investigation.__struct_fields__})
