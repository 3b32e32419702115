"""Looking on at a debug session: nothing that happened to it is kept from who looks on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import msgspec
import pytest

from clew import api
from clew.agents.replies import InvestigateReply
from clew.cli.watching_debug import debug_line, show_debug_end
from clew.sessions import SessionStatus
from debugplay import cause

if TYPE_CHECKING:
    from clew.api import ProjectSessions


def test_a_session_that_waits_in_its_fix_is_not_said_to_be_complete(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What is asked below stands there instead."""
    status = SessionStatus(
        session="off",
        kind="investigation",
        status="waiting",
        goal="off by a cent",
        lines=("asks in its fix: which way?",),
        exit_code=1,
    )
    sessions = cast("ProjectSessions", SimpleNamespace(listing=tuple))
    assert 1 == show_debug_end(sessions, status, json=False)
    assert ["", "off  waiting", "  asks in its fix: which way?", ""] == (
        capsys.readouterr().out.split("\n")[:4]
    )


@pytest.mark.parametrize("applied", [False, True])
def test_a_fix_that_is_not_in_the_person_s_tree_is_told_to_be_taken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, applied: bool
) -> None:
    """A resolved session says so once more; where it is there already, it does not."""
    monkeypatch.setattr(api, "debug_summary", lambda *_: "complete", raising=False)
    monkeypatch.setattr(api, "is_applied", lambda *_: applied, raising=False)
    status = SessionStatus(
        session="off", kind="investigation", status="resolved", base="base", commit="fixed"
    )
    assert 0 == show_debug_end(cast("ProjectSessions", None), status, json=False)
    assert applied != ("take it:  clew apply off" in capsys.readouterr().out)


def test_a_root_cause_that_is_sent_back_is_told_to_be_so() -> None:
    """With what it lacks."""
    told = msgspec.convert(cause(lacks="blind_spots")["says"], InvestigateReply).told
    line = debug_line(api.Investigated(agent="one", told=told))
    assert line.startswith(
        "one: root cause found, sent back as its reasoning says nothing under blind_spots: total"
    )
