"""The workflow in the examples asks for nothing that does not exist."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
from ruamel.yaml import YAML

from clew.cli import clew

WORKFLOW = Path(__file__).parents[2] / "examples" / "github-actions.yml"


def test_the_workflow_calls_clew_as_it_is() -> None:
    """Its command line is accepted, after a step that failed, and it may write nothing."""
    read = YAML(typ="safe").load(WORKFLOW.read_text())
    assert {"contents": "read"} == read["permissions"]
    steps = {step.get("id"): step for step in read["jobs"]["tests"]["steps"]}
    assert "failure() && steps.tests.outcome == 'failure'" == steps["clew"]["if"]
    (line,) = (li for li in steps["clew"]["run"].splitlines() if li.startswith("clew "))
    name, *words = shlex.split(line)[1:]
    command = clew.commands[name]
    assert isinstance(command, click.Command)
    assert {"max_seconds": 1200.0} == {
        key: value
        for key, value in command.make_context(name, words).params.items()
        if key.startswith("max_") and value
    }
