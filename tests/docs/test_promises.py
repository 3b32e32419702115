"""What the documentation promises is held by tests that are there."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMED = re.compile(r"`(test_\w+\.py)::(test_\w+)`")
ANCHOR = re.compile(r"<!-- promise: ([\w-]+) -->")
HELD: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_name("promises.toml").read_text("utf-8")
)


@cache
def defined_in(path: Path) -> frozenset[str]:
    """Return the names of a file's tests."""
    return frozenset(re.findall(r"def (test_\w+)\(", path.read_text("utf-8")))


def test_every_promise_of_the_loop_has_its_story() -> None:
    """The table names tests that there are, each promise in a row of its own."""
    text = (ROOT / "docs" / "decisions" / "loop.md").read_text(encoding="utf-8")
    named = NAMED.findall(text)
    assert named
    stories = ROOT / "tests" / "stories"
    missing = [(file, name) for file, name in named if name not in defined_in(stories / file)]
    assert [] == missing
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
    assert len(set(rows)) == len(rows)


def test_every_promise_has_a_row_and_every_row_a_promise() -> None:
    """Words may change behind an anchor; a promise that goes takes its row along."""
    made = [name for page in PAGES for name in ANCHOR.findall(page.read_text("utf-8"))]
    assert len(set(made)) == len(made)
    assert set(HELD) == set(made)


@pytest.mark.parametrize("promise", HELD)
def test_a_promise_is_held_by_tests_that_there_are(promise: str) -> None:
    """Each is named with its file."""
    named = [name.partition("::") for name in HELD[promise]]
    assert named
    assert [] == [(file, test) for file, _, test in named if test not in defined_in(ROOT / file)]


CLAIM = re.compile(r"^\| ([^|]+?) \| [^|]+ \|$", re.MULTILINE)


def test_the_guide_to_proofs_names_claims_that_are_made() -> None:
    """Each row of its table stands in the code that claims it."""
    guide = (ROOT / "docs" / "guides" / "reading-a-proof.md").read_text("utf-8")
    table = guide[guide.index("| claim |") :].partition("\n\n")[0]
    claims = [claim for claim in CLAIM.findall(table) if claim not in ("claim", "---")]
    sources = sorted((ROOT / "src/clew/flows/debugging/driver/proving").glob("*.py"))
    sources.append(ROOT / "src/clew/words/events/parts.py")
    code = "".join(path.read_text("utf-8") for path in sources)
    assert len(claims) > 10
    assert [] == [claim for claim in claims if f'"{claim}"' not in code]
