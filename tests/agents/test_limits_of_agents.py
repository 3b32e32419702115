"""An agent that takes more than it may is ended, and told by the setting that would allow it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from clew.agents.command import Command
from clew.agents.protocol import Call
from clew.agents.roles import FIX
from clew.git.project import Project
from clew.runners import Site
from clew.sandbox import limits, resource_usage
from clew.words.errors import AgentFailed
from clew.words.settings import load

NOTHING: Any = None  # of what a prompt is made of

FORKS = """
import os, time
try:
    for _ in range(6):
        os.fork()
except OSError:  # the kernel's bound, a little further up
    pass
time.sleep(60)
"""
FILLS = (
    "for n in range(50): open(str(n), 'wb').write(b'x' * 1_000_000)\nimport time; time.sleep(60)"
)
EXCESSES = {
    "agent_total_memory": ("b = b'x' * 600_000_000\nimport time; time.sleep(60)", 0.3),
    "agent_cpu_seconds": ("while True: pass", 1.0),
    "agent_processes": (FORKS, 16),
    "agent_file_size": ("open('big', 'wb').write(b'x' * 5_000_000)", 0.001),
    "agent_disk": (FILLS, 0.02),
}


class Brief:
    iteration = 1


@pytest.mark.parametrize("setting", EXCESSES)
def test_an_agent_over_its_limit_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    """Long before its time is up; the failure names the limit, whose it is, and the setting."""
    monkeypatch.setattr(
        resource_usage, "WEIGHED", 1
    )  # whatever others on this machine give back meanwhile
    monkeypatch.setattr(resource_usage, "COUNTED", 1)
    code, bound = EXCESSES[setting]
    root = tmp_path / "project"
    root.mkdir()
    (root / "agent.py").write_text(code)
    given: dict[str, Any] = {"brief": Brief(), "role": FIX}
    given |= {"seconds": 50.0}
    call = Call(
        number=1,
        site=Site(worktree=root, root=root),
        limits=limits.for_agents(load((), {}, {setting: bound})),
        scratch=tmp_path,
        **given,
    )
    project = Project(root=root, path=root, git=False, name="p")
    agent = Command((sys.executable, "-I", "-S", "agent.py"), project=project)

    with pytest.raises(AgentFailed, match=f"an agent.* more with the setting `{setting}`") as told:
        agent.ask(call, "find it")

    assert "limit" == told.value.kind
