"""Sessions as a person has them at their terminal: asked, answered, and gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clew.documents.debug_sessions import read
from clew.words.debug_sessions import Aim, DebugDocument, DebugStatus
from commandline import CommandLine
from debugplay import MENDED, SHOP, cause, waiting
from moments import Moment
from projects import commit_all, write
from scripted import Scripted, diagnosing
from terminal import at_a_terminal

SLUG = "checkout-total-is-off-by-one"
WORDS = ("debug", "checkout total is off by one")
ASKED = "(Enter: decide later)"
SHOWN = "python3 -m shop 1 2 3"
QUIET = "def test_nothing():\n    assert True\n"
RIGHT = "from shop.total import total\n\n\ndef test_total():\n    assert total([4]) == 4\n"


@pytest.fixture
def shop(tmp_path: Path) -> CommandLine:
    """A person in a shop whose totals are off by one, which no test shows."""
    project = commit_all(write(tmp_path / "shop", SHOP | {"tests/test_total.py": QUIET}))
    env = {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    return CommandLine(project, tmp_path / "state", env)


def document(clew: CommandLine, folder: str = "debug/sessions") -> DebugDocument:
    return read((clew.project / folder / f"{SLUG}.md").read_bytes())


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_left")
def test_a_person_debugs_a_symptom_at_their_terminal(shop: CommandLine, tmp_path: Path) -> None:
    """What they saw, a question, the cause, the way of the fix, the failing test, and its end."""
    clew = shop
    written = {"test_file": "tests/test_off.py", "test_name": "test_total", "expects": "the sum"}
    turns: dict[str, list[dict[str, Any]]] = {
        "investigate": [waiting(), cause()],
        "write-test": [{"writes": {"tests/test_off.py": RIGHT}, "says": written}],
        "diagnose": [diagnosing("total takes one off", MENDED)],
        "fix": [{"says": {"changes_made": "took nothing off", "changes": [MENDED]}}],
    }
    agent = Scripted(tmp_path / "agent", **turns)
    with at_a_terminal(clew, *WORDS, "--tdd", "--diagnose", "--agent", agent.name) as terminal:
        assert "Status: gathering; Goal: find_root_cause_only; TDD: yes" in terminal.until(ASKED)
        terminal.type("expected: 6", "actual: 5", f"$ {SHOWN}", "")
        seen = terminal.until(ASKED)
        assert f"`{SHOWN}` ended with 1 (3 of 3 runs show it)" in seen
        assert "which currency is it?" in seen
        terminal.type("1")
        terminal.until("In your own words")
        terminal.type("it is euros,", "and cents are dropped")
        assert 0 == terminal.end()
        assert "**Root Cause:** total takes one off" in terminal.shown
    known = document(clew)
    assert (Aim.FIND, DebugStatus.DIAGNOSED) == (known.goal, known.status)
    assert ("6", "5") == (known.symptoms.expected, known.symptoms.actual)
    assert "it is euros,\nand cents are dropped" in agent.sent("investigate")[1]

    with at_a_terminal(clew, "debug", "continue", SLUG) as terminal:
        assert "Root cause identified:" in terminal.until(ASKED)
        terminal.type("1")
        seen = terminal.until(ASKED)
        assert "Test file: tests/test_off.py\n      Test name: test_total\n" in seen
        assert "E       assert 3 == 4" in seen
        terminal.type("confirmd")
        assert "Did you mean 'confirmed'?" in terminal.until(ASKED)
        terminal.type("confirmed")
        terminal.until("it is fixed in session")
        terminal.type("confirmed")  # of what, nobody has seen yet
        seen = terminal.until(ASKED)
        assert f"`{SHOWN}` ended with 0 (0 of 3 runs show it)" in seen
        assert "Fixed, and proven." in seen
        assert 0 == clew.run("apply", SLUG).code
        assert "- 1" not in (clew.project / "shop/total.py").read_text()
        terminal.type("")
        assert 1 == terminal.end()
    assert DebugStatus.AWAITING_HUMAN_VERIFY is document(clew).status

    with at_a_terminal(clew, "debug", "continue", SLUG) as terminal:
        assert "Is this gone: checkout total is off by one?" in terminal.until(ASKED)
        terminal.type("Fixed")
        assert 0 == terminal.end()
        assert "**TDD:** yes" in terminal.shown
    assert DebugStatus.RESOLVED is document(clew, "debug/sessions/resolved").status
    assert RIGHT == (clew.project / "tests/test_off.py").read_text()


@pytest.mark.slow
def test_an_answer_counts_for_the_question_that_was_shown(
    shop: CommandLine, tmp_path: Path
) -> None:
    """Where somebody else has answered it, it is none to what is asked now."""
    agent = Scripted(tmp_path / "agent", investigate=[waiting(), waiting("how many lines?")])
    words = (*WORDS, "--reproduce", SHOWN, "--agent", agent.name)
    with at_a_terminal(shop, *words) as terminal:
        assert "which currency is it?" in terminal.until(ASKED)
        assert "how many lines?" in shop.run("answer", SLUG, "it is euros").out
        terminal.type("stop")
        seen = terminal.until(ASKED)
        assert "it was answered elsewhere meanwhile" in seen
        assert "how many lines?" in seen
        terminal.type("stop")
        assert 1 == terminal.end()
    assert DebugStatus.ABANDONED is document(shop).status


@pytest.mark.slow
def test_what_is_pasted_at_a_terminal_is_one_answer(escalated: Moment) -> None:
    """Here of what the agents should know; no line of it is left for the next question."""
    escalated.again()
    clew, pasted = escalated.clew, ("line 5 adds one", "that ring has none")
    with at_a_terminal(clew, "resume") as terminal:
        terminal.until(ASKED)
        terminal.type(*pasted)
        assert 0 == terminal.end()
    answered = [e["event"] for e in clew.run("log", "--json").events]
    said = [event.get("text") for event in answered if event["type"] == "QuestionAnswered"]
    assert "\n".join(pasted) == said[-1]
