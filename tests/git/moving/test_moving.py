from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.git.moving import remember, store_of
from clew.git.project import Project
from clew.journal.store import Store


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def project(root: Path) -> Project:
    return Project(root=root, path=root, git=False, name=root.name)


@pytest.fixture
def known(tmp_path: Path) -> Store:
    """The store of a project that stands at `old`."""
    (tmp_path / "old" / ".clew").mkdir(parents=True)
    remember(tmp_path / "old")
    store = store_of(project(tmp_path / "old"))
    store.create()
    return store


def test_state_follows_a_project_that_was_moved(tmp_path: Path, known: Store) -> None:
    """And back again: each time the note is renewed."""
    root = (tmp_path / "old").rename(tmp_path / "new")
    assert store_of(project(root)).folder.is_dir()
    assert not known.folder.exists()
    assert os.fsencode(root) + b"\n" == (root / ".clew" / "root").read_bytes()
    assert known.folder == store_of(project(root.rename(tmp_path / "old"))).folder
    assert known.folder.is_dir()


def test_state_stays_while_the_original_stands(tmp_path: Path, known: Store) -> None:
    """Whoever has the note only, has a copy."""
    (tmp_path / "copy" / ".clew").mkdir(parents=True)
    (tmp_path / "copy" / ".clew" / "root").write_bytes(os.fsencode(tmp_path / "old") + b"\n")
    assert not store_of(project(tmp_path / "copy")).folder.exists()
    assert known.folder.is_dir()


def test_state_stays_while_somebody_works_on_it(tmp_path: Path, known: Store) -> None:
    """Folders are not taken from under a running session."""
    root = (tmp_path / "old").rename(tmp_path / "new")
    with known.hold("s"):
        assert not store_of(project(root)).folder.exists()
    assert store_of(project(root)).folder.is_dir()


@pytest.mark.parametrize(
    "note", [b"", b"\n", b"old\n", b"/\0\n", b"/" + b"x" * 9000, b"/no\xff\n", b"/nowhere/at/all\n"]
)
def test_a_note_that_leads_nowhere_is_left_alone(tmp_path: Path, note: bytes) -> None:
    """It may come from anybody."""
    (tmp_path / "new" / ".clew").mkdir(parents=True)
    (tmp_path / "new" / ".clew" / "root").write_bytes(note)
    store = store_of(project(tmp_path / "new"))
    assert not store.folder.exists()
    assert note == (tmp_path / "new" / ".clew" / "root").read_bytes()
