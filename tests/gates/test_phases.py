from __future__ import annotations

import pytest

from clew.gates import phases
from clew.git.worktrees import ChangeKind, TreeChange
from clew.words.plans import PlanPhase
from gatekit import FAIL, PASS, WARN, phase


def modified(*paths: str) -> list[TreeChange]:
    return [TreeChange(path=path, kind=ChangeKind.MODIFIED) for path in paths]


@pytest.mark.parametrize(
    ("others", "status"),
    [(0, PASS), (1, WARN), (2, WARN), (3, FAIL), (4, FAIL)],
)
def test_scope_counts_undeclared_files(others: int, status: str) -> None:
    """One or two are a warning, three or more a failure; each is named."""
    names = [f"other{number}.py" for number in range(others)]
    result = phases.in_scope(phase("./src//a.py"), modified("src/a.py", *names))
    assert (status, names) == (result.status, [each.path for each in result.findings])


def test_deleted_files_never_fail_the_scope() -> None:
    """They are allowed, and said; one that was declared is nothing to speak of."""
    gone = [TreeChange(path=f"old{number}.py", kind=ChangeKind.DELETED) for number in range(4)]
    undeclared = phases.in_scope(phase("a.py"), gone)
    assert (WARN, 4) == (undeclared.status, len(undeclared.findings))
    declared = PlanPhase(id=1, deletes=("old0.py", "old1.py", "old2.py", "old3.py"))
    assert PASS == phases.in_scope(declared, gone).status


@pytest.mark.parametrize("kind", [ChangeKind.MODIFIED, ChangeKind.DELETED])
def test_a_test_that_was_there_is_only_touched_where_it_is_declared(kind: ChangeKind) -> None:
    """An agent that makes an old test pass with everything does not get by; a new one may come."""
    touched = [TreeChange(path="tests/test_doc.py", kind=kind)]
    result = phases.in_scope(phase("src/a.py"), touched)
    assert FAIL == result.status
    assert "tests/test_doc.py" in result.summary
    assert PASS == phases.in_scope(phase("src/a.py", "tests/test_doc.py"), touched).status
    new = [TreeChange(path="tests/test_new.py", kind=ChangeKind.CREATED)]
    assert WARN == phases.in_scope(phase("src/a.py"), new).status


@pytest.mark.parametrize(
    ("path", "kind", "status"),
    [
        ("pyproject.toml", ChangeKind.MODIFIED, FAIL),
        ("tests/conftest.py", ChangeKind.DELETED, FAIL),
        ("conftest.py", ChangeKind.CREATED, FAIL),
        ("tests/new/conftest.py", ChangeKind.CREATED, WARN),
        ("docs/pytest.ini", ChangeKind.CREATED, WARN),
    ],
)
def test_settings_of_tests_are_only_touched_where_they_are_declared(
    path: str, kind: ChangeKind, status: str
) -> None:
    """A new one may come where no test was that it could reach."""
    touched, before = [TreeChange(path=path, kind=kind)], ("src/a.py", "tests/test_doc.py")
    assert status == phases.in_scope(phase("src/a.py"), touched, before).status
    assert PASS == phases.in_scope(phase("src/a.py", path), touched, before).status


@pytest.mark.parametrize(
    ("declared", "path", "covered"),
    [
        ("src/", "src/deep/a.py", True),
        ("src", "srcs/a.py", False),
        ("src/*.py", "src/a.py", True),
        ("pages/[id].tsx", "pages/[id].tsx", True),
        (".", "anything", True),
        ("../a.py", "a.py", False),
    ],
)
def test_a_declaration_is_a_file_a_folder_or_a_pattern(
    declared: str, path: str, *, covered: bool
) -> None:
    """And nothing outside of the project."""
    status = phases.in_scope(phase(declared), modified(path)).status
    assert (PASS if covered else WARN) == status


def test_declared_files_have_to_be_there_or_deleted_by_the_work() -> None:
    """Whatever the phase was to delete may be there or not."""
    wanted = PlanPhase(id=1, creates=("new.py",), modifies=("a.py", "gone.py"), deletes=("b.py",))
    changes = [TreeChange(path="gone.py", kind=ChangeKind.DELETED)]
    missing = phases.declared_files_exist(wanted, changes, ("a.py",))
    assert (FAIL, ["new.py"]) == (missing.status, [each.path for each in missing.findings])
    assert PASS == phases.declared_files_exist(wanted, changes, ("a.py", "new.py")).status


def test_a_folder_is_there_with_any_file_in_it() -> None:
    """Folders have no other existence in a commit."""
    assert PASS == phases.declared_files_exist(phase("src/"), [], ("src/a.py",)).status
    assert FAIL == phases.declared_files_exist(phase("src/"), [], ("srcs/a.py",)).status


def test_a_blocked_agent_and_an_empty_change_do_not_count() -> None:
    """What the agent lacks is said in its words."""
    blocked = phases.not_blocked("the schema is missing")
    assert (FAIL, True) == (blocked.status, "the schema is missing" in blocked.summary)
    assert PASS == phases.not_blocked(" ").status
    assert FAIL == phases.has_changes([]).status
    assert PASS == phases.has_changes(modified("a.py")).status
