"""Tests that no code can satisfy: a person is asked before the code is bent to them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, Said
from projects import commit_all, diagnosis, fix, recording, write

RATES = "def rate(name):\n    return 1\n"
TESTS = (
    "from rates import rate\n\n\ndef test_one():\n    assert rate('a') == 2\n\n\n"
    "def test_two():\n    assert rate('a') == 3\n"
)
BENT: dict[str, Any] = {
    "file": "rates.py",
    "line": 2,
    "current": "    return 1\n",
    "should_be": "    return 2\n",
}
PYPROJECT = "[tool.pytest.ini_options]\n"


def happened(said: Said, kind: str) -> list[dict[str, Any]]:
    found = [line["event"] for line in said.events if "event" in line]
    return [event for event in found if event["type"] == kind]


def person(folder: Path, tests: str) -> CommandLine:
    files = {"pyproject.toml": PYPROJECT, "rates.py": RATES, "test_rates.py": tests}
    return CommandLine(commit_all(write(folder / "rates", files)), folder / "state")


@pytest.mark.slow
def test_tests_that_contradict_each_other_are_asked_about_first(tmp_path: Path) -> None:
    """Whatever the agent proposes; the question names both, and the answer goes on."""
    clew = person(tmp_path, TESTS)
    found = diagnosis("the rate is too small", BENT)
    agent = recording(tmp_path / "r.jsonl", found, found, fix(BENT))
    said = clew.run("fix", "--json", "--agent", agent)
    assert (1, "waiting", 1) == (said.code, said.summary["status"], said.summary["iterations"])
    assert [] == happened(said, "FixApplied")
    (asked,) = happened(said, "QuestionAsked")
    assert "test_rates.py::test_one expects 2 of rate('a')" in asked["text"]
    assert "test_rates.py::test_two expects 3: no code gives both answers" in asked["text"]
    told = clew.run("resume", "--json", "--with-context", "first of all mend test_one")
    assert ["rates.py"] == happened(told, "FixApplied")[0]["files"]


@pytest.mark.slow
def test_a_specification_that_is_called_wrong_is_asked_about_first(tmp_path: Path) -> None:
    """Also where the agent has a change of the code at hand."""
    clew = person(tmp_path, TESTS.partition("\n\n\ndef test_two")[0] + "\n")
    spec = diagnosis("nobody wants two", BENT, failure_classification="task_spec_error")
    agent = recording(tmp_path / "r.jsonl", spec, spec, fix(BENT))
    said = clew.run("fix", "--json", "--agent", agent)
    assert [] == happened(said, "FixApplied")
    (asked,) = happened(said, "QuestionAsked")
    assert "the requirement is unclear: nobody wants two" in asked["text"]
    done = clew.run("resume", "--json", "--with-context", "two is right")
    assert ["rates.py"] == happened(done, "FixApplied")[0]["files"]
