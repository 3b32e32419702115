"""What Clew writes among a project's files is told from what people write there."""

from __future__ import annotations

import pytest

from clew.words.papers import is_paper, without_papers


@pytest.mark.parametrize(
    ("path", "ours"),
    [
        ("debug/knowledge-base.md", True),
        ("debug/sums/001_a-name.md", True),
        ("debug/__init__.py", False),
        ("debug/sums/notes.md", False),
        ("debug/001_a-name.md", False),
        ("debug/sessions/x.md b/y.py", False),
        ("src/debug/knowledge-base.md", False),
    ],
)
def test_reports_and_the_knowledge_base_alone_are_papers(path: str, ours: bool) -> None:  # noqa: FBT001 -- as pytest hands it over
    """A project may have a package of that name."""
    assert ours == is_paper(path)
    text = f"diff --git a/{path} b/{path}\n+one\n"
    assert ("" if ours else text) == without_papers(text)
