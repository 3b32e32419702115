"""The agent that the guide shows is one, and so is the test of it in the guide to tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from clew.agents.replies import DiagnosisReply, FixReply, as_diagnosis, parse
from clew.agents.roles import ROLES
from clew.words.facts import Category

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
PACKAGE = Path(__file__).parents[1] / "modelserver"


def page(name: str) -> str:
    return (GUIDES / f"{name}.md").read_text(encoding="utf-8")


def example(guide: str, name: str) -> str:
    found = re.search(rf"<!-- {name} -->\n```\w+\n(.*?)```", page(guide), re.DOTALL)
    assert found
    return found[1]


def test_the_answers_in_the_guide_are_read() -> None:
    """A report can be written from the diagnosis, and the fix be tested."""
    diagnosis = as_diagnosis(parse(example("your-own-agent", "diagnose"), DiagnosisReply))
    assert (diagnosis.category, len(diagnosis.options)) == (Category.TEST_FAILURE, 2)
    assert parse(example("your-own-agent", "fix"), FixReply).ready_for_testing


def test_the_guide_names_every_category_and_every_role() -> None:
    """An agent's author sees all that there are."""
    words = page("your-own-agent")
    assert [] == [word for word in (*Category, *ROLES) if f"`{word}`" not in words]


@pytest.mark.slow
def test_the_guides_agent_passes_the_guides_test(tmp_path: Path) -> None:
    """Ten lines mend a fault; the model that is asked is a package without Clew and its tests."""
    agent = example("your-own-agent", "agent")
    assert 10 == len(agent.splitlines())
    own = tmp_path / "own"
    own.mkdir()
    (own / "agent.py").write_text(agent)
    (own / "test_workflow.py").write_text(example("testing-workflows", "test"))
    alone = ("--no-index", "--no-build-isolation", "--no-deps", "--target", str(tmp_path / "lib"))
    kept = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(tmp_path / "lib")}
    for words in (("pip", "install", "-q", *alone, str(PACKAGE)), ("pytest", "-q", str(own))):
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=tmp_path,
            env=os.environ | kept,
            capture_output=True,
            text=True,
            check=False,
        )
        assert 0 == done.returncode, done.stdout + done.stderr
