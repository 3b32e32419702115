"""How a project, and the person at this machine, want sessions to be handed off.

Two files of JSON, both optional:

    .planning/config.json                 the project's: `mode`, and `spawn` with the keys below
    ~/.config/clew/hand-off.json          the person's (XDG_CONFIG_HOME): the same keys, and more

A project may switch hand-off on and narrow it. What widens it stands in the person's file alone:
which program is started, with which arguments, and whether its permission prompts are skipped. A
repository that somebody else wrote can so start nothing but the agent that is used there anyway.
"""

from __future__ import annotations

import os

from clew.handoff.quick import flag, number, parse, table, text

__all__ = ["LIMITS", "PROJECT", "Config", "home_file", "load"]

PROJECT = ".planning/config.json"
COMMANDS = ("/gsd:*",)
START_SECONDS = 60.0
LEAVE_SECONDS = 10.0

# The most that a chain may use when nobody says less, or the person more.
LIMITS = {"max_depth": 10, "max_minutes": 480, "max_tokens": 5_000_000}
BACKENDS = ("auto", "tmux", "process")


class Config:
    """What holds for hand-offs in one folder. Never changed."""

    __slots__ = (
        "active",
        "arguments",
        "backend",
        "commands",
        "dry_run",
        "faults",
        "leave_seconds",
        "max_depth",
        "max_minutes",
        "max_tokens",
        "program",
        "reason",
        "skip_permissions",
        "start_seconds",
        "stop_at",
    )

    def __init__(
        self,
        *,
        active: bool = False,
        reason: str = "",
        commands: tuple[str, ...] = COMMANDS,
        limits: dict[str, float] | None = None,
        stop_at: tuple[str, ...] = (),
        backend: str = BACKENDS[0],
        dry_run: bool = False,
        program: str = "",
        arguments: tuple[str, ...] = (),
        skip_permissions: bool = False,
        start_seconds: float = START_SECONDS,
        leave_seconds: float = LEAVE_SECONDS,
        faults: tuple[str, ...] = (),
    ) -> None:
        limits = {**LIMITS, **(limits or {})}
        self.active = active  # sessions start each other; else the person is told what to type
        self.reason = reason  # why it is, or is not
        self.commands = commands  # what may be started; `*` ends a pattern
        self.max_depth = limits["max_depth"]  # hand-offs in a row
        self.max_minutes = limits["max_minutes"]  # from the first hand-off on
        self.max_tokens = limits["max_tokens"]  # spent by all sessions of the chain
        self.stop_at = stop_at  # commands before which a chain ends
        self.backend = backend
        self.dry_run = dry_run
        self.program = program  # "" is the agent's own name
        self.arguments = arguments  # of the program, before the command
        self.skip_permissions = skip_permissions
        self.start_seconds = start_seconds  # how long the next session may take to report
        self.leave_seconds = leave_seconds  # how long the source may take to leave, at each try
        self.faults = faults  # what in the files was not understood


def home_file() -> str:
    """Return the path of the person's own file."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.environ.get("HOME", "/"), ".config")
    return os.path.join(base, "clew", "hand-off.json")


def load(folder: str) -> Config:
    """Read both files for a project's folder. A fault in either makes it interactive."""
    faults: list[str] = []
    project = _read(os.path.join(folder, PROJECT), faults)
    person = _read(home_file(), faults)
    spawn = table(project.get("spawn", {}))
    if not isinstance(project.get("spawn", {}), dict):
        faults.append(f"{PROJECT}: spawn is not a table")
    limits = {name: _least(name, person, spawn, faults) for name in LIMITS}
    allowed = _words(person, "commands", faults)
    commands = COMMANDS if allowed is None else allowed
    if (narrow := _words(spawn, "commands", faults)) is not None:
        commands = _meet(commands, narrow)
    stop_at = (
        *(_words(person, "stop_at", faults) or ()),
        *(_words(spawn, "stop_at", faults) or ()),
    )
    arguments = _words(person, "arguments", faults) or ()
    backend = text(person, "backend") or text(spawn, "backend") or BACKENDS[0]
    for file, found, names in (
        (home_file(), person, ("dry_run", "skip_permissions")),
        (PROJECT, spawn, ("dry_run", "enabled")),
    ):
        faults += [
            f"{file}: {name} is neither true nor false"
            for name in names
            if name in found and not isinstance(found[name], bool)
        ]
    if backend not in BACKENDS:
        faults.append(f"backend {backend!r} is not one of {', '.join(BACKENDS)}")
    active, reason = _mode(project, spawn)
    return Config(
        active=active and not faults,
        reason=faults[0] if faults else reason,
        commands=commands,
        limits=limits,
        stop_at=stop_at,
        backend=backend,
        dry_run=bool(flag(person, "dry_run") or flag(spawn, "dry_run")),
        program=text(person, "program"),
        arguments=arguments,
        skip_permissions=flag(person, "skip_permissions") is True,
        start_seconds=number(person, "start_seconds") or START_SECONDS,
        leave_seconds=number(person, "leave_seconds") or LEAVE_SECONDS,
        faults=tuple(faults),
    )


def _mode(project: dict[str, object], spawn: dict[str, object]) -> tuple[bool, str]:
    mode, enabled = project.get("mode"), flag(spawn, "enabled")
    if enabled is False:
        return False, f"{PROJECT}: spawn.enabled is false"
    if enabled:
        return True, f"{PROJECT}: spawn.enabled is true"
    if mode == "yolo":
        return True, f"{PROJECT}: mode is yolo"
    if mode in (None, "interactive"):
        return False, "mode is interactive"
    return False, f"{PROJECT}: mode {mode!r} is neither yolo nor interactive"


def _read(path: str, faults: list[str]) -> dict[str, object]:
    try:
        with open(path, "rb") as file:
            found = parse(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        faults.append(f"{path} cannot be read: {error}")
        return {}
    if not isinstance(found, dict):
        faults.append(f"{path} is not a JSON object")
        return {}
    return found


def _least(
    name: str, person: dict[str, object], project: dict[str, object], faults: list[str]
) -> float:
    """Return a bound: the person's, or the common one; a project only lowers it."""
    bound: float = LIMITS[name]
    for source in (person, project):
        if name not in source:
            continue
        found = number(source, name)
        if found is None or found < 0:
            faults.append(f"{name} = {source[name]!r} is not a number of at least 0")
        else:
            bound = found if source is person else min(bound, found)
    return bound


def _words(source: dict[str, object], name: str, faults: list[str]) -> tuple[str, ...] | None:
    """Return a list of strings, or one text as a list; None if it is not there."""
    found = source.get(name)
    if found is None:
        return None
    words = [found] if isinstance(found, str) else found
    if isinstance(words, list) and all(isinstance(word, str) for word in words):
        return tuple(words)
    faults.append(f"{name} = {found!r} is not a list of strings")
    return ()


def _meet(wide: tuple[str, ...], narrow: tuple[str, ...]) -> tuple[str, ...]:
    """Return the patterns of the second list that the first one covers."""
    from clew.handoff.markers import allowed

    return tuple(
        each
        for each in narrow
        if each in wide
        or allowed(each.removesuffix("*"), tuple(w for w in wide if w.endswith("*")))
    )
