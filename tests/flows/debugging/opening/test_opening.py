"""What a session was opened with holds for its whole life."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.flows.debugging.opening import opened
from clew.git.project import Project
from clew.words import events as ev
from clew.words.plans import PlanAgent
from clew.words.settings import Cap, Price, Settings

OTHERWISE: dict[str, object] = {
    "test_command": "make test",
    "junit": "out.xml",
    "agent": ("claude", "repair"),
    "on_invalid_report": "fail_iteration",
    "pass_env": ("TOKEN",),
    "agent_hosts": ("api.example.com",),
    "agent_leave": ("execute",),
    "commands": {"mine": "mine --all"},
    "plan_agents": {"coder": PlanAgent(agent="claude")},
    "plan_revisions": "apply",
    "layout": "maestro",
    "support_model": "strong",
    "accept": "high",
    "debug_answers": {"fix": "yes"},
    "gates": {"lint": "make lint"},
    "prices": {"mine": Price(input=1, output=2)},
    "base_urls": {"local": "http://localhost:1"},
    "token_counter": "o200k_base",
    "review": "codex",
    "challenge": "opencode",
    "document": "gemini",
    "profile": "budget",
    "models": {"fix": "strong"},
    "specialist_skills": {"python": "mine"},
    "ladder": {"claude": Cap(calls=1)},
    "prompts": {"fix": "Mend it."},
    "variables": {"CLEW_PHASE": "one"},
    "sources": {"agent": "command line"},
}


def otherwise(name: str, usual: object) -> object:
    """Return a value for a setting that differs from its default."""
    if name in OTHERWISE:
        return OTHERWISE[name]
    if isinstance(usual, tuple):
        return ("other",)
    return not usual if isinstance(usual, bool) else 7


@pytest.mark.parametrize("name", Settings.__struct_fields__)
def test_a_session_that_is_gone_on_with_has_each_setting_that_it_was_opened_with(
    name: str, tmp_path: Path
) -> None:
    """Also after its journal was written and read."""
    usual = getattr(Settings(), name)
    settings = Settings(**{name: otherwise(name, usual)})  # type: ignore[arg-type]
    project = Project(root=tmp_path, path=tmp_path, git=True, name="p")
    read = ev.decode(ev.encode(opened(project, settings, "s", ())), ev.SCHEMA_VERSION)
    assert isinstance(read, ev.SessionOpened)
    assert usual != getattr(settings, name)
    assert settings == read.settings
