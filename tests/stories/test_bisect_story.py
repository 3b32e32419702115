"""The first bad commit, found by running only the failing tests; nothing of a person changes."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from clew.git.project import locate
from commandline import CommandLine, Said
from projects import PYPROJECT, commit_all, git, write
from repositories import stopped
from treestate import fingerprint

TEST = "tests/test_area.py::test_ring"
SUITE = (
    "from sums.area import ring\n\n\n"
    "def test_ring():\n    assert ring(1, 2) == 6\n\n\n"
    "def test_empty():\n    assert ring(0, 0) == 0\n"
)
RIGHT = "def ring(width, height):\n    return (width + height) * 2\n"
WRONG = "def ring(width, height):\n    return width + height * 2\n"
CHECK = ("--test-command", "sh check.sh")


def commit(root: Path, subject: str, files: dict[str, str]) -> str:
    write(root, files)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", subject)
    return git(root, "rev-parse", "HEAD").strip()


def begun(tmp_path: Path) -> Path:
    """Return a repository with one commit, of a package without code."""
    files = {"pyproject.toml": PYPROJECT, "sums/__init__.py": ""}
    return commit_all(write(tmp_path / "sums", files))


def person(tmp_path: Path, *answers: str) -> tuple[CommandLine, list[str]]:
    """Return a person whose test is a script, and the commits of their answers, oldest first.

    The script fails as long as the answer is `bad`, and cannot run while it is `broken`.
    """
    script = "case $(cat answer) in good*) exit 0;; broken*) exit 127;; *) echo no; exit 1;; esac\n"
    root = commit_all(write(tmp_path / "shape", {"check.sh": script, "answer": answers[0]}))
    commits = [git(root, "rev-parse", "HEAD").strip()]
    commits += [
        commit(root, f"answer {n}", {"answer": f"{word}\n{n}\n"})
        for n, word in enumerate(answers[1:], 2)
    ]
    return CommandLine(root, tmp_path / "state"), commits


def answers(said: Said) -> list[str]:
    return [line["answer"] for line in said.events if line["type"] == "Tried"]


@pytest.mark.slow
def test_the_commit_that_broke_a_test_is_named(tmp_path: Path) -> None:
    """By the failing test alone; with its author, date, files; and the tree is as it was."""
    root = commit_all(
        write(tmp_path / "sums", {"pyproject.toml": PYPROJECT, "sums/__init__.py": ""})
    )
    commit(root, "Rings", {"sums/area.py": RIGHT, "tests/test_area.py": SUITE})
    commit(root, "Notes", {"notes.txt": "a\n"})
    culprit = commit(root, "Faster \x1b[31mrings", {"sums/area.py": WRONG, "notes.txt": "b\n"})
    commit(root, "More notes", {"notes.txt": "c\n"})
    commit(root, "Still more", {"notes.txt": "d\n"})
    (root / "notes.txt").write_text("mine, not committed\n")
    clew = CommandLine(root, tmp_path / "state")
    before = fingerprint(locate(root))
    said = clew.run("bisect", "--json")
    assert 0 == said.code, said.err
    first = said.summary["first_bad"]
    assert (culprit, [TEST], [TEST]) == (first["commit"], first["tests"], said.summary["tests"])
    assert ["sums/area.py", "notes.txt"] == [file["path"] for file in first["files"]]
    assert before == fingerprint(locate(root))
    again = clew.run("bisect")
    assert f"first bad commit: {culprit}" in again.out
    assert "Faster rings" in again.out
    assert "\x1b" not in again.out
    assert not (root / "debug").exists()


@pytest.mark.slow
def test_what_another_commit_broke_is_told_apart(tmp_path: Path) -> None:
    """Two commits, each with a failing test of its own: one is found, and both are told of."""
    root = begun(tmp_path)
    files = {"sums/one.py": "def one():\n    return 1\n", "sums/two.py": "two = 2\n"}
    tests = {
        "tests/test_one.py": "from sums.one import one\n\ndef test_one():\n    assert one() == 1\n",
        "tests/test_two.py": "from sums.two import two\n\ndef test_two():\n    assert two == 2\n",
    }
    commit(root, "Both", files | tests)
    ones = commit(root, "One", {"sums/one.py": "def one():\n    return 3\n"})
    twos = commit(root, "Two", {"sums/two.py": "two = 3\n"})
    clew = CommandLine(root, tmp_path / "state")

    said = clew.run("bisect").out

    test, other = "tests/test_two.py::test_two", "tests/test_one.py::test_one"
    first, later = (ones, test) if f"first bad commit: {ones}" in said else (twos, other)
    told = "1 other failing test did not fail there; another commit broke it: "
    assert f"{told}`clew bisect --test {later}` finds it" in said
    found = clew.run("bisect", "--test", later).out
    assert f"first bad commit: {({ones, twos} - {first}).pop()}" in found


@pytest.mark.slow
def test_a_killed_search_goes_on_where_it_was(tmp_path: Path) -> None:
    """SIGKILL before, during and after a run: no answered commit is tried again."""
    clew, commits = person(tmp_path, *["good"] * 3, *["bad"] * 6)
    before = fingerprint(locate(clew.project))
    whole = answers(clew.run("bisect", *CHECK, "--json"))
    for at, done in (
        ("TryCommit.intent#2", 1),
        ("TryCommit.effect#3", 2),
        ("TryCommit.outcome#2", 2),
    ):
        words = ("bisect", *CHECK, "--json")
        assert -signal.SIGKILL == clew.run(*words, "--again", env={"CLEW_CRASH_AT": at}).code
        one_too_many = f"TryCommit.intent#{len(whole) - done + 1}"
        said = clew.run(*words, env={"CLEW_CRASH_AT": one_too_many})
        assert (0, commits[3]) == (said.code, said.summary["first_bad"]["commit"]), said
        assert whole == answers(said)
    assert before == fingerprint(locate(clew.project))
    assert [] == list((tmp_path / "state").glob("projects/*/worktrees/*"))


@pytest.mark.slow
def test_a_good_commit_may_be_named(tmp_path: Path) -> None:
    """It is tried first; one that is bad, later, or unknown is refused in clear words."""
    clew, commits = person(tmp_path, "good", "good", "bad", "bad", "bad")
    said = clew.run("bisect", *CHECK, "--json", "--good", "HEAD~4", "--bad", "HEAD~1")
    assert commits[2] == said.summary["first_bad"]["commit"]
    bad = clew.run("bisect", *CHECK, "--good", "HEAD~1")
    assert (1, True) == (bad.code, f"fail at {commits[3][:12]} already" in bad.out)
    for name in ("nowhere", "--help", "HEAD"):
        said = clew.run("bisect", *CHECK, f"--good={name}")
        assert (2, True) == (said.code, name in said.err), said


def test_merges_are_looked_into(tmp_path: Path) -> None:
    """The fault came with a branch: its commit is named, not the merge."""
    clew, _ = person(tmp_path, "good", "good")
    root = clew.project
    git(root, "switch", "-q", "-c", "side")
    commit(root, "a file", {"side.txt": "1\n"})
    culprit = commit(root, "worse", {"answer": "bad\n"})
    commit(root, "another file", {"side.txt": "2\n"})
    git(root, "switch", "-q", "main")
    commit(root, "work", {"main.txt": "1\n"})
    git(root, "merge", "-q", "--no-edit", "side")
    commit(root, "more work", {"main.txt": "2\n"})
    said = clew.run("bisect", *CHECK, "--json")
    assert culprit == said.summary["first_bad"]["commit"], said


@pytest.mark.slow
def test_commits_that_cannot_run_are_stepped_over(tmp_path: Path) -> None:
    """Where they hide the first bad one, all that it may be are named."""
    clew, commits = person(tmp_path, "good", "good", "broken", "broken", "bad", "bad")
    said = clew.run("bisect", *CHECK, "--json")
    assert (1, "among") == (said.code, said.summary["end"])
    assert set(commits[2:5]) == set(said.summary["commits"])


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        (["bad"] * 4, "fail in every commit that was tried"),
        (["broken", "broken", "bad", "bad"], "cannot run at"),
        (["good", "good"], "All tests pass"),
    ],
)
def test_where_no_commit_is_to_blame_that_is_said(
    tmp_path: Path, kinds: list[str], words: str
) -> None:
    """Not a word of a first bad commit."""
    clew, _ = person(tmp_path, *kinds)
    said = clew.run("bisect", *CHECK)
    assert ("good" not in kinds, True) == (bool(said.code), words in said.out), said
    assert "first bad" not in said.out


def test_a_fault_that_is_not_committed_is_told_at_once(tmp_path: Path) -> None:
    """After one run at HEAD; the changed files are named."""
    clew, _ = person(tmp_path, "good", "good", "good")
    (clew.project / "answer").write_text("bad\n")
    before = fingerprint(locate(clew.project))
    said = clew.run("bisect", *CHECK, "--json")
    assert (0, "uncommitted", 1) == (said.code, said.summary["end"], said.summary["runs"]), said
    assert ["answer"] == said.summary["commits"]
    assert "answer" in clew.run("bisect", *CHECK).out
    assert before == fingerprint(locate(clew.project))


def edited_test(tmp_path: Path, suite: str) -> tuple[CommandLine, str]:
    """Return a project whose fault is committed, with a test of it that is not; and the fault."""
    blind = SUITE.replace("ring(1, 2) == 6", "ring(2, 0) >= 0")
    files = {"pyproject.toml": PYPROJECT, "sums/area.py": RIGHT, "tests/test_area.py": blind}
    root = commit_all(write(tmp_path / "sums", files))
    culprit = commit(root, "Faster rings", {"sums/area.py": WRONG})
    commit(root, "Notes", {"notes.txt": "a\n"})
    write(root, {"tests/test_area.py": suite, "notes.txt": "b\n"})
    return CommandLine(root, tmp_path / "state"), culprit


@pytest.mark.slow
def test_a_committed_fault_is_found_by_a_test_that_is_not(tmp_path: Path) -> None:
    """HEAD's own test is blind to it: today's goes into each commit, and that is said."""
    clew, culprit = edited_test(tmp_path, SUITE)
    said = clew.run("bisect")
    assert (0, True) == (said.code, f"first bad commit: {culprit}" in said.out), said
    assert "each commit gets your test files" in said.err
    assert "not committed" not in said.out


@pytest.mark.slow
def test_a_wrong_test_that_is_not_committed_is_doubted(tmp_path: Path) -> None:
    """It fails in every commit, so the code of none of them is to blame."""
    clew, _ = edited_test(tmp_path, SUITE.replace("== 6", "== 7"))
    said = clew.run("bisect")
    assert (1, True) == (said.code, "fail in every commit that was tried" in said.out), said
    assert "Your uncommitted tests may be wrong" in said.out


def test_without_history_it_is_refused(tmp_path: Path) -> None:
    """No repository, no commit: the next step is named."""
    bare = CommandLine(write(tmp_path / "plain", {"a.txt": "1"}), tmp_path / "state")
    assert (2, True) == ((said := bare.run("bisect")).code, "no git repository" in said.err)
    git(bare.project, "init", "-q")
    assert (2, True) == ((said := bare.run("bisect")).code, "no commits yet" in said.err)


@pytest.mark.slow
def test_a_shallow_clone_says_that_it_is_one(tmp_path: Path) -> None:
    """Its history ends early, and how to get the rest is said."""
    clew, _ = person(tmp_path, "good", "bad", "bad", "bad")
    copy = tmp_path / "copy"
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{clew.project}", str(copy))
    said = CommandLine(copy, tmp_path / "state").run("bisect", *CHECK)
    assert (1, True) == (said.code, "--unshallow" in said.out), said


@pytest.mark.slow
def test_the_person_s_own_bisection_goes_on(tmp_path: Path) -> None:
    """Also in the middle of it, and of a merge that is not done."""
    clew, commits = person(tmp_path, "good", "bad", "bad", "bad", "bad")
    root = clew.project
    git(root, "bisect", "start", commits[4], commits[0])
    git(root, "checkout", "-q", commits[3])
    before = fingerprint(locate(root))
    said = clew.run("bisect", *CHECK, "--json")
    assert commits[1] == said.summary["first_bad"]["commit"], said
    assert before == fingerprint(locate(root))
    git(root, "bisect", "reset")
    git(root, "switch", "-q", "-c", "side", commits[0])
    commit(root, "other", {"answer": "bad\nother\n"})
    stopped(root, "merge", "-q", "main")
    before = fingerprint(locate(root))
    assert 0 == clew.run("bisect", *CHECK).code
    assert before == fingerprint(locate(root))


@pytest.mark.slow
def test_tests_that_came_later_are_tried_on_older_commits_if_asked(tmp_path: Path) -> None:
    """Without that, the commit that brought them is named."""
    root = commit_all(
        write(tmp_path / "sums", {"pyproject.toml": PYPROJECT, "sums/__init__.py": ""})
    )
    commit(root, "Rings", {"sums/area.py": RIGHT})
    culprit = commit(root, "Faster rings", {"sums/area.py": WRONG})
    brought = commit(root, "Test rings", {"tests/test_area.py": SUITE})
    clew = CommandLine(root, tmp_path / "state")
    plain = clew.run("bisect")
    assert (1, True) == (plain.code, f"{brought[:12]} has them" in plain.out), plain
    assert "missing: the test is not there yet; `--present-tests` runs today's" in plain.err
    assert "--test-command" not in plain.err
    said = clew.run("bisect", "--present-tests", "--json")
    assert culprit == said.summary["first_bad"]["commit"], said


@pytest.mark.slow
def test_a_commit_is_judged_by_those_of_todays_tests_that_can_import_there(tmp_path: Path) -> None:
    """What one imports in its own lines came later than the fault was brought."""
    root = begun(tmp_path)
    commit(root, "Rings", {"sums/area.py": RIGHT})
    commit(root, "Notes", {"notes.txt": "a\n"})
    moved = "from sums.rings import ring\n"
    culprit = commit(root, "Move", {"sums/area.py": moved, "sums/rings.py": WRONG})
    inner = "\n\ndef test_home():\n    from sums.rings import ring\n    assert ring(2, 2) == 8\n"
    commit(root, "Tests", {"tests/test_area.py": SUITE + inner})
    said = CommandLine(root, tmp_path / "state").run("bisect", "--present-tests", "--json")
    assert culprit == said.summary["first_bad"]["commit"], said


def test_a_commit_in_which_todays_tests_do_not_load_says_why(tmp_path: Path) -> None:
    """One file asks for what came later; a test of another one may be asked about alone."""
    root = begun(tmp_path)
    commit(root, "Rings", {"sums/area.py": RIGHT})
    tests = {
        "tests/test_area.py": SUITE.replace("== 0", "== 1"),
        "tests/test_name.py": "from sums.name import NAME\n\n\n"
        "def test_name():\n    assert NAME == 'rings'\n",
    }
    commit(root, "Names and tests", {"sums/name.py": "NAME = 'ring'\n", **tests})
    clew = CommandLine(root, tmp_path / "state")

    said = clew.run("bisect", "--present-tests")

    assert 1 == said.code, said
    broken = [line for line in said.err.splitlines() if "  broken: " in line]
    assert broken, said
    assert all("No module named 'sums." in line for line in broken), said
    assert "some may load there: --test ID asks about one test" in said.out


@pytest.mark.slow
def test_a_file_that_does_not_load_is_traced_to_its_commit(tmp_path: Path) -> None:
    """The failure is that the file does not load; before, its tests were there."""
    root = commit_all(
        write(tmp_path / "sums", {"pyproject.toml": PYPROJECT, "sums/__init__.py": ""})
    )
    commit(root, "Rings", {"sums/area.py": RIGHT, "tests/test_area.py": SUITE})
    culprit = commit(root, "Rename", {"sums/area.py": RIGHT.replace("ring", "rung")})
    commit(root, "Notes", {"notes.txt": "a\n"})
    said = CommandLine(root, tmp_path / "state").run("bisect", "--json")
    assert culprit == said.summary["first_bad"]["commit"], said


@pytest.mark.slow
def test_a_session_searches_by_itself_if_it_is_set(tmp_path: Path) -> None:
    """Before its first diagnosis, once, though killed meanwhile; its report tells the commit."""
    root = begun(tmp_path)
    commit(root, "Rings", {"sums/area.py": RIGHT, "tests/test_area.py": SUITE})
    culprit = commit(root, "Faster rings", {"sums/area.py": WRONG})
    commit(root, "Notes", {"notes.txt": "a\n"})
    clew = CommandLine(root, tmp_path / "state", {"CLEW_BISECT": "yes"})
    before = fingerprint(locate(root))
    first = clew.run("fix", "--json", env={"CLEW_CRASH_AT": "TryCommit.effect#2"})
    assert -signal.SIGKILL == first.code
    said = clew.run("resume", "--json")
    assert (0, "green") == (said.code, said.summary["status"]), said
    found = [line["event"] for line in said.events if line.get("event", {}).get("commit")]
    (search,) = [event for event in found if event["type"] == "Bisected"]
    assert culprit == search["commit"]
    report = (root / said.summary["reports"][0]).read_text()
    assert f"first bad commit: {culprit[:12]}" in report
    assert before == fingerprint(locate(root))


def test_a_test_that_was_added_to_a_file_fails_since_it_is_there(tmp_path: Path) -> None:
    """The commit before has the file, and no such test in it: nothing cannot run there."""
    other = "from a import f\n\n\ndef test_one():\n    assert f(1) == 1\n"
    added = "\n\ndef test_two():\n    assert f(2) == 4\n"
    project = commit_all(
        write(tmp_path / "p", {"a.py": "def f(n):\n    return n\n", "test_a.py": other})
    )
    write(project, {"test_a.py": other + added})
    git(project, "commit", "-qam", "Ask for more")
    said = CommandLine(project, tmp_path / "state").run("bisect")
    assert 1 == said.code, said.err
    assert "The tests have failed since they were added" in said.out
    assert "no test was collected" not in said.out
