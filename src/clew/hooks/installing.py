"""Registers the hooks in an agent's settings, beside whatever else is there.

A settings file is merged, never written anew: keys, foreign hooks and their order stay. One that
cannot be read is an error, and is left as it is.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

from clew.handoff.agents import AgentProgram
from clew.sandbox.files import write_atomically
from clew.words.errors import ClewError

__all__ = [
    "ENTRY",
    "SettingsUnreadable",
    "command",
    "install",
    "installed",
    "merged",
    "settings_file",
    "settings_of",
    "uninstall",
    "without",
]

ENTRY = Path(__file__).with_name("__main__.py")
MARK = "clew/hooks/__main__.py"


class SettingsUnreadable(ClewError):
    """An agent's settings file is not what the agent itself could read; it is left as it is."""

    exit_code = 2
    page = "settings-unreadable"


def command(agent: AgentProgram) -> str:
    """Return the shell words that an agent runs at every event."""
    return shlex.join([sys.executable, "-I", "-S", str(ENTRY), agent.name])


def settings_file(agent: AgentProgram, project: Path | None) -> Path:
    """Return a project's settings file, or without one the person's own."""
    if project is not None:
        return project / agent.folder / "settings.json"
    moved = os.environ.get(agent.home)
    if agent.name == "claude" and moved:
        return Path(moved) / "settings.json"
    return Path(moved or Path.home()) / agent.folder / "settings.json"


def install(path: Path, agent: AgentProgram) -> bool:
    """Register the hooks in a file; return whether it changed. Raises SettingsUnreadable."""
    return _rewrite(path, lambda settings: merged(settings, agent))


def uninstall(path: Path) -> bool:
    """Take the hooks out of a file; return whether it changed. Raises SettingsUnreadable."""
    return path.exists() and _rewrite(path, without)


def installed(path: Path) -> dict[str, list[str]]:
    """Return the commands of ours in a file, by event. Raises SettingsUnreadable."""
    settings, _ = _read(path)
    return {
        event: found
        for event, groups in _hooks(settings, path).items()
        if (found := [hook["command"] for group in groups for hook in _own(group)])
    }


def settings_of(path: Path) -> dict[str, Any]:
    """Return what a file says; nothing for one that is not there. Raises SettingsUnreadable."""
    return _read(path)[0]


def merged(settings: dict[str, Any], agent: AgentProgram) -> dict[str, Any]:
    """Return settings with each hook of ours once, as it is now, behind all others."""
    hooks = dict(without(settings).get("hooks") or {})
    own = {"type": "command", "command": command(agent), "timeout": agent.timeout}
    entry = {**agent.notes, **own}
    for event in agent.events:
        hooks[event] = [*hooks.get(event, []), {"hooks": [entry]}]
    return {**settings, "hooks": hooks}


def without(settings: dict[str, Any]) -> dict[str, Any]:
    """Return settings without hooks of ours; what becomes empty by that goes too."""
    if not isinstance(settings.get("hooks"), dict):
        return settings
    hooks = {}
    for event, groups in settings["hooks"].items():
        kept = _foreign(groups) if isinstance(groups, list) else groups
        if kept or not groups:
            hooks[event] = kept
    if hooks or not settings["hooks"]:
        return {**settings, "hooks": hooks}
    return {name: value for name, value in settings.items() if name != "hooks"}


def _foreign(groups: list[Any]) -> list[Any]:
    kept = []
    for group in groups:
        own = _own(group)
        if not own:
            kept.append(group)
        elif rest := [hook for hook in group["hooks"] if hook not in own]:
            kept.append({**group, "hooks": rest})
    return kept


def _own(group: object) -> list[dict[str, Any]]:
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return [
        hook
        for hook in (hooks if isinstance(hooks, list) else [])
        if isinstance(hook, dict) and MARK in str(hook.get("command"))
    ]


def _hooks(settings: dict[str, Any], path: Path) -> dict[str, list[Any]]:
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(each, list) for each in hooks.values()):
        raise SettingsUnreadable(
            f"{path}: `hooks` is not a table of lists",
            hint="Fix it as the agent's documentation says; nothing was changed.",
        )
    return hooks


def _rewrite(path: Path, change: Any) -> bool:  # noqa: ANN401 -- settings in, settings out
    settings, source = _read(path)
    _hooks(settings, path)
    wanted = change(settings)
    if wanted == settings and list(wanted) == list(settings):
        return False
    text = json.dumps(wanted, indent=_indent(source), ensure_ascii=False)
    target = path.resolve()  # a link to it stays one
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
    write_atomically(target, (text + "\n").encode(), mode)
    return True


def _read(path: Path) -> tuple[dict[str, Any], str]:
    try:
        source = path.read_text("utf-8")
        settings = json.loads(source) if source.strip() else {}
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError) as error:
        raise SettingsUnreadable(
            f"{path} cannot be read: {error}",
            hint="Fix or move it, then try again; comments are not allowed here. Nothing was"
            " changed.",
        ) from error
    if not isinstance(settings, dict):
        raise SettingsUnreadable(
            f"{path} is not a JSON object", hint="Fix or move it, then try again."
        )
    return settings, source


def _indent(source: str) -> int | str:
    """Return how a file indents its first key; two spaces where nothing tells."""
    for line in source.splitlines()[1:]:
        blanks = line[: len(line) - len(line.lstrip())]
        if line.strip():
            return blanks if blanks.startswith("\t") else (len(blanks) or 2)
    return 2
