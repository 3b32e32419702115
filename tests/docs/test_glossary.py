"""One glossary, short enough to be read, of words that are in use."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
ENTRY = re.compile(r"^### (.+)\n\n((?:[^#\n].*\n)+)", re.MULTILINE)
ENTRIES = dict(ENTRY.findall(GLOSSARY.read_text("utf-8")))
MOST = 40
SOURCES = (
    *(page for page in ROOT.glob("docs/**/*.md") if page != GLOSSARY),
    *ROOT.glob("src/**/*.py"),
)
FIRST_MET = (
    "README.md",
    "docs/index.md",
    "docs/concepts.md",
    "docs/guides/diagnosis.md",
    "docs/guides/evidence.md",
    "docs/guides/first-fix.md",
    "docs/guides/hand-off.md",
    "docs/guides/models-and-ladder.md",
    "docs/guides/prompts.md",
    "docs/guides/reading-a-proof.md",
)


def test_the_glossary_is_short() -> None:
    """It has forty terms at most, each said in one to three sentences."""
    assert 0 < len(ENTRIES) <= MOST
    headings = re.findall(r"^### (.+)$", GLOSSARY.read_text("utf-8"), re.MULTILINE)
    assert headings == list(ENTRIES)
    long = {
        term: text for term, text in ENTRIES.items() if len(re.findall(r"[.:](?=\s)", text)) > 4
    }
    assert long == {}


def test_every_term_is_in_use() -> None:
    """A word that nobody uses needs no entry."""
    used = "\n".join(path.read_text("utf-8") for path in SOURCES).lower()
    assert [] == [term for term in ENTRIES if term.lower() not in used]


@pytest.mark.parametrize("page", FIRST_MET)
def test_pages_where_a_newcomer_meets_a_term_lead_to_it(page: str) -> None:
    """The link is there; that it leads somewhere is held for every link."""
    assert "glossary.md" in (ROOT / page).read_text("utf-8")
