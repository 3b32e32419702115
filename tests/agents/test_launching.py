"""What is said of an agent's program that the sandbox did not start."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from clew.agents.command import Command
from clew.agents.protocol import Call
from clew.agents.roles import DIAGNOSE
from clew.git.project import Project
from clew.runners import Site
from clew.words.errors import AgentFailed
from clew.words.retry_policy import Reaction, follow


def asked(place: Path, program: Path, pass_env: tuple[str, ...] = ()) -> None:
    root = place / "project"
    root.mkdir()
    given: dict[str, Any] = {"brief": Brief(), "role": DIAGNOSE}
    given |= {"seconds": 60.0}
    call = Call(number=1, site=Site(worktree=root, root=root), scratch=place, **given)
    project = Project(root=root, path=root, git=False, name="p")
    agent = Command((str(program),), project=project, pass_env=pass_env)
    agent.ask(call, "find it")


class Brief:
    iteration = 1


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_sandbox_that_does_not_start_is_not_the_agents_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said in the sandbox's words, and no further call of the agent is made."""
    refusing = 'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1'
    fake = f'case "$*" in *agent.sh) {refusing};; esac\nexec {shutil.which("bwrap")} "$@"'
    script(tmp_path / "bin" / "bwrap", fake)
    agent = script(tmp_path / "own" / "agent.sh", "echo '{}'")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setenv("CLEW_SANDBOX", "namespace")

    with pytest.raises(AgentFailed) as failed:
        asked(tmp_path, agent)

    assert ("sandbox", Reaction.NEXT) == (failed.value.kind, follow(failed.value.kind))
    told = "the sandbox did not start it: bwrap: setting up uid map: Permission denied"
    assert told == failed.value.message
    assert "clew doctor" in failed.value.hint


def test_a_program_that_cannot_be_run_there_is_not_installed(tmp_path: Path) -> None:
    """As one whose interpreter is nowhere: to call it again would not help."""
    agent = script(tmp_path / "own" / "agent.sh", "")
    agent.write_text("#!/no/such/interpreter\n")

    with pytest.raises(AgentFailed, match="No such file or directory") as failed:
        asked(tmp_path, agent)

    assert ("not_installed", Reaction.NEXT) == (failed.value.kind, follow(failed.value.kind))


def test_an_agent_that_fails_in_the_words_of_a_sandbox_is_heard_as_itself(tmp_path: Path) -> None:
    """One of more than a line has started."""
    agent = script(tmp_path / "own" / "agent.sh", "echo working >&2; echo bwrap: no >&2; exit 1")

    with pytest.raises(AgentFailed, match="exit code 1: bwrap: no") as failed:
        asked(tmp_path, agent)

    assert "error" == failed.value.kind


def test_a_prompt_lies_in_a_file_during_the_call(tmp_path: Path) -> None:
    """As it comes on the input, and as long as the program runs, however it ends."""
    same = 'cmp - "$CLEW_PROMPT_FILE" >&2 && echo "$CLEW_PROMPT_FILE" >&2; exit 7'
    with pytest.raises(AgentFailed, match=r"exit code 7: .*prompt\.md"):
        asked(tmp_path, script(tmp_path / "own" / "agent.sh", same))

    assert [] == list(tmp_path.rglob("prompt*"))


def test_words_of_a_limit_amid_others_are_no_end_of_it(tmp_path: Path) -> None:
    """What an agent cites of a project it says before the last line, which tells why it ended."""
    cited = 'echo "assert 413, File too large" >&2; echo "rate limit exceeded" >&2; exit 1'
    with pytest.raises(AgentFailed) as failed:
        asked(tmp_path, script(tmp_path / "own" / "agent.sh", cited))

    assert "rate_limited" == failed.value.kind


def test_what_a_person_tells_the_loader_is_told_to_an_agent_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty entry stands for the folder one is in, where an agent may have put a library."""
    told = tmp_path / "told"
    told.mkdir()
    given = {"LD_LIBRARY_PATH": ":/none", "LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": f"{told}/by"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    agent = script(tmp_path / "own" / "agent.sh", 'echo "$LD_LIBRARY_PATH" >&2; exit 7')

    with pytest.raises(AgentFailed, match="exit code 7: :/none"):
        asked(tmp_path, agent, pass_env=tuple(given))

    assert [] == list(told.iterdir())
