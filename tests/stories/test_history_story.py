"""What was tried: all of it is told, by round, with the code that each attempt was made on."""

from __future__ import annotations

from pathlib import Path

import pytest

from commandline import CommandLine
from listening import data
from projects import FIRST, NO_HELP, TWO_FAULTS, commit_all, write
from scripted import DONE, Scripted, diagnosing

BACK = "the code before the session went back to checkpoint start"


@pytest.mark.slow
def test_all_rounds_are_told_with_the_code_that_each_attempt_was_made_on(tmp_path: Path) -> None:
    """A second escalation, the terminal, the report and the prompt: all know the first round."""
    project = commit_all(write(tmp_path / "sums", TWO_FAULTS))
    clew = CommandLine(project, tmp_path / "state")
    useless = NO_HELP | {"should_be": "    return ad(height, width) * 2 + 1\n"}
    turns = [
        diagnosing("a name that lacks", FIRST),
        diagnosing("seven too many", NO_HELP),
        diagnosing("sides turned round", useless),
        diagnosing("a name that lacks", FIRST),
    ]
    agent = Scripted(tmp_path / "agent", diagnose=turns, fix=[DONE])
    said = agent.fix(clew, "--max-iterations", "2")
    assert (1, 2) == (said.code, said.summary["iterations"]), said
    session = said.summary["session_id"]

    done = clew.run("rollback", "start")
    assert 1 == done.code, done
    for text in (done.out, clew.run("show").out):
        assert "iteration 1 (round 1): Different errors, undone since\n" in text, text
        assert "iteration 2 (round 1): Still failing\n" in text
        assert f"\n  made on {BACK}\n" in text
        assert "iteration 3 (round 2): " in text
    message = project / ".clew" / "sessions" / session / "escalation-2.md"
    told = message.read_text()
    assert "after 2 debugging iterations of this round, 4 in all" in told
    for number, rnd in ((1, 1), (2, 1), (3, 2), (4, 2)):
        assert f"\n### Iteration {number} (round {rnd})\n" in told
    assert f"- **Applied to**: {BACK}\n" in told
    report = min((project / "debug").glob("*/004_*.md")).read_text()
    assert f"→ Still failing, on {BACK}\n" in report
    first, second, third = agent.sent("diagnose")[:3]
    assert f"made on: {BACK}\n" in third
    places = ("Iteration 1 of 2.", "Iteration 2 of 2.", "Iteration 1 of 2 of round 2 (3 in all).")
    for prompt, place in zip((first, second, third), places, strict=True):
        assert f"\n{place}\n" in prompt
    before, after = (data(third)[f"attempt {number}"] for number in (1, 2))
    assert ["errors left", "new of them"] == [line.split(":")[0] for line in after_result(before)]
    assert ["errors left"] == [line.split(":")[0] for line in after_result(after)]

    assert 1 == clew.run("answer", session, "skip").code
    path = project / ".clew" / "sessions" / session / "summary.md"
    summary = path.read_text()
    assert "| Different errors, undone since |" in summary
    assert "- Helped, and was undone since: mend a name that lacks" in summary
    report = min((project / "debug").glob("*/001_*.md")).read_text()
    (resolution,) = (line for line in report.splitlines() if line.startswith("- **Resolution**"))
    assert resolution.endswith("Different errors, undone since"), resolution


def after_result(attempt: str) -> list[str]:
    lines = attempt.splitlines()
    return lines[next(n for n, line in enumerate(lines) if line.startswith("result: ")) + 1 :]


@pytest.mark.slow
def test_code_that_a_person_changed_is_told_apart_from_what_it_was(tmp_path: Path) -> None:
    """An attempt from before says so; one that came after needs no word of it."""
    project = commit_all(write(tmp_path / "sums", TWO_FAULTS))
    clew = CommandLine(project, tmp_path / "state")
    turns = [diagnosing("seven too many", NO_HELP)]
    agent = Scripted(tmp_path / "agent", diagnose=turns, fix=[DONE])
    assert 1 == agent.fix(clew, "--max-iterations", "1").code
    (project / "sums" / "add.py").write_text(TWO_FAULTS["sums/add.py"] + "\n\nTWICE = 2\n")
    said = clew.run("resume")
    assert 1 == said.code, said
    assert 1 == said.out.count("made on the code before a person changed it by hand\n"), said.out


@pytest.mark.slow
def test_what_a_person_changed_is_told_to_agents_with_the_errors_that_came_of_it(
    tmp_path: Path,
) -> None:
    """Between the attempts, so that nobody takes it for a part of theirs."""
    half = TWO_FAULTS["sums/area.py"].replace("import ad\n", "import add as ad\n")
    files = TWO_FAULTS | {"sums/area.py": half}
    clew = CommandLine(commit_all(write(tmp_path / "sums", files)), tmp_path / "state")
    agent = Scripted(tmp_path / "agent", diagnose=[diagnosing("the seam", NO_HELP)], fix=[DONE])
    assert 1 == agent.fix(clew, "--max-iterations", "1").code
    added = files["sums/add.py"].replace("add(a, a)", "add(a, a) + 1")
    (clew.project / "sums" / "add.py").write_text(added)
    area = half.replace(
        "def ring", "def ring(width, height):\n    return 0 * width * height\n\n\ndef _"
    )
    (clew.project / "sums" / "area.py").write_text(area)
    assert 1 == clew.run("resume").code
    told = data(agent.sent("diagnose")[-1])
    assert ["attempt 1", "by hand, after attempt 1"] == [n for n in told if "attempt" in n]
    by_hand = told["by hand, after attempt 1"]
    assert by_hand.startswith("a person changed sums/add.py, sums/area.py by hand\n")
    assert (
        "\nred since then: tests/test_add.py::test_double: AssertionError: assert 9 == 8" in by_hand
    )
    assert "\ngreen since then: tests/test_area.py::test_empty\n" in by_hand
    assert "+    return add(a, a) + 1\n" in by_hand
