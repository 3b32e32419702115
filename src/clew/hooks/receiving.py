"""What each hook does with what the agent tells it.

A payload is read by the fields that the agent's binaries send; one that is missing is not guessed.
"""

from __future__ import annotations

from clew.handoff.agents import AGENTS
from clew.handoff.markers import MARKER
from clew.handoff.quick import parse, table, text

__all__ = ["receive"]


def receive(name: str, payload: bytes) -> str:
    """Do what a hook's payload calls for; return what the agent is to read on stdout.

    Raises ValueError for a payload that is no JSON, KeyError for an agent that nobody knows.
    """
    agent = AGENTS[name]
    fields = table(parse(payload))
    if text(fields, "agent_id"):
        return ""  # a subagent's
    kind = agent.events.get(text(fields, "hook_event_name"))
    said = fields.get(agent.message)
    if kind is None or (kind == "stop" and isinstance(said, str) and MARKER not in said):
        return ""  # nearly every turn ends here
    from clew.hooks.handing import Hook

    hook = Hook(agent, fields)
    return {"start": hook.start, "stop": hook.stop, "end": hook.end}[kind]()
