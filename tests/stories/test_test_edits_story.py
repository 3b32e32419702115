"""Tests that are wrong: a fix changes them, if a person agrees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, Said
from projects import PYPROJECT, commit_all, recording, write

pytestmark = pytest.mark.slow

CODE = (
    "def add(a, b):\n    return a + b\n\n\n"
    "def third(a):\n    return a / 3\n\n\n"
    "def rounded(a):\n    return round(a, 1)\n"
)
SOUND = "from sums.add import add\n\n\ndef test_sound():\n    assert add(0, 0) == 0\n\n\n"
FILES = {"pyproject.toml": PYPROJECT, "sums/__init__.py": "", "sums/add.py": CODE}
Change = dict[str, Any]


def change(path: str, current: str, should_be: str) -> Change:
    return {"file": path, "current": current, "should_be": should_be}


TEST = "tests/test_add.py"
# What is wrong with the tests: the files beside the code, and the changes that put it right.
EDITS: dict[str, tuple[dict[str, str], list[Change]]] = {
    "wrong expectation": (
        {TEST: SOUND + "def test_add():\n    assert add(1, 2) == 4\n"},
        [change(TEST, "== 4", "== 3")],
    ),
    "renamed": (
        {
            TEST: SOUND + "def test_third():\n    from sums.add import drittel\n\n"
            "    assert drittel(6) == 2\n"
        },
        [
            change(TEST, "import drittel", "import third"),
            change(TEST, "assert drittel(6)", "assert third(6)"),
        ],
    ),
    "obsolete": (
        {TEST: SOUND + "def test_old():\n    assert add('a', None) == 'a'\n"},
        [change(TEST, "def test_old():\n    assert add('a', None) == 'a'\n", "")],
    ),
    "wrong case": (
        {
            TEST: f"import pytest\n\n{SOUND}@pytest.mark.parametrize('sum', [3, 4])\n"
            "def test_add(sum):\n    assert add(1, 2) == sum\n"
        },
        [change(TEST, "[3, 4]", "[3, 3.0]")],
    ),
    "fixture": (
        {
            "tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef two():\n    return '2'\n",
            TEST: SOUND + "def test_add(two):\n    assert add(two, 1) == 3\n",
        },
        [change("tests/conftest.py", "return '2'", "return 2")],
    ),
    "tolerance": (
        {
            TEST: SOUND + "def test_third():\n    from sums.add import rounded\n\n"
            "    assert abs(rounded(0.25) - 0.25) < 0.01\n"
        },
        [
            change("sums/add.py", "round(a, 1)", "round(a, 3)"),
            change(TEST, "< 0.01", "< 0.001"),
        ],
    ),
    "data": (
        {
            "sums.json": "[[1, 2, 4]]",
            TEST: SOUND + "def test_rows():\n    import json\n\n"
            "    with open('sums.json') as file:\n"
            "        for a, b, sum in json.load(file):\n            assert add(a, b) == sum\n",
        },
        [change("sums.json", "4", "3")],
    ),
}
BESIDE = {"obsolete", "data"}  # these have tests of their own


def asked(folder: Path, name: str, **more: object) -> tuple[CommandLine, Said, list[str]]:
    """A session that asks about its change of the tests; and the files of the tests in it."""
    files, changes = EDITS[name]
    project = commit_all(write(folder / "sums", FILES | files))
    reply = {
        "failure_classification": "task_spec_error",
        "root_cause": "the test asks for what nobody wants",
        "root_cause_location": {"file": TEST, "line": 1},
        "fix": {"description": "correct the test", "changes": changes},
        "options": [{"title": "another way", "pros": ["it differs"]}],
        "confidence": "high",
        "confidence_reason": "the documentation says so",
    } | more
    done = {
        "files_modified": [each["file"] for each in changes],
        "changes_made": "corrected",
        "changes": changes,
    }
    agent = recording(
        folder / "agent.jsonl",
        {"role": "diagnose", "reply": reply},
        {"role": "fix", "reply": done},
    )
    clew = CommandLine(project, folder / "state")
    said = clew.run("fix", "--json", "--max-iterations", "1", "--agent", agent)
    return clew, said, sorted({c["file"] for c in changes if c["file"].startswith("tests/")})


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", sorted(EDITS.keys() - BESIDE))
def test_a_change_of_wrong_tests_counts_once_it_is_approved(tmp_path: Path, name: str) -> None:
    """The question shows it, the journal keeps the answer, proof and summary name the files."""
    clew, said, tests = asked(tmp_path, name)
    assert (1, "waiting") == (said.code, said.summary["status"]), said
    question = next(e["event"] for e in said.events[:-1] if e["event"]["type"] == "QuestionAsked")
    assert ("test_edit", ["approve", "reject", "terminate"]) == (
        question["kind"],
        [option["word"] for option in question["options"]],
    )
    assert f"+++ b/{tests[0]}" in question["text"]
    session = said.summary["session_id"]
    assert f"+++ b/{tests[0]}" in clew.run("diff", session, "--iteration", "1").out
    done = clew.run("answer", session, "approve", "--json")
    assert (0, "green") == (done.code, done.summary["status"]), done
    proof = done.summary["proof"]
    assert (True, tests) == (proof["accepted"], proof["approved"])
    assert f"{tests[0]} (approved by a person)" in {row["measured"] for row in proof["rows"]}
    assert "QuestionAnswered  q1 approve" in clew.run("log").out
    shown = clew.run("show").out
    assert f"tests changed, with your approval: {tests[0]}" in shown
    summary = (clew.project / ".clew" / "sessions" / session / "summary.md").read_text()
    assert f"approved by a person: `{tests[0]}`" in summary


def test_data_that_only_tests_read_are_asked_about_though_nobody_blames_them(
    tmp_path: Path,
) -> None:
    """It lies where no test does: the run on the baseline was watched. The change may be right."""
    blamed = {"file": "sums.json", "line": 1}
    clew, said, _ = asked(
        tmp_path, "data", failure_classification="test_failure", root_cause_location=blamed
    )
    question = next(e["event"] for e in said.events[:-1] if e["event"]["type"] == "QuestionAsked")
    assert "test_edit" == question["kind"], question
    assert question["text"].startswith("The fix changes what it is judged by"), question
    done = clew.run("answer", said.summary["session_id"], "approve", "--json")
    assert (0, "green") == (done.code, done.summary["status"]), done
    assert ["sums.json"] == done.summary["proof"]["approved"]


OUT: dict[str, Any] = {"out_of_scope": True, "out_of_scope_reason": "a person has to agree"}


@pytest.mark.parametrize("name", ["wrong expectation", "fixture"])
def test_a_change_of_tests_alone_is_asked_about_though_it_is_out_of_scope(
    tmp_path: Path, name: str
) -> None:
    """So the prompt has it: what is wrong is said, and the change is there to be approved."""
    clew, said, tests = asked(tmp_path, name, **OUT)
    question = next(e["event"] for e in said.events[:-1] if e["event"]["type"] == "QuestionAsked")
    assert "test_edit" == question["kind"], question
    assert f"+++ b/{tests[0]}" in question["text"]
    done = clew.run("answer", said.summary["session_id"], "approve", "--json")
    assert (0, "green") == (done.code, done.summary["status"]), done


def test_a_change_of_tests_and_code_is_asked_about_though_it_is_out_of_scope(
    tmp_path: Path,
) -> None:
    """Nothing counts before they speak, and there is something that they can agree to."""
    clew, said, _ = asked(tmp_path, "tolerance", **OUT)
    question = next(e["event"] for e in said.events[:-1] if e["event"]["type"] == "QuestionAsked")
    assert "test_edit" == question["kind"], question
    assert (1, "waiting") == (said.code, said.summary["status"])
    done = clew.run("answer", said.summary["session_id"], "reject", "--json")
    assert "green" != done.summary["status"], done


def test_what_has_to_wait_for_other_work_is_left_to_a_person(tmp_path: Path) -> None:
    """Nothing is changed before they speak."""
    _, said, _ = asked(
        tmp_path, "wrong expectation", **OUT, upstream_dependency="the release of rates"
    )
    kinds = [e["event"]["type"] for e in said.events[:-1]]
    assert "FixApplied" not in kinds
    question = next(e["event"] for e in said.events[:-1] if e["event"]["type"] == "QuestionAsked")
    assert "escalation" == question["kind"]


def test_an_obsolete_test_is_removed_by_a_person_alone(tmp_path: Path) -> None:
    """Approved or not, a fix that removes a red test mends nothing; the advised way works."""
    clew, said, tests = asked(tmp_path, "obsolete")
    session = said.summary["session_id"]
    done = clew.run("answer", session, "approve", "--json")
    assert (1, "waiting") == (done.code, done.summary["status"]), done
    question = next(e["event"] for e in done.events[:-1] if e["event"]["type"] == "QuestionAsked")
    assert f"{TEST}::test_old is gone" in question["text"]
    assert f"`clew terminate {session}`" in question["text"]
    assert 1 == clew.run("terminate", session).code
    (clew.project / tests[0]).write_text(SOUND)
    assert 0 == clew.run("fix").code


def test_a_case_of_a_test_that_is_corrected_counts(tmp_path: Path) -> None:
    """Its name goes with its values, and no case is lost."""
    clew, said, _ = asked(tmp_path, "wrong case")
    done = clew.run("answer", said.summary["session_id"], "approve", "--json")
    assert (0, "green") == (done.code, done.summary["status"]), done


def test_a_change_of_tests_that_is_rejected_is_rolled_back(tmp_path: Path) -> None:
    """Nothing but an answer goes on; after it a person is asked what to do."""
    clew, said, _ = asked(tmp_path, "wrong expectation")
    resumed = clew.run("resume")
    assert 2 == resumed.code
    assert "waits for an answer" in resumed.err
    done = clew.run("answer", said.summary["session_id"], "reject", "--json")
    (ended,) = (e["event"] for e in done.events[:-1] if e["event"]["type"] == "IterationEnded")
    assert "Tests were edited, rolled back" == ended["result"]
    assert (1, "waiting") == (done.code, done.summary["status"])
    assert "" == clew.run("diff").out


def test_tests_that_nobody_calls_wrong_are_not_asked_about(tmp_path: Path) -> None:
    """A fix that edits them all the same is rolled back."""
    place = {"file": "sums/add.py", "line": 1}
    _, said, _ = asked(
        tmp_path,
        "wrong expectation",
        failure_classification="test_failure",
        root_cause_location=place,
    )
    (ended,) = (e["event"] for e in said.events[:-1] if e["event"]["type"] == "IterationEnded")
    assert "Tests were edited, rolled back" == ended["result"]


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "words", [("rollback", "start"), ("terminate",), ("answer", "ID", "terminate")]
)
def test_an_attempt_that_nobody_judged_is_on_record(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Whoever goes back or ends the session, instead of an answer, takes the change back."""
    clew, said, _ = asked(tmp_path, "wrong expectation")
    session = said.summary["session_id"]
    done = clew.run(*(session if word == "ID" else word for word in words), "--json")
    history = clew.run("show", "--json").events[-1]["history"]
    assert list(range(1, 1 + done.summary["iterations"])) == [e["iteration"] for e in history]
    assert "Tests were edited, rolled back" == history[0]["result"]
    status = "waiting" if words[0] == "rollback" else "terminated"
    assert (1, status) == (done.code, done.summary["status"])
