"""Agents: exchangeable, one class and one line in `table` each.

repair            built in, the default: searches for a patch, offline
claude[:MODEL]    Claude Code, without a terminal
gemini[:MODEL]    Gemini CLI, without a terminal
codex[:MODEL]     Codex, without a terminal
opencode[:PROVIDER/MODEL]   opencode, without a terminal
acp:LINE          any agent that speaks the Agent Client Protocol
llm:PROVIDER:MODEL          a model through its API, in Clew's own process
command:LINE      any program: prompt on standard input, JSON on standard output
replay:FILE       recorded answers, one JSON object a line; or a session's
NAME              a command of your own, from the setting `commands`

roles           what each is asked to do, one record a role; `launching` holds it to that
prompts         the words it is asked in
replies         the forms of its answers, read strictly
protocol        a call, and what a back-end promises
about           what a back-end can do
external_agent  programs that are asked in words and answer in JSON
cli_agent       coding agents of the command line, a process a call
launching       a program in the sandbox
login_copy      the person's login, lent
"""

from clew.agents.external_agent import ExternalAgent, charged
from clew.agents.protocol import Agent, Answer, Call, Done, Failing, Forgotten, Report, Work
from clew.agents.table import (
    BACK_ENDS,
    check,
    make,
    network,
    ready,
    unconfined_agents,
    unheld,
    unused_models,
    with_model,
)
from clew.words.facts import BUILT_IN

__all__ = [
    "BACK_ENDS",
    "BUILT_IN",
    "Agent",
    "Answer",
    "Call",
    "Done",
    "ExternalAgent",
    "Failing",
    "Forgotten",
    "Report",
    "Work",
    "charged",
    "check",
    "make",
    "network",
    "ready",
    "unconfined_agents",
    "unheld",
    "unused_models",
    "with_model",
]
