"""Real sessions of Gemini CLI hand off to each other in a real tmux."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from commandline import REPOSITORY
from handoffkit import Hands, Tmux, project, real_gemini, tmux, until
from modelserver import Asked, ModelServer, Reply, serve

pytestmark = pytest.mark.slow

KEPT = REPOSITORY / "tests" / "handoff" / "gemini" / "payloads.jsonl"
ARGUMENTS = '6 it\'s "fine" $(touch pwned) #(touch pwned) ; touch pwned'


class Model:
    """Answers each prompt with what the test wrote down for it; a function is asked."""

    def __init__(self) -> None:
        self.answers: dict[str, str | Callable[[Asked], Reply | str]] = {}
        self.prompts: list[str] = []

    def __call__(self, asked: Asked) -> Reply | str:
        if not asked.tools:
            return "a summary"
        prompt = self._prompt(asked.first)
        if not asked.results:
            self.prompts.append(prompt)
        answer = self.answers.get(prompt, "done")
        return answer if isinstance(answer, str) else answer(asked)

    @staticmethod
    def _prompt(words: str) -> str:
        """What was typed, as the command's file puts it, without what the agent says before it."""
        return re.sub(r"<session_context>.*</session_context>", "", words, flags=re.DOTALL).strip()


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
    real_gemini(hands, server.url)
    installed = hands.clew.run("hooks", "install", "--user", "--agent", "gemini")
    assert (0, "") == (installed.code, installed.err)
    return hands


@pytest.fixture
def terminal(tmp_path: Path, hands: Hands) -> Iterator[Tmux]:
    with tmux(tmp_path, hands.env) as server:
        yield server


@pytest.mark.skipif(os.environ.get("CI") == "true", reason="Gemini CLI loses keys while it draws")
def test_a_session_starts_the_next_and_leaves(hands: Hands, terminal: Tmux, model: Model) -> None:
    """Start hook, marker, new window, its start hook, `/quit`; the words arrive as they stand.

    What somebody had begun to type into the source, on several lines, is sent to nobody.
    """
    model.answers["Do discuss-phase: 6"] = f"Agreed.\n\nGSD_SPAWN: /gsd:plan-phase {ARGUMENTS}"
    window, pane = terminal.open(hands.root, "gemini", "-i", "/gsd:discuss-phase 6")
    until(lambda: "opened" in hands.seen())
    terminal("send-keys", "-t", pane, "half a", "C-j", "sentence", "C-j", "C-j")
    until(lambda: {"left", "failed"} & set(hands.seen()), what="nobody left")
    assert ["asked", "spent", "opened", "started", "left"] == hands.seen()
    until(lambda: len(model.prompts) == 2)
    assert ["Do discuss-phase: 6", f"Do plan-phase: {ARGUMENTS}"] == model.prompts
    until(lambda: window not in terminal.panes())
    (opened,) = hands.events("opened")
    assert opened["window"] in terminal.panes()
    assert opened["window"] == (hands.root / ".planning/.current-window-id").read_text().strip()
    assert [120] == [line["tokens"] for line in hands.events("spent")]
    assert [] == list(hands.root.rglob("pwned"))
    assert "" == hands.log()


def test_headless_sessions_follow_each_other(hands: Hands, model: Model) -> None:
    """Without a terminal, `gemini -p` starts the next as a process, with the same bounds."""
    model.answers["Do discuss-phase: 6"] = "GSD_SPAWN: /gsd:plan-phase 6"
    model.answers["Do plan-phase: 6"] = "GSD_SPAWN: /gsd:execute-plan a/06-01-PLAN.md"
    hands.configure(max_depth=2)
    done = hands.clew.run(
        "chain", "start", "/gsd:discuss-phase 6", "--agent", "gemini", env=hands.env
    )
    assert (0, "") == (done.code, done.err)
    until(lambda: "refused" in hands.seen())
    until(lambda: not hands.desk.sessions())
    assert ["Do discuss-phase: 6", "Do plan-phase: 6"] == model.prompts
    assert ["process"] * 2 == [line["backend"] for line in hands.events("opened")]
    assert ["depth"] == [line["word"] for line in hands.events("refused")]


def test_the_hooks_are_found_in_order(hands: Hands) -> None:
    """`clew hooks verify` says so; and what the agent's own switch and its trust would change."""
    verify = ("hooks", "verify", "--agent", "gemini", "--json")
    said = hands.clew.run(*verify, env=hands.env)
    assert (0, "") == (said.code, said.err)
    assert all(finding["good"] for finding in said.events)
    settings = Path(hands.env["HOME"]) / ".gemini" / "settings.json"
    held = json.loads(settings.read_text())
    held["security"].pop("folderTrust")
    held["hooksConfig"] = {"disabled": ["clew"]}
    settings.write_text(json.dumps(held))
    said = hands.clew.run(*verify, env=hands.env)
    bad = [finding["name"] for finding in said.events if not finding["good"]]
    assert (2, ["settings", "trust"]) == (said.code, bad)
