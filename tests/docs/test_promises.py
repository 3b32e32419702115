"""What the documentation names as a story is one."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`(test_\w+\.py)::(test_\w+)`")


def test_every_promise_of_the_loop_has_its_story() -> None:
    """The table names tests that there are, each promise in a row of its own."""
    text = (ROOT / "docs" / "decisions" / "loop.md").read_text(encoding="utf-8")
    named = NAMED.findall(text)
    assert named
    missing = [
        (file, name)
        for file, name in named
        if f"def {name}(" not in (ROOT / "tests" / "stories" / file).read_text(encoding="utf-8")
    ]
    assert [] == missing
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    assert len(set(rows)) == len(rows)
