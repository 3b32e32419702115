"""The guide to plans says of every field and every finding what there is to know."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from clew.documents.plans import examine
from clew.documents.plans.pictures import svg
from clew.words.plans import LARGEST_PLANS, Plan, PlanPhase, PlanRule, VerifyBy

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/guides/plans.md").read_text("utf-8")
EXAMPLES = sorted([*ROOT.glob("examples/plans/*.md"), *ROOT.glob("examples/*/plan.md")])
QUOTED = GUIDE.split("    ---\n", 1)[1].split("\nThe title")[0]
BLOCK = "\n".join(line.removeprefix("    ") for line in QUOTED.splitlines())


def first_cells() -> set[str]:
    """The words in code that a table of the guide begins its rows with."""
    rows = re.findall(r"^\| (`[^|]*) \|", GUIDE, re.MULTILINE)
    return {word for row in rows for word in re.findall(r"`([^`]+)`", row)}


def test_every_finding_is_in_the_guide() -> None:
    """By its rule, with what to do; and the guide names no other."""
    rules = GUIDE.split("## What a check finds")[1].split("## Approving")[0]
    assert {*PlanRule} == set(re.findall(r"^\| `([a-z_]+)` \|", rules, re.MULTILINE))


def test_every_field_is_in_the_guide() -> None:
    """Of a plan and of a phase, as they are written; and each way to verify a criterion."""
    fields = {*PlanPhase.__struct_fields__, *Plan.__struct_fields__}
    assert fields - {"id", "name", "phases", "extra", "places"} <= first_cells()
    assert all(f"`({way}" in GUIDE for way in VerifyBy)
    assert all(f"`{word}`" in GUIDE for word in LARGEST_PLANS)


def test_the_plan_in_the_guide_is_sound() -> None:
    """It can be copied."""
    plan, findings = examine({"guide": f"---\n{BLOCK}"})
    assert ((), [1, 2]) == (findings, [phase.id for phase in plan.phases])


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_example_is_sound(path: Path) -> None:
    """Nothing is found in it."""
    plan, findings = examine({path.name: path.read_text("utf-8")})
    assert () == findings
    assert len(plan.phases) > 1


def test_the_picture_in_the_guide_is_of_the_example() -> None:
    """As it is drawn today."""
    (path,) = (path for path in EXAMPLES if path.stem == "word-counter")
    plan, _ = examine({path.name: path.read_text("utf-8")})
    assert svg(plan) == (ROOT / "docs/pictures/plan.svg").read_text("utf-8")
