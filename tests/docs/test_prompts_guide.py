"""The guide to prompts says what the program says."""

from __future__ import annotations

import re
from pathlib import Path

from clew.agents.prompts import NAMES, ROLES, check
from clew.agents.roles import wished

GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def test_the_guide_names_all_that_a_template_may_tell() -> None:
    """In the same words."""
    told = re.findall(r"^\| `(\w+)` \| (.*) \|$", (GUIDES / "prompts.md").read_text(), re.MULTILINE)

    assert dict(NAMES) == dict(told)


def test_the_template_of_the_guide_can_be_filled() -> None:
    """It is one that a person may begin with."""
    (template,) = re.findall(r"```jinja\n(.*?)```", (GUIDES / "prompts.md").read_text(), re.DOTALL)

    check({"diagnose": template})


def test_the_guide_to_models_has_the_table_of_the_program() -> None:
    """Row by row, for the profiles that do not change."""
    text = (GUIDES / "models-and-ladder.md").read_text()
    rows = dict(re.findall(r"^\| `(quality|balanced|budget)` \| (.*) \|$", text, re.MULTILINE))

    assert len(rows) == 3
    for profile, row in rows.items():
        assert [wished(role, profile, {}, 0) for role in ROLES] == row.split(" | ")
