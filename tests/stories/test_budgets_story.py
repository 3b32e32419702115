"""Budgets that are spent: what is paid for is carried out, and the next round may take more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine
from projects import FIRST, SECOND, TWO_FAULTS, commit_all, write
from scripted import DONE, Scripted, diagnosing, happened

HIDDEN = TWO_FAULTS["sums/area.py"].replace("import ad\n", "import add as ad\n")
USAGE: dict[str, Any] = {"usage": {"input_tokens": 1000, "output_tokens": 100, "usd": 0.6}}
AGREED: dict[str, Any] = {"says": {"verdict": "LOOKS_GOOD", "reason": "it is plain to see"}}


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    """A person in a project with one fault, in sums/area.py."""
    files = TWO_FAULTS | {"sums/area.py": HIDDEN}
    return CommandLine(commit_all(write(tmp_path / "sums", files)), tmp_path / "state")


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("bound", "others"),
    [(("--max-tokens", "1000"), 1), (("--max-usd", "0.5"), 1), (("--max-tokens", "1000"), 0)],
    ids=["tokens", "dollars", "an answer that is sent back"],
)
def test_a_diagnosis_that_is_paid_for_is_carried_out(
    clew: CommandLine, tmp_path: Path, bound: tuple[str, str], others: int
) -> None:
    """Its exact changes take no call: neither of a reviewer nor of a fixer."""
    agent = Scripted(
        tmp_path / "agent",
        diagnose=[diagnosing("the seam", SECOND, others=others, **USAGE)],
        review=[AGREED],
        fix=[DONE],
    )
    said = agent.fix(clew, "--review", agent.name, *bound)
    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said
    (fixed,) = happened(said, "FixApplied")
    assert "the budget leaves no call" in fixed["summary"]
    assert ([], []) == (agent.sent("review"), agent.sent("fix"))


@pytest.mark.slow
@pytest.mark.parametrize("context", [(), ("--with-context", "go on")], ids=["plain", "guided"])
def test_the_next_round_takes_another_bound(tmp_path: Path, context: tuple[str, ...]) -> None:
    """The question names the bound and the option; the round that begins keeps it on record."""
    clew = CommandLine(commit_all(write(tmp_path / "sums", TWO_FAULTS)), tmp_path / "state")
    causes = [diagnosing("the name", FIRST, **USAGE), diagnosing("the seam", SECOND, **USAGE)]
    agent = Scripted(tmp_path / "agent", diagnose=causes, fix=[DONE])
    said = agent.fix(clew, "--max-tokens", "1000", "--max-usd", "9")
    (asked,) = happened(said, "QuestionAsked")
    session = said.summary["session_id"]
    assert f"The limit is `max-tokens`: `clew resume {session} --max-tokens N`" in asked["text"]
    assert 2 == clew.run("resume", session, "--max-tokens", "0").code
    again = clew.run("resume", session, "--json", "--max-tokens", "9000", *context)
    assert (0, "green") == (again.code, again.summary["status"]), again
    (began,) = happened(again, "RoundBegan")
    assert {"tokens": 9000, "usd": 9.0} == began["budget"]
    assert 1 == len(agent.sent("fix"))
    late = clew.run("resume", session, "--max-tokens", "9000")
    assert 2 == late.code
    assert "is not waiting" in late.err
