"""A person with a project, real git, and a private repository beside it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.git.worktrees import PrivateRepository
from person import Person

GIT_NAMES = [name for name in os.environ if name.startswith("GIT_")]


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder whose settings are the person's, and nobody else's."""
    for name in GIT_NAMES:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (home / ".gitconfig").write_text(
        "[user]\nname = Pat\nemail = pat@example.org\n[init]\ndefaultBranch = main\n",
        encoding="utf-8",
    )
    return home


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """A repository with one commit: `a.py` and an executable `run`."""
    someone = Person(tmp_path / "project")
    someone.git("init", "-q")
    someone.write("a.py", "one\ntwo\nthree\nfour\nfive\n")
    someone.write("run", "#!/bin/sh\n", 0o755)
    someone.commit("first")
    return someone


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[Person], PrivateRepository]:
    """Open the private repository of a person's project, again and again the same one."""

    def open_for(someone: Person) -> PrivateRepository:
        return PrivateRepository.open(someone.project, tmp_path / "state" / someone.root.name)

    return open_for


@pytest.fixture
def private(person: Person, opened: Callable[[Person], PrivateRepository]) -> PrivateRepository:
    return opened(person)


@pytest.fixture
def worktree(private: PrivateRepository) -> Path:
    """A worktree of the session `s` at its snapshot."""
    return private.add_worktree("s", private.snapshot("s").commit)
