"""The documentation agrees with the program."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import clew
from clew.words.errors import ClewError

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


def kinds(base: type[ClewError] = ClewError) -> Iterator[type[ClewError]]:
    yield base
    for each in base.__subclasses__():
        yield from kinds(each)


def errors() -> list[type[ClewError]]:
    """Every error that some module of the package declares."""
    for module in pkgutil.walk_packages(clew.__path__, "clew."):
        if not module.name.startswith(("clew.probe.", "clew.__main__")):
            importlib.import_module(module.name)
    own = {kind for kind in kinds() if kind.__module__.startswith("clew.")}
    return sorted(own, key=lambda kind: kind.__name__)


OWN = errors()


@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.__name__)
def test_every_error_has_a_page(kind: type[ClewError]) -> None:
    """It says what the error means, why it happens and what to do."""
    text = (DOCS / "errors" / f"{kind.page}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {kind.__name__}\n")
    for heading in ("What it means", "Why it happens", "What to do"):
        assert f"\n## {heading}\n" in text


def test_every_error_page_has_an_error() -> None:
    """A page whose error is gone goes with it."""
    assert {path.stem for path in (DOCS / "errors").iterdir()} == {kind.page for kind in OWN}


def test_the_reference_is_up_to_date() -> None:
    """What is generated from the code is what the code says now."""
    done = subprocess.run(
        [sys.executable, "scripts/reference.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def anchors(path: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """A relative link names a file that is there, and a heading in it."""
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []
