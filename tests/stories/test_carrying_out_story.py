"""A proposal is carried out, whatever its fixer does; what was applied and failed is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine
from projects import FIRST, NO_HELP, SECOND, TWO_FAULTS, commit_all, write
from scripted import DONE, Scripted, diagnosing, happened

HIDDEN = TWO_FAULTS["sums/area.py"].replace("import ad\n", "import add as ad\n")
RIGHT = HIDDEN.replace(" + 1\n", "\n")
WRONG = HIDDEN.replace(" + 1\n", " + 2\n")
BENT = TWO_FAULTS["tests/test_area.py"].replace("== 6", "== 7").replace("== 0", "== 1")
STATED: dict[str, Any] = {"changes_made": "mended sums/area.py as the report says", "changes": []}
OBJECTING: dict[str, Any] = {
    "says": {
        "verdict": "SUGGEST_CHANGE",
        "reason": "it is elsewhere",
        "suggestion": "look for the cause elsewhere",
    }
}
UNREADY: dict[str, Any] = {"says": STATED | {"ready_for_testing": False}}


@pytest.fixture
def clew(tmp_path: Path) -> CommandLine:
    """A person in a project with one fault, in sums/area.py."""
    files = TWO_FAULTS | {"sums/area.py": HIDDEN}
    return CommandLine(commit_all(write(tmp_path / "sums", files)), tmp_path / "state")


@pytest.mark.slow
def test_what_the_fixer_leaves_undone_is_done_for_it(clew: CommandLine, tmp_path: Path) -> None:
    """It says that it did: what counts is in the files, and the change was named exactly."""
    agent = Scripted(tmp_path / "agent", diagnose=[diagnosing("the seam", SECOND)], fix=[DONE])
    said = agent.fix(clew)
    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said
    (fixed,) = happened(said, "FixApplied")
    assert ["sums/area.py"] == fixed["files"]
    assert "changed nothing" in fixed["summary"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("writes", "result", "said_of_it"),
    [
        (
            {"sums/area.py": WRONG},
            "Still failing",
            ("proposed, not carried out", "a change other than the recommended one"),
        ),
        (
            {"sums/area.py": RIGHT, "tests/test_area.py": BENT},
            "Tests were edited, rolled back",
            ("carried out and more, so untried by itself", "the recommended change, and more"),
        ),
    ],
    ids=["another change", "edited tests"],
)
def test_what_was_never_applied_is_not_refused_and_is_applied_next(
    clew: CommandLine,
    tmp_path: Path,
    writes: dict[str, str],
    result: str,
    said_of_it: tuple[str, str],
) -> None:
    """The history says so, and the second time nobody is asked to make the exact change."""
    fixer = {"writes": writes, "says": STATED}
    agent = Scripted(tmp_path / "agent", diagnose=[diagnosing("the seam", SECOND)], fix=[fixer])
    said = agent.fix(clew)
    assert [result, "Tests passing"] == [e["result"] for e in happened(said, "IterationEnded")]
    assert (0, "green") == (said.code, said.summary["status"]), said
    second = agent.sent("diagnose")[1]
    told, done = said_of_it
    assert f"\n{told}: mend the seam\n" in second
    entry = happened(said, "IterationEnded")[0]
    assert f"{done}; in its fixer's words: " in entry["fix_attempted"]
    assert STATED["changes_made"] not in second.replace(entry["fix_attempted"], "")
    assert 1 == len(agent.sent("fix"))


@pytest.mark.slow
def test_a_fixer_that_fails_does_not_lock_its_diagnosis_out(
    clew: CommandLine, tmp_path: Path
) -> None:
    """The iteration counts as failed; the next one makes the change."""
    agent = Scripted(tmp_path / "agent", diagnose=[diagnosing("the seam", SECOND)], fix=[UNREADY])
    said = agent.fix(clew)
    results = [e["result"] for e in happened(said, "IterationEnded")]
    assert ["Agent failed", "Tests passing"] == results, said
    assert 3 == len(agent.sent("fix"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("turn", "results"),
    [(DONE, ["Tests passing"]), (UNREADY, ["Agent failed", "Tests passing"])],
    ids=["changes nothing", "fails"],
)
def test_a_change_that_a_reviewer_objects_to_is_tried_where_its_fixer_makes_none(
    clew: CommandLine, tmp_path: Path, turn: dict[str, Any], results: list[str]
) -> None:
    """A review holds nothing up: Clew makes the exact change, and tests decide."""
    turns = {"diagnose": [diagnosing("the seam", SECOND)], "fix": [turn], "review": [OBJECTING]}
    agent = Scripted(tmp_path / "agent", **turns)
    said = agent.fix(clew, "--review", agent.name)
    assert results == [e["result"] for e in happened(said, "IterationEnded")], said
    assert (0, "green") == (said.code, said.summary["status"]), said


@pytest.mark.slow
def test_what_nobody_recommended_is_marked_wherever_changes_are_told(
    clew: CommandLine, tmp_path: Path
) -> None:
    """At the end of `clew fix`, by `clew show`, and in the summary; also what was deleted."""
    write(clew.project, {"README.md": "Sums.\n"})
    commit_all(clew.project)
    fixer = {"writes": {"sums/area.py": RIGHT, "sums/more.py": "ONE = 1\n"}, "says": STATED}
    agent = Scripted(
        tmp_path / "agent",
        diagnose=[diagnosing("the seam", SECOND)],
        fix=[fixer | {"deletes": ["README.md"]}],
    )
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    said = clew.run("fix", "--agent", agent.name)
    assert 0 == said.code, said
    for told in (said.out, clew.run("show").out):
        assert "changed: README.md (deleted), sums/area.py, sums/more.py\n" in told
        assert "not recommended: README.md (deleted), sums/more.py\n" in told
    (path,) = (clew.project / ".clew").rglob("summary.md")
    summary = path.read_text()
    assert "| `README.md`, deleted, **not recommended** | 0 | 1 |" in summary
    assert "| `sums/more.py`, **not recommended** | 1 | 0 |" in summary
    assert "| `sums/area.py` |" in summary


@pytest.mark.slow
def test_edits_that_clew_makes_itself_are_nobodys_call(clew: CommandLine, tmp_path: Path) -> None:
    """What is counted is what the agent was sent."""
    unready = {"says": STATED | {"ready_for_testing": False}}
    agent = Scripted(tmp_path / "agent", diagnose=[diagnosing("the seam", SECOND)], fix=[unready])
    (clew.project / "clew.toml").write_text("agent-retries = 0\n")
    said = agent.fix(clew)
    assert (0, "green") == (said.code, said.summary["status"]), said
    sent = len(agent.sent("diagnose")) + len(agent.sent("fix"))
    assert 3 == sent == said.summary["spent"]["total"]["calls"]
    assert f"{sent} calls; tokens" in clew.run("status").out
    assert [True] == [e["exact"] for e in happened(said, "FixApplied")]


@pytest.mark.slow
def test_what_was_applied_and_failed_is_refused(clew: CommandLine, tmp_path: Path) -> None:
    """Also where Clew applied it itself."""
    agent = Scripted(tmp_path / "agent", diagnose=[diagnosing("the seam", NO_HELP)], fix=[DONE])
    said = agent.fix(clew)
    results = [e["result"] for e in happened(said, "IterationEnded")]
    assert ["Still failing", *["Same change again, not tried"] * 2] == results, said
    assert 1 == len(agent.sent("fix"))


@pytest.mark.slow
def test_a_change_that_is_there_already_is_there(clew: CommandLine, tmp_path: Path) -> None:
    """The agent edits the file, and lists the same change in its answer: it is made once."""
    says = {"changes_made": "took the seam away", "changes": [SECOND]}
    fixer = {"writes": {"sums/area.py": RIGHT}, "says": says}
    agent = Scripted(tmp_path / "agent", diagnose=[diagnosing("the seam", SECOND)], fix=[fixer])
    said = agent.fix(clew)
    assert (0, "green", 1) == (said.code, said.summary["status"], said.summary["iterations"]), said
    assert [] == happened(said, "AgentErred")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("helps", "results"),
    [("it", ["Different errors", "Tests passing"]), ("", ["Still failing", "Tests passing"])],
    ids=["the part is kept", "the part does not help"],
)
def test_what_is_left_out_of_a_proposal_is_told_and_made_next(
    tmp_path: Path, helps: str, results: list[str]
) -> None:
    """The same diagnosis comes again: what is made of it is there, and Clew makes the rest."""
    clew = CommandLine(commit_all(write(tmp_path / "sums", TWO_FAULTS)), tmp_path / "state")
    other = {
        "file": "sums/area.py",
        "current": "(width, height):",
        "should_be": "(width, height, /):",
    }
    part = FIRST if helps else other
    changes = [FIRST, SECOND, *([] if helps else [other])]
    made = TWO_FAULTS["sums/area.py"].replace(part["current"], part["should_be"])
    fixer = {"writes": {"sums/area.py": made}, "says": STATED}
    told = diagnosing("both faults", *changes)
    agent = Scripted(tmp_path / "agent", diagnose=[told], fix=[fixer])
    said = agent.fix(clew)
    assert results == [e["result"] for e in happened(said, "IterationEnded")], said
    assert (0, "green") == (said.code, said.summary["status"]), said
    assert (1, 2) == (len(agent.sent("fix")), len(agent.sent("diagnose")))
    second = agent.sent("diagnose")[1]
    assert "\ncarried out in part: mend both faults\n" in second
    fate = "made" if helps else "left out, still untried"
    assert f"\n  {fate}: sums/area.py:1: " in second
    assert "\n  left out, still untried: sums/area.py:5: " in second
    first, last = happened(said, "IterationEnded")
    assert "carried out in part, without: sums/area.py:" in first["fix_attempted"]
    assert "made by Clew" in last["fix_attempted"]


@pytest.mark.slow
def test_an_attempt_speaks_against_its_change_and_progress_is_kept(tmp_path: Path) -> None:
    """The cause of a change that failed is not refuted: another change for it turns out right."""
    clew = CommandLine(commit_all(write(tmp_path / "sums", TWO_FAULTS)), tmp_path / "state")
    causes = [diagnosing("the name", FIRST), diagnosing("the seam", NO_HELP)]
    agent = Scripted(
        tmp_path / "agent", diagnose=[*causes, diagnosing("the seam", SECOND)], fix=[DONE]
    )
    said = agent.fix(clew)
    results = [e["result"] for e in happened(said, "IterationEnded")]
    assert ["Different errors", "Still failing", "Tests passing"] == results, said
    first, second, third = agent.sent("diagnose")
    kept = "The previous fix helped, but not completely: keep it, and mend what is left."
    assert [False, True, True] == [kept in prompt for prompt in (first, second, third)]
    assert "errors left after it:\n  - tests/test_area.py::" in second
    failed = "attempt 2, in sums/area.py: mend the seam (made by Clew: the fixer changed nothing)"
    assert [False, True] == [failed in prompt for prompt in (second, third)]
    (summary,) = clew.project.glob(".clew/sessions/*/summary.md")
    told = third + summary.read_text()
    assert [] == [words for words in ("Refuted", "refuted", "It was not") if words in told]
    assert "- Did not help: mend the seam (made by Clew" in summary.read_text()


@pytest.mark.slow
def test_a_right_change_is_tried_without_the_wrong_one_that_was_kept(tmp_path: Path) -> None:
    """The fixer's own change mends one test, and the right one would mend both but for it."""
    code = (
        "def upto(days, last):\n    return sum(d for d in days if d < last)\n\n\n"
        "def whole(days, last):\n    return upto(days, last)\n"
    )
    tests = (
        "from sums.days import upto, whole\n\n\n"
        "def test_upto():\n    assert upto([1, 2, 3], 2) == 3\n\n\n"
        "def test_whole():\n    assert whole([1, 2, 3], 2) == 3\n\n\n"
        "def test_none():\n    assert upto([], 2) == 0\n"
    )
    files = {"sums/__init__.py": "", "sums/days.py": code, "tests/test_days.py": tests}
    files["pyproject.toml"] = TWO_FAULTS["pyproject.toml"]
    clew = CommandLine(commit_all(write(tmp_path / "sums", files)), tmp_path / "state")
    right = {"file": "sums/days.py", "line": 2, "current": "d < last", "should_be": "d <= last"}
    wrong = {
        "writes": {"sums/days.py": code.replace("upto(days, last)\n", "upto(days, last + 1)\n")}
    }
    agent = Scripted(
        tmp_path / "agent",
        diagnose=[diagnosing("the strict comparison", right)],
        fix=[wrong | {"says": STATED}, DONE],
    )
    said = agent.fix(clew)
    results = [e["result"] for e in happened(said, "IterationEnded")]
    assert ["Fewer errors", "Tests passing"] == results, said
    assert (0, "green") == (said.code, said.summary["status"]), said
    assert "last + 1" not in clew.run("diff").out


@pytest.mark.slow
def test_a_proven_change_that_a_person_takes_back_is_not_made_again(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Agents are told that it was proven, and whose word was against it; another one may be."""
    other = {**SECOND, "should_be": SECOND["current"].replace(" * 2 + 1", " + ad(width, height)")}
    seam = diagnosing("the seam", SECOND)
    agent = Scripted(
        tmp_path / "agent", diagnose=[seam, seam, diagnosing("the seam", other)], fix=[DONE]
    )
    assert 0 == agent.fix(clew).code
    said = clew.run("rollback", "start", "--with-context", "double it by adding", "--json")
    ended = [e["event"] for e in clew.run("log", "--json").events]
    results = [e["result"] for e in ended if e["type"] == "IterationEnded"]
    assert ["Tests passing", "Same change again, not tried", "Tests passing"] == results, said
    told = agent.sent("diagnose")[1]
    assert "proven, and taken back by a person since: the code is without it" in told
    assert "None made the tests pass" not in told
    assert "mend the seam (made by Clew: the fixer changed nothing) (proven, and undone" in told
    (report,) = clew.project.glob("debug/*/002_*.md")
    assert "a person undid the same change before" in report.read_text()


@pytest.mark.slow
def test_in_the_last_iteration_what_its_fixer_did_not_make_is_made_at_once(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Nobody would propose it again before a person has answered."""
    fixer = {"writes": {"sums/area.py": WRONG}, "says": STATED}
    agent = Scripted(tmp_path / "agent", diagnose=[diagnosing("the seam", SECOND)], fix=[fixer])
    said = agent.fix(clew, "--max-iterations", "1")
    assert (0, "green") == (said.code, said.summary["status"]), said
    (entry,) = happened(said, "IterationEnded")
    assert "mend the seam (made by Clew: its fixer did not)" == entry["fix_attempted"]
    own = "before that, its fixer made another change (mended sums/area.py as the report says)"
    assert f"{own}, with the result: Still failing" == entry["note"]
    assert 1 == len(agent.sent("fix"))


@pytest.mark.slow
def test_an_agent_whose_cap_its_diagnosis_reaches_needs_no_call_for_its_edits(
    clew: CommandLine, tmp_path: Path
) -> None:
    """Clew makes them, and says why it asked nobody."""
    agent = Scripted(tmp_path / "agent", diagnose=[diagnosing("the seam", SECOND)])
    words = agent.name.removeprefix("command:")
    settings = f'[commands]\nmine = "{words}"\n[ladder]\nmine = {{ calls = 1 }}\n'
    (clew.project / "clew.toml").write_text(settings)
    clew.env |= {"CLEW_SANDBOX": "none", "CLEW_ALLOW_UNENFORCED": "1"}
    said = clew.run("fix", "--json", "--agent", "mine")
    assert (0, "green") == (said.code, said.summary["status"]), said
    (entry,) = happened(said, "IterationEnded")
    assert "(made by Clew: the cap of mine leaves no call)" in entry["fix_attempted"]
    assert 1 == said.summary["spent"]["total"]["calls"]


@pytest.mark.slow
def test_what_was_recommended_is_made_where_its_fixer_mended_something_else(
    tmp_path: Path,
) -> None:
    """That helped, and is kept; the same diagnosis again needs no fixer."""
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\n",
        "sums.py": "def add(a, b):\n    return a - b\n\n\ndef half(n):\n    return n / 4\n",
        "test_sums.py": (
            "from sums import add, half\n\n\ndef test_add():\n    assert add(12, 3) == 15\n"
            "    assert add(20, 3) == 23\n\n\n"
            "def test_half():\n    assert half(48) == 24\n    assert half(80) == 40\n"
        ),
    }
    clew = CommandLine(commit_all(write(tmp_path / "sums", files)), tmp_path / "state")
    change = {
        "file": "sums.py",
        "line": 2,
        "current": "    return a - b",
        "should_be": "    return a + b",
    }
    other = files["sums.py"].replace("n / 4", "n / 2")
    fixer = {"writes": {"sums.py": other}, "says": STATED}
    agent = Scripted(tmp_path / "agent", diagnose=[diagnosing("it subtracts", change)], fix=[fixer])
    said = agent.fix(clew)
    assert (0, "green", 2) == (said.code, said.summary["status"], said.summary["iterations"]), said
    assert 1 == len(agent.sent("fix"))
