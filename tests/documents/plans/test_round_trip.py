"""A plan written in our own form is the plan that is read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from clew.documents.plans import read, write
from clew.words.plans import Criterion, Plan, PlanPhase, VerifyBy
from planplay import PLANS


@settings(max_examples=25, deadline=None)
@given(PLANS)
def test_what_is_written_is_read(drawn: Plan) -> None:
    """Whatever its texts are tempted to mean."""
    assert drawn == read({"plan.md": write(drawn)}).plan.bare


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(PLANS)
def test_what_is_written_is_read_in_more_ways(drawn: Plan) -> None:
    """The same, at greater length."""
    assert drawn == read({"plan.md": write(drawn)}).plan.bare


def test_a_plan_is_written_as_a_person_writes_it() -> None:
    """Prose stands as prose, short lists on one line, commands as they are typed."""
    plan = Plan(
        title="A word counter",
        goal="Counts words.",
        complexity="simple",
        phases=(
            PlanPhase(
                id=1,
                name="Split text",
                agent="coder",
                description="A word has no punctuation.",
                creates=("src/tokens.py", "src/words.py"),
                validation=(("pytest", "-q", "tests/a b.py"),),
                criteria=(
                    Criterion(criterion="hyphens split", verify_by=VerifyBy.TEST, target="t.py"),
                ),
            ),
            PlanPhase(id="two", name="Count", agent="coder", depends_on=(1,), parallel=False),
        ),
        notes="## Risks\n\nNone.",
    )
    assert """---
plan: 1
complexity: simple
---

# A word counter

Counts words.

## Phase 1: Split text

```yaml
agent: coder
creates: [src/tokens.py, src/words.py]
validation:
  - pytest -q 'tests/a b.py'
```

A word has no punctuation.

### Done when

- [ ] hyphens split (test: t.py)

## Phase two: Count

```yaml
agent: coder
depends_on: [1]
parallel: false
```

## Risks

None.
""" == write(plan)


def test_what_markdown_cannot_carry_stands_in_the_yaml() -> None:
    """An id that looks like a number, a description that looks like a phase."""
    odd = PlanPhase(id="1", name="Odd", agent="coder", description="## Phase 2: none\n")
    text = write(Plan(phases=(odd,)))
    assert "id: '1'" in text
    assert 'description: "## Phase 2: none\\n"' in text
    assert (odd,) == read({"": text}).plan.phases
