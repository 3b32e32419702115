"""Which files plans and the documents of their sessions are, in the layout of each tool."""

from __future__ import annotations

from datetime import date
from itertools import islice
from pathlib import Path

import pytest

from clew.sessions.layouts import ProjectLayout
from clew.words.layouts import LAYOUTS

DAY = date(2026, 3, 14)


@pytest.mark.parametrize(
    ("name", "plan", "design", "session"),
    [
        ("clew", "plans/a-till.md", "plans/a-till-design.md", ""),
        (
            "maestro",
            ".gemini/plans/2026-03-14-a-till-impl-plan.md",
            ".gemini/plans/2026-03-14-a-till-design.md",
            ".gemini/state/active-session.md",
        ),
        (
            "gsd",
            ".planning/plans/a-till-PLAN.md",
            ".planning/plans/a-till-DESIGN.md",
            ".planning/sessions/s.md",
        ),
        (
            "orchestrate",
            "specs/plans/001_a_till.md",
            "specs/plans/001_a_till_design.md",
            "specs/sessions/s.md",
        ),
    ],
)
def test_each_layout_has_its_own_files(
    tmp_path: Path, name: str, plan: str, design: str, session: str
) -> None:
    """In an empty project, by the names that its tool uses."""
    layout = ProjectLayout(tmp_path, name)
    places = next(layout.plans("a-till", DAY))
    assert (tmp_path / plan, tmp_path / design) == places
    assert session == layout.session("s")
    assert ({str(Path(session).parent)} if session else set()) <= set(layout.kept)


def test_every_layout_is_tested() -> None:
    """And no other one."""
    assert {"clew", "maestro", "gsd", "orchestrate"} == LAYOUTS.keys()


def test_a_newer_maestro_keeps_its_files_in_docs(tmp_path: Path) -> None:
    """It is known by its folders: `.gemini` alone belongs to another program."""
    (tmp_path / ".gemini").mkdir()
    (tmp_path / "docs/maestro/state").mkdir(parents=True)
    assert "docs/maestro/state/active-session.md" == ProjectLayout(tmp_path, "maestro").session("s")


def test_a_plan_gets_the_number_after_the_highest(tmp_path: Path) -> None:
    """Whatever else lies in the folder."""
    folder = tmp_path / "specs/plans"
    folder.mkdir(parents=True)
    for name in ("002_other.md", "010_more_design.md", "notes.md"):
        (folder / name).touch()
    first, second = islice(ProjectLayout(tmp_path, "orchestrate").plans("a-till", DAY), 2)
    names = [each.plan.name for each in (first, second)]
    assert ["011_a_till.md", "011_a_till_2.md"] == names
