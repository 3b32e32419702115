"""Every setting: its name, its type, what it means, what it may be, and what it is by default."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from clew.words.facts import Fact
from clew.words.models import INHERIT, PROFILES
from clew.words.plans import PlanAgent

__all__ = [
    "BY_NAME",
    "DECLARED",
    "Budget",
    "Cap",
    "Declared",
    "Price",
    "Settings",
    "TestSettings",
]

Dollars = Annotated[float, msgspec.Meta(ge=0)]
Whole = Annotated[int, msgspec.Meta(gt=0)]
Some = Annotated[float, msgspec.Meta(gt=0)]


class Budget(Fact, frozen=True, kw_only=True):
    """What may be spent until a person is asked; None is without bound."""

    seconds: float | None = None  # of agents, tests and proofs
    tokens: int | None = None  # in and out
    usd: float | None = None


class Cap(msgspec.Struct, frozen=True, kw_only=True):
    """What one agent may take of a round; None is without bound."""

    calls: Whole | None = None
    max_seconds: Some | None = None
    max_tokens: Whole | None = None  # in and out
    max_usd: Some | None = None

    @property
    def budget(self) -> Budget:
        return Budget(seconds=self.max_seconds, tokens=self.max_tokens, usd=self.max_usd)


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """Dollars for a million tokens; those of a cache cost as others do unless they are named."""

    input: Dollars
    output: Dollars
    cached: Dollars | None = None  # read from a cache
    cache_write: Dollars | None = None  # written to one


class TestSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What tests run with; `sources` says where each value came from.

    All values are written, so that a session keeps its own where a later Clew has other defaults.
    Keys that are not known here are passed over when it is read: another Clew may have them.
    """

    __test__ = False

    test_command: str | None = None
    junit: str | None = None  # where it writes JUnit's XML
    timeout: float = 600.0
    test_timeout: float = 60.0
    memory: float = 8.0  # GB, of each process
    total_memory: float | None = None  # GB, of all; three quarters of the machine's if None
    cpu_seconds: float | None = None  # of each process; an hour, or eight times the timeout
    processes: int = 4_096
    file_size: float = 4.0  # GB
    disk: float = 16.0  # GB
    network: bool = False
    pass_env: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    sources: dict[str, str] = {}


class Settings(TestSettings, frozen=True, kw_only=True):
    """What a session runs with."""

    agent: tuple[str, ...] = ("repair",)
    max_iterations: int = 3  # in a round
    search_seconds: float = 60.0
    rerun_seconds: float = 120.0
    agent_timeout: float = 600.0
    agent_idle_timeout: float = 300.0
    agent_retries: int = 2
    retry_wait: float = 0.5
    longest_wait: float = 900.0
    on_invalid_report: str = "escalate"
    agent_total_memory: float = 8.0
    agent_cpu_seconds: float | None = None
    agent_processes: int = 4_096
    agent_file_size: float = 4.0
    agent_disk: float = 16.0
    agent_hosts: tuple[str, ...] = ()
    agent_leave: tuple[str, ...] = ()
    allow_unenforced: bool = False
    commands: dict[str, str] = {}
    plan_agents: dict[str, PlanAgent] = {}
    prices: dict[str, Price] = {}
    base_urls: dict[str, str] = {}
    max_seconds: float | None = None
    max_tokens: int | None = None
    max_usd: float | None = None
    iteration_max_seconds: float | None = None
    iteration_max_tokens: int | None = None
    iteration_max_usd: float | None = None
    context_tokens: int = 50_000
    token_counter: str = "estimate"  # noqa: S105 - no secret
    bisect: bool = False
    gates: dict[str, str] = {}
    gate_timeout: float = 300.0
    review: str = ""
    document: str = ""
    profile: str = INHERIT
    models: dict[str, str] = {}
    ladder: dict[str, Cap] = {}
    prompts: dict[str, str] = {}  # a person's own templates, by role

    @property
    def budget(self) -> Budget:
        """What a round may take."""
        return Budget(seconds=self.max_seconds, tokens=self.max_tokens, usd=self.max_usd)

    @property
    def iteration_budget(self) -> Budget:
        """What one iteration may take."""
        return Budget(
            seconds=self.iteration_max_seconds,
            tokens=self.iteration_max_tokens,
            usd=self.iteration_max_usd,
        )

    @property
    def of_tests(self) -> TestSettings:
        """The part of them that tests run with."""
        values = _of_tests(self)
        sources = {name: source for name, source in self.sources.items() if name in values}
        return TestSettings(**values, sources=sources)

    def with_tests(self, read: TestSettings) -> Settings:
        """Return these settings with other ones of the tests, and where those came from."""
        values = _of_tests(read)
        kept = {name: source for name, source in self.sources.items() if name not in values}
        return replace(self, **values, sources=kept | read.sources)


def _of_tests(settings: TestSettings) -> dict[str, Any]:
    names = (name for name in TestSettings.__struct_fields__ if name != "sources")
    return {name: getattr(settings, name) for name in names}


class Declared(msgspec.Struct, frozen=True):
    """One setting: what it means, and what it may be."""

    name: str
    type: type
    help: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def variable(self) -> str:
        return f"CLEW_{self.name.upper()}"


DECLARED = (
    Declared("test_command", str, "how the project's tests are run"),
    Declared("junit", str, "where that command writes JUnit's XML: a path or pattern"),
    Declared("agent", list, "the ladder of agents, tried in this order"),
    Declared("max_iterations", int, "iterations before a person is asked", 1, 20),
    Declared("timeout", float, "seconds for one run of the tests", 1),
    Declared("test_timeout", float, "seconds for one test", 0.1),
    Declared(
        "rerun_seconds",
        float,
        "seconds for running red tests again that may fail by chance, before you are asked what"
        " they are",
        0,
    ),
    Declared("search_seconds", float, "seconds for a search of the built-in repairer", 1),
    Declared("agent_timeout", float, "seconds for one call of an agent", 1),
    Declared(
        "agent_idle_timeout",
        float,
        "seconds for which an agent that tells what it does may tell nothing",
        1,
    ),
    Declared("agent_retries", int, "how often a failed agent call is tried again", 0, 5),
    Declared("retry_wait", float, "seconds before a busy agent is called again, doubling", 0, 60),
    Declared(
        "longest_wait",
        float,
        "seconds for which an agent's rate limit is waited for; beyond that it is the next agent's"
        " turn, or yours",
        0,
        3600,
    ),
    Declared(
        "on_invalid_report",
        str,
        "what follows when no agent gave a diagnosis that can be used: you are asked, or the next"
        " iteration begins",
        choices=("escalate", "fail_iteration"),
    ),
    Declared("max_seconds", float, "seconds of work before you are asked; no bound if unset", 1),
    Declared("max_tokens", int, "tokens of agents before you are asked; no bound if unset", 1),
    Declared("max_usd", float, "dollars of agents before you are asked; no bound if unset", 0.01),
    Declared("iteration_max_seconds", float, "the same bound for one iteration: seconds", 1),
    Declared("iteration_max_tokens", int, "the same bound for one iteration: tokens", 1),
    Declared("iteration_max_usd", float, "the same bound for one iteration: dollars", 0.01),
    Declared("context_tokens", int, "tokens that no prompt of an agent exceeds", 8_000),
    Declared("bisect", bool, "look for the first bad commit before the first diagnosis"),
    Declared("token_counter", str, "how they are counted: estimate, o200k_base or cl100k_base"),
    Declared("memory", float, "GB of memory that each process of the tests may take", 0.1),
    Declared(
        "total_memory",
        float,
        "GB of memory that the tests may take together; three quarters of the machine's if unset",
        0.1,
    ),
    Declared(
        "cpu_seconds",
        float,
        "seconds of a processor that each process of the tests may take; an hour if unset, or, if"
        " that is more, `timeout` times the processors of the machine, at least eight",
        1,
    ),
    Declared("processes", int, "processes and threads that tests may have at one time", 16),
    Declared("file_size", float, "GB that a file may have that tests write", 0.001),
    Declared("disk", float, "GB that tests may have written at one time", 0.001),
    Declared(
        "agent_total_memory",
        float,
        "GB of memory that an agent and what it starts may take together, at most three quarters of"
        " the machine's",
        0.1,
    ),
    Declared(
        "agent_cpu_seconds",
        float,
        "seconds of a processor that each process of an agent may take; an hour if unset, or, if"
        " that is more, `agent_timeout` times the processors of the machine, at least eight",
        1,
    ),
    Declared(
        "agent_processes", int, "processes and threads that an agent may have at one time", 16
    ),
    Declared("agent_file_size", float, "GB that a file may have that an agent writes", 0.001),
    Declared("agent_disk", float, "GB that an agent may have written at one time", 0.001),
    Declared("network", bool, "let tests reach the network"),
    Declared("pass_env", list, "variables of the environment that tests and agents may see"),
    Declared(
        "readable",
        list,
        "files and folders that tests and agents may read beside the project, what is installed and"
        " the system: `/srv/fixtures`, `~/.cache/models`",
    ),
    Declared(
        "agent_hosts",
        list,
        "hosts that agents may call beside those of their own: `api.example.com`, `*.example.com`,"
        " or with `:PORT`; one of your own commands may call all hosts unless some are named here",
    ),
    Declared(
        "agent_leave",
        list,
        "what an agent behind `acp:` gets leave for when it asks, beside what its role may do:"
        " execute, fetch, switch_mode, other; the sandbox holds all the same",
    ),
    Declared(
        "allow_unenforced",
        bool,
        "let an agent diagnose where nothing keeps it from writing; afterwards that is checked",
    ),
    Declared("commands", dict, "agents of your own: name = command line"),
    Declared(
        "plan_agents",
        dict,
        "what the agents that plans name stand for: name = { agent, model, writes }",
    ),
    Declared(
        "prices",
        dict,
        "dollars for a million tokens, where an agent tells none: a pattern of agents or models ="
        " { input = 3.0, output = 15.0, cached = 0.3, cache_write = 3.75 }, of which the first two"
        " are needed",
    ),
    Declared(
        "gates",
        dict,
        "gates of your own: name = command line; the name of a gate that was found, or of a kind"
        " (lint, types, build, tests, secrets), replaces it, and an empty line leaves it out",
    ),
    Declared("gate_timeout", float, "seconds for one command of a gate", 1),
    Declared("base_urls", dict, "where `llm` finds a server of this machine: provider = URL"),
    Declared("review", str, "an agent that reads proposals before they are applied; none if unset"),
    Declared(
        "document",
        str,
        "an agent that tells in the summary what happened, and why, once a fix is proven; none if"
        " unset",
    ),
    Declared(
        "profile",
        str,
        "which models agents are asked to use; inherit leaves each as it is configured",
        choices=PROFILES,
    ),
    Declared(
        "models",
        dict,
        "models by role: role = model, or cheap, middle, strong, inherit; or by role and agent:"
        " role = { claude = model, codex = model }",
    ),
    Declared(
        "ladder",
        dict,
        "what each agent may take of a round: agent = { calls, max_seconds, max_tokens, max_usd }",
    ),
)


BY_NAME = {d.name: d for d in DECLARED}
