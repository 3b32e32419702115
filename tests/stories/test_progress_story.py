"""Progress that is kept: looked at before it is, tried second to a person's work, and replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine
from projects import SECOND, TWO_FAULTS, commit_all, write
from scripted import DONE, Scripted, diagnosing, happened

AREA, ADD = "sums/area.py", "sums/add.py"
SEAM = TWO_FAULTS[AREA].replace("import ad\n", "import add as ad\n")
GIVEN = SECOND | {"should_be": "    return 6\n"}

# The fault is in `add`, and every test shows it; `ring` is right.
DEEP = TWO_FAULTS | {
    AREA: SEAM.replace(" + 1\n", "\n"),
    ADD: TWO_FAULTS[ADD].replace("a + b\n", "a + b + 1\n"),
}
LEVELLED = {
    "file": AREA,
    "line": 5,
    "current": "    return ad(width, height) * 2\n",
    "should_be": "    return ad(width, height) * 2 - 2\n",
}
BACK = LEVELLED | {"current": LEVELLED["should_be"], "should_be": LEVELLED["current"]}
RIGHT = {
    "file": ADD,
    "line": 2,
    "current": "    return a + b + 1\n",
    "should_be": "    return a + b\n",
}


def at_work(folder: Path, files: dict[str, str]) -> CommandLine:
    return CommandLine(commit_all(write(folder / "sums", files)), folder / "state")


@pytest.mark.slow
def test_a_given_away_answer_is_no_progress(tmp_path: Path) -> None:
    """It turns a test green, and no proof would accept it: the right change comes next."""
    clew = at_work(tmp_path, TWO_FAULTS | {AREA: SEAM})
    causes = [diagnosing("the answer", GIVEN), diagnosing("the seam", SECOND)]
    agent = Scripted(tmp_path / "agent", diagnose=causes, fix=[DONE])
    said = agent.fix(clew)
    entries = happened(said, "IterationEnded")
    assert ["Proof refused, rolled back", "Tests passing"] == [e["result"] for e in entries], said
    assert (0, "green") == (said.code, said.summary["status"])
    assert [1] == [len(e["red"]) for e in happened(said, "TestsRan") if e.get("refused")]
    second = agent.sent("diagnose")[1]
    assert "keep it" not in second
    assert f"{AREA}:5 `ring` answers 6 whatever it is given" in second
    assert "it was progress, but is not kept without a person, because it is doubted" in second
    assert f"attempt 1, in {AREA}: mend the answer" in second


STEPS = {
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "sums/__init__.py": "",
    ADD: "def add(a, b):\n    return a + b + (b > 4)\n",
    "tests/test_add.py": (
        "from sums.add import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
        "    assert add(0, 0) == 0\n    assert add(2, 5) == 7\n"
    ),
}
WHOLE = {"file": ADD, "line": 2, "current": "    return a + b + (b > 4)\n"}


@pytest.mark.slow
def test_an_earlier_assertion_that_fails_instead_is_no_progress(tmp_path: Path) -> None:
    """It held before: the change is rolled back, and the right one comes next."""
    clew = at_work(tmp_path, STEPS)
    worse = WHOLE | {"should_be": "    return a + b + (b < 4)\n"}
    causes = [
        diagnosing("the wrong side", worse),
        diagnosing("the seam", WHOLE | {"should_be": "    return a + b\n"}),
    ]
    agent = Scripted(tmp_path / "agent", diagnose=causes, fix=[DONE])
    said = agent.fix(clew)
    entries = happened(said, "IterationEnded")
    assert ["Still failing", "Tests passing"] == [e["result"] for e in entries], said
    (verified, _) = (e for e in happened(said, "TestsRan") if e["purpose"] == "verify")
    assert "different_errors" == verified["outcome"]


@pytest.mark.slow
def test_a_mend_of_a_person_is_tried_without_kept_progress_first(tmp_path: Path) -> None:
    """What was kept bends it: both merge, and the mend alone is right."""
    clew = at_work(tmp_path, DEEP)
    causes = [diagnosing("the level", LEVELLED)]
    agent = Scripted(tmp_path / "agent", diagnose=causes, fix=[DONE])
    said = agent.fix(clew, "--max-iterations", "1")
    (entry,) = happened(said, "IterationEnded")
    assert (1, "Fewer errors") == (said.code, entry["result"]), said
    (clew.project / ADD).write_text(TWO_FAULTS[ADD])
    done = clew.run("resume")
    assert 0 == done.code, done.err
    assert "tests (carried, your tree alone): 0 red" in done.err
    assert "with the kept progress" not in done.err
    aside = f"set aside: iteration 1 (commit {entry['commit'][:10]}, report {entry['report']})"
    assert aside in done.err
    assert "proof: proven" in clew.run("show").out
    assert "- 2" not in clew.run("diff").out
    assert [] == clew.run("show", "--json").summary["solved_by"]


@pytest.mark.slow
def test_kept_progress_is_replaced_by_what_is_right(tmp_path: Path) -> None:
    """An agent is told that it may, and a proposal that takes it back is no change again."""
    clew = at_work(tmp_path, DEEP)
    causes = [diagnosing("the level", LEVELLED), diagnosing("the addition", RIGHT, BACK)]
    agent = Scripted(tmp_path / "agent", diagnose=causes, fix=[DONE])
    said = agent.fix(clew)
    results = [e["result"] for e in happened(said, "IterationEnded")]
    assert ["Fewer errors", "Tests passing"] == results, said
    second = agent.sent("diagnose")[1]
    told = "keep it, and mend what is left. Where it is wrong itself, replace it"
    assert told in " ".join(second.split())
