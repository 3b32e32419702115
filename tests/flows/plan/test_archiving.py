"""A plan that ended, put away."""

from __future__ import annotations

from pathlib import Path

import pytest

from builder import plan_text, till
from clew.documents.phases import read
from clew.flows.plan.archiving import archive
from clew.flows.plan.driver.documenting import write_document
from clew.flows.plan.importing import import_document
from clew.flows.plan.working import at_work, load_plan, roll_back, terminate
from clew.sessions import ProjectSessions, Unwatched
from clew.words.errors import UsageError
from clew.words.phases import OverallStatus
from clew.words.records import Concluded
from clew.words.settings import Settings

DOCUMENT = """\
---
session_id: tides
status: in_progress
design_document: .gemini/plans/tides-design.md
implementation_plan: .gemini/plans/tides-impl-plan.md
phases:
  - {id: 1, name: Prices, status: pending, agents: [coder]}
---
"""


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ProjectSessions:
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    return ProjectSessions.at(till(tmp_path / "till"))


@pytest.fixture
def tides(sessions: ProjectSessions) -> str:
    """A session that was imported where Maestro keeps it."""
    root = sessions.project.root
    for path, text in (
        (".gemini/state/active-session.md", DOCUMENT),
        (".gemini/plans/tides-design.md", "# Tides\n"),
        (".gemini/plans/tides-impl-plan.md", plan_text(("Prices", "prices", ()))),
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return import_document(sessions, Settings(), root / ".gemini/state/active-session.md")


def end(sessions: ProjectSessions, session: str) -> None:
    with at_work(sessions, session, Unwatched()) as run:
        run.record(Concluded(status="terminated", reason="a person ended it"))
        write_document(run)


MOVED = {
    ".clew/sessions/tides": ".clew/archive/tides",
    ".gemini/plans/tides-design.md": ".gemini/plans/archive/tides-design.md",
    ".gemini/plans/tides-impl-plan.md": ".gemini/plans/archive/tides-impl-plan.md",
    ".gemini/state/active-session.md": ".gemini/state/archive/tides.md",
}


def test_documents_and_plan_move_to_archives_beside_them(
    sessions: ProjectSessions, tides: str
) -> None:
    """What is archived says how the session truly ended, and nothing active is left."""
    end(sessions, tides)
    moves = archive(sessions, tides, Unwatched())
    assert MOVED == {move.source: move.target for move in moves}
    root = sessions.project.root
    assert [False] * len(MOVED) == [(root / source).exists() for source in MOVED]
    for path in (".clew/archive/tides/session.md", ".gemini/state/archive/tides.md"):
        assert OverallStatus.ABORTED is read((root / path).read_bytes()).status
    assert load_plan(sessions, tides).archived
    for again in (
        lambda: archive(sessions, tides, Unwatched()),
        lambda: roll_back(sessions, tides, "start", "", Unwatched()),
    ):
        with pytest.raises(UsageError, match="archived"):
            again()
    for again in (
        lambda: archive(sessions, tides, Unwatched()),
        lambda: terminate(sessions, tides, Unwatched()),
    ):
        with pytest.raises(UsageError, match=tides) as error:
            again()
        assert f"`clew show {tides}`" in error.value.whole
        assert "rollback" not in error.value.whole  # what is archived does not go back


def test_nothing_in_an_archive_is_overwritten(sessions: ProjectSessions, tides: str) -> None:
    """What comes later gets a name of its own; a plan that was edited since stays."""
    root = sessions.project.root
    other = root / ".gemini/state/archive/tides.md"
    other.parent.mkdir()
    other.write_text("another")
    with (root / ".gemini/plans/tides-impl-plan.md").open("a") as plan:
        plan.write("\nMore.\n")
    end(sessions, tides)
    moves = {move.source: move.target for move in archive(sessions, tides, Unwatched())}
    assert "another" == other.read_text()
    assert ".gemini/state/archive/tides-2.md" == moves[".gemini/state/active-session.md"]
    assert ".gemini/plans/tides-impl-plan.md" not in moves


def test_an_archive_that_was_cut_off_is_finished_by_archiving_again(
    sessions: ProjectSessions, tides: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any of its moves."""
    end(sessions, tides)
    rename, left = Path.rename, [2]

    def fail(self: Path, target: Path) -> Path:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail)
        with pytest.raises(KeyboardInterrupt):
            archive(sessions, tides, Unwatched())
    assert not load_plan(sessions, tides).archived
    moves = archive(sessions, tides, Unwatched())
    assert MOVED == {move.source: move.target for move in moves}
    assert all((sessions.project.root / target).exists() for target in MOVED.values())


def test_what_goes_on_is_not_archived(sessions: ProjectSessions, tides: str) -> None:
    """The message says how it is ended; its true status is kept."""
    with pytest.raises(UsageError, match="is not finished"):
        archive(sessions, tides, Unwatched())
    terminate(sessions, tides, Unwatched())
    archive(sessions, tides, Unwatched())
