"""What the kernel tells of the files that are read in a folder."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from clew.sandbox import read_watch
from clew.sandbox.read_watch import reads


def test_what_any_program_reads_is_known_at_the_end(tmp_path: Path) -> None:
    """Names relative to the folder; folders that are left out say nothing."""
    for name in ("a.txt", "b/c.txt", "b/d.txt", "left/e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    with reads(tmp_path, {"left"}) as found:
        subprocess.run(["cat", "a.txt", "b/c.txt", "left/e.txt"], cwd=tmp_path, check=True)
        (tmp_path / "b/d.txt").write_text("y")
    assert frozenset({"a.txt", "b/c.txt"}) == found.paths


def test_more_news_than_the_kernel_keeps_are_taken_meanwhile(tmp_path: Path) -> None:
    """Or are known to be lost: never is a part taken for the whole."""
    names = [f"{number}.txt" for number in range(300)]
    for name in names:
        (tmp_path / name).write_text("x")
    with reads(tmp_path, ()) as found:
        for _ in range(100):
            for name in names:
                (tmp_path / name).read_text()
    assert found.paths in (None, frozenset(names))


def test_too_many_folders_are_not_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing is known, and it is said so."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.setattr(read_watch, "FOLDERS", 2)
    with reads(tmp_path, ()) as found:
        pass
    assert found.paths is None
