"""A debug session of Claude Code's: it investigates, reviews, writes tests and mends."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from backends import BACK_ENDS, KEY, NOTHING, SECRET, person
from clew.documents.debug_sessions import read
from clew.git.project import locate
from clew.words.debug_sessions import DebugStatus
from commandline import CommandLine, Said
from debugplay import MENDED, SHOP, TEST, cause, waiting
from modelserver import Asked, ModelServer, Reply, ToolCall
from projects import commit_all, write
from scripted import diagnosing
from soundness import heard, is_side
from treestate import fingerprint

CLAUDE = BACK_ENDS["claude"]
SLUG = "checkout-total-is-off-by-one"
DOCUMENT = f"debug/sessions/{SLUG}.md"
WORDS = ("debug", "checkout total is off by one", "--reproduce", "python3 -m shop 1 2 3")
EUROS = "it is euros"
SUGGESTION = "keep the sum an int"
SPECIALIST = f"the fix of {SLUG}, as a specialist in python sees it"
QUIET = "def test_nothing():\n    assert True\n"
RED = "from shop.total import total\n\n\ndef test_off():\n    assert total([4]) == 4\n"


def says(turn: dict[str, Any]) -> str:
    return json.dumps(turn["says"])


def investigating(root: Path, asked: Asked) -> Reply | str:
    """Read the document, try to change a file, and ask a person before anything is claimed."""
    if not asked.all_results:
        return Reply(calls=(CLAUDE.read(root / DOCUMENT), *CLAUDE.writes(root / "planted.py")))
    if "tdd_mode: true" in asked.whole:
        return says(cause())
    return says(cause(TEST) if EUROS in asked.whole else waiting())


def reviewing(_: Path, __: Asked) -> str:
    told = {"verdict": "SUGGEST_CHANGE", "reason": "floats creep in", "suggestion": SUGGESTION}
    return json.dumps(told)


def writing(root: Path, asked: Asked) -> Reply | str:
    if not asked.all_results:
        words = {"file_path": str(root / "tests/test_off.py"), "content": RED}
        return Reply(calls=(ToolCall("Write", words),))
    said = {"test_file": "tests/test_off.py", "test_name": "test_off", "expects": "the sum"}
    return json.dumps(said)


def diagnosed(_: Path, __: Asked) -> str:
    return says(diagnosing("total takes one off", MENDED))


def mending(root: Path, asked: Asked) -> Reply | str:
    file = root / MENDED["file"]
    if not asked.all_results:
        return Reply(calls=(CLAUDE.read(file),))
    if len(asked.all_results) == 1:
        return Reply(calls=(CLAUDE.edit(file, MENDED),))
    return json.dumps({"changes_made": "took nothing off", "changes": []})


def challenging(_: Path, __: Asked) -> str:
    return NOTHING


BY_TASK: dict[str, Callable[[Path, Asked], Reply | str]] = {
    "# Task: investigate a symptom": investigating,
    "# Task: review a proposed fix": reviewing,
    "# Task: write one test": writing,
    "# Task: find the cause of failing tests": diagnosed,
    "# Task: carry out the recommended fix": mending,
    "# Task: find what the fix gets wrong": challenging,
}


@dataclass
class Played:
    """A person whose agent is Claude Code, and all that its model was asked."""

    clew: CommandLine
    server: ModelServer
    env: dict[str, str]

    def run(self, *words: str) -> Said:
        return self.clew.run(*words, env=self.env)

    def asked(self, words: str) -> list[Asked]:
        """Return the last request of each conversation in which the user says these words."""
        about = [asked for asked in self.server.asked if words in asked.whole]
        last = {asked.first: asked for asked in about}
        return list(last.values())


@contextlib.contextmanager
def played(clew: CommandLine) -> Iterator[Played]:
    def model(asked: Asked) -> Reply | str:
        if is_side(asked):
            return "a title"
        act = next(act for task, act in BY_TASK.items() if task in asked.whole)
        return act(clew.project, asked)

    with heard(model, SECRET, KEY) as server:
        env = person(clew, CLAUDE, server) | {"CLEW_REVIEW": CLAUDE.agent}
        yield Played(clew, server, env)


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    """A person in a shop whose totals are off by one."""
    return CommandLine(commit_all(write(tmp_path / "shop", SHOP)), tmp_path / "state")


@pytest.mark.agents
@pytest.mark.usefixtures("nothing_left")
def test_claude_code_investigates_reviews_and_mends(clew: CommandLine) -> None:
    """It reads the document and asks; a fresh one explains it; what it changes is proven."""
    before = fingerprint(locate(clew.project))
    with played(clew) as play:
        said = play.run(*WORDS, "--agent", CLAUDE.agent)
        assert (1, True) == (said.code, "which currency is it?" in said.out), said
        said = play.run("answer", SLUG, EUROS)
        assert "Root cause identified:" in said.out, said
        said = play.run("answer", SLUG, "now")
        assert "Fixed, and proven." in said.out, said
        assert before == fingerprint(locate(clew.project))
        first, second = play.asked("# Task: investigate a symptom")
        (review,) = play.asked(SPECIALIST)
        (fix,) = play.asked("# Task: carry out the recommended fix")

    for asked in (first, second):
        assert any("status: investigating" in result for result in asked.all_results)
        assert any("No such tool available: Write" in result for result in asked.all_results)
    assert not (clew.project / "planted.py").exists()
    assert [False, True] == [EUROS in each.whole for each in (first, second)]
    assert "root cause: total takes one off" in review.whole
    assert SUGGESTION in fix.whole
    said = clew.run("answer", SLUG, "confirmed")
    assert (0, True) == (said.code, "**Specialist review:** python" in said.out), said
    known = read((clew.project / f"debug/sessions/resolved/{SLUG}.md").read_bytes())
    assert DebugStatus.RESOLVED is known.status
    assert (f"python: SUGGEST_CHANGE: {SUGGESTION}",) == known.review
    standing = clew.run("status", SLUG, "--json").summary["standing"]
    assert standing["usage"]["input"] >= 100 * len(play.server.asked)


@pytest.mark.agents
@pytest.mark.usefixtures("nothing_left")
def test_under_tdd_claude_code_writes_the_failing_test(clew: CommandLine) -> None:
    """Nobody reviews the cause; the test is seen red, confirmed, and turned green."""
    write(clew.project, {"tests/test_total.py": QUIET})
    commit_all(clew.project)
    with played(clew) as play:
        said = play.run(*WORDS, "--tdd", "--agent", CLAUDE.agent)
        assert "Test file: tests/test_off.py" in said.out, said
        assert "Status: RED" in said.out
        said = play.run("answer", SLUG, "confirmed")
        assert "Fixed, and proven." in said.out, said
        assert [] == play.asked(SPECIALIST)
        (written,) = play.asked("# Task: write one test")
    assert "root cause: total takes one off" in written.whole
    diff = clew.run("diff", SLUG).out
    assert "+++ b/tests/test_off.py" in diff
    assert "+    return sum(lines)" in diff.splitlines()
