"""Programs that print what is no JSON, or no text at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.agents.claude import Claude
from clew.agents.cli_agent import CliAgent
from clew.agents.codex import Codex
from clew.agents.gemini import Gemini
from clew.agents.opencode import Opencode
from clew.git.project import Project
from clew.sandbox.processes import Completed
from clew.words.errors import AgentFailed

PROJECT = Project(root=Path("/p"), path=Path("/p"), git=False, name="p")
NOISE = (b"\xff\xfe", b'{"type": "\xff"}', b"[" * 100_000, b'{"type": 1}', b"null", b"")


@pytest.mark.parametrize("kind", [Claude, Codex, Gemini, Opencode])
@pytest.mark.parametrize("line", NOISE, ids=range(len(NOISE)))
def test_a_line_that_tells_nothing_is_passed_over(kind: type[CliAgent], line: bytes) -> None:
    """While it works, and in what it ends with."""
    agent = kind("", project=PROJECT)
    assert agent.notice(line) is None
    out = line.decode("utf-8", "replace")
    with pytest.raises(AgentFailed, match="without a result"):
        agent.heard(Completed(exit_code=1, stdout=out, stderr="", seconds=1.0))
