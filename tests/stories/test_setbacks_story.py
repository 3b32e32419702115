from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, Said
from projects import FIRST, NO_HELP, SECOND, diagnosis, fix, recording

BUSY: dict[str, Any] = {"role": "diagnose", "error": "timeout"}
AGAIN = """\
import json, os, pathlib, sys

prompts = pathlib.Path(__file__).with_name("prompts")
prompts.mkdir(exist_ok=True)
name = f"{os.environ['CLEW_ROLE']}-{os.environ['CLEW_ITERATION']}"
(prompts / name).write_text(sys.stdin.read())
change = json.loads(pathlib.Path(__file__).with_name("change.json").read_text())
if os.environ["CLEW_ROLE"] == "diagnose":
    reply = {
        "failure_classification": "test_failure",
        "root_cause": "a constant in sums/area.py:5 is off",
        "root_cause_location": {"file": "sums/area.py", "line": 5},
        "fix": {"description": "use another constant", "changes": [change]},
        "options": [{"title": "another way", "pros": ["it differs"]}],
        "confidence": "high",
        "confidence_reason": "it is plain to see",
    }
else:
    reply = {"changes_made": "another constant", "files_modified": [], "changes": [change]}
print(json.dumps(reply))
"""


def happened(said: Said, kind: str) -> list[dict[str, Any]]:
    found = [line["event"] for line in said.events if "event" in line]
    return [event for event in found if event["type"] == kind]


@pytest.mark.slow
def test_an_agent_that_times_out_twice_costs_no_iteration(
    clew: CommandLine, tmp_path: Path
) -> None:
    """It is called again; the counter does not move."""
    clew.env["CLEW_RETRY_WAIT"] = "0.01"
    lines = (diagnosis("a name that does not exist", FIRST), fix(FIRST))
    agent = recording(
        tmp_path / "r", BUSY, BUSY, *lines, diagnosis("too many", SECOND), fix(SECOND)
    )
    said = clew.run("fix", "--agent", agent)
    assert 0 == said.code, said
    assert 2 == said.err.count("failed (timeout)")
    assert "iteration 2 of 3" in said.err
    assert "iteration 3 of 3" not in said.err


@pytest.mark.slow
def test_an_agent_that_is_gone_asks_a_person_after_one_call(clew: CommandLine) -> None:
    """Its own words are in the question; two more iterations would tell nothing more."""
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    agent = clew.project / "agent.py"
    agent.write_text("import sys\nsys.exit('You are not logged in')\n")
    said = clew.run("fix", "--json", "--agent", f"command:{sys.executable} {agent}")
    assert (1, 1) == (said.code, said.summary["iterations"])
    assert ["not_logged_in"] == [event["kind"] for event in happened(said, "AgentErred")]
    assert "You are not logged in" in happened(said, "QuestionAsked")[0]["text"]


@pytest.mark.slow
def test_an_agent_that_repeats_itself_is_told_and_not_tested(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Three reports, one run: the same change is known before it is made."""
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    (clew.project / "sums" / "area.py").write_text(
        (clew.project / "sums" / "area.py").read_text().replace("import ad\n", "import add as ad\n")
    )
    (tmp_path / "change.json").write_text(json.dumps(NO_HELP))
    (tmp_path / "agent.py").write_text(AGAIN)
    agent = f"command:{sys.executable} {tmp_path / 'agent.py'}"
    said = clew.run("fix", "--json", "--agent", agent)
    results = [event["result"] for event in happened(said, "IterationEnded")]
    runs = [event for event in happened(said, "TestsRan") if event["purpose"] == "verify"]
    prompts = [(tmp_path / "prompts" / f"diagnose-{n}").read_text() for n in (1, 2, 3)]
    assert ["Still failing", *["Same change again, not tried"] * 2] == results
    assert 1 == len(runs)
    assert 3 == len(said.summary["reports"])
    assert 5 == len(happened(said, "QuestionAsked")[0]["options"])
    assert [0, 1, 2] == [p.count("attempt 1\n") + p.count("attempt 2\n") for p in prompts]
    assert "tried before and did not help" in prompts[2]


@pytest.mark.slow
def test_words_that_are_no_text_are_guidance_all_the_same(
    clew: CommandLine, tmp_path: Path
) -> None:
    """A terminal of another encoding is no fault; what cannot be read is shown as such."""
    agent = recording(tmp_path / "r", diagnosis("a constant", FIRST), fix(NO_HELP))
    clew.run("fix", "--agent", agent, "--max-iterations", "1")
    said = clew.run("resume", "--json", "--with-context", "caf\udce9 au lait")
    assert "this is a bug in Clew" not in said.err
    assert ["caf? au lait"] == [e["text"] for e in happened(said, "QuestionAnswered")]
