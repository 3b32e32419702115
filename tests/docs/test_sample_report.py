"""The sample report of the documentation is one that Clew writes."""

from __future__ import annotations

import re
from pathlib import Path

from clew.documents import report
from storykit import DIAGNOSIS, META

ROOT = Path(__file__).parents[2]
SAMPLE = (ROOT / "docs" / "sample-report.md").read_text("utf-8")
HARBOUR = ROOT / "examples" / "harbour"
SECTION = re.compile(r"^## .+$", re.MULTILINE)
FIELD = re.compile(r"^- (\*\*.+?\*\*):", re.MULTILINE)


def length(path: str) -> int | None:
    """Return how many lines a file of the demo project has."""
    file = HARBOUR / path
    return len(file.read_text("utf-8").splitlines()) if file.is_file() else None


def test_the_sample_is_a_sound_report() -> None:
    """It has the form that every report must have, and its places are in the demo project."""
    assert report.problems(SAMPLE, length) == ()
    assert report.parse(SAMPLE).recommended == (1,)


def test_the_sample_has_the_sections_and_fields_of_a_report() -> None:
    """A section or a field that the template gains or renames is seen in the sample, too."""
    rendered = report.render(DIAGNOSIS, META)
    assert SECTION.findall(rendered) == SECTION.findall(SAMPLE)
    assert set(FIELD.findall(rendered)) <= set(FIELD.findall(SAMPLE))
