"""A plan that turns out to be cut wrong, revised while it is carried out, as a person would."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from builder import PRICES, ROUNDING, Builder, plan_text, till
from commandline import CommandLine
from handoffkit import until

pytestmark = pytest.mark.slow

UNENFORCED = {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
"""With it an agent can keep what it is sent."""

TEXT = plan_text(("Both", "prices", ())).replace(
    "creates: [src/till/prices.py]", "creates: [src/till/prices.py, src/till/rounding.py]"
)


def part(id_: str, name: str, module: str) -> dict[str, Any]:
    return {
        "id": id_,
        "name": name,
        "agent": "coder",
        "objective": "one thing",
        "criteria": [{"criterion": "it works", "verify_by": "test"}],
        "creates": [f"src/till/{module}.py"],
        "test_files": [f"tests/test_{module}.py"],
    }


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    made = CommandLine(till(tmp_path / "till"), tmp_path / "state")
    made.env |= UNENFORCED
    (made.project / "plan.md").write_text(TEXT)
    return made


def failed(clew: CommandLine, builder: Builder) -> str:
    """Run the plan until its phase has failed; return the session."""
    said = clew.run("run", "plan.md", "--agent", builder.name)
    assert 1 == said.code, said.out + said.err
    assert "replan" in said.out
    return said.out.split("  waiting")[0].strip()


def test_a_phase_that_is_too_large_is_divided_by_an_agent(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Which is told how it failed; the person sees the difference, and takes it."""
    halves = [part("1a", "Prices", "prices"), part("1b", "Rounding", "rounding")]
    words = {"title": "A till", "goal": "less", "complexity": "medium", "notes": "two in one"}
    proposals = [words | {"phases": each} for each in ([part("9", "Else", "other")], halves)]
    script: dict[str, list[dict[str, Any]]] = {
        "Both": [{"status": 3}],
        "plan": [{"says": each} for each in proposals],
        "Prices": [PRICES],
        "Rounding": [ROUNDING],
    }
    builder = Builder(tmp_path / "agent", script)
    session = failed(clew, builder)
    asked = clew.run("answer", session, "replan", "it is two things")
    assert 1 == asked.code, asked.out + asked.err
    assert "nobody does the work of phase 1" in asked.err
    assert "- split_phase 1 → 1a, 1b" in asked.out
    assert re.search(r"^ *\+.*src/till/rounding.py", asked.out, re.MULTILINE)
    first, second = builder.prompts("plan")
    assert "it is two things" in first
    assert "it ended with exit code 3" in first
    assert "nobody does the work of phase 1" in second
    said = clew.run("answer", session, "revise")
    assert 0 == said.code, said.out + said.err
    assert "2 of 2 phases done" in said.out
    assert "the plan was changed by" in said.out


def test_what_has_not_begun_is_edited_while_the_plan_runs(
    clew: CommandLine, tmp_path: Path
) -> None:
    """The process at work takes the change, and refuses one of a phase that is running."""
    script = {"Prices": [PRICES | {"sleeps": 6}], "Rounding": [ROUNDING]}
    builder = Builder(tmp_path / "agent", script)
    text = plan_text(("Prices", "prices", ()), ("Rounding", "rounding", (1,)))
    (clew.project / "plan.md").write_text(text)
    process = clew.start("run", "plan.md", "--agent", builder.name)
    until(lambda: builder.prompts("Prices"))
    (clew.project / "plan.md").write_text(text.replace("Write prices.", "Write it otherwise."))
    refused = clew.run("revise", "--plan", "plan.md")
    assert (2, True) == (refused.code, "phase 1 is in progress" in refused.err)
    (clew.project / "plan.md").write_text(text.replace("Write rounding.", "Round to five."))
    said = clew.run("revise", "--plan", "plan.md")
    assert 0 == said.code, said.out + said.err
    assert "the plan was changed by a person" in said.out
    _, err = process.communicate(timeout=90)
    assert 0 == process.returncode, err
    assert "Round to five." in builder.prompts("Rounding")[0]


def test_a_question_is_answered_while_the_plan_runs(clew: CommandLine, tmp_path: Path) -> None:
    """By the command that the status names; only to end the plan nobody may be at work."""
    script = {"Prices": [{"status": 3}], "Rounding": [ROUNDING | {"sleeps": 9}]}
    builder = Builder(tmp_path / "agent", script)
    text = plan_text(("Prices", "prices", ()), ("Rounding", "rounding", ()))
    (clew.project / "plan.md").write_text(text)
    process = clew.start("run", "plan.md", "--agent", builder.name)
    until(lambda: "skip" in (status := clew.run("status").out) and status)
    command = re.search(r"clew answer (\S+) skip", clew.run("status").out)
    assert command
    assert 4 == clew.run("answer", command[1], "abort").code
    said = clew.run("answer", command[1], "skip")
    assert 0 == said.code, said.out + said.err
    assert "- 1  Prices" in said.out
    _, err = process.communicate(timeout=90)
    assert 0 == process.returncode, err
    assert "✓ 2  Rounding" in clew.run("status").out


def test_a_person_revises_a_plan_and_takes_that_back(clew: CommandLine, tmp_path: Path) -> None:
    """What is asked about the phase is settled by its other text, and open again without it."""
    builder = Builder(tmp_path / "agent", {"Both": [{"status": 3}]})
    session = failed(clew, builder)
    assert 2 == clew.run("revise", session).code
    assert 2 == clew.run("revise", session, "--undo").code  # nothing was changed so far
    (clew.project / "plan.md").write_text(TEXT.replace("Write prices.", "Write it in cents."))
    own = clew.run("revise", session, "--plan", "plan.md")
    assert 1 == own.code, own.out + own.err
    assert "the plan was changed by a person: a person revised it" in own.out
    assert "in cents" in builder.prompts("Both")[-1]
    back = clew.run("revise", session, "--undo")
    assert "taken back: a person revised it" in back.err, back.out + back.err
    assert "failed" in back.out
    clew.run("answer", session, "retry", "once more")
    assert "in cents" not in builder.prompts("Both")[-1]
