"""Worktrees: made, repaired, committed, reset, removed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import sweeps
from clew.git.worktrees import ChangeKind, PrivateRepository, TreeChange
from clew.words.errors import GitFailed, UsageError
from person import Person, contents

Open = Callable[[Person], PrivateRepository]


def test_a_worktree_is_a_work_tree_of_git(private: PrivateRepository, worktree: Path) -> None:
    """Whoever works in it finds git as usual, on the session's branch and clean."""
    inside = Person(worktree)
    assert "refs/heads/clew/s" == inside.git("symbolic-ref", "HEAD")
    assert str(worktree) == inside.git("rev-parse", "--show-toplevel")
    assert "" == inside.git("status", "--short")


def test_a_commit_holds_every_change_but_ignored_files(
    private: PrivateRepository, worktree: Path
) -> None:
    """Created, modified, deleted, made executable; caches and reports stay out."""
    (worktree / ".gitignore").write_text("*.log\n")
    (worktree / "a.py").unlink()
    (worktree / "b.py").write_text("b\n")
    (worktree / "run").chmod(0o644)
    for ignored in ("x.log", "__pycache__/b.pyc", ".pytest_cache/x", "debug/t/001_x.md"):
        (worktree / ignored).parent.mkdir(parents=True, exist_ok=True)
        (worktree / ignored).write_text("")
    made = private.commit("s", "Fix the thing\n\nAs it should be.")
    assert made is not None
    expected = (
        TreeChange(path=".gitignore", kind=ChangeKind.CREATED),
        TreeChange(path="a.py", kind=ChangeKind.DELETED),
        TreeChange(path="b.py", kind=ChangeKind.CREATED),
        TreeChange(path="run", kind=ChangeKind.MODIFIED),
    )
    assert expected == made.changes == private.changed(made.parent, made.id)
    assert made.id == private.head("s")
    assert private.is_clean("s")
    assert "Fix the thing\n\nAs it should be." == Person(worktree).git("log", "-1", "--format=%B")


def test_nothing_changed_is_no_commit(private: PrivateRepository, worktree: Path) -> None:
    """A touched file is no change."""
    os.utime(worktree / "a.py", (1, 1))
    assert private.commit("s", "nothing") is None
    assert private.snapshot("s").commit == private.head("s")


def test_what_the_person_ignores_stays_out_of_fixes(
    person: Person, opened: Open, own_home: Path
) -> None:
    """Their lists outside the tree count in the worktree too."""
    (person.root / ".git" / "info").mkdir(exist_ok=True)
    (person.root / ".git" / "info" / "exclude").write_text("mine")
    (own_home / ".config" / "git").mkdir(parents=True)
    (own_home / ".config" / "git" / "ignore").write_text("global")
    private = opened(person)
    worktree = private.add_worktree("s", private.snapshot("s").commit)
    for name in ("mine", "global", "other"):
        (worktree / name).write_text("")
    made = private.commit("s", "fix")
    assert made is not None
    assert ["other"] == [change.path for change in made.changes]


def test_a_tampered_worktree_is_committed_all_the_same(
    private: PrivateRepository, worktree: Path, tmp_path: Path
) -> None:
    """Neither its `.git` file, nor its index, nor a repository made inside changes what counts."""
    inside = Person(worktree)
    inside.git("update-index", "--assume-unchanged", "a.py")
    (worktree / ".git").write_text(f"gitdir: {tmp_path}/elsewhere\n")
    (worktree / "a.py").write_text("fixed\n")
    nested = Person(worktree / "nested")
    nested.git("init", "-q")
    nested.write("x", "")
    made = private.commit("s", "fix")
    assert made is not None
    assert ["a.py", "nested/x"] == [change.path for change in made.changes]
    assert "" == inside.git("status", "--short", "a.py")


def test_a_git_folder_in_place_of_the_link_is_replaced(
    private: PrivateRepository, worktree: Path
) -> None:
    """A worktree cannot turn itself into a repository of its own."""
    (worktree / ".git").unlink()
    Person(worktree).git("init", "-q")
    (worktree / "a.py").write_text("fixed\n")
    made = private.commit("s", "fix")
    assert made is not None
    assert ["a.py"] == [change.path for change in made.changes]


def test_reset_restores_everything_but_ignored_files(
    private: PrivateRepository, worktree: Path
) -> None:
    """Edits, deletions, new files and folders, nested repositories; and the branch moves back."""
    (worktree / ".gitignore").write_text("kept\n")
    first = private.commit("s", "first")
    assert first is not None
    expected = contents(worktree)
    (worktree / "b.py").write_text("")
    (worktree / "a.py").write_text("edited\n")
    assert private.commit("s", "second") is not None
    (worktree / "run").unlink()
    (worktree / "run").mkdir()
    (worktree / "run" / "x").write_text("")
    Person(worktree / "nested").git("init", "-q")
    (worktree / "nested" / "x").write_text("")
    (worktree / "kept").write_text("")
    private.reset("s", first.id)
    assert {**expected, b"kept": ("file", b"")} == contents(worktree)
    assert first.id == private.head("s")
    assert private.is_clean("s")


def test_reset_sees_through_flags_of_the_index(private: PrivateRepository, worktree: Path) -> None:
    """An edit that git was told not to see is undone too."""
    expected = contents(worktree)
    Person(worktree).git("update-index", "--assume-unchanged", "a.py")
    (worktree / "a.py").write_text("hidden\n")
    private.reset("s", private.head("s"))
    assert expected == contents(worktree)


def test_an_existing_worktree_keeps_its_work(person: Person, opened: Open, worktree: Path) -> None:
    """After a restart, changes that no commit has yet are still there."""
    (worktree / "a.py").write_text("half a fix\n")
    again = opened(person)
    assert worktree == again.add_worktree("s", again.snapshot("s").commit)
    assert (worktree / "a.py").read_text() == "half a fix\n"
    assert not again.is_clean("s")


@pytest.mark.parametrize(
    "damage", ["folder", "administration", "index", "link", "locked", "pruned"]
)
def test_a_damaged_worktree_is_repaired(
    person: Person, opened: Open, worktree: Path, damage: str
) -> None:
    """Whatever is missing is made anew from the branch; nothing that was committed is lost."""
    private = opened(person)
    (worktree / "a.py").write_text("fixed\n")
    made = private.commit("s", "fix")
    expected = contents(worktree)
    admin = private.location / "worktrees" / "s"
    match damage:
        case "folder":
            shutil.rmtree(worktree)
        case "administration":
            shutil.rmtree(admin)
        case "index":
            (admin / "index").unlink()
            (admin / "index.lock").touch()
        case "link":
            (worktree / ".git").unlink()
        case "locked":
            (admin / "locked").touch()
            (admin / "HEAD.lock").touch()
            (private.location / "refs" / "heads" / "clew" / "s.lock").touch()
        case _:
            shutil.rmtree(worktree)
            Person(private.location).git("worktree", "prune", "--expire=now")
    private = opened(person)
    base = private.snapshot("s").commit
    assert worktree == private.add_worktree("s", base)
    assert expected == contents(worktree)
    assert made is not None
    assert made.id == private.head("s")
    assert "" == Person(worktree).git("status", "--short")
    private.reset("s", base)
    assert private.is_clean("s")


def test_files_nobody_knows_are_set_aside(private: PrivateRepository) -> None:
    """A folder in the place of a worktree may hold somebody's work: it is kept under a new name."""
    path = private.worktree("s")
    path.mkdir(parents=True)
    (path / "precious").write_text("")
    private.add_worktree("s", private.snapshot("s").commit)
    assert {b"a.py", b"run"} == set(contents(path))
    assert (path.with_name("s.found-1") / "precious").exists()


def test_a_half_made_worktree_is_made_again(private: PrivateRepository) -> None:
    """Files of a check-out that was cut off are no work of anybody's."""
    path = private.worktree("s")
    path.mkdir(parents=True)
    (path / "a.py").write_text("one\ntw")
    admin = private.location / "worktrees" / "s"
    admin.mkdir(parents=True)
    (admin / "clew-making").touch()
    private.add_worktree("s", private.snapshot("s").commit)
    assert (path / "a.py").read_text() == "one\ntwo\nthree\nfour\nfive\n"
    assert ["s"] == [each.name for each in path.parent.iterdir()]


def test_a_half_made_repository_is_made_again(person: Person, opened: Open) -> None:
    """It gets its name only when it is whole."""
    private = opened(person)
    folder = private.location.parent
    private.location.rename(folder / "making.cut-off")
    private = opened(person)
    assert private.snapshot("s").commit
    assert [] == list(folder.glob("making.*"))


def test_a_pristine_copy_has_chosen_files_of_another_commit(
    private: PrivateRepository, worktree: Path
) -> None:
    """Edited tests are restored, deleted ones back, added ones gone; the fix stays."""
    for name in ("test_a.py", "test_b.py"):
        (worktree / name).write_text("baseline\n")
    baseline = private.commit("s", "with tests")
    assert baseline is not None
    (worktree / "a.py").write_text("fixed\n")
    (worktree / "test_a.py").write_text("weakened\n")
    (worktree / "test_b.py").unlink()
    (worktree / "test_c.py").write_text("added\n")
    fix = private.commit("s", "fix")
    assert fix is not None
    (worktree / "a.py").write_text("not committed\n")
    copy = private.pristine(
        "s", "proof", fix.id, restore_from=baseline.id, restore=lambda path: "test_" in path
    )
    assert worktree.with_name("s.proof") == copy
    assert {
        b"a.py": ("file", b"fixed\n"),
        b"run": ("executable", b"#!/bin/sh\n"),
        b"test_a.py": ("file", b"baseline\n"),
        b"test_b.py": ("file", b"baseline\n"),
    } == contents(copy)
    assert "" == Person(copy).git("status", "--short")


def test_a_pristine_copy_is_always_a_fresh_one(private: PrivateRepository, worktree: Path) -> None:
    """What a run left in the last one is gone, even from folders that it locked."""
    head = private.head("s")
    copy = private.pristine("s", "proof", head)
    (copy / "locked").mkdir()
    (copy / "locked" / "x").write_text("")
    (copy / "locked").chmod(0)
    assert contents(worktree) == contents(private.pristine("s", "proof", head))


def test_folders_and_files_change_places_in_a_pristine_copy(
    private: PrivateRepository, worktree: Path
) -> None:
    """What is restored wins."""
    base = private.head("s")
    (worktree / "a.py").unlink()
    (worktree / "a.py").mkdir()
    (worktree / "a.py" / "x").write_text("")
    fix = private.commit("s", "fix")
    assert fix is not None
    copy = private.pristine(
        "s", "proof", fix.id, restore_from=base, restore=lambda path: path == "a.py"
    )
    assert {b"a.py", b"run"} == set(contents(copy))


def test_a_dirty_worktree_is_not_removed(private: PrivateRepository, worktree: Path) -> None:
    """Unless that is said; a pristine copy is nobody's work."""
    copy = private.pristine("s", "proof", private.head("s"))
    (copy / "x").write_text("")
    private.remove(copy)
    (worktree / "x").write_text("")
    with pytest.raises(GitFailed, match="uncommitted changes"):
        private.remove(worktree)
    assert (worktree / "x").exists()
    private.remove(worktree, even_dirty=True)
    assert [] == list(worktree.parent.iterdir())


def test_only_worktrees_of_ours_are_removed(person: Person, private: PrivateRepository) -> None:
    """A path from elsewhere is refused."""
    for path in (person.root, private.location, private.location.parent):
        with pytest.raises(UsageError):
            private.remove(path)
    assert (person.root / "a.py").exists()


def test_checkpoints_are_hidden_refs(private: PrivateRepository, worktree: Path) -> None:
    """Set, read, and not among the branches."""
    assert private.ref("s", "tests_passing") is None
    head = private.head("s")
    assert head == private.ref("s", "tests_passing", head) == private.ref("s", "tests_passing")
    assert "clew/s" == Person(worktree).git("branch", "--format=%(refname:short)")


def test_sessions_stand_side_by_side(private: PrivateRepository) -> None:
    """Each has its worktree and branch; names that begin alike are no trouble."""
    for session in ("s", "s-1", "s1"):
        worktree = private.add_worktree(session, private.snapshot(session).commit)
        (worktree / "a.py").write_text(session)
        assert private.commit(session, "fix") is not None
    private.remove(private.worktree("s"))
    assert ["s-1", "s1"] == [
        private.worktree(s).joinpath("a.py").read_text() for s in ("s-1", "s1")
    ]


WORK = """
    import sys
    from pathlib import Path
    from clew.git.project import locate
    from clew.git.worktrees import PrivateRepository

    private = PrivateRepository.open(locate(Path(sys.argv[1])), Path(sys.argv[2]))
    session = sys.argv[3]
    base = private.snapshot(session).commit
    worktree = private.add_worktree(session, base)
    for step in range(3):
        (worktree / "a.py").write_text(f"{session} {step}")
        private.commit(session, "step")
"""


def test_processes_work_side_by_side(person: Person, tmp_path: Path) -> None:
    """Four sessions that begin at once in a repository that is not there yet."""
    script = textwrap.dedent(WORK)
    names = ("a", "b", "c", "d")
    state = tmp_path / "state"
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(person.root), str(state), name])
        for name in names
    ]
    assert [0, 0, 0, 0] == [process.wait() for process in running]
    private = PrivateRepository.open(person.project, state)
    assert [f"{name} 2".encode() for name in names] == [
        private.show(private.head(name), "a.py") for name in names
    ]


@pytest.mark.slow
def test_a_kill_before_any_git_command_is_survived(person: Person, tmp_path: Path) -> None:
    """Cut off before any command, the same work done again ends the same."""
    person.write("untracked", "x")
    program = f"""
import os, signal
import clew.git.worktrees.git as module
run, count, last = module.subprocess.run, 0, int(os.environ["LAST"])
def counted(*arguments, **options):
    global count
    count += 1
    if count == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return run(*arguments, **options)
module.subprocess.run = counted
{textwrap.dedent(WORK.replace("range(3)", "range(1)"))}
private.reset(session, base)
(worktree / "a.py").write_text("at last")
private.commit(session, "step")
print(count)
"""

    def work(state: Path, last: int) -> tuple[int, str]:
        command = [sys.executable, "-c", program, str(person.root), str(state), "s"]
        environment = {**os.environ, "LAST": str(last)}
        done = subprocess.run(
            command, env=environment, stdout=subprocess.PIPE, text=True, check=False
        )
        return done.returncode, done.stdout

    code, count = work(tmp_path / "state", -1)
    assert (0, True) == (code, int(count) > 20)
    for last in sweeps.part(range(1, int(count) + 1), 10, sweeps.number()):
        state = tmp_path / f"state-{last}"
        assert -signal.SIGKILL == work(state, last)[0]
        assert 0 == work(state, -1)[0]
        private = PrivateRepository.open(person.project, state)
        base, head = private.snapshot("s").commit, private.head("s")
        assert private.is_clean("s")
        assert private.show(head, "a.py") == b"at last"
        assert ["a.py"] == [change.path for change in private.changed(base, head)]


def test_what_was_done_with_git_is_told(private: PrivateRepository, worktree: Path) -> None:
    """Commits, another checkout, a `.git` that is a pipe, history that is gone; and no more."""
    base, inside = private.head("s"), Person(worktree)
    (worktree / "a.py").write_text("changed\n")
    assert () == private.strays("s", base)
    inside.git("commit", "-qam", "mine")
    inside.git("checkout", "-q", "--detach")
    assert ("made commits", "checked out something else") == private.strays("s", base)
    inside.git("update-ref", "-d", "refs/heads/clew/s")
    (worktree / ".git").unlink()
    os.mkfifo(worktree / ".git")
    told = ("rewrote history", "checked out something else", "removed or replaced .git")
    assert told == private.strays("s", base)
    private.reset("s", base)
    assert () == private.strays("s", base)


def test_a_forgotten_session_has_no_ref_left_wherever_git_kept_them(
    private: PrivateRepository, worktree: Path
) -> None:
    """In files of their own, packed together, or left empty by a cut of the power."""
    base = private.head("s")
    private.add_worktree("t", base)

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=private.location, capture_output=True, text=True, check=True
        )
        return done.stdout

    git("pack-refs", "--all", "--no-prune")
    git("update-ref", "-d", "refs/clew/s/base")
    (private.location / "refs" / "clew" / "s" / "cut").touch()
    private.forget("s")
    assert ["refs/heads/clew/t"] == git("for-each-ref", "--format=%(refname)").split()
    assert (worktree.exists(), private.worktree("t").exists()) == (False, True)
    assert private.recorded("s") is None
    assert private.snapshot("s").commit == base


def test_a_state_folder_that_was_removed_is_named(
    private: PrivateRepository, worktree: Path
) -> None:
    """No resuming brings the session back, so none is proposed."""
    shutil.rmtree(worktree.parent.parent)
    with pytest.raises(GitFailed, match="state folder") as refused:
        private.commit("s", "Fix the thing")
    assert "`clew fix` starts a new one" in refused.value.hint


def test_a_pristine_worktree_is_put_back(person: Person, private: PrivateRepository) -> None:
    """What was edited, deleted or unlinked is as before, and named; new files go unnamed."""
    head = private.snapshot("s").commit
    path = private.pristine("s", "check", head)
    (path / "a.py").write_text("edited\n")
    (path / "run").unlink()
    (path / ".git").unlink()
    (path / "new").mkdir()
    (path / "new" / "file").touch()

    assert ("a.py", "run") == private.put_back(path, head)

    assert contents(person.root) == contents(path)
    assert () == private.put_back(path, head)


def test_what_is_made_where_git_ignores_it_is_named_and_gone(
    private: PrivateRepository, worktree: Path, tmp_path: Path
) -> None:
    """What was there before stays, and is named if it changed; nothing goes through a link."""
    (worktree / ".gitignore").write_text("*.log\nmade/\n")
    (worktree / "old.log").write_text("as it was")
    (worktree / "same.log").write_text("as it was")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "theirs.log").write_text("theirs")
    before = private.ignored("s")
    assert [b"old.log", b"same.log"] == sorted(before)
    write_new = {"old.log": "changed", "new.log": "new", "made/table": "new", "seen": "new"}
    (worktree / "made").mkdir()
    (worktree / "__pycache__").mkdir()
    for name, text in (write_new | {"__pycache__/x.log": "cache"}).items():
        (worktree / name).write_text(text)
    (worktree / "link.log").symlink_to(tmp_path / "outside")
    named = private.drop_ignored("s", before)
    assert ["link.log", "made/table", "new.log", "old.log"] == [each.path for each in named]
    assert {"git ignores it"} == {str(each.reason) for each in named}
    left = {path.name for path in worktree.rglob("*") if path.is_file() or path.is_symlink()}
    assert {"old.log", "same.log", "seen", "x.log"} <= left
    assert set() == left & {"new.log", "table", "link.log"}
    assert "theirs" == (tmp_path / "outside" / "theirs.log").read_text()
