"""Every setting: its name, its type, what it means, what it may be, and its option.

Options of commands are made from this table while a command line is read, so it needs nothing that
takes time to import.
"""

from __future__ import annotations

from typing import NamedTuple

from clew.words.layouts import LAYOUTS
from clew.words.models import PROFILES

__all__ = [
    "APPLY",
    "ASK",
    "BOUNDS",
    "BY_NAME",
    "CONFIDENCES",
    "DECLARED",
    "OFF",
    "REVISIONS",
    "Declared",
]

CONFIDENCES = "low", "medium", "high"  # of a diagnosis, the lowest first
REVISIONS = ASK, APPLY, OFF = "ask", "apply", "off"  # what is done with those of a plan
BOUNDS = ("max_seconds", "max_tokens", "max_usd")  # reaching one asks a person


class Declared(NamedTuple):
    """One setting: what it means, and what it may be."""

    name: str
    type: type
    help: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    brief: str = ""  # for its option, where `help` is too long
    metavar: str = ""  # of its option: N for a number, S for seconds, unless it is named

    @property
    def variable(self) -> str:
        return f"CLEW_{self.name.upper()}"

    @property
    def flag(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    @property
    def sentence(self) -> str:
        """What the option says."""
        text = self.brief or self.help
        return f"{text[0].upper()}{text[1:]}."


DECLARED = (
    Declared("test_command", str, "how the tests are run", metavar="COMMAND"),
    Declared(
        "junit",
        str,
        "where that command writes JUnit's XML: a path or pattern",
        brief="where that command writes JUnit's XML",
        metavar="PATTERN",
    ),
    Declared(
        "agent",
        list,
        "the ladder of agents, tried in this order",
        brief="the ladder of agents",
        metavar="NAME[,NAME…]",
    ),
    Declared("max_iterations", int, "iterations before you are asked", 1, 20),
    Declared("timeout", float, "seconds for one run of the tests", 1),
    Declared(
        "test_timeout",
        float,
        "seconds for one test; never more than half of what is left of `timeout`, "
        "and a twelfth in the function where another test hung",
        0.1,
        brief="seconds for one test",
    ),
    Declared(
        "rerun_seconds",
        float,
        "seconds to rerun red tests that may be flaky, before you are asked about them",
        0,
    ),
    Declared(
        "search_seconds",
        float,
        "seconds for a search of the built-in repairer",
        1,
        brief="seconds for a repair search",
    ),
    Declared("agent_timeout", float, "seconds for one call of an agent", 1),
    Declared("agent_idle_timeout", float, "seconds a streaming agent may stay silent", 1),
    Declared("agent_retries", int, "how often a failed call of an agent is tried again", 0, 5),
    Declared(
        "retry_wait",
        float,
        "seconds before a busy agent is called again; they double each time",
        0,
        60,
    ),
    Declared(
        "longest_wait",
        float,
        "longest wait for an agent's rate limit, in seconds; beyond it Clew asks the next agent, or"
        " you",
        0,
        3600,
    ),
    Declared(
        "on_invalid_report",
        str,
        "what follows when no agent gave a usable diagnosis: you are asked, or the next iteration"
        " begins",
        choices=("escalate", "fail_iteration"),
        brief="what follows when no diagnosis can be used: escalate, or fail_iteration",
        metavar="WORD",
    ),
    Declared(
        "max_seconds",
        float,
        "seconds of work before you are asked; no limit if unset",
        1,
        brief="seconds of work at most",
    ),
    Declared(
        "max_tokens",
        int,
        "tokens used by agents before you are asked; no limit if unset",
        1,
        brief="tokens of agents at most",
    ),
    Declared(
        "max_usd",
        float,
        "dollars spent on agents before you are asked; no limit if unset",
        0.01,
        brief="dollars of agents at most",
        metavar="N",
    ),
    Declared("iteration_max_seconds", float, "seconds of work in one iteration", 1),
    Declared("iteration_max_tokens", int, "tokens used by agents in one iteration", 1),
    Declared("iteration_max_usd", float, "dollars spent on agents in one iteration", 0.01),
    Declared("context_tokens", int, "largest prompt for an agent, in tokens", 8_000),
    Declared("bisect", bool, "look for the first bad commit before the first diagnosis"),
    Declared("token_counter", str, "how tokens are counted: estimate, o200k_base or cl100k_base"),
    Declared("memory", float, "memory each process of the tests may use, in GB", 0.1),
    Declared(
        "total_memory",
        float,
        "memory the tests may use together, in GB; three quarters of the machine's if unset",
        0.1,
    ),
    Declared(
        "cpu_seconds",
        float,
        "processor seconds each process of the tests may use; if unset an hour, or `timeout` times"
        " the machine's processors (at least eight) if that is more",
        1,
    ),
    Declared("processes", int, "processes and threads tests may have at once", 16),
    Declared("file_size", float, "largest file tests may write, in GB", 0.001),
    Declared("disk", float, "disk space tests may fill at once, in GB", 0.001),
    Declared(
        "agent_total_memory",
        float,
        "memory an agent and what it starts may use together, in GB; at most three quarters of the"
        " machine's",
        0.1,
    ),
    Declared(
        "agent_cpu_seconds",
        float,
        "processor seconds each process of an agent may use; if unset an hour, or `agent_timeout`"
        " times the machine's processors (at least eight) if that is more",
        1,
    ),
    Declared("agent_processes", int, "processes and threads an agent may have at once", 16),
    Declared("agent_file_size", float, "largest file an agent may write, in GB", 0.001),
    Declared("agent_disk", float, "disk space an agent may fill at once, in GB", 0.001),
    Declared("network", bool, "let tests reach the network"),
    Declared("pass_env", list, "environment variables that tests and agents may see"),
    Declared(
        "readable",
        list,
        "files and folders that tests and agents may read besides the project, installed packages"
        " and the system: `/srv/fixtures`, `~/.cache/models`",
    ),
    Declared(
        "agent_hosts",
        list,
        "hosts that agents may call besides their own: `api.example.com`, `*.example.com`, or with"
        " `:PORT`; one of your own commands may call every host unless you name some here",
    ),
    Declared(
        "agent_leave",
        list,
        "what an agent behind `acp:` is granted when it asks, besides what its role may do:"
        " execute, fetch, switch_mode, other; the sandbox applies all the same",
    ),
    Declared(
        "allow_unenforced",
        bool,
        "let an agent diagnose where nothing keeps it from writing; Clew then checks afterwards"
        " whether it wrote",
    ),
    Declared("commands", dict, "your own agents: name = command line"),
    Declared(
        "plan_agents",
        dict,
        "the agents behind the names in plans: name = { agent, model, writes }; `supervise` names"
        " the one that says what becomes of a phase that failed, `plan` the one that plans",
    ),
    Declared(
        "support_model",
        str,
        "the model, or its tier, of who helps phases of plans: debuggers, the supervisor, the"
        " planner; `models` and `plan_agents` come first",
        brief="the model of debuggers, supervisor and planner",
        metavar="MODEL",
    ),
    Declared(
        "learnings",
        bool,
        "whether what failed more than once in phases of plans is kept, and told to later phases",
    ),
    Declared(
        "merge_batch",
        int,
        "finished phases of a plan that are merged before the gates run; a red batch is bisected",
        1,
        16,
    ),
    Declared(
        "plan_revisions",
        str,
        "what is done with a revision of a plan that an agent proposes when a phase failed: you are"
        " asked (`ask`), it is taken (`apply`) unless it leaves something out, or none is made"
        " (`off`)",
        choices=REVISIONS,
    ),
    Declared(
        "layout",
        str,
        "whose files plans and the documents of their sessions, and those of debug sessions, are:"
        " Clew's own, or where another tool keeps them",
        brief="whose files plans and the documents of sessions are",
        choices=tuple(LAYOUTS),
        metavar="NAME",
    ),
    Declared(
        "prices",
        dict,
        "dollars for a million tokens, where an agent reports none: a pattern of agents or models ="
        " { input = 3.0, output = 15.0, cached = 0.3, cache_write = 3.75 }; the first two are"
        " required",
    ),
    Declared(
        "gates",
        dict,
        "your own gates: name = command line; the name of a detected gate, or of a kind"
        " (lint, types, build, tests, secrets), replaces it, and an empty line leaves it out",
    ),
    Declared(
        "gate_timeout",
        float,
        "seconds for one command of a gate",
        1,
        brief="seconds for one command",
    ),
    Declared("base_urls", dict, "where `llm` finds a server on this machine: provider = URL"),
    Declared(
        "debug_answers",
        dict,
        'answers that you give `clew debug` beforehand, by what it asks: fix = "now"; without'
        ' one it waits for you, and `verify = "confirmed"` lets a proof alone resolve a session',
    ),
    Declared(
        "accept",
        str,
        "from which confidence of the built-in repairer on its fix is accepted; below it you are"
        " asked, where the tests do not settle which of several changes is right",
        brief="how sure the repairer must be not to ask you",
        choices=CONFIDENCES,
        metavar="HOW",
    ),
    Declared(
        "review",
        str,
        "an agent that reviews proposals before they are applied; none if unset",
        brief="an agent that reads proposals first",
        metavar="NAME",
    ),
    Declared(
        "challenge",
        str,
        "an agent that looks for tests that a fix fails, once all tests pass and before the proof:"
        " `same` is the one that wrote the fix, `none` is nobody; if unset, or `auto`, it is `same`"
        " for a language model, and `none` for the built-in repairer and commands of yours",
        brief="an agent that looks for what a fix gets wrong; none: nobody",
        metavar="NAME",
    ),
    Declared(
        "document",
        str,
        "an agent that writes into the summary what happened, and why, once a fix is proven; none"
        " if unset",
        brief="an agent that writes what happened, at the end",
        metavar="NAME",
    ),
    Declared(
        "profile",
        str,
        "which models agents use; inherit leaves each as it is configured",
        choices=PROFILES,
        brief="which models agents use",
        metavar="NAME",
    ),
    Declared(
        "models",
        dict,
        "models by role: role = model, or cheap, middle, strong, inherit; or by role and agent:"
        " role = { claude = model, codex = model }",
    ),
    Declared(
        "specialist_skills",
        dict,
        "the skill that a specialist uses who reviews the cause in a debug session, by hint:"
        " python = name; an empty name is none",
    ),
    Declared(
        "ladder",
        dict,
        "what each agent may spend in a round: agent = { calls, max_seconds, max_tokens, max_usd }",
    ),
)

BY_NAME = {d.name: d for d in DECLARED}
