"""Calls that were cut off: gone on with where the agent can, and nobody's work is lost."""

from __future__ import annotations

import signal
import subprocess

import pytest

from backends import BACK_ENDS, person, role, text
from clew.project import locate
from commandline import CommandLine, Said
from modelserver import Asked, Reply, serve
from projects import FIRST, diagnosis, fix
from treestate import fingerprint

CLAUDE = BACK_ENDS["claude"]
CUT_OFF = "You were cut off"


def happened(said: Said, kind: str) -> list[dict[str, object]]:
    found = [line["event"] for line in said.events if "event" in line]
    return [event for event in found if event["type"] == kind]


@pytest.mark.slow
def test_claude_code_that_was_cut_off_goes_on_with_its_conversation(clew: CommandLine) -> None:
    """Its edit stands, it is told to go on, and what both halves took is counted."""
    running: list[subprocess.Popen[str]] = []
    file = clew.project / FIRST["file"]

    def script(asked: Asked) -> Reply | str:
        if CUT_OFF in asked.said:
            return text(fix(FIRST) | {"reply": fix(FIRST)["reply"] | {"changes": []}})
        if not asked.all_results:
            return Reply(calls=(CLAUDE.read(file),))
        if role(asked) == "diagnose":
            return text(diagnosis("a name that lacks", FIRST))
        if len(asked.all_results) == 1:
            return Reply(calls=(CLAUDE.edit(file, FIRST),))
        running.pop().send_signal(signal.SIGKILL)
        return Reply(stalls=True)

    before = fingerprint(locate(clew.project))
    words = ("--max-iterations", "1", "--agent", CLAUDE.agent)
    with serve(script) as server:
        own = person(clew, CLAUDE, server)
        process = clew.start("fix", "--json", *words, env=own)
        running.append(process)
        process.communicate(timeout=120)
        said = clew.run("resume", "--json", env=own)
    assert -signal.SIGKILL == process.returncode
    (applied,) = happened(said, "FixApplied")
    assert [FIRST["file"]] == applied["files"], said.err
    assert [] == happened(said, "Abandoned")
    again = server.asked[-1]
    assert CUT_OFF in again.said
    assert "carry out the recommended fix" in again.first
    assert 2 == len(again.all_results)
    assert 300 == applied["usage"]["input"]  # type: ignore[index]
    assert before == fingerprint(locate(clew.project))
