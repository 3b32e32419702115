"""The page of a run in a pipeline."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from clew.documents import pipeline
from storykit import SUMMARY, VIEW


@pytest.mark.parametrize("cause", ["the loop stops early", "Why? Nobody knows."])
def test_causes_fixes_and_reports_stand_in_lines_of_their_own(cause: str) -> None:
    """Whether or not an agent ends its sentences."""
    entry = replace(VIEW.iterations[0], root_cause=cause, fix_attempted="go on")
    page = pipeline.render(replace(VIEW, iterations=(entry,)), SUMMARY)
    assert f"): {cause}\n   - Fix: go on\n   - Report: `reports/001" in page


def test_what_is_red_still_is_told_where_that_is_less_than_before() -> None:
    """A page about progress names what is left to do."""
    meta = replace(SUMMARY, original_errors=("a: x", "b: y"), left=("b: y",))
    assert "## What is red still\n\n- `b: y`\n" in pipeline.render(VIEW, meta)
    same = replace(meta, left=meta.original_errors)
    assert "red still" not in pipeline.render(VIEW, same)
