"""The loop from end to end: what comes out of one try, of two, and of three that do not help."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from commandline import CommandLine
from projects import NO_HELP, TWO_FAULTS, commit_all, diagnosis, fix, recording, write

AGENT = """\
import os, pathlib, sys

place, call = pathlib.Path(sys.argv[1]), int(os.environ["CLEW_CALL"])
(place / f"prompt-{call}.txt").write_text(sys.stdin.read())
print((place / "answers.jsonl").read_text().splitlines()[call - 1])
"""


ONE_FAULT = TWO_FAULTS["sums/area.py"].replace("import ad\n", "import add as ad\n")


def documents(clew: CommandLine, session: str) -> Path:
    return clew.project / ".clew" / "sessions" / session


def checkpoints(clew: CommandLine) -> list[str]:
    return [line.split()[0] for line in clew.run("checkpoints").out.splitlines() if line.strip()]


@pytest.mark.slow
def test_one_right_fix_is_one_iteration_with_all_that_belongs_to_it(tmp_path: Path) -> None:
    """One report, one entry "Tests passing", the checkpoint, and the documentation after it."""
    files = TWO_FAULTS | {"sums/area.py": ONE_FAULT}
    clew = CommandLine(commit_all(write(tmp_path / "sums", files)), tmp_path / "state")
    change = NO_HELP | {"should_be": "    return ad(width, height) * 2\n"}
    agent = recording(tmp_path / "r.jsonl", diagnosis("one too many", change), fix(change))
    said = clew.run("fix", "--json", "--agent", agent)
    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said
    ended = [r["event"] for r in said.events[:-1] if r["event"]["type"] == "IterationEnded"]
    assert ["Tests passing"] == [event["result"] for event in ended]
    (report,) = said.summary["reports"]
    assert [report] == [event["report"] for event in ended]
    assert {"start", "tests_passing"} <= set(checkpoints(clew))
    assert (
        report.rpartition("/")[2]
        in (documents(clew, said.summary["session_id"]) / "summary.md").read_text()
    )


@pytest.mark.slow
def test_three_tries_that_do_not_help_are_all_there_are(clew: CommandLine, tmp_path: Path) -> None:
    """Three reports and no fourth, though it is killed and resumed; prompts tell what came before.

    Nothing is documented as done, and a person has five ways to go on.
    """
    place = tmp_path / "agent"
    tries = [
        (cause, NO_HELP | {"should_be": f"    return ad(width, height) * 2 + {n}\n"})
        for n, cause in ((71, "sides are too few"), (72, "the seam counts"), (73, "units differ"))
    ]
    asked = [line for cause, change in tries for line in (diagnosis(cause, change), fix(change))]
    answers = "".join(json.dumps(line["reply"]) + "\n" for line in asked)
    write(place, {"agent.py": AGENT, "answers.jsonl": answers})
    write(clew.project, {"sums/area.py": ONE_FAULT})
    agent = f"command:{sys.executable} {place}/agent.py {place}"
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    killed = clew.run("fix", "--agent", agent, env={"CLEW_CRASH_AT": "CallAgent.fix.effect#3"})
    assert killed.code < 0, killed
    said = clew.run("resume", "--json")
    found = said.code, said.summary["status"], said.summary["iterations"]
    assert (1, "waiting", 3) == found, said
    for call, known in ((1, 0), (3, 1), (5, 2)):
        prompt = (place / f"prompt-{call}.txt").read_text()
        for n, (cause, change) in enumerate(tries):
            assert (n < known) == (cause in prompt), (call, cause)
            assert (n < known) == (str(change["should_be"]).strip() in prompt), (call, cause)
    assert 3 == len(said.summary["reports"]) == len(list(clew.project.glob("debug/*/0*.md")))
    assert not (place / "prompt-7.txt").exists()
    assert "escalation" in checkpoints(clew)
    own = documents(clew, said.summary["session_id"])
    assert (True, False) == ((own / "escalation.md").is_file(), (own / "summary.md").exists())
    (question,) = (r["event"] for r in said.events[:-1] if r["event"]["type"] == "QuestionAsked")
    words = ["investigate", "guidance", "rollback", "skip", "terminate"]
    assert words == [option["word"] for option in question["options"]]
