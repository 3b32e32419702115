"""Claude Code as an agent: what the contract of all back-ends does not say."""

from __future__ import annotations

import pytest

from backends import BACK_ENDS, person
from commandline import CommandLine
from modelserver import serve


@pytest.mark.agents
def test_claude_code_that_is_not_logged_in_says_so(clew: CommandLine) -> None:
    """The message is its own, the next step ours; no iteration is spent on trying again."""
    with serve(lambda _: "never asked") as server:
        env = person(clew, BACK_ENDS["claude"], server) | {"ANTHROPIC_API_KEY": ""}
        words = ("fix", "--json", "--agent", "claude", "--max-iterations", "1")
        said = clew.run(*words, env=env)
    erred = [e["event"] for e in said.events[:-1] if e["event"]["type"] == "AgentErred"]
    assert ["not_logged_in"] == [event["kind"] for event in erred]
    assert "Log in with `claude`" in erred[0]["message"]
    assert [] == server.asked
