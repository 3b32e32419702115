"""The session's branch in the person's repository."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clew.git.worktrees import ApplyConflict, CommitStep, PrivateRepository, Wording
from person import Person

Open = Callable[[Person], PrivateRepository]


def step(private: PrivateRepository, text: str) -> str:
    (private.worktree("s") / "new").write_text(text)
    made = private.commit("s", f"Step {text}")
    assert made is not None
    return made.id


def test_the_branch_carries_the_steps(
    person: Person, private: PrivateRepository, worktree: Path
) -> None:
    """It stands on their HEAD, is whole without our repository, and can be merged."""
    base, tip = private.head("s"), [step(private, "1"), step(private, "2")][-1]
    private.apply("s", base, tip)
    assert "Step 2\nStep 1\nfirst" == person.git("log", "--format=%s", "clew/s")
    (person.root / "new").unlink()
    private.location.rename(private.location.with_name("away"))
    assert "" == person.git("fsck", "--no-dangling", "--no-progress")
    person.git("merge", "-q", "clew/s")
    assert "2" == person.read("new")


def test_uncommitted_work_is_a_step_of_its_own(person: Person, opened: Open) -> None:
    """The branch can be told apart from what the person had not committed."""
    person.write("dirty", "x")
    private = opened(person)
    private.add_worktree("s", private.snapshot("s").commit)
    base, tip = private.head("s"), step(private, "1")
    assert private.apply("s", base, tip).private
    expected = "Step 1\nThe work tree when s began\nfirst"
    assert expected == person.git("log", "--format=%s", "clew/s")
    assert private.apply("s", base, tip).private


def test_a_conflict_tells_what_else_the_branch_holds(person: Person, opened: Open) -> None:
    """Whoever merges it by hand would commit that as well."""
    person.write("dirty", "x")
    private = opened(person)
    private.add_worktree("s", private.snapshot("s").commit)
    base, tip = private.head("s"), step(private, "1")
    person.write("new", "mine")
    with pytest.raises(ApplyConflict) as refused:
        private.apply("s", base, tip)
    assert "clew/s (its first commit holds your uncommitted work of then)" in refused.value.hint


def test_a_branch_of_committed_work_holds_nothing_else(
    person: Person, private: PrivateRepository, worktree: Path
) -> None:
    """It can be pushed as it is."""
    assert not private.apply("s", private.head("s"), step(private, "1")).private


def test_work_before_the_first_commit_is_told(person: Person, opened: Open) -> None:
    """There all of it is theirs alone."""
    person.git("update-ref", "-d", "HEAD")
    private = opened(person)
    private.add_worktree("s", private.snapshot("s").commit)
    assert private.apply("s", private.head("s"), step(private, "1")).private


def test_a_commit_of_the_fix_holds_no_other_work(person: Person, opened: Open) -> None:
    """It stands on the person's own branch, with the files of the fix alone."""
    person.write("dirty", "x")
    private = opened(person)
    private.add_worktree("s", private.snapshot("s").commit)
    base, tip = private.head("s"), step(private, "1")
    private.apply("s", base, tip)
    private.apply("s", base, tip, wording=Wording("Mend"))
    assert "Mend\nfirst" == person.git("log", "--format=%s")
    assert "new" == person.git("show", "--format=", "--name-only")


def test_the_branch_advances(person: Person, private: PrivateRepository, worktree: Path) -> None:
    """A later apply moves it on."""
    base = private.head("s")
    for text in ("1", "2"):
        tip = step(private, text)
        assert "clew/s" == private.apply("s", base, tip).branch
        assert tip == person.git("rev-parse", "clew/s")


def test_one_commit_is_told_in_several(
    person: Person, private: PrivateRepository, worktree: Path
) -> None:
    """Each has its own files, the last ends as the commit does; told again they are the same."""
    base = private.head("s")
    (worktree / "other").write_text("0")
    (worktree / "other").chmod(0o755)
    between = step(private, "2")
    (worktree / "other").write_text("1")
    tip = step(private, "3")
    told = {
        tip: (CommitStep("One", {"new": b"3"}), CommitStep("Other", {"new": b"3", "other": b"1"}))
    }
    assert "clew/s" == private.apply("s", base, tip, steps=told).branch
    assert "Other\nOne\nStep 2" == person.git("log", "--format=%s", "-3", "clew/s")
    assert "new" == person.git("diff", "--name-only", between, "clew/s~1")
    assert "other" == person.git("diff", "--name-only", "clew/s~1", "clew/s")
    assert "31" == person.git("show", "clew/s:new", "clew/s:other")
    before = person.git("rev-parse", "clew/s")
    assert "clew/s" == private.apply("s", base, tip, steps=told).branch
    assert before == person.git("rev-parse", "clew/s")


def test_work_on_the_branch_is_never_lost(
    person: Person, private: PrivateRepository, worktree: Path
) -> None:
    """A branch with commits of theirs, or checked out, is left; ours takes another name."""
    base = private.head("s")
    private.apply("s", base, step(private, "1"))
    person.git("worktree", "add", "-q", str(person.root.parent / "other"), "clew/s")
    assert "clew/s-2" == private.apply("s", base, step(private, "2")).branch
    other = Person(person.root.parent / "other")
    other.write("mine", "x")
    other.commit("mine")
    person.git("worktree", "remove", str(other.root))
    assert "clew/s-2" == private.apply("s", base, step(private, "3")).branch
    assert "Step 3" == person.git("log", "-1", "--format=%s", "clew/s-2")
    assert "mine" == person.git("log", "-1", "--format=%s", "clew/s")


def test_a_linked_worktree_gets_branch_and_files(
    person: Person, opened: Open, tmp_path: Path
) -> None:
    """The branch is the repository's, the files are those of the worktree alone."""
    person.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Person(tmp_path / "linked")
    private = opened(linked)
    private.add_worktree("s", private.snapshot("s").commit)
    tip = step(private, "1")
    applied = private.apply("s", private.snapshot("s").commit, tip, wording=Wording("Fix by s"))
    assert "1" == linked.read("new")
    assert tip == person.git("rev-parse", "clew/s")
    assert applied.commit == linked.git("rev-parse", "side")
    assert "" == person.git("status", "--short")


def test_a_branch_of_theirs_named_clew_leaves_room_beside_it(
    person: Person, private: PrivateRepository, worktree: Path
) -> None:
    """Git has no branch below a branch: ours stands beside it, and goes on there."""
    person.git("branch", "clew")
    base = private.head("s")
    for text in ("1", "2"):
        tip = step(private, text)
        assert "clew-s" == private.apply("s", base, tip).branch
        assert tip == person.git("rev-parse", "clew-s")
    assert "2" == person.read("new")


def test_a_shallow_repository(person: Person, opened: Open, tmp_path: Path) -> None:
    """History that was never there is not missed."""
    for number in range(3):
        person.write("a.py", str(number))
        person.commit(str(number))
    person.git("clone", "-q", "--depth=1", f"file://{person.root}", str(tmp_path / "shallow"))
    shallow = Person(tmp_path / "shallow")
    shallow.write("dirty", "x")
    private = opened(shallow)
    base = private.snapshot("s").commit
    private.add_worktree("s", base)
    private.apply("s", base, step(private, "1"))
    assert 3 == len(shallow.git("log", "--format=%s", "clew/s").splitlines())
    assert "" == shallow.git("fsck", "--no-dangling", "--no-progress")


def test_a_partial_clone_that_was_not_checked_out(
    person: Person, opened: Open, tmp_path: Path
) -> None:
    """Contents that were promised and never fetched are no obstacle, and are not fetched."""
    person.write("a.py", "a")
    person.commit("a")
    person.git("config", "uploadpack.allowFilter", "true")
    folder = tmp_path / "partial"
    person.git("clone", "-qn", "--filter=blob:none", f"file://{person.root}", str(folder))
    partial = Person(folder)
    partial.write("a.py", "a")
    private = opened(partial)
    base = private.snapshot("s").commit
    private.add_worktree("s", base)
    assert ("new",) == private.apply("s", base, step(private, "1")).files
    assert "a" == partial.git("show", "clew/s:a.py")


def test_a_rewritten_history(person: Person, private: PrivateRepository, worktree: Path) -> None:
    """Where the commit that a session began from is gone, the branch starts with that tree."""
    base, tip = private.head("s"), step(private, "1")
    person.git("commit", "-q", "--amend", "-m", "rewritten")
    person.git("reflog", "expire", "--expire=now", "--all")
    person.git("gc", "-q", "--prune=now")
    applied = private.apply("s", base, tip)
    assert ("new",) == applied.files
    assert "Step 1\nfirst" == person.git("log", "--format=%s", "clew/s")
    assert "" == person.git("fsck", "--no-dangling", "--no-progress")
    assert private.apply("s", base, tip).branch == "clew/s"


@pytest.mark.parametrize("clean", [True, False])
def test_a_sparse_checkout_loses_nothing(
    person: Person,
    opened: Open,
    clean: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """The branch has what was kept off the disk; merged, it brings the fix and no more."""
    person.write("out/b.txt", "b")
    person.write("in/a.txt", "a")
    person.commit("folders")
    person.git("sparse-checkout", "set", "in")
    if not clean:
        person.write("dirty", "x")
    private = opened(person)
    base = private.snapshot("s").commit
    private.add_worktree("s", base)
    assert not (private.worktree("s") / "out").exists()
    tip = step(private, "1")
    person.git("sparse-checkout", "disable")
    private.apply("s", base, tip)
    changed = person.git("diff", "--name-only", "HEAD", "clew/s").split()
    assert changed == (["new"] if clean else ["dirty", "new"])
    assert "" == person.git("fsck", "--no-dangling", "--no-progress")
    before = person.git("rev-parse", "clew/s")
    assert "clew/s" == private.apply("s", base, tip).branch
    assert before == person.git("rev-parse", "clew/s")
