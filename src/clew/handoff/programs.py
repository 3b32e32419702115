"""Where the program of an agent is, at a price that a hook can pay."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from clew.handoff.agents import AgentProgram
    from clew.handoff.config import Config

__all__ = ["lacking", "located"]


def located(agent: AgentProgram, config: Config) -> str | None:
    """Return the path of the program that an agent is, or that the settings name; None if none."""
    name = config.program or agent.name
    folders = [""] if os.path.dirname(name) else os.get_exec_path()
    paths = (os.path.join(folder, name) for folder in folders)
    return next((path for path in paths if os.access(path, os.X_OK) and os.path.isfile(path)), None)


def lacking(agent: AgentProgram, config: Config, *, windowed: bool) -> str:
    """Return what keeps the next session from being started at all; nothing if it can be tried."""
    if config.backend == "tmux" and not windowed:
        return "the session does not run in tmux, and `backend` allows nothing else"
    if located(agent, config) is None:
        name = config.program or agent.name
        return f"{name} is not on the PATH; name it as `program` in the hand-off settings"
    return ""
