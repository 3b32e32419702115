"""An order: one hand-off, as a hook or a person asks for it and the courier carries it out."""

from __future__ import annotations

import os
import time

from clew.handoff.quick import flag, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.handoff.quick import Value

__all__ = ["Order", "new_chain"]


class Order:
    """What is to be started where, and whom it follows. Never changed."""

    __slots__ = (
        "agent",
        "chain",
        "command",
        "ended",
        "folder",
        "pane",
        "session",
        "tmux",
        "transcript",
        "typed",
    )

    def __init__(
        self,
        *,
        agent: str,
        chain: str,
        command: str,
        folder: str,
        pane: str = "",
        session: str = "",
        transcript: str = "",
        typed: str = "",
        tmux: str = "",
        ended: bool = False,
    ) -> None:
        self.agent = agent
        self.chain = chain
        self.command = command
        self.folder = folder  # where the next session starts
        self.pane = pane  # of the source; empty if it has no terminal
        self.tmux = tmux  # its server, as `$TMUX` says it
        self.session = session  # the source; empty if a person started the chain
        self.transcript = transcript  # of the source
        self.typed = typed  # the record of its transcript that led to this
        self.ended = ended  # the source has left, or is not to leave

    def record(self) -> dict[str, Value]:
        """Return it as a flat record."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of(cls, record: Mapping[str, object]) -> Order:
        """Read a record back; what is missing is empty."""
        words = {name: text(record, name) for name in cls.__slots__ if name != "ended"}
        return cls(**words, ended=flag(record, "ended") is True)


def new_chain() -> str:
    """Return a name for a chain; names sort by time."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{os.urandom(2).hex()}"
