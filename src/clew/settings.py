"""Settings: declared once, here; the file key, the variable and the help derive from it.

A later source wins: default, `[tool.clew]` of pyproject.toml, clew.toml, a `CLEW_*` variable, a
flag of the command line. Every value remembers where it came from. A key that is not declared, or a
value of the wrong type, is an error that names the source, never ignored.
"""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from clew.errors import UsageError
from clew.models import INHERIT, PROFILES

__all__ = ["DECLARED", "Cap", "Declared", "Price", "Settings", "load"]

Dollars = Annotated[float, msgspec.Meta(ge=0)]
Whole = Annotated[int, msgspec.Meta(gt=0)]
Some = Annotated[float, msgspec.Meta(gt=0)]


class Cap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one agent may take of a round; None is without bound."""

    calls: Whole | None = None
    max_seconds: Some | None = None
    max_tokens: Whole | None = None  # in and out
    max_usd: Some | None = None


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Dollars for a million tokens; those of a cache cost as others do unless they are named."""

    input: Dollars
    output: Dollars
    cached: Dollars | None = None  # read from a cache
    cache_write: Dollars | None = None  # written to one


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a session runs with; `sources` says where each value came from."""

    test_command: str | None = None
    junit: str | None = None
    agent: tuple[str, ...] = ("repair",)
    max_iterations: int = 3
    timeout: float = 600.0
    test_timeout: float = 60.0
    search_seconds: float = 60.0
    agent_timeout: float = 600.0
    agent_idle_timeout: float = 300.0
    agent_retries: int = 2
    retry_wait: float = 0.5
    longest_wait: float = 900.0
    on_invalid_report: str = "escalate"
    memory: float = 8.0
    total_memory: float | None = None
    cpu_seconds: float | None = None
    processes: int = 4_096
    file_size: float = 4.0
    disk: float = 16.0
    agent_total_memory: float = 8.0
    agent_cpu_seconds: float | None = None
    agent_processes: int = 4_096
    agent_file_size: float = 4.0
    agent_disk: float = 16.0
    network: bool = False
    pass_env: tuple[str, ...] = ()
    agent_hosts: tuple[str, ...] = ()
    agent_leave: tuple[str, ...] = ()
    allow_unenforced: bool = False
    commands: dict[str, str] = {}
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
    review: str = ""
    document: str = ""
    profile: str = INHERIT
    models: dict[str, str] = {}
    ladder: dict[str, Cap] = {}
    prompts: dict[str, str] = {}  # a person's own templates, by role
    sources: dict[str, str] = {}


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
        "prices",
        dict,
        "dollars for a million tokens, where an agent tells none: a pattern of agents or models ="
        " { input = 3.0, output = 15.0, cached = 0.3, cache_write = 3.75 }, of which the first two"
        " are needed",
    ),
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
_BY_NAME = {d.name: d for d in DECLARED}
HUGE = 10**12
FOR_ONE_RUN = (ENVIRONMENT, COMMAND_LINE) = ("environment", "command line")
TEMPLATES, SUFFIX = ".clew/prompts", ".md.j2"
LARGEST = 4 << 20  # bytes of a file that is read for settings


def load(
    folders: tuple[Path, ...], environment: Mapping[str, str], flags: Mapping[str, object]
) -> Settings:
    """Merge all sources; files are looked for in `folders`, the later ones win.

    A flag of None was not given. Raises UsageError naming the source of what is wrong.
    """
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for source, found in (
        *_files(folders),
        (ENVIRONMENT, _variables(environment)),
        (COMMAND_LINE, {k: v for k, v in flags.items() if v is not None}),
    ):
        for name, value in found.items():
            values[name] = (_table if name in TABLES else _checked)(name, value, source)
            sources[name] = source
    prompts = _templates(folders)
    if prompts:
        sources["prompts"] = ", ".join(f"{TEMPLATES}/{role}{SUFFIX}" for role in prompts)
    return Settings(**values, prompts=prompts, sources=sources)


def _templates(folders: tuple[Path, ...]) -> dict[str, str]:
    """Return the templates of prompts that a person put in the place of Clew's own, by role."""
    found: dict[str, str] = {}
    for folder in dict.fromkeys(folders):
        for path in sorted((folder / TEMPLATES).glob(f"*{SUFFIX}")):
            try:
                found[path.name.removesuffix(SUFFIX)] = _text(path)
            except (OSError, ValueError) as error:
                why = getattr(error, "strerror", None) or str(error)
                raise UsageError(
                    f"{path} cannot be read: {why}", hint="Mend that file, or move it away."
                ) from error
    return found


def _files(folders: tuple[Path, ...]) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    for folder in dict.fromkeys(folders):
        for path, keys in (
            (folder / "pyproject.toml", ("tool", "clew")),
            (folder / "clew.toml", ()),
        ):
            if not path.exists():
                continue
            try:
                table: Any = tomllib.loads(_text(path))
            except (OSError, RecursionError, ValueError) as error:
                if not keys:
                    why = getattr(error, "strerror", None) or str(error)
                    raise UsageError(
                        f"{path} cannot be read: {why}", hint="Mend that file, or move it away."
                    ) from error
                continue  # a broken pyproject.toml is the tests' to report
            for key in keys:
                table = table.get(key, {}) if isinstance(table, dict) else {}
            if not isinstance(table, dict):
                raise UsageError(f"{path}: [{'.'.join(keys)}] is not a table")
            found.append((str(path), {k.replace("-", "_"): v for k, v in table.items()}))
    return found


def _text(path: Path) -> str:
    if not path.is_file():
        raise ValueError("it is not a file")
    if path.stat().st_size > LARGEST:
        raise ValueError(f"it is larger than {LARGEST >> 20} MB")
    return path.read_text("utf-8")


def _variables(environment: Mapping[str, str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for declared in DECLARED:
        text = environment.get(declared.variable)
        if text is None or declared.type is dict:
            continue
        found[declared.name] = _parsed(declared, text)
    return found


def _parsed(declared: Declared, text: str) -> object:
    if declared.type is list:
        return [word.strip() for word in text.split(",") if word.strip()]
    if declared.type is bool:
        known = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
        return known.get(text.lower(), text)
    try:
        return declared.type(text)
    except ValueError:
        return text


def _checked(name: str, value: object, source: str) -> object:
    declared = _BY_NAME.get(name)
    if declared is None:
        close = difflib.get_close_matches(name, _BY_NAME, 1)
        raise UsageError(
            f"{source}: there is no setting {name!r}",
            hint=f"Did you mean {close[0]!r}?" if close else "docs/reference/settings.md has all.",
        )
    if declared.type is float and type(value) is int:
        value = float(value) if abs(value) < HUGE else math.inf
    if declared.type is list and isinstance(value, str):
        value = _parsed(declared, value)
    good = type(value) is declared.type or (declared.type is list and isinstance(value, tuple))
    if isinstance(value, list | tuple):
        value = tuple(value)
        good = good and all(isinstance(w, str) for w in value) and bool(value or name != "agent")
    if isinstance(value, dict):
        good = good and all(isinstance(v, str) for v in value.values())
    if not good:
        raise UsageError(
            f"{source}: {name} = {value!r} is not {_kind(declared)}", hint=f"{declared.help}."
        )
    if declared.choices and value not in declared.choices:
        known = " or ".join(declared.choices)
        raise UsageError(f"{source}: {name} = {value!r} is not {known}", hint=f"{declared.help}.")
    if isinstance(value, float) and not abs(value) < HUGE:
        raise UsageError(f"{source}: {name} = {value} is no number to count with")
    if isinstance(value, int | float) and (
        (declared.least is not None and value < declared.least)
        or (declared.most is not None and value > declared.most)
    ):
        most = f" and at most {declared.most}" if declared.most is not None else ""
        raise UsageError(f"{source}: {name} = {value} must be at least {declared.least}{most}")
    return value


TABLES: dict[str, Any] = {
    "prices": dict[str, Price],
    "ladder": dict[str, Cap],
    "models": dict[str, str | dict[str, str]],
}


def _table(name: str, table: object, source: str) -> object:
    try:
        found = msgspec.convert(table, TABLES[name])
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{source}: {name} cannot be read: {error}", hint=f"{_BY_NAME[name].help}."
        ) from error
    return _flat(found) if name == "models" else found


def _flat(table: dict[str, str | dict[str, str]]) -> dict[str, str]:
    """Return a table of tables as one: `fix = { codex = "x" }` is `fix.codex = "x"`."""
    flat: dict[str, str] = {}
    for name, value in table.items():
        if isinstance(value, str):
            flat[name] = value
        else:
            flat |= {f"{name}.{key}": each for key, each in value.items()}
    return flat


def _kind(declared: Declared) -> str:
    words = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
    return words.get(declared.type, "a list of texts" if declared.type is list else "a table")
