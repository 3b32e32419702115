"""Fragments become a section of the changelog."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "changelog.py"


def gather(root: Path, version: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), version, "--root", str(root)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "changelog"
    folder.mkdir()
    (folder / "README.md").write_text("how to")
    (folder / "apply.fixed.md").write_text("`clew apply` keeps\nyour line ends.\n")
    (folder / "fix.added.md").write_text("`clew fix` mends.\n")
    return tmp_path


def test_a_release_gathers_its_fragments(root: Path) -> None:
    """By kind, newest release first; the fragments are gone, their guide stays."""
    assert gather(root, "0.1.0").returncode == 0
    (root / "changelog" / "log.removed.md").write_text("`clew log` went.")
    assert gather(root, "0.2.0").returncode == 0
    text = (root / "CHANGELOG.md").read_text()
    headings = [line.split(" — ")[0] for line in text.splitlines() if line.startswith("#")]
    assert headings == [
        "# Changelog",
        "## 0.2.0",
        "### Removed",
        "## 0.1.0",
        "### Added",
        "### Fixed",
    ]
    assert "- `clew apply` keeps\n  your line ends." in text
    assert [path.name for path in (root / "changelog").iterdir()] == ["README.md"]


def test_without_fragments_there_is_nothing_to_release(root: Path) -> None:
    """An empty release is refused."""
    assert [gather(root, "0.1.0").returncode, gather(root, "0.1.1").returncode] == [0, 1]


def test_a_fragment_of_no_kind_is_named(root: Path) -> None:
    """Nothing is written until it has one of the known kinds."""
    (root / "changelog" / "log.md").write_text("?")
    done = gather(root, "0.1.0")
    assert (done.returncode, "log.md is none of" in done.stderr) == (1, True)
    assert not (root / "CHANGELOG.md").exists()
