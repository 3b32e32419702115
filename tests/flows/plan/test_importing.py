"""Sessions of other tools, taken over by their document and written back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from builder import plan_text, till
from clew.documents.phases import read
from clew.flows.plan.driver import drive
from clew.flows.plan.driver.documenting import write_document
from clew.flows.plan.events import PlanAnswered, PlanAsked
from clew.flows.plan.forking import at_checkpoint, forked
from clew.flows.plan.importing import export, import_document
from clew.flows.plan.states.folding import back_to
from clew.flows.plan.working import at_work, load_plan, terminate
from clew.sessions import ProjectSessions, Unwatched
from clew.words.errors import ClewError, UsageError
from clew.words.phases import OverallStatus, PhaseStatus
from clew.words.records import Interrupted
from clew.words.settings import Settings

FOREIGN = sorted((Path(__file__).parents[2] / "formats" / "golden").glob("session-from-*"))


@pytest.fixture
def sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ProjectSessions:
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    return ProjectSessions.at(till(tmp_path / "till"))


def laid(sessions: ProjectSessions, content: bytes) -> Path:
    """A document where Maestro keeps it."""
    path = sessions.project.root / ".gemini" / "state" / "active-session.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("crlf", [False, True], ids=["lf", "crlf"])
@pytest.mark.parametrize("source", FOREIGN, ids=lambda path: path.stem)
def test_what_was_imported_is_exported_as_it_was(
    sessions: ProjectSessions, source: Path, *, crlf: bool
) -> None:
    """Byte for byte, whatever keys and words it has; the file itself is not touched."""
    content = source.read_bytes()
    content = content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") if crlf else content
    path = laid(sessions, content)
    session = import_document(sessions, Settings(), path, without_plan=True)
    assert read(content).session_id == session
    assert content == export(sessions, session)
    assert content == path.read_bytes()
    assert content == (sessions.project.documents / session / "session.md").read_bytes()
    again = import_document(sessions, Settings(), path, without_plan=True)
    assert f"{session}-2" == again
    assert content == export(sessions, again)


def test_an_imported_session_stands_where_its_document_says(sessions: ProjectSessions) -> None:
    """What was in progress is failed for us: a person looks at it before it is run again."""
    name = "session-from-maestro-by-hand-v1.md"
    path = laid(sessions, next(each for each in FOREIGN if each.name == name).read_bytes())
    state = load_plan(sessions, import_document(sessions, Settings(), path, without_plan=True))
    assert [PhaseStatus.FAILED, PhaseStatus.PENDING] == [p.status for p in state.phases.values()]
    assert "in progress when its session was imported" in state.phase("parse").errors[-1].message
    assert ("parse",) == state.phase(2).phase.depends_on


WRITTEN = b"""---
session_id: till-2026
status: in_progress
phases:
  - {id: 1, name: Money, status: completed, files_created: [src/till/__init__.py, old.py]}
  - {id: 2, name: Prices, status: completed, files_created: [src/till/prices.py]}
  - {id: 3, name: Tidy, status: completed, files_modified: [src/gone.py], files_deleted: [old.py]}
  - {id: 4, name: Receipt, status: pending, blocked_by: [2]}
---
"""


def test_what_is_completed_without_its_files_is_for_a_person_to_look_at(
    sessions: ProjectSessions,
) -> None:
    """The files are named; the document keeps its bytes until something changes."""
    session = import_document(sessions, Settings(), laid(sessions, WRITTEN))
    state = load_plan(sessions, session)
    ok, bad, left = PhaseStatus.COMPLETED, PhaseStatus.FAILED, PhaseStatus.PENDING
    assert [ok, bad, bad, left] == [phase.status for phase in state.phases.values()]
    for id_, path in ((2, "src/till/prices.py"), (3, "src/gone.py")):
        assert f"its files are not there: {path}. " in state.phase(id_).errors[-1].message
    assert WRITTEN == export(sessions, session)
    terminate(sessions, session, Unwatched())
    after = read(export(sessions, session))
    assert [ok, bad, bad, left] == [phase.status for phase in after.phases]
    assert "src/gone.py" in after.phases[2].errors[-1].message


def test_going_back_leaves_done_what_was_done_before_the_import(sessions: ProjectSessions) -> None:
    """A plan has no checkpoint of it; all else is to be done again. So it is in a fork."""
    session = import_document(sessions, Settings(), laid(sessions, WRITTEN))
    with at_work(sessions, session, Unwatched()) as run:
        drive(run, until=lambda state: state.base is not None)
        there = at_checkpoint(run.state, "start", "otherwise")
        run.record(back_to(run.state, "start", "otherwise"))
        ok, left = PhaseStatus.COMPLETED, PhaseStatus.PENDING
        assert [ok, left, left, left] == [phase.status for phase in run.state.phases.values()]
        assert run.state.phases == there.phases
        assert [1] == [phase.phase for phase in forked(there, session, "start", "").phases]


def test_files_that_are_named_from_the_file_system_s_root_are_the_project_s(
    sessions: ProjectSessions,
) -> None:
    """Tools write down what their agents report; what lies outside belongs to no phase."""
    root = str(sessions.project.root).encode()
    content = WRITTEN.replace(b"src/till/__init__.py", root + b"/src/till/__init__.py")
    content = content.replace(b"src/gone.py", b"/nowhere/gone.py")
    session = import_document(sessions, Settings(), laid(sessions, content))
    state = load_plan(sessions, session)
    assert ("src/till/__init__.py", "old.py") == state.phase(1).created
    assert PhaseStatus.COMPLETED is state.phase(1).status
    assert "/nowhere/gone.py" in state.phase(3).errors[-1].message
    exported = read(export(sessions, session))
    assert state.phase(1).created == exported.phases[0].files_created


PLANNED = b"""---
session_id: till-2026
status: in_progress
implementation_plan: 2026-11-20-till-impl-plan.md
phases:
  - {id: 1, name: Money, status: completed}
  - {id: 2, name: Prices, status: pending, blocked_by: [1]}
---
"""


def test_a_plan_that_a_document_names_is_found_where_its_tool_keeps_plans(
    sessions: ProjectSessions,
) -> None:
    """By its bare name, or by a path of another machine."""
    plan = sessions.project.root / ".gemini" / "plans" / "2026-11-20-till-impl-plan.md"
    plan.parent.mkdir(parents=True)
    plan.write_text(plan_text(("Money", "money", ()), ("Prices", "prices", (1,))))
    for named in (PLANNED, PLANNED.replace(b"_plan: ", b"_plan: /home/ada/till/.gemini/plans/")):
        session = import_document(sessions, Settings(), laid(sessions, named))
        state = load_plan(sessions, session)
        assert ("src/till/prices.py",) == state.phase(2).phase.creates
        assert str(plan.relative_to(sessions.project.root)) == state.session.plan_path


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("", "its plan 2026-11-20-till-impl-plan.md is not there"),
        (
            plan_text(("Money", "money", ())),
            "its plan .gemini/plans/2026-11-20-till-impl-plan.md does not describe phase 2",
        ),
    ],
    ids=["gone", "another"],
)
def test_phases_are_not_gone_on_with_unasked_where_no_plan_says_what_they_come_to(
    sessions: ProjectSessions, plan: str, words: str
) -> None:
    """Nothing would judge them by; a person may say that they go on all the same."""
    place = sessions.project.root / ".gemini" / "plans" / "2026-11-20-till-impl-plan.md"
    if plan:
        place.parent.mkdir(parents=True)
        place.write_text(plan)
    path = laid(sessions, PLANNED)
    with pytest.raises(UsageError) as error:
        import_document(sessions, Settings(), path)
    assert words in error.value.whole
    assert bool(plan) is ("looked for in ., .gemini/state, plans" not in error.value.whole)
    assert f"clew import {path} --without-plan" in error.value.whole
    assert () == sessions.listing()
    path.write_bytes(PLANNED.replace(b"pending", b"completed"))
    assert "till-2026" == import_document(sessions, Settings(), path)
    path.write_bytes(PLANNED)
    assert "till-2026-2" == import_document(sessions, Settings(), path, without_plan=True)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "active-session.md: the document is empty"),
        (b"---\ntitle: a plan\n---\n", "; a plan is carried out by `clew run "),
        (
            b"""---\n{"session_id": "a", "phases": [{"id": 1, "name": "n", "blocked_by": [2]},
            {"id": 2, "name": "m", "blocked_by": [1]}]}\n---\n""",
            "cyclic_dependency",
        ),
    ],
    ids=["empty", "plan", "cycle"],
)
def test_a_document_that_cannot_be_gone_on_from_opens_nothing(
    sessions: ProjectSessions, content: bytes, words: str
) -> None:
    """The message says which file, and what is wrong with it."""
    with pytest.raises(ClewError) as error:
        import_document(sessions, Settings(), laid(sessions, content))
    assert words in f"{error.value.whole} {error.value}"
    assert "rewrites it" not in error.value.whole
    assert () == sessions.listing()


def test_a_pipe_is_no_document(sessions: ProjectSessions) -> None:
    """Nobody waits for its writer."""
    pipe = sessions.project.root / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="is not a file"):
        import_document(sessions, Settings(), pipe)


@pytest.mark.parametrize("crlf", [False, True], ids=["lf", "crlf"])
@pytest.mark.parametrize("source", FOREIGN, ids=lambda path: path.stem)
def test_a_session_in_the_layout_of_its_tool_goes_on_in_its_own_document(
    sessions: ProjectSessions, source: Path, *, crlf: bool
) -> None:
    """Written where it lies, byte for byte where nothing changed; no second one is kept."""
    content = source.read_bytes()
    content = content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") if crlf else content
    path = laid(sessions, content)
    session = import_document(sessions, Settings(layout="maestro"), path, without_plan=True)
    with at_work(sessions, session, Unwatched()) as run:
        run.record(Interrupted(reason="nothing was done"))
        write_document(run)
    assert content == path.read_bytes()
    assert ["active-session.md"] == [each.name for each in path.parent.iterdir()]
    assert not (sessions.project.documents / session).exists()
    with pytest.raises(UsageError, match="is open in"):
        import_document(sessions, Settings(layout="maestro"), path, without_plan=True)


def test_a_document_is_imported_again_once_its_files_are_back(sessions: ProjectSessions) -> None:
    """Where nothing of it has begun: the new session goes on in it, and the first one has ended."""
    path = laid(sessions, WRITTEN)
    maestro = Settings(layout="maestro")
    session = import_document(sessions, maestro, path)
    (sessions.project.root / "src/till/prices.py").write_text("")
    again = import_document(sessions, maestro, path)
    state = load_plan(sessions, again)
    ok, bad, left = PhaseStatus.COMPLETED, PhaseStatus.FAILED, PhaseStatus.PENDING
    assert [ok, ok, bad, left] == [phase.status for phase in state.phases.values()]
    first = load_plan(sessions, session).ended
    assert first is not None
    assert "imported again" in first.reason
    assert (WRITTEN, ["active-session.md"]) == (
        path.read_bytes(),
        [each.name for each in path.parent.iterdir()],
    )
    with at_work(sessions, again, Unwatched()) as run:
        run.record(PlanAsked(id="q1", text="", phase=3, options=()))
        run.record(PlanAnswered(id="q1", option="skip"))
    (sessions.project.root / "src/gone.py").write_text("")
    with pytest.raises(UsageError, match=f"session {again} is open"):
        import_document(sessions, maestro, path)


def test_a_session_that_ended_is_not_called_open(sessions: ProjectSessions) -> None:
    """What goes on with it is named, and what makes room for another one."""
    path = laid(sessions, WRITTEN)
    session = import_document(sessions, Settings(layout="maestro"), path)
    terminate(sessions, session, Unwatched())
    with pytest.raises(UsageError) as error:
        import_document(sessions, Settings(layout="maestro"), path)
    assert f"has ended: terminated. `clew rollback {session} start`" in error.value.whole


def test_what_another_tool_wrote_meanwhile_is_kept(sessions: ProjectSessions) -> None:
    """In any process; what Clew wrote itself is not, even by one that was killed."""
    path = laid(sessions, FOREIGN[0].read_bytes())
    session = import_document(sessions, Settings(layout="maestro"), path, without_plan=True)
    terminate(sessions, session, Unwatched())
    ours = path.read_bytes()
    assert read(ours).status is OverallStatus.ABORTED
    with at_work(sessions, session, Unwatched()) as run:
        write_document(run)
    path.write_bytes(ours + b"\nMore.\n")
    with at_work(sessions, session, Unwatched()) as run:
        write_document(run)
    assert ours == path.read_bytes()
    kept = path.with_name("active-session.edited.md")
    assert ours + b"\nMore.\n" == kept.read_bytes()
    assert {path.name, kept.name} == {each.name for each in path.parent.iterdir()}
