"""What waits for a person, found in the files where it is kept."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew.handoff.questions import pending
from clew.journal.store import state_folder
from clew.sessions import ProjectSessions
from clew.words import events as ev
from projects import TWO_FAULTS, commit_all, write
from sessionplay import opened


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    return commit_all(write(tmp_path / "sums", TWO_FAULTS))


def session(root: Path, *events: ev.AnyEvent, name: str = "fix-sums") -> None:
    """Write a session into the journal of the project, as the loop does."""
    journal = ProjectSessions.at(root).journal(ev.CODEC)
    for seq, event in enumerate((opened(), *events), 1):
        journal.append(ev.Recorded(session=name, seq=seq, at=datetime.now(UTC), event=event))
    journal.close()


ASKED = ev.QuestionAsked(id="q1", kind=ev.QuestionKind.ESCALATION, text="What now?", options=())


def test_a_session_of_clew_that_waits_is_a_question(root: Path) -> None:
    """For its folder, and for every folder of its repository below."""
    below = root / "deep" / "folder"
    below.mkdir(parents=True)
    assert () == pending(str(root))
    session(root, ASKED)
    session(root, name="another")
    for folder in (root, below):
        assert ("session fix-sums waits for an answer",) == pending(str(folder.resolve()))


def test_a_question_that_was_answered_is_none(root: Path) -> None:
    """The chain may go on."""
    session(root, ASKED, ev.QuestionAnswered(id="q1", option="investigate"))
    assert () == pending(str(root))


def test_another_project_may_wait(root: Path, tmp_path: Path) -> None:
    """Its question is not this one's."""
    other = commit_all(write(tmp_path / "other", TWO_FAULTS))
    session(other, ASKED)
    assert () == pending(str(root.resolve()))


def test_a_journal_that_cannot_be_read_asks_nothing_and_is_logged(root: Path) -> None:
    """A chain does not hang on a broken file, and nobody is left to wonder."""
    session(root)
    ProjectSessions.at(root).store.journal.write_bytes(
        b"this is no database, however long it may be" * 100
    )
    assert () == pending(str(root.resolve()))
    assert "journal.db" in (state_folder() / "hand-off" / "hooks.log").read_text()


DOCUMENTS = {
    "---\nstatus: awaiting_human_verify\n---\n": True,
    '---\nstatus: "awaiting_human_verify" # since noon\ntrigger: x\n---\n': True,
    "---\nstatus: investigating\n---\n": False,
    "---\ntrigger: x\n---\nstatus: awaiting_human_verify\n": False,
    "status: awaiting_human_verify\n": False,
    "---\nstatus: [\n": False,
    "": False,
}


@pytest.mark.parametrize(("content", "waits"), DOCUMENTS.items())
def test_a_debug_document_says_whether_it_waits(
    tmp_path: Path, content: str, *, waits: bool
) -> None:
    """In its front matter, and nowhere else; resolved ones are not looked at."""
    debug = tmp_path / ".planning" / "debug"
    (debug / "resolved").mkdir(parents=True)
    (debug / "resolved" / "old.md").write_text("---\nstatus: awaiting_human_verify\n---\n")
    (debug / "slow.md").write_text(content)
    said = ".planning/debug/slow.md waits for a person (awaiting_human_verify)"
    assert ((said,) if waits else ()) == pending(str(tmp_path))
