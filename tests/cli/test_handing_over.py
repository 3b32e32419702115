"""What is shown of a session that waits for a person."""

from __future__ import annotations

import pytest

from clew import api
from clew.cli.handing_over import show_history
from clew.documents.views import IterationView
from clew.flows.debugging.states import State


def test_a_note_is_shown_to_its_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There it names the tests that spoke against a fix."""
    why = "tests of the baseline are collected again: 1 of 4; " * 3
    view = IterationView(
        number=1, result="Proof refused", note=f"{why}red: tests/test_a.py::test_b"
    )
    monkeypatch.setattr(api, "iteration_views", lambda _: (view,), raising=False)
    show_history(State())
    assert "tests/test_a.py::test_b" in capsys.readouterr().out
