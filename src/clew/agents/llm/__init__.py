"""A model asked through its provider's API, with tools of Clew's own.

backend    the agent
asking     one conversation: an answer that holds, or a failure of a known kind
providers  whom a model's name is asked from, where, and with which key
tools      what the model may do: look, and for a fix edit
tree       the files of a worktree, out of which no path leads
"""

from clew.agents.llm.backend import Llm

__all__ = ["Llm"]
