from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from clew.sandbox.files import create_exclusively, locked, staged, write_atomically


def test_an_atomic_write_replaces_and_leaves_nothing_beside(tmp_path: Path) -> None:
    """One file, the new content."""
    path = tmp_path / "a" / "document.md"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert [path] == list(path.parent.iterdir())
    assert b"two" == path.read_bytes()


def test_an_exclusive_creation_never_overwrites(tmp_path: Path) -> None:
    """What stands there stays."""
    path = tmp_path / "001_report.md"
    create_exclusively(path, b"first")
    with pytest.raises(FileExistsError):
        create_exclusively(path, b"second")
    assert b"first" == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


def test_a_staged_file_lies_in_the_open_folder_and_is_gone_afterwards(tmp_path: Path) -> None:
    """Its content and mode are whole before anything takes its place."""
    at = os.open(tmp_path, os.O_RDONLY)
    try:
        with staged("login", b"new", 0o640, at=at) as new:
            assert [str(new)] == [path.name for path in tmp_path.iterdir()]
            assert b"new" == (tmp_path / new).read_bytes()
            assert 0o640 == stat.S_IMODE((tmp_path / new).stat().st_mode)
    finally:
        os.close(at)
    assert [] == list(tmp_path.iterdir())


def test_a_staged_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """The error says which file, and nothing is left."""
    path = tmp_path / "gone" / "file"
    with pytest.raises(FileNotFoundError) as caught, staged(path, b""):
        pass
    assert str(path.parent) in str(caught.value.filename)


def test_one_at_a_time_holds_a_lock(tmp_path: Path) -> None:
    """Whoever does not wait is refused; the lock is free after the block."""
    path = tmp_path / "locks" / "one"
    with locked(path):
        with pytest.raises(BlockingIOError), locked(path, patience=0):
            pass
        with pytest.raises(BlockingIOError), locked(path, patience=0.01):
            pass
    with locked(path, patience=0):
        pass
