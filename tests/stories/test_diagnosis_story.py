"""Diagnoses that go wrong, and what becomes of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, Said
from projects import FIRST, NO_HELP, SECOND, diagnosis, write

AGENT = """\
import json, os, pathlib, sys

place, call = pathlib.Path(sys.argv[1]), int(os.environ["CLEW_CALL"])
(place / f"prompt-{call}.txt").write_text(sys.stdin.read())
lines = (place / "answers.jsonl").read_text().splitlines()
answer = json.loads(lines[min(call, len(lines)) - 1])
if os.environ["CLEW_ROLE"] == "fix":
    print(json.dumps({"changes_made": "mended", "changes": []}))
elif isinstance(answer, str):
    print(answer)
else:
    if answer.pop("and writes", None):
        pathlib.Path("left.txt").write_text("I was here")
    print(json.dumps(answer))
"""


class Told:
    """A person whose agent answers from a script, and keeps what it was asked."""

    def __init__(self, clew: CommandLine, place: Path) -> None:
        self.clew, self.place = clew, place
        place.mkdir()
        clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
        self.agent = f"command:{sys.executable} {place}/agent.py {place}"

    def fix(self, *answers: object, words: tuple[str, ...] = (), **env: str) -> Said:
        write(self.place, {"agent.py": AGENT})
        lines = "".join(json.dumps(answer) + "\n" for answer in answers)
        write(self.place, {"answers.jsonl": lines})
        return self.clew.run("fix", "--json", "--agent", self.agent, *words, env=env)

    def prompt(self, call: int) -> str:
        return (self.place / f"prompt-{call}.txt").read_text("utf-8")


@pytest.fixture
def told(clew: CommandLine, tmp_path: Path) -> Told:
    return Told(clew, tmp_path / "agent")


def reply(cause: str, change: dict[str, Any], **more: object) -> dict[str, Any]:
    return dict(diagnosis(cause, change, **more)["reply"])


def events(said: Said, *kinds: str) -> list[dict[str, Any]]:
    return [e["event"] for e in said.events[:-1] if e["event"]["type"] in kinds]


def test_an_answer_that_cannot_be_used_is_sent_back_with_what_is_wrong(told: Told) -> None:
    """No JSON, a wrong form, text that is not in the file: each is named in the next prompt.

    The counter stands at one all the while.
    """
    missing = FIRST | {"current": "import nothing of the kind\n"}
    right = reply("a name that does not exist", FIRST)
    said = told.fix(
        "I think it is the import.",
        right | {"failure_classification": "bad_luck"},
        reply("a name that does not exist", missing),
        right,
        words=("--max-iterations", "1"),
        CLEW_AGENT_RETRIES="3",
    )
    kinds = [e["kind"] for e in events(said, "AgentErred") if e["role"] == "diagnose"]
    assert ["invalid_output"] * 3 == kinds, said.err
    assert [1] == [e["number"] for e in events(said, "IterationBegan")]
    assert "Your last answer could not be used" not in told.prompt(1)
    assert "it holds no JSON object" in told.prompt(2)
    assert "Invalid enum value 'bad_luck' - at `$.failure_classification`" in told.prompt(3)
    assert "'import nothing of the kind\\n' does not occur" in told.prompt(4)
    assert [FIRST] == [
        {k: e["diagnosis"]["options"][0]["edits"][0].get(v) for k, v in EDIT.items()}
        for e in events(said, "Diagnosed")
    ]


EDIT = {"file": "path", "line": "line", "current": "current", "should_be": "should_be"}


@pytest.mark.slow
def test_after_two_more_answers_that_cannot_be_used_a_person_is_asked(told: Told) -> None:
    """The one iteration counts as failed, without a report, and says why."""
    said = told.fix("no", "no", "still no")
    assert (1, "waiting", 1) == (said.code, said.summary["status"], said.summary["iterations"])
    (halted,) = events(said, "Halted")
    assert "report" == halted["kind"]
    assert "it holds no JSON object" in halted["reason"]
    (ended,) = events(said, "IterationEnded")
    assert ("Agent failed", None) == (ended["result"], ended.get("report"))
    assert 3 == len(events(said, "AgentErred"))


@pytest.mark.slow
def test_or_the_next_iteration_begins(told: Told) -> None:
    """With that setting it is a failed iteration like any other, up to the cap."""
    said = told.fix("no", words=("--on-invalid-report", "fail_iteration", "--max-iterations", "2"))
    assert ("waiting", 2) == (said.summary["status"], said.summary["iterations"])
    assert [] == events(said, "Halted")
    assert "fail_iteration" == events(said, "SessionOpened")[0]["settings"]["on_invalid_report"]


@pytest.mark.slow
def test_an_unsure_agent_investigates_before_anything_is_changed(told: Told) -> None:
    """Of low confidence, it is asked for evidence first; unsure still and without an edit, no fix.

    What it says to look at stands in the report, and in the history of the next iteration.
    """
    unsure = {
        "confidence": "low",
        "confidence_reason": "who calls ring() was not read",
        "fix": {"description": "rewrite the module"},
    }
    said = told.fix(reply("something in area.py", FIRST, **unsure), words=("--max-iterations", "1"))
    asked = [e["intent"] for e in events(said, "Started") if e["intent"].get("role") == "diagnose"]
    assert [False, True] == [intent.get("investigate", False) for intent in asked]
    assert "Investigate first" not in told.prompt(1)
    assert "Why it was unsure: who calls ring() was not read" in told.prompt(2)
    assert [] == events(said, "FixApplied", "AgentErred")
    (ended,) = events(said, "IterationEnded")
    assert "No fix proposed" == ended["result"]
    assert "who calls ring() was not read" in ended["note"]
    (path,) = said.summary["reports"]
    report = (told.clew.project / path).read_text("utf-8")
    assert "### Option 1: investigate further" in report
    assert "who calls ring() was not read" in report


@pytest.mark.slow
def test_sure_after_it_looked_closer_its_fix_is_carried_out(told: Told) -> None:
    """One more call, in the same iteration."""
    unsure = {"confidence": "low", "confidence_reason": "add.py was not read"}
    said = told.fix(
        reply("an import", FIRST, **unsure),
        reply("a name that does not exist", FIRST),
        words=("--max-iterations", "1"),
    )
    assert ["low", "high"] == [e["diagnosis"]["confidence"] for e in events(said, "Diagnosed")]
    assert 1 == len(events(said, "ReportWritten"))
    assert 1 == len([e for e in events(said, "Started") if e["intent"].get("role") == "fix"])


@pytest.mark.slow
def test_what_has_to_be_done_first_is_asked_of_a_person(told: Told) -> None:
    """A prerequisite that is missing ends the round at once; the question names it and why."""
    waits = {
        "upstream_dependency": "the reservations module",
        "fix": {"description": "write that module first"},
    }
    said = told.fix(reply("a module that is not written yet", FIRST, **waits))
    assert ("waiting", 1) == (said.summary["status"], said.summary["iterations"])
    (question,) = events(said, "QuestionAsked")
    assert "the reservations module must be done first" in question["text"]
    assert [] == events(said, "FixApplied")


@pytest.mark.slow
def test_a_wrong_specification_is_asked_of_a_person(told: Told) -> None:
    """No code is bent to tests that contradict each other."""
    spec = {"failure_classification": "task_spec_error", "fix": {"description": "settle it"}}
    said = told.fix(reply("two tests exclude each other", NO_HELP, **spec))
    (question,) = events(said, "QuestionAsked")
    assert "the requirement is unclear: two tests exclude each other" in question["text"]
    assert 1 == said.summary["iterations"]


@pytest.mark.slow
def test_a_diagnosis_only_reads_with_or_without_a_sandbox(told: Told) -> None:
    """Whoever writes while diagnosing has failed, and what was written is gone."""
    said = told.fix(
        reply("a fault", SECOND) | {"and writes": True},
        words=("--max-iterations", "1"),
        CLEW_AGENT_RETRIES="0",
    )
    (erred,) = events(said, "AgentErred")
    assert ("diagnose", "error") == (erred["role"], erred["kind"])
    assert "it changed left.txt" in erred["message"]
    assert [] == events(said, "Diagnosed")
    assert not (told.clew.project / "left.txt").exists()
