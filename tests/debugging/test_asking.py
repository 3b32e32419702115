"""Tasks of every role, on a real session: what they leave is what the role may change."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from clew import working
from clew.agents.roles import DOCUMENT, REVIEW, ROLES, WRITE_TEST
from clew.debugging import Workshop
from clew.debugging.asking import assign
from clew.errors import AgentFailed
from clew.evaluation.working import Quiet
from clew.events import Opinion
from clew.project import locate
from clew.sessions import Desk
from clew.settings import Settings
from clew.store import Store
from projects import TWO_FAULTS, commit_all, diagnosis, fix, recording, write

NO_EDIT = {"file": "sums/area.py", "line": 1, "current": "import ad\n", "should_be": "import ad\n"}
TEST = {"file": "tests/test_new.py", "current": "", "should_be": "def test_a():\n    assert 0\n"}
CODE = {"file": "sums/new.py", "current": "", "should_be": "x = 1\n"}
TEXT = {"file": "docs/new.md", "current": "", "should_be": "# New\n"}


def written(*changes: dict[str, str]) -> dict[str, object]:
    names = {"test_file": "tests/test_new.py", "test_name": "test_a", "expects": "zero is true"}
    return {"role": "write-test", "reply": names | {"changes": changes}}


def documented(*changes: dict[str, str]) -> dict[str, object]:
    return {"role": "document", "reply": {"summary": "what holds now", "changes": changes}}


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    """A session that waits for a person, after an iteration that did not help."""
    root = commit_all(write(tmp_path / "sums", TWO_FAULTS))
    agent = recording(
        tmp_path / "r.jsonl",
        diagnosis("nothing at all", NO_EDIT),
        fix(NO_EDIT),
        {"role": "review", "reply": {"verdict": "LOOKS_GOOD", "reason": "it is plain"}},
        written(TEST),
        written(TEST, CODE),
        documented(TEXT),
        documented(TEXT, TEST),
    )
    desk = Desk(locate(root), Store(tmp_path / "state"))
    settings = Settings(agent=(agent,), max_iterations=1)
    state = working.start(desk, settings, Quiet(), ())
    workshop = Workshop(
        project=desk.project,
        store=desk.store,
        journal=desk.journal,
        repository=desk.repository,
        settings=settings,
        watcher=Quiet(),
        clock=lambda: datetime.now(UTC),
        state=state,
    )
    workshop.open_worktree()
    return workshop


@pytest.mark.slow
def test_a_task_leaves_what_its_role_may_change_and_nothing_else(workshop: Workshop) -> None:
    """A review nothing, a test test files, a document documents; what goes beyond is undone."""
    agent = workshop.state.session.agents[0]
    say = {"message": "a task"}
    reviewed = assign(workshop, REVIEW, agent, number=3, **say)
    assert (Opinion.LOOKS_GOOD, None) == (reviewed.done.reply.verdict, reviewed.commit)

    tested = assign(workshop, WRITE_TEST, agent, number=4, **say)
    assert ("test_a", ("tests/test_new.py",)) == (tested.done.reply.test_name, tested.files)
    assert tested.commit is not None

    with pytest.raises(AgentFailed, match=r"changed sums/new\.py, though it may change tests"):
        assign(workshop, WRITE_TEST, agent, number=5, **say)
    assert workshop.repository.is_clean(workshop.id)
    assert not (workshop.worktree / "tests/test_new.py").exists()

    told = assign(workshop, DOCUMENT, agent, number=6, **say)
    assert ("what holds now", ("docs/new.md",)) == (told.done.reply.summary, told.files)

    with pytest.raises(AgentFailed, match=r"changed tests/test_new\.py, though it may change docu"):
        assign(workshop, DOCUMENT, agent, number=7, **say)

    for role in ROLES.values():
        with pytest.raises(AgentFailed) as failed:
            assign(workshop, role, "repair", number=8, **say)
        assert "unsupported" == failed.value.kind
    assert workshop.state.head == workshop.repository.head(workshop.id)
