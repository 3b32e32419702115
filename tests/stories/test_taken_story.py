"""Red tests that are gone or skipped: nothing is mended by that, whoever wants it so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commandline import CommandLine, Said
from moments import Moment
from projects import NO_HELP, TWO_FAULTS, commit_all, diagnosis, fix, recording, write

pytestmark = pytest.mark.slow

AREA, TESTS = "sums/area.py", "tests/test_area.py"
FAULTY, TEXT = TWO_FAULTS[AREA], TWO_FAULTS[TESTS]
HALF = FAULTY.replace("import ad\n", "import add as ad\n")
MENDED = HALF.replace(" * 2 + 1", " * 2")
RING = TEXT[TEXT.index("def test_ring") : TEXT.index("def test_empty")]
LOADS = {"file": AREA, "line": 1, "current": "import ad\n", "should_be": "import add as ad\n"}
# The tests are known at the beginning; or their file does not load there, and is all that is known.
STARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "known": (HALF, NO_HELP),
    "not loaded": (FAULTY, LOADS),
}


@pytest.fixture(scope="module", params=STARTS)
def escalated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Moment:
    folder = tmp_path_factory.mktemp("escalated")
    code, change = STARTS[request.param]
    project = commit_all(write(folder / "sums", TWO_FAULTS | {AREA: code}))
    clew = CommandLine(project, folder / "state")
    agent = recording(folder / "r.jsonl", diagnosis("the seam", change), fix(change))
    said = clew.run("fix", "--json", "--max-iterations", "1", "--agent", agent)
    assert (1, "waiting", 1) == (said.code, said.summary["status"], said.summary["iterations"])
    return Moment(clew, said, folder)


@pytest.fixture
def clew(escalated: Moment) -> CommandLine:
    """Both tests of the area are red still."""
    return escalated.again()


@pytest.fixture
def session(escalated: Moment) -> str:
    return str(escalated.said.summary["session_id"])


def happened(said: Said, kind: str) -> list[dict[str, Any]]:
    found = [line["event"] for line in said.events if "event" in line]
    return [event for event in found if event["type"] == kind]


def lesson(clew: CommandLine) -> Path:
    return clew.project / "debug" / "knowledge-base.md"


def removed(project: Path) -> None:
    (project / TESTS).unlink()


def emptied(project: Path) -> None:
    (project / TESTS).write_text("def test_nothing():\n    pass\n")


def skipped(project: Path) -> None:
    marked = TEXT.replace("def test_", "@pytest.mark.skip\ndef test_")
    (project / TESTS).write_text(f"import pytest\n{marked}")


def skipped_whole(project: Path) -> None:
    (project / TESTS).write_text(
        f"import pytest\n\npytest.skip('later', allow_module_level=True)\n{TEXT}"
    )


def expected_red(project: Path) -> None:
    marked = TEXT.replace("def test_", "@pytest.mark.xfail\ndef test_")
    (project / TESTS).write_text(f"import pytest\n{marked}")


def deselected(project: Path) -> None:
    file = project / "pyproject.toml"
    words = f"--deselect {TESTS}::test_ring --deselect {TESTS}::test_empty"
    assert "[tool.pytest.ini_options]" in file.read_text()
    options = f'[tool.pytest.ini_options]\naddopts = "{words}"'
    file.write_text(file.read_text().replace("[tool.pytest.ini_options]", options))


def one_removed(project: Path) -> None:
    """The other one is mended."""
    (project / TESTS).write_text(TEXT.replace(RING, ""))
    (project / AREA).write_text(MENDED)


EDITS = (removed, emptied, skipped, skipped_whole, expected_red, deselected, one_removed)


@pytest.mark.sweep(5)
@pytest.mark.parametrize("edit", EDITS)
def test_red_tests_that_are_taken_away_are_not_mended_though_a_person_approves(
    clew: CommandLine, session: str, edit: Callable[[Path], None]
) -> None:
    """The question names them; bringing them back and ending are ways that work when typed."""
    edit(clew.project)
    assert "test_edit" == happened(clew.run("resume", "--json"), "QuestionAsked")[0]["kind"]
    done = clew.run("answer", session, "approve", "--json")
    assert (1, "waiting") == (done.code, done.summary["status"]), done.err
    (asked,) = happened(done, "QuestionAsked")
    assert "unproven" == asked["kind"]
    assert f"{TESTS}::test_ring" in asked["text"] or f"{TESTS}: " in asked["text"]
    assert "fixes nothing" in asked["text"]
    assert f"clew terminate {session}" in [o["command"] for o in asked["options"]]
    assert [] == happened(done, "Proved") + happened(done, "RoundBegan")
    assert not lesson(clew).exists()
    again = clew.run("resume", "--json")
    assert (1, "waiting") == (again.code, again.summary["status"]), again.err
    ended = clew.run("terminate", session)
    assert 1 == ended.code, ended.err
    assert "removed, not fixed, as a person approved" in ended.out
    assert "removed, not fixed" in clew.run("show").out
    summary = (clew.project / ".clew" / "sessions" / session / "summary.md").read_text()
    assert "was removed" in summary
    assert "proven" not in summary
    assert not lesson(clew).exists()


def test_who_moves_an_expectation_by_hand_begins_anew_with_their_tests(
    clew: CommandLine, session: str
) -> None:
    """The question says how, and with them there is nothing to do: no agent has a say in that."""
    emptied(clew.project)
    clew.run("resume")
    asked = clew.run("answer", session, "approve")
    anew = "`clew fix --again` takes your tests as they are now, with which nothing fails."
    assert (1, True) == (asked.code, anew in " ".join(asked.out.split())), asked
    said = clew.run("fix", "--again", "--json")
    assert (0, "nothing_to_do") == (said.code, said.summary["status"]), said.err


def test_tests_that_are_brought_back_count(clew: CommandLine, session: str) -> None:
    """Whoever took them away, and mends the code instead, ends green."""
    removed(clew.project)
    clew.run("resume")
    assert 1 == clew.run("answer", session, "approve").code
    (clew.project / TESTS).write_text(TEXT)
    (clew.project / AREA).write_text(MENDED)
    said = clew.run("resume", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert lesson(clew).exists()


def test_a_red_test_that_is_moved_and_passes_is_mended(clew: CommandLine, session: str) -> None:
    """It has another name, in another file, and the same body."""
    moved = RING.replace("test_ring", "test_the_ring").rstrip()
    (clew.project / TESTS).write_text(TEXT.replace(RING, ""))
    write(clew.project, {"tests/test_rings.py": f"from sums.area import ring\n\n\n{moved}\n"})
    (clew.project / AREA).write_text(MENDED)
    clew.run("resume")
    done = clew.run("answer", session, "approve", "--json")
    assert (0, "green") == (done.code, done.summary["status"]), done.err


def test_a_test_that_stood_elsewhere_before_is_no_moved_one(
    clew: CommandLine, session: str
) -> None:
    """Only a place that is new holds a moved test, and only while it runs there."""
    moved = RING.replace("def ", "import pytest\n\n\n@pytest.mark.skip\ndef ").rstrip()
    (clew.project / TESTS).write_text(TEXT.replace(RING, ""))
    write(clew.project, {"tests/test_rings.py": f"from sums.area import ring\n{moved}\n"})
    (clew.project / AREA).write_text(MENDED)
    clew.run("resume")
    done = clew.run("answer", session, "approve", "--json")
    assert (1, "waiting") == (done.code, done.summary["status"]), done.err


# --- what an agent does ---------------------------------------------------------------------------


def fixed(
    folder: Path, files: dict[str, str], *changes: dict[str, Any], blamed: bool = False
) -> tuple[CommandLine, Said]:
    project = commit_all(write(folder / "sums", TWO_FAULTS | files))
    told = diagnosis("the tests", changes[0])
    told["reply"]["fix"]["changes"] = list(changes)
    if blamed:
        told["reply"]["failure_classification"] = "task_spec_error"
    done = fix(changes[0])
    done["reply"] |= {"changes": list(changes), "files_modified": [c["file"] for c in changes]}
    agent = recording(folder / "r.jsonl", told, done)
    clew = CommandLine(project, folder / "state")
    return clew, clew.run("fix", "--json", "--max-iterations", "3", "--agent", agent)


def change(path: str, current: str, should_be: str) -> dict[str, Any]:
    return {"file": path, "line": None, "current": current, "should_be": should_be}


EMPTY = TEXT[TEXT.index("def test_empty") :]
GONE = [change(TESTS, RING, ""), change(TESTS, EMPTY, "def test_nothing():\n    pass\n")]
SKIP = [
    change(TESTS, "from sums", "import pytest\n\nfrom sums"),
    change(TESTS, "def test_ring", "@pytest.mark.skip\ndef test_ring"),
    change(TESTS, "def test_empty", "@pytest.mark.xfail\ndef test_empty"),
]


@pytest.mark.sweep(2, by=("code", "changes"))
@pytest.mark.parametrize("code", [HALF, FAULTY])
@pytest.mark.parametrize("changes", [GONE, SKIP])
def test_a_fix_that_takes_red_tests_away_is_none_though_a_person_approves(
    tmp_path: Path, code: str, changes: list[dict[str, Any]]
) -> None:
    """It is rolled back, and the person asked at once, with the names of the tests."""
    more = [LOADS] if code == FAULTY else []
    clew, said = fixed(tmp_path, {AREA: code}, *changes, *more, blamed=True)
    assert "test_edit" == happened(said, "QuestionAsked")[0]["kind"], said.err
    session = said.summary["session_id"]
    done = clew.run("answer", session, "approve", "--json")
    assert (1, "waiting") == (done.code, done.summary["status"]), done.err
    (asked,) = happened(done, "QuestionAsked")
    assert ("escalation", True) == (asked["kind"], "removed" in asked["text"])
    assert "test_ring" in asked["text"]
    assert ([], []) == (happened(done, "Proved"), happened(done, "IterationBegan"))
    assert "" == clew.run("diff").out
    assert 1 == clew.run("terminate", session).code
    assert not lesson(clew).exists()


WHEN_READY = {
    "marked": "pytestmark = pytest.mark.skipif(not area.READY, reason='later')\n",
    "left": "if not area.READY:\n    pytest.skip('later', allow_module_level=True)\n",
    "empty": "ring = area.ring if area.READY else pytest.skip('later', allow_module_level=True)\n",
}


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", WHEN_READY)
def test_a_fix_that_has_tests_skipped_whose_file_did_not_load_is_none(
    tmp_path: Path, name: str
) -> None:
    """Nothing of the tests was edited, and nobody has seen them pass."""
    head = f"import pytest\n\nfrom sums import area\n\n{WHEN_READY[name]}"
    tests = head + TEXT.replace("from sums.area import ring", "ring = area.ring")
    files = {AREA: f"READY = True\n{FAULTY}", TESTS: tests}
    never = change(AREA, "READY = True\n", "READY = False\n")
    _, said = fixed(tmp_path, files, {**LOADS, "line": 2}, never)
    assert (1, "waiting") == (said.code, said.summary["status"]), said.err
    first = happened(said, "IterationEnded")[0]
    assert "Regression, rolled back" == first["result"]
    assert "removed" in first["note"]
    assert [] == happened(said, "Proved")


def test_tests_that_their_own_text_skips_here_are_not_missed(tmp_path: Path) -> None:
    """Whether they run is not for the code to say, whose fault kept their file from loading."""
    more = (
        "\n\n@pytest.mark.skipif(sys.platform != 'plan9', reason='elsewhere')\n"
        "def test_elsewhere():\n    assert ring(1, 2) == 7\n"
        "\n\n@pytest.mark.parametrize('width', [1, pytest.param(2, marks=pytest.mark.skip)])\n"
        "def test_wide(width):\n    assert ring(width, 2) == 6\n"
        "\n\ndef test_far():\n    if sys.platform != 'plan9':\n        pytest.skip('elsewhere')\n"
    )
    files = {AREA: FAULTY, TESTS: f"import sys\n\nimport pytest\n{TEXT}{more}"}
    _, said = fixed(tmp_path, files, LOADS, change(AREA, " * 2 + 1", " * 2"))
    assert (0, "green") == (said.code, said.summary["status"]), said.err
