"""What is shown of a session that waits for a person."""

from __future__ import annotations

import os
import sys

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


def cause_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cause: str
) -> str:
    """Return what is shown of a cause."""
    view = IterationView(number=1, result="Still Failing", root_cause=cause)
    monkeypatch.setattr(api, "iteration_views", lambda _: (view,), raising=False)
    show_history(State())
    lines = capsys.readouterr().out.splitlines()
    return next(line for line in lines if line.startswith("  cause")).removeprefix("  cause   ")


def test_a_cause_is_whole_in_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody has to ask for the rest of it."""
    cause = "a cause of many words " * 20
    assert cause.strip() == cause_shown(monkeypatch, capsys, cause)


@pytest.mark.parametrize(("columns", "most"), [(80, 160), (200, 188)])
def test_a_cause_is_cut_on_a_terminal_to_its_width(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: int, most: int
) -> None:
    """On a narrow one it has two lines."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((columns, 24)))
    shown = cause_shown(monkeypatch, capsys, "a cause of many words " * 20)
    assert "…" == shown[-1]
    assert most - 8 < len(shown) <= most
