"""Sessions found by what a person types."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from clew.sessions import ProjectSessions
from clew.sessions.ended import nothing_to_end
from clew.words.errors import UsageError
from projects import commit_all, write


@pytest.mark.parametrize("name", ["off-by-one", "2026-03-14-off-by-one"])
def test_who_names_a_session_that_only_its_document_knows_is_told_how_to_continue_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """By its slug, or by the id that it had."""
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    document = {"debug/sessions/off-by-one.md": "..."}
    sessions = ProjectSessions.at(commit_all(write(tmp_path / "shop", document)))
    with pytest.raises(UsageError, match="there is no session") as said:
        sessions.find(name)
    assert "`clew debug continue off-by-one` continues it" in said.value.hint
    for other in ("other", "../sessions/off-by-one", "", "x" * 5_000, "a\0b"):
        with pytest.raises(UsageError) as said:
            sessions.find(other)
        assert "`clew fix` starts one." == said.value.hint


def test_without_a_name_it_is_the_last_one_that_had_something_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    sessions = ProjectSessions.at(commit_all(write(tmp_path / "shop", {"a.py": "A = 1\n"})))
    fixed, idle = (
        SimpleNamespace(session=name, status=status, parent="", updated=at)
        for name, status, at in (("fix", "green", 1), ("fix-2", "nothing_to_do", 2))
    )
    monkeypatch.setattr(ProjectSessions, "listing", lambda _: (idle, fixed))
    assert "fix" == sessions.find(None)
    child = SimpleNamespace(session="fix-3", status="green", parent="fix-2", updated=3)
    monkeypatch.setattr(ProjectSessions, "listing", lambda _: (child, idle))
    assert "fix-2" == sessions.find(None)
    monkeypatch.setattr(ProjectSessions, "listing", lambda _: (idle,))
    assert "fix-2" == sessions.find(None)


def test_why_nothing_is_ended_is_told_in_words() -> None:
    """A status is a word of programs."""
    assert "has ended: nothing to do, so" in str(nothing_to_end("s", "nothing_to_do", back=False))
