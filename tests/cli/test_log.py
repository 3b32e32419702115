"""`clew log`, followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew import api
from clew.cli import main
from clew.words import events as ev
from projects import write
from sessionplay import START, opened


def test_a_followed_log_ends_with_its_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that has ended has nothing to come, and is shown as without that."""
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(write(tmp_path / "sums", {"sums.py": ""}))
    journal = api.sessions_at(Path()).journal(ev.CODEC)
    whole: tuple[ev.AnyEvent, ...] = (
        opened(),
        ev.SessionEnded(status=ev.Status.NOTHING_TO_DO, reason="all pass"),
    )
    for seq, event in enumerate(whole, 1):
        journal.append(ev.Recorded(session=opened().session_id, seq=seq, at=START, event=event))
    said = []
    for words in (["log"], ["log", "--follow"]):
        with pytest.raises(SystemExit, match="0"):
            main(words)
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert ["SessionOpened", "SessionEnded"] == [line.split()[2] for line in said[0].splitlines()]
