"""Any agent that speaks the Agent Client Protocol, by its official SDK.

backend       the agent: how it is started, and what is made of its answer
talking       messages over the pipes of a program that runs in the sandbox
conversation  one prompt and what comes of it; imports the SDK
permitting    what an agent that asks may do
"""

from clew.agents.acp.backend import Acp

__all__ = ["Acp"]
