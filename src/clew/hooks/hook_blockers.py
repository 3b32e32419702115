"""What keeps registered hooks from running all the same: an agent's switches, and its trust."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew.handoff.agents import AgentProgram
from clew.handoff.quick import table
from clew.hooks.installing import command, settings_file, settings_of

__all__ = ["hook_blockers", "places"]


def places(agent: AgentProgram, folder: Path) -> tuple[Path, ...]:
    """Return every settings file in which an agent looks for hooks, the nearest first."""
    project = settings_file(agent, folder)
    return (project, project.with_name("settings.local.json"), settings_file(agent, None))


def hook_blockers(agent: AgentProgram, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the name of each obstacle, and what there is to do. Raises SettingsUnreadable."""
    for path in places(agent, folder):
        for why in _switches(settings_of(path), agent):
            yield "settings", f"{path}: {why}"
    if agent.name == "gemini" and (why := _untrusted(agent, folder)):
        yield "trust", why


def _switches(settings: dict[str, Any], agent: AgentProgram) -> Iterator[str]:
    if settings.get("disableAllHooks"):
        yield "disableAllHooks is set"
    switches = table(settings.get("hooksConfig"))
    if switches.get("enabled") is False:
        yield "hooksConfig.enabled is false"
    for name in (*agent.notes.values(), command(agent)):
        if name in (switches.get("disabled") or ()):
            yield f"hooksConfig.disabled names {name}; `/hooks enable {name}`"


def _untrusted(agent: AgentProgram, folder: Path) -> str:
    """Return why Gemini CLI would not trust a folder; empty if it does.

    In such a folder it reads neither settings nor commands, and asks before it starts.
    """
    said = os.environ.get("GEMINI_CLI_TRUST_WORKSPACE")
    if said in ("true", "false"):
        return "" if said == "true" else "GEMINI_CLI_TRUST_WORKSPACE is false"
    user = settings_file(agent, None)
    security = table(settings_of(user).get("security"))
    if table(security.get("folderTrust")).get("enabled") is False:
        return ""
    moved = os.environ.get("GEMINI_CLI_TRUSTED_FOLDERS_PATH")
    rules = settings_of(Path(moved) if moved else user.with_name("trustedFolders.json"))
    nearest, trusted = -1, False
    for place, rule in rules.items():
        covers = Path(place).parent if rule == "TRUST_PARENT" else Path(place)
        if len(place) > nearest and folder.resolve().is_relative_to(covers.resolve()):
            nearest, trusted = len(place), rule in ("TRUST_FOLDER", "TRUST_PARENT")
    if trusted:
        return ""
    return f"Gemini CLI does not trust {folder}: start it there once and confirm"
