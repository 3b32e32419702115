"""The document on the disk, where a write of it is cut off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.flows.investigation.driver import FLOW, InvestigationRun, documenting
from clew.sandbox.files import write_atomically
from clew.sessions import ProjectSessions, Unwatched
from debugplay import DebugPlay
from projects import commit_all, write


@pytest.mark.parametrize("written", [False, True])
def test_a_write_that_is_cut_off_is_no_edit_of_a_person(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    written: bool,  # noqa: FBT001 - a parameter
) -> None:
    """Whether the file was there by then, or not."""
    monkeypatch.setenv("CLEW_STATE_HOME", str(tmp_path / "state"))
    project = commit_all(write(tmp_path / "shop", {"shop.py": ""}))
    sessions = ProjectSessions.at(project)
    with sessions.store.hold("2026-03-14-off"):
        run = InvestigationRun(
            sessions=sessions, id="2026-03-14-off", flow=FLOW, watcher=Unwatched()
        )
        run.record(DebugPlay().events[0])
        documenting.write_document(run)
        run.state = DebugPlay().run().state
        whole = write_atomically

        def cut_off(*arguments: Any) -> None:  # noqa: ANN401 - as they are
            if written:
                whole(*arguments)
            raise KeyboardInterrupt

        monkeypatch.setattr(documenting, "write_atomically", cut_off)
        with pytest.raises(KeyboardInterrupt):
            documenting.write_document(run)
        monkeypatch.setattr(documenting, "write_atomically", whole)
        documenting.write_document(run)
    assert ["off.md"] == [path.name for path in (project / "debug/sessions").iterdir()]
