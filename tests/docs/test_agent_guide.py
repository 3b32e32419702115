"""The agent that the guide shows is one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from clew.agents.replies import DiagnosisReply, FixReply, as_diagnosis, parse
from clew.facts import Category

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "your-own-agent.md"


def example() -> str:
    page = GUIDE.read_text(encoding="utf-8")
    found = re.search(r"<!-- agent -->\n```python\n(.*?)```", page, re.DOTALL)
    assert found
    return found[1]


def answer(role: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", example()],
        env={"CLEW_ROLE": role},
        input="What is wrong?",
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_agent_in_the_guide_answers_both_questions() -> None:
    """What it prints is what Clew reads, and a report can be written from it."""
    diagnosis = as_diagnosis(parse(answer("diagnose"), DiagnosisReply))
    assert (diagnosis.category, len(diagnosis.options)) == (Category.TEST_FAILURE, 2)
    assert parse(answer("fix"), FixReply).ready_for_testing


def test_the_guide_names_every_category() -> None:
    """An agent's author sees all the classes there are."""
    page = GUIDE.read_text(encoding="utf-8")
    assert [kind for kind in Category if f"`{kind.value}`" not in page] == []
