"""`clew agents`: what can be called here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.agents import BACK_ENDS
from commandline import REPOSITORY, CommandLine

AGENTS = REPOSITORY / ".venv" / "agents" / "bin"


def test_every_back_end_is_told(clew: CommandLine, tmp_path: Path) -> None:
    """A program that is not there, or not logged in, comes with the next step."""
    (clew.project / "clew.toml").write_text('[commands]\nmine = "no-such-program --fast"\n')
    home = tmp_path / "home"
    home.mkdir()
    bare = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    told = {one["name"]: one for one in clew.run("agents", "--json", env=bare).events}
    assert [*(b.about.name for b in BACK_ENDS.values()), "mine"] == list(told)
    assert (True, False, False) == tuple(
        told[name]["ready"] for name in ("repair", "claude[:MODEL]", "mine")
    )
    assert "log in with `claude`" in told["claude[:MODEL]"]["missing"]
    assert "no-such-program was not found" == told["mine"]["missing"]
    claude = told["claude[:MODEL]"]
    assert {"cheap": "haiku", "middle": "sonnet", "strong": "opus"} == claude["tiers"]
    assert (True, True, True) == (claude["resumes"], claude["streams"], claude["usage"])
    resumes = {name.replace("[", ":").partition(":")[0]: o["resumes"] for name, o in told.items()}
    assert {"claude", "gemini", "codex", "opencode"} == {n for n, can in resumes.items() if can}
    assert resumes["acp"] is None


def test_it_is_told_beforehand_which_agents_reach_every_host(clew: CommandLine) -> None:
    """Those whose provider nobody knows, until hosts are named; all of them without bubblewrap."""

    def reached(**env: str) -> dict[str, str]:
        listed = clew.run("agents", "--json", env={"PATH": "/usr/bin:/bin", **env}).events
        return {one["name"].replace("[", ":").partition(":")[0]: one["network"] for one in listed}

    (clew.project / "clew.toml").write_text('[commands]\nmine = "true"\n')
    inside, known = {"repair": "", "llm": "", "replay": ""}, {"claude", "gemini", "codex"}
    told = reached(CLEW_SANDBOX="namespace")
    assert inside | {name: "gated" if name in known else "open" for name in told} | inside == told
    bounded = reached(CLEW_SANDBOX="namespace", CLEW_AGENT_HOSTS="api.example.com")
    assert {"gated"} == {word for name, word in bounded.items() if name not in inside}
    loose = reached(CLEW_SANDBOX="none")
    assert {"open"} == {word for name, word in loose.items() if name not in inside}
    assert list(told.values()).count("open") == clew.run("agents").out.count("reaches every host")


@pytest.mark.slow
def test_an_agent_that_is_there_tells_its_version(clew: CommandLine, tmp_path: Path) -> None:
    """And whether it is logged in, by a variable or by its own file."""
    home = tmp_path / "home"
    home.mkdir()
    env = {"HOME": str(home), "PATH": f"{AGENTS}:{os.environ['PATH']}"}
    out = clew.run("agents", env=env).out
    assert "✗ claude[:MODEL]" in out
    assert "(Claude Code)" in out
    said = clew.run("agents", env={**env, "ANTHROPIC_API_KEY": "sk-none"})
    assert (0, True) == (said.code, "✓ claude[:MODEL]" in said.out)
