"""Real sessions of Claude Code hand off to each other in a real tmux."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from handoffkit import Hands, Tmux, project, real_agent, tmux, until
from modelserver import Asked, ModelServer, serve

pytestmark = pytest.mark.slow

ARGUMENTS = '6 it\'s "fine" $(touch pwned) #(touch pwned) ; touch pwned'


class Model:
    """Answers each command with what the test wrote down for it."""

    def __init__(self) -> None:
        self.answers: dict[str, str] = {}
        self.commands: list[str] = []

    def __call__(self, asked: Asked) -> str:
        found = re.search(r"<command-name>(.*?)</command-name>", asked.said)
        if found is None or not asked.tools:
            return "done"
        arguments = re.search(r"<command-args>(.*?)</command-args>", asked.said, re.DOTALL)
        command = f"{found[1]} {arguments[1] if arguments else ''}".strip()
        self.commands.append(command)
        return self.answers.get(command, "done")


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def server(model: Model) -> Iterator[ModelServer]:
    with serve(model) as server:
        yield server


@pytest.fixture
def hands(tmp_path: Path, server: ModelServer) -> Hands:
    hands = project(tmp_path)
    real_agent(hands, server.url)
    assert hands.clew.run("hooks", "install", "--user").code == 0
    return hands


@pytest.fixture
def terminal(tmp_path: Path, hands: Hands) -> Iterator[Tmux]:
    with tmux(tmp_path, hands.env) as server:
        yield server


def test_a_session_starts_the_next_and_leaves(hands: Hands, terminal: Tmux, model: Model) -> None:
    """Start hook, marker, new window, its start hook, `/exit`: and the words arrive as they are."""
    model.answers["/gsd:discuss-phase 6"] = f"Agreed.\n\nGSD_SPAWN: /gsd:plan-phase {ARGUMENTS}"
    window, pane = terminal.open(hands.root, "claude", "/gsd:discuss-phase 6")
    until(lambda: "left" in hands.seen(), what=terminal.shown(pane))
    assert ["asked", "spent", "opened", "started", "left"] == hands.seen()
    until(lambda: len(model.commands) == 2)
    assert ["/gsd:discuss-phase 6", f"/gsd:plan-phase {ARGUMENTS}"] == model.commands
    until(lambda: window not in terminal.panes())
    (opened,) = hands.events("opened")
    assert opened["window"] in terminal.panes()
    assert opened["window"] == (hands.root / ".planning/.current-window-id").read_text().strip()
    assert [] == list(hands.root.rglob("pwned"))
    assert "" == hands.log()
