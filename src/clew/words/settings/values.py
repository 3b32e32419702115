"""What a session runs with, as one value."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from clew.words.declared import ASK
from clew.words.facts import Fact
from clew.words.layouts import CLEW
from clew.words.models import INHERIT, AgentRole
from clew.words.plans import PlanAgent

__all__ = [
    "OWN_FOLDER",
    "OWN_NAME",
    "OWN_PORT",
    "Budget",
    "Cap",
    "Price",
    "Settings",
    "TestSettings",
]

# The variables that name what a session has for itself.
OWN_NAME, OWN_PORT, OWN_FOLDER = "CLEW_PHASE", "CLEW_PHASE_PORT", "CLEW_PHASE_TMP"
SUPPORT = (AgentRole.DIAGNOSE.value, AgentRole.FIX.value, AgentRole.REVIEW.value)
UNREAD = ("sources", "variables")  # fields that no file sets

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
    variables: dict[str, str] = {}  # of this session alone; no file or option sets them
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
    plan_revisions: str = ASK
    merge_batch: int = 1
    layout: str = CLEW
    support_model: str = ""
    learnings: bool = True
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
    accept: str = "medium"
    gates: dict[str, str] = {}
    gate_timeout: float = 300.0
    debug_answers: dict[str, str] = {}  # by what is asked
    review: str = ""
    challenge: str = ""
    document: str = ""
    profile: str = INHERIT
    models: dict[str, str] = {}
    specialist_skills: dict[str, str] = {}
    ladder: dict[str, Cap] = {}
    prompts: dict[str, str] = {}  # a person's own templates, by role

    @property
    def budget(self) -> Budget:
        """What a round may take."""
        return Budget(seconds=self.max_seconds, tokens=self.max_tokens, usd=self.max_usd)

    @property
    def of_support(self) -> Settings:
        """The settings of a debugging session that helps a plan: by the model for that."""
        if not self.support_model:
            return self
        usual = dict.fromkeys(SUPPORT, self.support_model)
        return replace(self, models=usual | self.models)

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
    names = (name for name in TestSettings.__struct_fields__ if name not in UNREAD)
    return {name: getattr(settings, name) for name in names}
