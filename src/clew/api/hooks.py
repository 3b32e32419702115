"""The hooks of an agent that carry a hand-off: registered, taken out, tried."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from clew.handoff import config, records
from clew.handoff.agents import AGENTS, AgentProgram
from clew.hooks import installing
from clew.hooks.hook_blockers import hook_blockers, places

__all__ = ["HookFinding", "examine_hooks", "install_hooks", "uninstall_hooks"]


class HookFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a hand-off needs."""

    name: str
    good: bool
    says: str


def install_hooks(folder: Path, agent: str = "claude", *, user: bool = False) -> tuple[Path, bool]:
    """Register the hooks of an agent in a project's settings, or in the user's.

    Return the file, and whether it was changed; whatever else it holds stays. Raises UsageError for
    settings that cannot be read.
    """
    path = _settings(folder, agent, user=user)
    return path, installing.install(path, AGENTS[agent])


def uninstall_hooks(
    folder: Path, agent: str = "claude", *, user: bool = False
) -> tuple[Path, bool]:
    """Take the hooks of an agent out of its settings, and nothing else; return as for install."""
    path = _settings(folder, agent, user=user)
    return path, installing.uninstall(path)


def _settings(folder: Path, agent: str, *, user: bool) -> Path:
    return installing.settings_file(AGENTS[agent], None if user else folder.resolve())


def examine_hooks(folder: Path, agent: str = "claude") -> Iterator[HookFinding]:
    """Look at what a hand-off in a folder needs, in the project's settings and in the user's.

    The hook is run, as the agent does it, with an event that calls for nothing.
    """
    for name, good, says in _findings(AGENTS[agent], folder):
        yield HookFinding(name=name, good=good, says=says)


def _findings(agent: AgentProgram, folder: Path) -> Iterator[tuple[str, bool, str]]:
    yield from _registered(agent, folder)
    yield _answers(agent)
    held = config.load(records.project_of(str(folder.resolve())))
    yield "mode", held.active, held.reason
    program = held.program or agent.name
    found = shutil.which(program)
    yield "program", found is not None, found or f"{program} is not on the PATH"
    tmux = shutil.which("tmux")
    inside = "this is a tmux window" if os.environ.get("TMUX") else "this is not a tmux window"
    yield (
        "tmux",
        tmux is not None or held.backend != "tmux",
        f"{tmux}; {inside}" if tmux else "not found: sessions start without a terminal",
    )


def _registered(agent: AgentProgram, folder: Path) -> Iterator[tuple[str, bool, str]]:
    wanted = installing.command(agent)
    found: dict[str, list[str]] = {}
    for path in places(agent, folder.resolve()):
        for event, commands in installing.installed(path).items():
            found.setdefault(event, []).extend(commands)
    for name, why in hook_blockers(agent, folder.resolve()):
        yield name, False, why
    missing = [event for event in agent.events if event not in found]
    stale = sorted({each for many in found.values() for each in many if each != wanted})
    install = "`clew hooks install`"
    if agent.name != "claude":
        install = f"`clew hooks install --agent {agent.name}`"
    if missing:
        yield "hooks", False, f"not registered: {', '.join(missing)}; {install}"
    elif stale:
        yield "hooks", False, f"another Clew's: {stale[0]}; {install}"
    else:
        yield "hooks", True, f"registered: {', '.join(agent.events)}"


def _answers(agent: AgentProgram) -> tuple[str, bool, str]:
    """Run the hook as the agent does, with an event that calls for nothing."""
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(installing.ENTRY), agent.name],
        input=b'{"hook_event_name": "Verify"}',
        capture_output=True,
        check=False,
    )
    took = (time.perf_counter() - begun) * 1000
    good = (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    return "hook", good, f"answers in {took:.0f} ms" if good else done.stderr.decode()[-300:]
