"""The documents of a plan on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from builder import plan_text, till
from clew.documents.plans import examine
from clew.flows.plan.conflicts import changed_since
from clew.flows.plan.driver import FLOW, PlanRun
from clew.flows.plan.driver.documenting import write_document
from clew.flows.plan.working import load_plan
from clew.sessions import ProjectSessions
from clew.sessions.plans import PlanFile
from clew.sessions.recovery import recover
from clew.words.facts import Tick
from clew.words.records import BaseTaken, Started, TakeBase
from planflow import PlanPlay, phase, plan_of


class Onlooker:
    """Whoever looks on, with what it was told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def saw(self, recorded: object, state: object) -> None:
        """Take no note."""

    def tick(self, tick: Tick) -> None:
        """Keep what is said."""
        self.told.append(tick.text)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlanRun:
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    sessions = ProjectSessions.at(till(tmp_path / "till"))
    return PlanRun(sessions=sessions, id="s", flow=FLOW, watcher=Onlooker())


def test_a_document_that_was_edited_by_hand_is_kept(run: PlanRun) -> None:
    """In the same process or in the next one, and each edit under a name of its own."""
    play = PlanPlay(plan_of(phase(1)))
    run.state = play.state
    write_document(run)
    folder = run.sessions.project.documents / "s"
    document = folder / "session.md"
    rendered = document.read_text()
    document.write_text(rendered.replace("pending", "completed"))
    write_document(run)
    assert rendered == document.read_text()
    assert "completed" in (folder / "session.edited.md").read_text()
    document.write_text(f"{rendered}\nA note.\n")
    run.written = b""
    play.routine()
    run.state = play.state
    write_document(run)
    assert "A note." in (folder / "session.edited-2.md").read_text()
    assert isinstance(run.watcher, Onlooker)
    assert ["was edited by hand" in text for text in run.watcher.told] == [True, True]


def test_a_document_of_an_earlier_process_is_replaced(run: PlanRun) -> None:
    """It is what was rendered of an earlier state: nobody edited it."""
    play = PlanPlay(plan_of(phase(1)))
    run.record(play.events[0])
    write_document(run)
    run.written = b""
    play.routine()
    for event in play.events[1:]:
        run.record(event)
    write_document(run)
    folder = run.sessions.project.documents / "s"
    assert ["session.md"] == [path.name for path in folder.iterdir()]


def test_a_lost_journal_is_built_anew_with_its_plans(run: PlanRun) -> None:
    """From what lies beside it, which grows with each outcome, in any process."""
    play = PlanPlay(plan_of(phase(1), phase(2, 1)))
    play.routine()
    for event in play.events:
        run.record(event)
    write_document(run)
    before = len(play.events)
    play.end_child(play.children()[1])
    play.routine()
    for event in play.events[before:]:
        run.record(event)
    write_document(run)
    sessions = run.sessions
    sessions.events.close()
    for path in sessions.store.journal.parent.glob("journal.db*"):
        path.unlink()
    found = recover(ProjectSessions.at(sessions.project.root))
    assert found is not None
    assert [("s", len(play.events), 0)] == [(r.session, r.events, r.lost) for r in found[1]]
    again = load_plan(ProjectSessions.at(sessions.project.root), "s")
    assert (run.state.phases, run.state.merges) == (again.phases, again.merges)


def test_what_a_person_changed_since_is_told_with_its_difference(run: PlanRun) -> None:
    """The plan, and files that phases change; nothing of what is theirs alone."""
    root = run.sessions.project.root
    (root / "plan.md").write_text(plan_text(("Prices", "prices", ()), ("Names", "names", ())))
    file = PlanFile.at(root / "plan.md")
    taken = run.repository.snapshot("s")
    opened = replace(
        PlanPlay(examine(file.texts)[0].bare).state.session,
        plan_hash=file.digest,
    )
    run.record(opened)
    run.record(Started(intent=TakeBase()))
    run.record(BaseTaken(of=2, commit=taken.commit, tree=taken.tree))
    assert [] == list(changed_since(run))
    (root / "src/till/prices.py").write_text("MINE = 1\n")
    (root / "src/till/mine.py").write_text("MINE = 2\n")
    (root / "plan.md").write_text(plan_text(("Prices", "prices", ()), ("Names", "other", ())))
    told = "\n".join(changed_since(run))
    assert "plan.md was changed since" in told
    assert "+creates: [src/till/other.py]" in told.replace("- ", "")
    assert "you changed src/till/prices.py since, which phase 1 changes as well" in told
    assert "+MINE = 1" in told
    assert "mine.py" not in told
