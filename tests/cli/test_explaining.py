"""What a person is told of an error that nothing else explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import cli


def test_a_removed_state_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without its journal a session is lost; a file missing beside one is another matter."""
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path))
    folder = tmp_path / "projects" / "p-1"
    error = FileNotFoundError(2, "No such file or directory", str(folder / "runs" / "out"))

    assert 1 == cli._explain(error)
    gone = capsys.readouterr().err
    assert f"the state folder {folder} was removed while Clew was working" in gone
    assert "Its sessions are lost; your own tree is unchanged. `clew fix` starts a new one." in gone

    folder.mkdir(parents=True)
    (folder / "journal.db").touch()
    assert 1 == cli._explain(error)
    assert "this is a bug in Clew" in capsys.readouterr().err
