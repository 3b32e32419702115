"""Code as it was comes from the newest commits; tests and other files have no part in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.git.worktrees import PrivateRepository
from clew.sessions.earlier import UNCOMMITTED, earlier_texts
from person import Person


def test_earlier_texts_are_those_of_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    someone = Person(tmp_path / "project")
    someone.git("init", "-q")
    someone.git("config", "user.name", "Pat")
    someone.git("config", "user.email", "pat@example.org")
    for name in ("code.py", "test_code.py", "notes.txt", "odd.py"):
        someone.write(name, b"\xff" if name == "odd.py" else f"{name} once\n")
    someone.commit()
    for name in ("code.py", "test_code.py", "notes.txt", "odd.py"):
        someone.write(name, f"{name} twice\n")
    changed = someone.commit("Say twice, not once")
    private = PrivateRepository.open(someone.project, tmp_path / "clean")
    clean = private.snapshot("s")
    assert [(changed[:10], "code.py once\n", "Say twice, not once")] == [
        (each.commit, each.text, each.subject)
        for each in earlier_texts(private, clean.commit, clean.head)
    ]
    someone.write("code.py", "now\n")
    private = PrivateRepository.open(someone.project, tmp_path / "state")

    taken = private.snapshot("s")
    found = earlier_texts(private, taken.commit, taken.head)

    assert [
        ("code.py", UNCOMMITTED, "code.py twice\n"),
        ("code.py", changed[:10], "code.py once\n"),
    ] == [(each.path, each.commit, each.text) for each in found]
    assert ["", "Say twice, not once"] == [each.subject for each in found]
