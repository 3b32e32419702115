"""Events of a session as a whole: its start and end, and the work begun and given up in it."""

from __future__ import annotations

from msgspec import field

from clew.words.events.parts import Budget
from clew.words.events.words import Status
from clew.words.records import Abandoned, Ended, Event, Interrupted, Opened, Outcome, Started
from clew.words.settings import Cap, Price

__all__ = [
    "RULES",
    "Abandoned",
    "DocumentWritten",
    "Event",
    "Interrupted",
    "SessionEnded",
    "SessionOpened",
    "SetUpRead",
    "Started",
]

RULES = 3
"""What counts as a repeat, as carried out and as disputed. Other moves for the same events are new
rules: sessions that were opened before keep theirs, since their journals hold what followed."""


class SessionOpened(Opened, frozen=True, kw_only=True):
    """A session starts; what is settled here holds for its whole life."""

    clew_version: str
    root: str
    path: str
    agents: tuple[str, ...]
    cap: int  # iterations in a round
    agent_retries: int
    on_invalid_report: str = "escalate"  # or fail_iteration
    test_command: str | None = None
    junit: str | None = None  # where it writes JUnit's XML
    runner_args: tuple[str, ...] = ()
    base: str = ""  # the commit that a child begins with; else it is the person's tree
    plan: str = ""  # the plan that it works for, and the phase of it
    phase: str = ""
    only: bool = False  # the proof, too, runs no more tests than these words choose
    timeout: float = 600.0
    test_timeout: float = 60.0
    search_seconds: float = 60.0
    rerun_seconds: float = 120.0
    agent_timeout: float = 600.0
    agent_idle_timeout: float = 300.0
    longest_wait: float = 900.0  # seconds that an agent's rate limit is waited for
    retry_wait: float = 0.5  # seconds before a busy agent is called again; they double
    memory: float = 8.0  # GB, of each process of the tests
    total_memory: float | None = None  # GB, of all of them; three quarters of the machine's
    cpu_seconds: float | None = None  # of each of them; an hour, or eight times the timeout
    processes: int = 4_096
    file_size: float = 4.0  # GB
    disk: float = 16.0  # GB
    agent_total_memory: float = 8.0  # the same of an agent
    agent_cpu_seconds: float | None = None
    agent_processes: int = 4_096
    agent_file_size: float = 4.0
    agent_disk: float = 16.0
    network: bool = False
    pass_env: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()  # files and folders that tests and agents may read besides
    agent_hosts: tuple[str, ...] = ()  # that agents may call beside those of their own
    agent_leave: tuple[str, ...] = ()  # what one that asks gets leave for, beside its role's
    unbounded: tuple[str, ...] = ()  # agents that may call every host
    unasked: tuple[str, ...] = ()  # models that are named for a role, and that nobody there takes
    allow_unenforced: bool = False  # agents may diagnose where nothing keeps them from writing
    commands: dict[str, str] = field(default_factory=dict)
    prices: dict[str, Price] = field(default_factory=dict)
    base_urls: dict[str, str] = field(default_factory=dict)
    budget: Budget = Budget()  # of a round
    iteration_budget: Budget = Budget()
    context_tokens: int = 50_000  # that no prompt exceeds
    token_counter: str = "estimate"  # noqa: S105 - no secret
    bisect: bool = False  # look for the first bad commit before the first diagnosis
    review: str = ""  # the agent that reads a proposal before it is applied
    document: str = ""  # the agent that tells what happened, once a fix is proven
    profile: str = "inherit"  # which models agents are asked to use
    models: dict[str, str] = field(default_factory=dict)  # by role, before the profile
    ladder: dict[str, Cap] = field(default_factory=dict)  # by agent
    prompts: dict[str, str] = field(default_factory=dict)  # a person's own templates, by role
    settings: dict[str, str] = field(default_factory=dict)  # where each value came from, for people
    rules: int = 1  # that it is judged by to its end: those of the day when it was opened


class SetUpRead(Event, frozen=True, kw_only=True):
    """The settings of the tests are read again, since no run of them counts yet."""

    test_command: str | None = None  # this and all others as when the session was opened
    junit: str | None = None
    timeout: float = 600.0
    test_timeout: float = 60.0
    memory: float = 8.0
    total_memory: float | None = None
    cpu_seconds: float | None = None
    processes: int = 4_096
    file_size: float = 4.0
    disk: float = 16.0
    network: bool = False
    pass_env: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)  # where each of these came from


class DocumentWritten(Outcome, frozen=True, kw_only=True):
    """A document for people stands at `path`."""

    kind: str
    path: str
    anchor: str = ""  # the place in it


class SessionEnded(Ended, frozen=True, kw_only=True):
    """Nothing more is to be done, unless a person reopens the session."""

    status: Status
    known_issues: tuple[str, ...] = ()
