"""Coding agents that go on with a call, played by small programs in the sandbox."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from clew.agents.claude import Claude
from clew.agents.cli_agent import CliAgent
from clew.agents.codex import Codex
from clew.agents.external_agent import Said
from clew.agents.protocol import Call
from clew.agents.roles import DIAGNOSE
from clew.git.project import Project
from clew.runners import Site
from clew.words.errors import AgentFailed
from clew.words.facts import Usage

CODEX_SAID = {"type": "item.completed", "item": {"type": "agent_message", "text": "{}"}}
CODEX_ENDED = {"type": "turn.completed", "usage": {"input_tokens": 140, "output_tokens": 5}}
TOKENS = {"input_tokens": 10, "output_tokens": 5}
CLAUDE_SAID = {
    "type": "assistant",
    "message": {"id": "m-1", "usage": TOKENS | {"cache_read_input_tokens": 100}},
}
CLAUDE_FAILED = {
    "type": "result",
    "subtype": "error_during_execution",
    "is_error": True,
    "result": "API Error: 529 Overloaded",
    "usage": TOKENS,
}
NOTHING: Any = None  # of what a prompt is made of


def goes_on(
    kind: type[CliAgent], place: Path, monkeypatch: pytest.MonkeyPatch, *, anew: bool = False
) -> Said:
    """Go on with conversation c-1, where a program that prints what lies in `out` is the agent."""
    program = place / "bin" / kind.about.program
    program.write_text(f"#!/bin/sh\ncat >{place}/{kind.about.word}/in\ncat {place}/bin/out\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    root = place / "project"
    given: dict[str, Any] = {"brief": NOTHING, "role": DIAGNOSE}
    given |= {"seconds": 60.0, "conversation": "c-1", "resuming": not anew}
    call = Call(number=1, site=Site(worktree=root, root=root), scratch=place, **given)
    agent = kind("", project=Project(root=root, path=root, git=False, name="p"))
    return agent.ask(call, "go on")


def lines(*events: object) -> str:
    return "".join(f"{json.dumps(event)}\n" for event in events)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("bin", "project"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_what_is_known_of_a_call_that_went_on_is_counted(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of its first part Codex keeps no count: the second stands, and is told to be a part."""
    (place / "bin" / "out").write_text(lines(CODEX_SAID, CODEX_ENDED))
    said = goes_on(Codex, place, monkeypatch)
    assert Usage(input=140, output=5, cached=0, partial=True) == said.usage


def test_a_call_that_went_on_and_failed_took_both_parts(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claude Code keeps what the first took."""
    kept = place / "claude" / "projects" / "p" / "c-1.jsonl"
    kept.parent.mkdir(parents=True)
    kept.write_text(lines(CLAUDE_SAID))
    (place / "bin" / "out").write_text(lines(CLAUDE_FAILED))
    with pytest.raises(AgentFailed, match="529 Overloaded") as raised:
        goes_on(Claude, place, monkeypatch)
    assert Usage(input=120, output=10, cached=100) == raised.value.usage


@pytest.mark.parametrize("anew", [False, True])
def test_a_login_that_a_killed_call_renewed_outlives_what_it_left(
    place: Path, monkeypatch: pytest.MonkeyPatch, *, anew: bool
) -> None:
    """Whether the next goes on with its conversation, or begins by forgetting it."""
    old, new = (json.dumps({"tokens": {"access_token": t, "refresh_token": t}}) for t in "ab")
    theirs, own = place / "theirs" / "auth.json", place / "codex" / "home" / "auth.json"
    for folder in (theirs.parent, own.parent):
        folder.mkdir(parents=True)
    theirs.write_text(old)
    own.write_text(new)
    own.with_name("auth.json.lent").write_text(hashlib.sha256(old.encode()).hexdigest())
    monkeypatch.setenv("CODEX_HOME", str(theirs.parent))
    (place / "bin" / "out").write_text(lines(CODEX_SAID, CODEX_ENDED))
    goes_on(Codex, place, monkeypatch, anew=anew)
    assert (new, False) == (theirs.read_text(), own.exists())
