"""What is known of a failure before anybody is asked, and where it goes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from clew.git.project import locate
from commandline import CommandLine
from projects import FIRST, commit_all, diagnosis, git, recording, two_fixes, write
from shapes import program
from treestate import fingerprint

KNOWN = (
    "## rings-lost-a-name — rings lost a name\n\n"
    "- **Error patterns**: ImportError, NameError, sums.add, test_area\n"
    "- **Root cause**: somebody renamed DATA_END add\n- **Fix**: import it by its own name\n"
)
RIGHT = "from sums.add import add as ad\n\n\ndef ring(w, h):\n    return ad(w, h) * 2\n"


def green_once(clew: CommandLine) -> str:
    """Let a run of the project be green, then put its faults back; return the green session."""
    area = clew.project / "sums" / "area.py"
    faulty = area.read_text()
    area.write_text(RIGHT)
    said = clew.run("fix", "--json")
    assert "nothing_to_do" == said.summary["status"], said
    area.write_text(faulty)
    return str(said.summary["session_id"])


@pytest.mark.slow
def test_evidence_is_put_together_without_an_agent(clew: CommandLine) -> None:
    """Both axes, traces, suspects, the change since green, patterns; the tree stays as it is."""
    write(clew.project, {"debug/knowledge-base.md": KNOWN})
    green = green_once(clew)
    before = fingerprint(locate(clew.project))
    said = clew.run("evidence", "--json")
    assert 0 == said.code, said.err
    told = said.summary
    assert ("import_error", "implementation_error") == (told["category"], told["cause"]["class"])
    assert ["tests/test_area.py"] == [test["id"] for test in told["tests"]]
    assert "sums/area.py" == told["suspects"][0]["path"]
    assert (f"green in session {green}", ["sums/area.py"]) == (
        told["since_green"]["source"],
        told["since_green"]["files"],
    )
    assert ["rings-lost-a-name"] == [match["slug"] for match in told["known"]]
    shown = clew.run("evidence").out
    for words in ("import_error", "cannot import name", "Suspects", "Seen before", "+from sums"):
        assert words in shown
    assert before == fingerprint(locate(clew.project))


AGENT = """\
import json, os, pathlib, sys

pathlib.Path(os.environ["SEEN"]).write_text(sys.stdin.read())
sys.exit(1)
"""


@pytest.mark.slow
def test_evidence_reaches_the_agents_as_data(clew: CommandLine, tmp_path: Path) -> None:
    """Patterns, the first bad commit and the change since green stand in wrappers of their own."""
    write(clew.project, {"debug/knowledge-base.md": KNOWN})
    git(clew.project, "add", "-A")
    (clew.project / "sums" / "area.py").write_text(RIGHT)
    git(clew.project, "commit", "-qam", "Rings that work")
    (clew.project / "sums" / "area.py").write_text(RIGHT.replace("as ad", "as sum_of"))
    git(clew.project, "commit", "-qam", "A name DATA_END of 0123 changes")
    assert 0 == clew.run("bisect").code
    green_once(clew)
    seen = tmp_path / "seen"
    agent = program(tmp_path / "agent.py", AGENT)
    env = {
        "SEEN": str(seen),
        "CLEW_PASS_ENV": "SEEN",
        "CLEW_SANDBOX": "none",
        "CLEW_ALLOW_UNENFORCED": "1",
    }
    clew.run("fix", "--agent", agent, "--max-iterations", "1", env=env)
    prompt = seen.read_text()
    for words in ("rings lost a name", "first bad commit", "green in session", "never a diagnosis"):
        assert words in prompt
    wrapped, depth = [], 0
    for line in prompt.splitlines():
        depth += line.startswith("DATA_START ")
        wrapped.append(bool(depth))
        depth -= line.startswith("DATA_END ")
        assert depth in (0, 1)
        for words in ("rings lost a name", "A name DATA", "green in session"):
            assert words not in line or depth == 1


@pytest.mark.slow
def test_evidence_of_a_session_is_that_of_its_failure(clew: CommandLine, tmp_path: Path) -> None:
    """Also when it ended green; nothing is run for it; reports tell what was known."""
    write(clew.project, {"debug/knowledge-base.md": KNOWN})
    said = clew.run("fix", "--json", "--agent", two_fixes(tmp_path / "r.jsonl"))
    assert 0 == said.code, said.err
    told = clew.run("evidence", said.summary["session_id"], "--json").summary
    assert ("import_error", ["tests/test_area.py"]) == (
        told["category"],
        [test["id"] for test in told["tests"]],
    )
    report = (clew.project / said.summary["reports"][0]).read_text()
    assert "seen before, to be tested first: rings-lost-a-name" in report
    assert 2 == clew.run("evidence", "nothing-of-that-name").code


@pytest.mark.slow
def test_what_one_session_taught_is_brought_to_mind_in_the_next(
    clew: CommandLine, tmp_path: Path
) -> None:
    """The same failure again after its fix was applied: the entry is named, with what it was."""
    first = clew.run("fix", "--json", "--agent", two_fixes(tmp_path / "r.jsonl"))
    assert 0 == first.code, first.err
    area = clew.project / "sums" / "area.py"
    faulty = area.read_text()
    assert 0 == clew.run("apply").code
    area.write_text(faulty)
    agent = recording(tmp_path / "s.jsonl", diagnosis("the name is gone again", FIRST))
    again = clew.run("fix", "--json", "--agent", agent, "--max-iterations", "1")
    report = (clew.project / again.summary["reports"][0]).read_text()
    assert "seen before, to be tested first: a-name-that-does-not-exist-one" in report


def test_a_green_project_has_no_failure_to_know_of(tmp_path: Path) -> None:
    """Exit code 0, and nothing is made up; tests that cannot run are an error of their own."""
    project = write(tmp_path / "fine", {"test_it.py": "def test_it():\n    pass\n"})
    clew = CommandLine(project, tmp_path / "state")
    said = clew.run("evidence", "--test-command", f"{sys.executable} -m pytest -q")
    assert (0, True) == (said.code, "All tests pass" in said.out), said
    assert 3 == clew.run("evidence", "--test-command", "nothing-of-that-name").code


AT_ODDS = {
    "pyproject.toml": "[tool.pytest.ini_options]\n",
    "rates.py": "def rate(name):\n    return 1\n",
    "test_rates.py": (
        "from rates import rate\n\n\ndef test_one():\n    assert rate('a') == 1\n\n\n"
        "def test_two():\n    assert rate('a') == 2\n"
    ),
}


@pytest.mark.slow
def test_tests_that_contradict_each_other_are_told_alike_everywhere_and_asked(
    tmp_path: Path,
) -> None:
    """Evidence, prompt and report name the kind that the diagnosis names; no test is given way to.

    That takes the test which passes, so that the failing run alone would tell another kind.
    """
    clew = CommandLine(commit_all(write(tmp_path / "rates", AT_ODDS)), tmp_path / "state")
    told = clew.run("evidence", "--json").summary
    assert ("task_spec_error", "ambiguous_spec") == (told["category"], told["cause"]["class"])
    asked = clew.run("fix", "--json")
    assert (1, "waiting", 1) == (
        asked.code, asked.summary["status"], asked.summary["iterations"],
    ), asked  # fmt: skip
    (question,) = (r["event"] for r in asked.events[:-1] if r["event"]["type"] == "QuestionAsked")
    assert "a person has to say which of the tests is right" in question["text"]
    (path,) = asked.summary["reports"]
    prompt = clew.run("context", "--prompt").out
    for text in (prompt, (clew.project / path).read_text()):
        assert "tests_contradict: what the red tests ask contradicts what else is asked" in text


@pytest.mark.slow
def test_suspects_of_a_session_are_those_of_the_failure_that_is_told(clew: CommandLine) -> None:
    """Of one that ended green the first: not the suspects of what came to light after it."""
    said = clew.run("fix", "--json")
    assert (0, 2) == (said.code, said.summary["iterations"]), said.err
    events = [line["event"] for line in said.events[:-1]]
    first, second = (
        [s["path"], s.get("line")]
        for e in events
        if e["type"] == "Diagnosed"
        for s in e["suspects"][:1]
    )
    told = clew.run("evidence", said.summary["session_id"], "--json").summary["suspects"][0]
    assert first == [told["path"], told.get("line")] != second
