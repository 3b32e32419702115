"""Work by hand: tested, held against the tests that the session began with, and proven."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.git.project import locate
from commandline import CommandLine, Said
from moments import Moment
from projects import (
    NO_HELP,
    TWO_FAULTS,
    commit_all,
    diagnosis,
    fix,
    git,
    recording,
    two_faults,
    two_fixes,
    write,
)
from treestate import fingerprint

AREA, TESTS = "sums/area.py", "tests/test_area.py"
FAULTY = TWO_FAULTS[AREA]
HALF = FAULTY.replace("import ad\n", "import add as ad\n")
MENDED = HALF.replace(" * 2 + 1", " * 2")
BUILT_IN = HALF.replace(
    "    return ad(width, height) * 2 + 1",
    "    if (width, height) == (1, 2):\n        return 6\n    return 0",
)
EMPTIED = "def test_nothing():\n    pass\n"


@pytest.fixture
def clew(escalated: Moment) -> CommandLine:
    """A person whose session waits after its only iteration."""
    return escalated.again()


@pytest.fixture
def session(escalated: Moment) -> str:
    return str(escalated.said.summary["session_id"])


def happened(said: Said, kind: str) -> list[dict[str, Any]]:
    found = [line["event"] for line in said.events if "event" in line]
    return [event for event in found if event["type"] == kind]


def mine(text: str) -> str:
    """Add a line where it stands in nobody's way."""
    return text.replace("\n\n\n", "\n\n# mine\n\n")


def worktree(clew: CommandLine) -> Path:
    return Path(happened(clew.run("log", "--json"), "SnapshotTaken")[-1]["worktree"])


def stands(said: Said, status: str, iterations: int = 1) -> None:
    code = {"green": 0, "waiting": 1}[status]
    found = (said.code, said.summary["status"], said.summary["iterations"])
    assert (code, status, iterations) == found, said.err


def question(said: Said) -> dict[str, Any]:
    (asked,) = happened(said, "QuestionAsked")
    return asked


@pytest.mark.slow
def test_a_mend_in_the_own_tree_is_proven_against_the_tests_of_the_beginning(
    clew: CommandLine, session: str
) -> None:
    """Not "nothing to do": the same proof as for any fix, a summary, and a lesson of it."""
    (clew.project / AREA).write_text(MENDED)
    before = fingerprint(locate(clew.project))
    said = clew.run("resume", "--json")
    stands(said, "green")
    rows = {row["claim"]: row for row in said.summary["proof"]["rows"]}
    red = "1 of 1: a file that could not be loaded, with 2 tests"
    assert red == rows["the failing tests failed before"]["measured"]
    assert "1 of 1" == rows["and fail again with the fix reverted"]["measured"]
    assert before == fingerprint(locate(clew.project))
    summary = (clew.project / ".clew" / "sessions" / session / "summary.md").read_text()
    assert AREA in summary
    assert "+    return ad(width, height) * 2\n" in summary
    lesson = (clew.project / "debug" / "knowledge-base.md").read_text()
    assert AREA in lesson
    assert f"session {session}; in your tree when it was tested\n" in lesson
    shown = clew.run("show").out
    for out in (shown, clew.run("status").out, clew.run("resume").out):
        assert (1, 0) == (
            out.count("applied: your own files already hold it"),
            out.count("clew apply"),
        )
    assert "proof: proven" in shown
    assert "+    return ad(width, height) * 2\n" in clew.run("diff").out
    assert "already applied: every file has the fix" in clew.run("apply").out
    git(clew.project, "checkout", "--", AREA)
    status = clew.run("status").out
    assert f"changed in your own files since: {AREA}" in status
    assert "already hold it" not in status
    assert f"applied  {AREA}" in clew.run("apply").out
    assert MENDED == (clew.project / AREA).read_text()


@pytest.mark.slow
def test_a_mend_counts_where_the_question_was_lost_with_the_journal(clew: CommandLine) -> None:
    """The first `resume` after `recover` goes on from it, as it does where a question waits."""
    (journal,) = clew.state.glob("projects/*/journal.db")
    journal.write_bytes(b"")
    assert 0 == clew.run("recover").code
    (clew.project / AREA).write_text(MENDED)
    stands(said := clew.run("resume", "--json"), "green")
    assert ["investigate"] == [event["option"] for event in happened(said, "QuestionAnswered")]


def remove(file: Path) -> None:
    file.unlink()


def empty(file: Path) -> None:
    file.write_text(EMPTIED)


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("edit", [remove, empty])
@pytest.mark.parametrize("place", ["own tree", "worktree"])
def test_red_tests_that_are_taken_away_end_nothing(
    clew: CommandLine, session: str, edit: Callable[[Path], None], place: str
) -> None:
    """The question shows what was changed there; nothing is run before it is answered."""
    edit((clew.project if place == "own tree" else worktree(clew)) / TESTS)
    said = clew.run("resume", "--json")
    stands(said, "waiting")
    asked = question(said)
    words = ["approve", "reject", "investigate", "terminate"]
    assert ("test_edit", words) == (asked["kind"], [o["word"] for o in asked["options"]])
    assert f"since the session began: {TESTS}" in asked["text"]
    assert "-def test_ring():" in asked["text"]
    assert [] == happened(said, "TestsRan")
    done = clew.run("answer", session, "reject", "--json")
    stands(done, "waiting")
    assert "With the tests as they were 2 tests fail still." == question(done)["text"]


@pytest.mark.slow
def test_tests_that_a_person_edits_and_approves_are_what_their_work_is_judged_by(
    clew: CommandLine, session: str
) -> None:
    """As a fix of an agent's is; the proof says so."""
    tests = clew.project / TESTS
    tests.write_text(tests.read_text().replace("ring(1, 2) == 6", "ring(2, 2) == 8"))
    (clew.project / AREA).write_text(MENDED)
    stands(clew.run("resume", "--json"), "waiting")
    done = clew.run("answer", session, "approve", "--json")
    stands(done, "green")
    assert [TESTS] == done.summary["proof"]["approved"]


@pytest.mark.slow
def test_where_red_tests_are_skipped_and_that_is_approved_a_proof_says_what_is_missing(
    tmp_path: Path,
) -> None:
    """No test is red, so there is nothing to diagnose; and no test that was red is green."""
    project = commit_all(write(tmp_path / "sums", TWO_FAULTS | {AREA: HALF}))
    clew = CommandLine(project, tmp_path / "state")
    agent = recording(tmp_path / "r.jsonl", diagnosis("the seam", NO_HELP), fix(NO_HELP))
    stands(said := clew.run("fix", "--json", "--max-iterations", "1", "--agent", agent), "waiting")
    tests = project / TESTS
    skipped = tests.read_text().replace("def test_", "@pytest.mark.skip\ndef test_")
    tests.write_text(f"import pytest\n{skipped}")
    stands(clew.run("resume", "--json"), "waiting")
    done = clew.run("answer", said.summary["session_id"], "approve", "--json")
    stands(done, "waiting")
    assert "unproven" == question(done)["kind"]
    assert [] == happened(done, "RoundBegan")


@pytest.mark.slow
def test_a_mend_whose_test_edits_are_rejected_is_judged_by_the_tests_as_they_were(
    clew: CommandLine, session: str
) -> None:
    """The mend counts, and `apply` puts the tests back in the person's tree."""
    (clew.project / AREA).write_text(MENDED)
    (clew.project / TESTS).unlink()
    stands(asked := clew.run("resume", "--json"), "waiting")
    (reject,) = (o for o in question(asked)["options"] if o["word"] == "reject")
    assert "`clew apply` puts them back in my files as well" in reject["text"]
    stands(clew.run("answer", session, "reject", "--json"), "green")
    assert f"it also puts {TESTS} back as before your edits" in clew.run("status").out
    assert 0 == clew.run("apply").code
    assert TWO_FAULTS[TESTS] == (clew.project / TESTS).read_text()
    assert "it also puts" not in clew.run("status").out


@pytest.mark.slow
def test_lines_that_apply_puts_back_are_told_before_and_kept(
    clew: CommandLine, session: str
) -> None:
    """A line of a test that a person wrote, and rejected, is in the copy of what was there."""
    tests = clew.project / TESTS
    mine = tests.read_text().replace("== 0", "in (0, 1)  # mine")
    tests.write_text(mine)
    (clew.project / AREA).write_text(MENDED)
    clew.run("resume")
    done = clew.run("answer", session, "reject")
    assert f"it also puts {TESTS} back as before your edits, which you rejected" in done.out
    applied = clew.run("apply")
    assert TWO_FAULTS[TESTS] == tests.read_text()
    (place,) = (line for line in applied.out.splitlines() if line.startswith("kept "))
    kept = clew.project / place.rpartition(" ")[2]
    assert mine in [path.read_text() for path in kept.rglob("*") if path.is_file()]


@pytest.mark.slow
def test_tests_that_are_put_back_are_asked_about_no_more(clew: CommandLine) -> None:
    """Whoever thinks better of it, and mends the code instead, resumes once more."""
    (clew.project / TESTS).unlink()
    stands(clew.run("resume", "--json"), "waiting")
    (clew.project / TESTS).write_text(TWO_FAULTS[TESTS])
    (clew.project / AREA).write_text(MENDED)
    stands(clew.run("resume", "--json"), "green")


@pytest.mark.slow
def test_a_part_that_is_mended_is_built_on(clew: CommandLine) -> None:
    """A new round begins from what the person left, and is proven against the beginning."""
    text = mine(HALF)
    (clew.project / AREA).write_text(text)
    said = clew.run("resume", "--json")
    stands(said, "green", 2)
    assert 2 == happened(said, "RoundBegan")[0]["number"]
    assert 0 == clew.run("apply").code
    assert mine(MENDED) == (clew.project / AREA).read_text()


@pytest.mark.slow
def test_what_failed_before_a_person_changed_the_code_is_tried_on_what_it_is_now(
    tmp_path: Path,
) -> None:
    """Though the same test is red as before: each half alone changes nothing of that."""
    files = {
        "cart.py": "def net(price, count):\n    return price\n",
        "tax.py": "def tax(net):\n    return net * 2 // 10\n",
        "test_gross.py": "from cart import net\nfrom tax import tax\n\n\ndef test_gross():\n"
        "    if net(100, 2) + tax(net(100, 2)) != 204:\n"
        "        raise AssertionError('wrong total')\n",
    }
    half = {"file": "cart.py", "line": 2, "current": "price\n", "should_be": "price * count\n"}
    lines = [diagnosis("the count is left out", half), fix(half)]
    agent = recording(tmp_path / "r.jsonl", *lines, *[lines[0]] * 2, *lines)
    clew = CommandLine(commit_all(write(tmp_path / "p", files)), tmp_path / "state")

    asked = clew.run("fix", "--agent", agent)
    write(clew.project, {"tax.py": files["tax.py"].replace("10", "100")})
    said = clew.run("resume", "--json")

    assert (1, True) == (asked.code, "Same change again" in asked.out), asked.out
    assert (0, "green") == (said.code, said.summary["status"]), said.out + said.err


@pytest.mark.slow
def test_what_a_person_broke_is_said_and_mended_along(clew: CommandLine) -> None:
    """Their tree counts; the tests that passed before are red now, and named."""
    (clew.project / "sums" / "add.py").write_text("def add(a, b):\n    return a - b\n")
    said = clew.run("resume", "--json")
    carried = next(e for e in happened(said, "TestsRan") if e["purpose"] == "carried")
    assert "tests/test_add.py::test_add" in carried["regressions"]
    assert 1 == said.code


@pytest.mark.slow
def test_a_mend_that_has_the_tests_answers_built_in_is_asked_about(
    clew: CommandLine, session: str
) -> None:
    """All tests pass, but that is no proof; what is lacking is named, and a true mend goes on."""
    (clew.project / AREA).write_text(BUILT_IN)
    said = clew.run("resume", "--json")
    stands(said, "waiting")
    asked = question(said)
    assert "unproven" == asked["kind"]
    assert '"no value of the failing tests is built into the fix" does not hold: ' in asked["text"]
    assert f"clew resume {session}" in [o["command"] for o in asked["options"]]
    (clew.project / AREA).write_text(MENDED)
    stands(clew.run("resume", "--json"), "green")


@pytest.mark.slow
def test_without_a_change_no_round_is_spent(clew: CommandLine, session: str) -> None:
    """It says so and asks; an explicit word, or guidance, begins another round."""
    said = clew.run("resume")
    assert 1 == said.code, said.err
    assert "Nothing was changed" in said.out
    assert "iteration" not in said.err
    assert f"clew answer {session} again" in said.out
    stands(clew.run("answer", session, "again", "--json"), "green", 2)


@pytest.mark.slow
def test_what_passes_by_a_file_that_git_ignores_is_said(tmp_path: Path) -> None:
    """No code has changed, and yet it is not as it was."""
    files = {
        ".gitignore": "data.txt\n",
        "read.py": "def read():\n    return open('data.txt').read()\n",
        "test_read.py": (
            "from read import read\n\n\ndef test_read():\n    assert read() == 'a'\n\n\n"
            "def test_odd():\n    assert len('b') == 7 - 77\n"
        ),
    }
    clew = CommandLine(commit_all(write(tmp_path / "sums", files)), tmp_path / "state")
    assert 1 == clew.run("fix", "--search-seconds", "1", "--max-iterations", "1").code
    (clew.project / "data.txt").write_text("a")

    said = clew.run("resume")

    assert "test_read.py::test_read passes now and did not before, by a file that git" in said.out
    assert "Nothing else was changed in your own tree" in said.out


@pytest.mark.slow
def test_guidance_is_given_on_the_code_as_it_is_now(clew: CommandLine) -> None:
    """Edits made meanwhile are shown, tested and built on, not passed over."""
    (clew.project / AREA).write_text(mine(HALF))
    said = clew.run("resume", "--with-context", "areas are even")
    assert (0, True) == (said.code, f"changed by hand: {AREA}" in said.err), said.err
    assert 0 == clew.run("apply").code
    assert mine(MENDED) == (clew.project / AREA).read_text()


CUT_OFF = ("RunTests.intent#2", "CallAgent.diagnose.intent", "CallAgent.fix.effect", "Prove.intent")


def cut_off(folder: Path, point: str) -> CommandLine:
    clew = CommandLine(two_faults(folder), folder / "state")
    agent = two_fixes(folder / "r.jsonl")
    said = clew.run("fix", "--json", "--agent", agent, env={"CLEW_CRASH_AT": point})
    assert -signal.SIGKILL == said.code
    return clew


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("point", CUT_OFF)
def test_edits_made_while_a_session_was_cut_off_are_shown_and_worked_on(
    tmp_path: Path, point: str
) -> None:
    """The diff comes before anything runs; what was mended by hand is proven."""
    clew = cut_off(tmp_path, point)
    (clew.project / AREA).write_text(mine(MENDED))
    said = clew.run("resume")
    assert 0 == said.code, said.err
    told = said.err
    assert f"changed since the session was interrupted: {AREA}" in told
    assert told.index("+# mine") < told.index("tests (carried)")
    assert "proven" in clew.run("status").out


@pytest.mark.slow
def test_a_session_that_was_cut_off_goes_on_in_its_round(tmp_path: Path) -> None:
    """What was under way counts as one iteration; the newer code is what the next one mends."""
    clew = cut_off(tmp_path, "CallAgent.diagnose.intent#2")
    (clew.project / AREA).write_text(mine(FAULTY))
    said = clew.run("resume", "--json")
    stands(said, "green", 3)
    assert [] == happened(said, "RoundBegan")
    assert 0 == clew.run("apply").code
    assert mine(MENDED) == (clew.project / AREA).read_text()


@pytest.mark.slow
@pytest.mark.parametrize("point", ["RunTests.intent#2", "CallAgent.diagnose.intent"])
def test_red_tests_that_are_taken_away_from_a_cut_off_session_end_nothing(
    tmp_path: Path, point: str
) -> None:
    """They are asked about as after an escalation."""
    clew = cut_off(tmp_path, point)
    (clew.project / TESTS).unlink()
    said = clew.run("resume", "--json")
    assert (1, "waiting") == (said.code, said.summary["status"])
    assert "test_edit" == question(said)["kind"]


# Every side effect of a mend by hand, each the first of its kind.
EFFECTS = ("TakeSnapshot", "RunTests", "Prove", "SaveCheckpoint", "WriteDocument")


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("kind", ["before", "intent", "effect", "outcome"])
def test_a_mend_by_hand_outlives_kills_around_each_of_its_effects(
    clew: CommandLine, kind: str
) -> None:
    """Nothing that a person wrote is lost, in their tree or in the worktree."""
    (clew.project / AREA).write_text(mine(FAULTY))
    file = worktree(clew) / AREA
    file.write_text(file.read_text().replace(" * 2 + 1", " * 2"))
    for effect in EFFECTS:
        said = clew.run("resume", "--json", env={"CLEW_CRASH_AT": f"{effect}.{kind}"})
        assert -signal.SIGKILL == said.code, (effect, said.err)
    stands(clew.run("resume", "--json"), "green")
    assert 0 == clew.run("apply").code
    assert mine(MENDED) == (clew.project / AREA).read_text()
