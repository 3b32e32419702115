"""What agents are shown, from the command line."""

from __future__ import annotations

import re
import sys

import pytest

from clew.git.project import locate
from commandline import CommandLine
from projects import write
from treestate import fingerprint

REFUSES = """\
import hashlib, sys

sys.exit(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())
"""


@pytest.mark.slow
def test_what_an_agent_was_sent_is_kept_also_when_it_failed(
    clew: CommandLine, nothing_left: None
) -> None:
    """The prompt by its own hash, byte for byte, with the account of its budget."""
    agent = write(clew.project.parent / "agent", {"refuses.py": REFUSES}) / "refuses.py"
    ladder = ("--agent", f"command:{sys.executable} {agent}", "--max-iterations", "1")
    said = clew.run("fix", *ladder, "--json")
    erred = [e["event"] for e in said.events if e.get("event", {}).get("type") == "AgentErred"]

    assert (1, 3) == (said.code, len(erred)), said.err
    for event in erred:
        assert event["message"].endswith(event["prompt"])
        (account,) = clew.state.rglob(event["context"])
        assert b'"path":"sums/area.py","distance":0,"form":"full"' in account.read_bytes()


@pytest.mark.slow
def test_context_shows_what_an_agent_would_be_sent(clew: CommandLine, nothing_left: None) -> None:
    """Of a session and of a folder alike, within the budget; nothing of the project changes."""
    before = fingerprint(locate(clew.project))
    of_folder = clew.run("context", ".", "--json")
    assert before == fingerprint(locate(clew.project))
    fixed = clew.run("fix", "--search-seconds", "1", "--max-iterations", "1", "--json")
    session = fixed.summary["session_id"]
    of_session = clew.run("context", session, "--budget", "9000", "--json")

    for said, budget in ((of_folder, 50_000), (of_session, 9_000)):
        account, prompt = said.summary["account"], said.summary["prompt"]
        assert (0, budget) == (said.code, account["budget"])
        assert len(prompt.encode()) / 3 <= account["used"] <= budget
        assert {"sums/area.py", "tests/test_area.py", "sums/add.py"} <= {
            file["path"] for file in account["files"]
        }
    shown = clew.run("context", session).out
    assert re.search(r"^0  full +\d+  sums/area.py$", shown, re.MULTILINE)
    assert "DATA_START" in clew.run("context", session, "--prompt").out


@pytest.mark.slow
def test_context_of_a_project_without_failures_is_nothing(clew: CommandLine) -> None:
    """It says so; and a session that is not there is an error that names those there are."""
    (clew.project / "tests" / "test_area.py").unlink()

    assert "All tests pass; there is nothing to show.\n" == clew.run("context", ".").out
    missing = clew.run("context", "2020-01-01-none")
    assert (2, True) == (missing.code, "no session" in missing.err)


def test_an_unknown_counter_of_tokens_is_refused_before_anything_runs(clew: CommandLine) -> None:
    """With the names of those there are."""
    said = clew.run("fix", env={"CLEW_TOKEN_COUNTER": "abacus"})

    assert (2, True) == (said.code, "Known: estimate, o200k_base" in said.err)
