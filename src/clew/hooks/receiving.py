"""What each hook does with what the agent tells it.

A payload is read by the fields that the agent's binaries send; one that is missing is not guessed.
"""

from __future__ import annotations

from clew.handoff.agents import AGENTS
from clew.handoff.markers import MARKER
from clew.handoff.quick import parse, table, text, write
from clew.handoff.records import HandoffStore, project_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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
    if kind is None:
        return ""
    if kind == "stop" and isinstance(said, str) and MARKER not in said:
        return _failure(fields)  # nearly every turn ends here
    from clew.hooks.handing import Hook

    hook = Hook(agent, fields)
    answer = {"start": hook.start, "stop": hook.stop, "end": hook.end}[kind]()
    return answer or (_failure(fields) if kind == "stop" else "")


def _failure(fields: Mapping[str, object]) -> str:
    """Tell whoever goes on in a session why its last hand-off came to nothing."""
    desk = HandoffStore(project_of(text(fields, "cwd") or "."))
    words = desk.failure(text(fields, "session_id"))
    return write({"systemMessage": f"clew: {words}"}) if words else ""
