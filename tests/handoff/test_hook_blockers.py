"""Hooks that are registered and would not run all the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.handoff.agents import AGENTS
from clew.hooks.hook_blockers import hook_blockers
from clew.hooks.installing import command, install, settings_file

CLAUDE, GEMINI = AGENTS["claude"], AGENTS["gemini"]
TRUSTING = {"security": {"folderTrust": {"enabled": False}}}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home; the variables that change what agents do are not set."""
    for name in ("CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME", "GEMINI_CLI_TRUST_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "code" / "project"
    folder.mkdir(parents=True)
    return folder


def keep(path: Path, record: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record))


SWITCHES: list[tuple[str, dict[str, Any], str]] = [
    ("claude", {"disableAllHooks": True}, "disableAllHooks is set"),
    ("gemini", {"hooksConfig": {"enabled": False}}, "hooksConfig.enabled is false"),
    ("gemini", {"hooksConfig": {"disabled": ["clew"]}}, "`/hooks enable clew`"),
    ("gemini", {"hooksConfig": {"disabled": [command(GEMINI)]}}, "names"),
]


@pytest.mark.parametrize(("name", "switch", "says"), SWITCHES)
@pytest.mark.parametrize("user", [True, False])
def test_a_switch_in_either_settings_is_found(
    home: Path, project: Path, name: str, switch: dict[str, Any], says: str, *, user: bool
) -> None:
    """Each agent has its own; the file is named."""
    assert not home.exists()
    agent = AGENTS[name]
    keep(settings_file(GEMINI, None), TRUSTING)
    assert [] == list(hook_blockers(agent, project))
    path = settings_file(agent, None if user else project)
    keep(path, {**TRUSTING, **switch})
    install(path, agent)
    ((found, why),) = hook_blockers(agent, project)
    assert ("settings", True, True) == (found, why.startswith(f"{path}: "), says in why)


RULES: list[tuple[dict[str, str], bool]] = [
    ({}, False),
    ({"code/project": "TRUST_FOLDER"}, True),
    ({"code": "TRUST_FOLDER"}, True),
    ({"code/other": "TRUST_PARENT"}, True),
    ({"code/other": "TRUST_FOLDER"}, False),
    ({"code": "TRUST_FOLDER", "code/project": "DO_NOT_TRUST"}, False),
    ({"code": "DO_NOT_TRUST", "code/project": "TRUST_FOLDER"}, True),
]


@pytest.mark.parametrize(("rules", "trusted"), RULES)
def test_a_folder_that_gemini_does_not_trust_is_found(
    home: Path, project: Path, rules: dict[str, str], *, trusted: bool
) -> None:
    """It would ask first, and read neither settings nor commands there: the nearest rule counts."""
    placed = {str(project.parents[1] / place): rule for place, rule in rules.items()}
    keep(home / ".gemini" / "trustedFolders.json", placed)
    assert ([] if trusted else ["trust"]) == [name for name, _ in hook_blockers(GEMINI, project)]
    assert [] == list(hook_blockers(CLAUDE, project))


@pytest.mark.parametrize("said", ["true", "false"])
def test_the_environment_has_the_last_word_on_trust(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    """As it has for Gemini CLI itself."""
    rule = "DO_NOT_TRUST" if said == "true" else "TRUST_FOLDER"
    keep(home / ".gemini" / "trustedFolders.json", {str(project): rule})
    monkeypatch.setenv("GEMINI_CLI_TRUST_WORKSPACE", said)
    assert (said == "true") == (not list(hook_blockers(GEMINI, project)))
