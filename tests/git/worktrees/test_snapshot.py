"""A snapshot is the person's tree as it is now, and takes nothing from them."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.git.worktrees import LeftOut, LeftOutReason, PrivateRepository
from clew.words.errors import GitFailed, UsageError
from person import Person, contents
from treestate import fingerprint

Open = Callable[[Person], PrivateRepository]


def listed(private: PrivateRepository) -> set[str]:
    return set(private.files(private.snapshot("s").commit))


def test_a_clean_tree_is_its_head(person: Person, private: PrivateRepository) -> None:
    """Nothing was changed, so no commit is added to theirs."""
    head = person.git("rev-parse", "HEAD")
    taken = private.snapshot("s")
    assert (head, head, "refs/heads/main", False) == (
        taken.commit,
        taken.head,
        taken.branch_ref,
        taken.dirty,
    )


def test_it_holds_uncommitted_and_untracked_work(
    person: Person, private: PrivateRepository
) -> None:
    """Edits, new files, deletions and modes as they are on disk; HEAD is the parent."""
    person.write("a.py", "edited\n")
    person.write("new/b.py", "new\n")
    (person.root / "run").chmod(0o644)
    person.write("gone.py", "")
    person.git("add", "gone.py")
    (person.root / "gone.py").unlink()
    taken = private.snapshot("s")
    worktree = private.add_worktree("s", taken.commit)
    assert taken.dirty
    assert contents(person.root) == contents(worktree)
    assert {"a.py", "new/b.py", "run"} == set(private.files(taken.commit))


def test_staged_and_unstaged_edits_of_one_file(person: Person, private: PrivateRepository) -> None:
    """The disk counts, not the index; and the index stays as it was."""
    person.write("a.py", "staged\n")
    person.git("add", "a.py")
    person.write("a.py", "unstaged\n")
    before = fingerprint(person.project)
    assert private.show(private.snapshot("s").commit, "a.py") == b"unstaged\n"
    assert before == fingerprint(person.project)
    assert "MM a.py" == person.git("status", "--short")


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_no_flag_of_the_index_hides_an_edit(
    person: Person, private: PrivateRepository, flag: str
) -> None:
    """Files that git was told not to look at are looked at."""
    person.git("update-index", flag, "a.py")
    person.write("a.py", "hidden edit\n")
    assert private.show(private.snapshot("s").commit, "a.py") == b"hidden edit\n"


def test_a_tree_in_conflict(person: Person, private: PrivateRepository) -> None:
    """Unmerged files are recorded once, with their conflict markers."""
    person.git("switch", "-qc", "other")
    person.write("a.py", "theirs\n")
    person.commit()
    person.git("switch", "-q", "main")
    person.write("a.py", "ours\n")
    person.commit()
    person.git("merge", "-q", "other", fails=True)
    taken = private.snapshot("s")
    assert ("a.py", "run") == private.files(taken.commit)
    assert b"<<<<<<<" in (private.show(taken.commit, "a.py") or b"")


def test_links_and_odd_names(person: Person, private: PrivateRepository) -> None:
    """Links stay links, dangling ones too; a name may hold anything but a slash and a zero."""
    (person.root / "link").symlink_to("a.py")
    (person.root / "dangling").symlink_to("nowhere/at all")
    for name in (b"new\nline", b"\xff\xfe", b'"quoted"', b" space ", b"back\\slash", b":(top)x"):
        Path(os.fsdecode(os.fsencode(person.root) + b"/" + name)).write_bytes(name)
    worktree = private.add_worktree("s", private.snapshot("s").commit)
    assert contents(person.root) == contents(worktree)
    assert 10 == len(contents(worktree))


def test_a_folder_that_became_a_link_is_a_link(person: Person, private: PrivateRepository) -> None:
    """Tracked files are not found through it."""
    person.write("dir/x.py", "x\n")
    person.commit()
    elsewhere = person.root.parent / "elsewhere"
    shutil.move(person.root / "dir", elsewhere)
    (person.root / "dir").symlink_to(elsewhere)
    assert {"a.py", "run", "dir"} == listed(private)


def test_files_and_folders_that_changed_places(person: Person, private: PrivateRepository) -> None:
    """A tracked file may be a folder now, and the other way round."""
    person.write("dir/x.py", "x\n")
    person.commit()
    (person.root / "a.py").unlink()
    person.write("a.py/inner", "inner\n")
    shutil.rmtree(person.root / "dir")
    person.write("dir", "file\n")
    assert {"a.py/inner", "run", "dir"} == listed(private)


def test_ignored_files_are_left_out(
    person: Person, private: PrivateRepository, own_home: Path
) -> None:
    """By any of the four lists: the tree's, the repository's, the default and the set global."""
    person.write(".gitignore", "one\n")
    (person.root / ".git" / "info").mkdir(exist_ok=True)
    (person.root / ".git" / "info" / "exclude").write_text("two\n")
    (own_home / ".config" / "git").mkdir(parents=True)
    (own_home / ".config" / "git" / "ignore").write_text("three\n")
    for name in ("one", "two", "three", "four"):
        person.write(name, name)
    assert {".gitignore", "a.py", "run", "four"} == listed(private)
    (own_home / "ignored").write_text("four\n")
    person.git("config", "--global", "core.excludesFile", "~/ignored")
    again = private.snapshot("again")
    assert {".gitignore", "a.py", "run", "three"} == set(private.files(again.commit))


def test_tracked_files_are_never_ignored(person: Person, private: PrivateRepository) -> None:
    """A pattern that came later does not take them away."""
    person.write(".gitignore", "*.py\n")
    assert {".gitignore", "a.py", "run"} == listed(private)


def test_an_empty_nested_repository_is_nothing(person: Person, private: PrivateRepository) -> None:
    """Plain `git add` fails on it."""
    (person.root / "nested").mkdir()
    person.git("init", "-q", "nested")
    assert {"a.py", "run"} == listed(private)


def test_a_populated_nested_repository_is_a_plain_folder(
    person: Person, private: PrivateRepository
) -> None:
    """Its files are recorded, less what it ignores, however deep repositories are nested."""
    inner = Person(person.root / "nested")
    inner.git("init", "-q")
    inner.write(".gitignore", "ignored\n")
    inner.write("tracked", "")
    inner.commit()
    inner.write("untracked", "")
    inner.write("ignored", "")
    innermost = Person(inner.root / "deeper")
    innermost.git("init", "-q")
    innermost.write("x", "")
    expected = {"nested/.gitignore", "nested/tracked", "nested/untracked", "nested/deeper/x"}
    assert {"a.py", "run", *expected} == listed(private)


def test_a_submodule_is_named_and_its_entry_stands(
    person: Person, private: PrivateRepository, tmp_path: Path
) -> None:
    """Its files are left out, but no commit of ours removes the submodule."""
    library = Person(tmp_path / "library")
    library.git("init", "-q")
    library.write("lib.py", "")
    library.commit()
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
    person.git(*add, str(library.root), "sub")
    person.commit()
    taken = private.snapshot("s")
    assert (LeftOut(path="sub", reason=LeftOutReason.SUBMODULE),) == taken.skipped
    assert not taken.dirty
    worktree = private.add_worktree("s", taken.commit)
    (worktree / "a.py").write_text("fixed\n")
    (worktree / "sub" / "helper.py").write_text("put into its empty folder\n")
    made = private.commit("s", "fix")
    assert made is not None
    assert ["a.py"] == [change.path for change in made.changes]


def test_what_git_cannot_hold_is_skipped(
    person: Person, private: PrivateRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pipes and sockets are left out; git does not name them, so neither do we."""
    os.mkfifo(person.root / "pipe")
    monkeypatch.chdir(person.root)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        assert {"a.py", "run"} == listed(private)


def test_a_tracked_file_that_became_a_pipe_is_named(
    person: Person, private: PrivateRepository
) -> None:
    """Reading it would wait for ever."""
    (person.root / "a.py").unlink()
    os.mkfifo(person.root / "a.py")
    taken = private.snapshot("s")
    assert (LeftOut(path="a.py", reason=LeftOutReason.SPECIAL),) == taken.skipped
    assert ("run",) == private.files(taken.commit)


def test_large_untracked_files_are_skipped_by_name(
    person: Person, private: PrivateRepository
) -> None:
    """Tracked ones are part of the project whatever their size."""
    person.write("run", "#" * 60)
    person.write("large", "x" * 51)
    taken = private.snapshot("s", limit=50)
    assert (LeftOut(path="large", reason=LeftOutReason.TOO_LARGE, bytes=51),) == taken.skipped
    assert ("a.py", "run") == private.files(taken.commit)


def test_unreadable_files_are_skipped_by_name(
    person: Person, private: PrivateRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Untracked ones are left out; of a tracked one the recorded content stands."""
    person.write("secret", "x")
    readable = os.access

    def access(path: bytes, mode: int) -> bool:  # root may read everything
        return not path.endswith((b"/secret", b"/run")) and readable(path, mode)

    monkeypatch.setattr(os, "access", access)
    taken = private.snapshot("s")
    assert [("run", LeftOutReason.UNREADABLE), ("secret", LeftOutReason.UNREADABLE)] == [
        (each.path, each.reason) for each in taken.skipped
    ]
    assert ("a.py", "run") == private.files(taken.commit)


def test_a_file_that_vanishes_meanwhile_is_left_out(
    person: Person, private: PrivateRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the listing and the reading anything may happen."""
    person.write("short-lived", "x")
    readable = os.access

    def access(path: bytes, mode: int) -> bool:
        if path.endswith(b"/short-lived"):
            os.unlink(path)  # noqa: PTH108 - a path of bytes
            return True
        return readable(path, mode)

    monkeypatch.setattr(os, "access", access)
    assert {"a.py", "run"} == listed(private)


def test_our_own_files_are_no_part_of_the_project(
    person: Person, private: PrivateRepository
) -> None:
    """`.clew` never, a report only if it is tracked; other files in `debug` belong to them."""
    person.write(".clew/x", "")
    person.write("debug/topic/001_first.md", "")
    person.commit()
    person.write(".clew/y", "")
    person.write("debug/topic/002_second.md", "")
    person.write("debug/trace.py", "")
    expected = {"a.py", "run", "debug/topic/001_first.md", "debug/trace.py"}
    assert expected == listed(private)


def test_untracked_environments_and_caches_are_left_out(
    person: Person, private: PrivateRepository
) -> None:
    """A person who ignores nothing still has no environment recorded; its place is named."""
    person.write("venv/pyvenv.cfg", "")
    person.write("venv/lib/x.py", "")
    person.write("pkg/__pycache__/x.pyc", "")
    person.write("node_modules/x/index.js", "")
    taken = private.snapshot("s")
    assert (LeftOut(path="venv", reason=LeftOutReason.ENVIRONMENT),) == taken.skipped
    assert ("a.py", "run") == private.files(taken.commit)


def test_a_repository_without_a_commit(tmp_path: Path, opened: Open) -> None:
    """The snapshot is a first commit."""
    someone = Person(tmp_path / "young")
    someone.git("init", "-q")
    someone.write("a.py", "")
    taken = opened(someone).snapshot("s")
    assert (None, "refs/heads/main", True) == (taken.head, taken.branch_ref, taken.dirty)
    assert ("a.py",) == opened(someone).files(taken.commit)


def test_a_repository_without_anything(tmp_path: Path, opened: Open) -> None:
    """An empty tree is a tree."""
    someone = Person(tmp_path / "young")
    someone.git("init", "-q")
    private = opened(someone)
    worktree = private.add_worktree("s", private.snapshot("s").commit)
    assert {} == contents(worktree)


def test_a_detached_head(person: Person, private: PrivateRepository) -> None:
    """There is no branch to name."""
    person.git("switch", "-q", "--detach")
    taken = private.snapshot("s")
    assert (person.git("rev-parse", "HEAD"), None) == (taken.head, taken.branch_ref)


def test_a_linked_worktree(person: Person, tmp_path: Path, opened: Open) -> None:
    """Its own files count, the objects are those of the main repository."""
    person.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Person(tmp_path / "linked")
    linked.write("b.py", "")
    before = fingerprint(linked.project)
    taken = opened(linked).snapshot("s")
    assert "refs/heads/side" == taken.branch_ref
    assert ("a.py", "b.py", "run") == opened(linked).files(taken.commit)
    assert before == fingerprint(linked.project)


def test_a_subfolder_is_recorded_with_its_whole_repository(person: Person, opened: Open) -> None:
    """Tests in a folder import from its neighbours."""
    person.write("sub/b.py", "")
    inside = Person(person.root / "sub")
    private = opened(inside)
    assert ("a.py", "run", "sub/b.py") == private.files(private.snapshot("s").commit)


def test_a_folder_without_a_repository(tmp_path: Path, opened: Open) -> None:
    """All of it is recorded, less git's, environments and caches."""
    someone = Person(tmp_path / "plain")
    for name in ("a.py", "pkg/b.py", ".venv/pyvenv.cfg", ".venv/x", "pkg/__pycache__/b.pyc"):
        someone.write(name, name)
    for name in (".tox/x", "node_modules/x", ".clew/x", "debug/t/001_x.md", ".hypothesis/x"):
        someone.write(name, name)
    inner = Person(someone.root / "nested")
    inner.git("init", "-q")
    inner.write("c.py", "")
    os.mkfifo(someone.root / "pipe")
    before = fingerprint(someone.project)
    private = opened(someone)
    taken = private.snapshot("s")
    assert ("a.py", "nested/c.py", "pkg/b.py") == private.files(taken.commit)
    assert {(".venv", LeftOutReason.ENVIRONMENT), ("pipe", LeftOutReason.SPECIAL)} == {
        (each.path, each.reason) for each in taken.skipped
    }
    worktree = private.add_worktree("s", taken.commit)
    assert ["a.py", "nested", "pkg"] == sorted(each.name for each in worktree.iterdir())
    assert before == fingerprint(someone.project)


def test_a_state_folder_inside_the_project_is_left_out(tmp_path: Path) -> None:
    """A home that is itself the project holds our state as well."""
    someone = Person(tmp_path / "everything")
    someone.write("a.py", "")
    private = PrivateRepository.open(someone.project, someone.root / "state" / "x")
    assert ("a.py",) == private.files(private.snapshot("s").commit)
    worktree = private.add_worktree("s", private.snapshot("s").commit)
    (worktree / "b.py").write_text("")
    assert private.commit("s", "fix") is not None


def test_a_session_has_one_snapshot(person: Person, opened: Open) -> None:
    """Asked again, after a restart too, it gives the same answer; another session its own."""
    person.write("venv\udcff/pyvenv.cfg", "")
    first = opened(person).snapshot("s")
    person.write("a.py", "later\n")
    assert first == opened(person).snapshot("s")
    assert first == opened(person).recorded("s")
    assert first.commit != opened(person).snapshot("t").commit
    assert opened(person).recorded("u") is None


def test_a_later_state_can_be_recorded_beside_the_first(
    person: Person, private: PrivateRepository
) -> None:
    """So a session can tell what the person changed since it began."""
    base = private.snapshot("s")
    person.write("a.py", "by hand\n")
    later = private.snapshot("s", "resumed")
    assert ["a.py"] == [change.path for change in private.changed(base.commit, later.commit)]
    assert (base, later) == (private.recorded("s"), private.recorded("s", "resumed"))


def test_a_glimpse_leaves_no_name_and_no_copy(person: Person, private: PrivateRepository) -> None:
    """It is the tree as it is now, each time, for a worktree without a branch."""
    assert private.glimpse("s").commit == person.git("rev-parse", "HEAD")
    person.write("a.py", "by hand\n")
    seen = private.glimpse("s")
    worktree = private.add_worktree("s", seen.commit, branch=False)
    assert contents(person.root) == contents(worktree)
    assert seen.commit == Person(worktree).git("rev-parse", "HEAD")
    private.forget("s")
    assert not worktree.exists()
    assert "" == Person(private.location).git("for-each-ref")
    assert [] == list((private.location / "objects" / "pack").iterdir())


@pytest.mark.parametrize("content", [b"", b"x" * 40], ids=["empty", "damaged"])
def test_a_damaged_object_is_named_with_the_next_step(
    person: Person, private: PrivateRepository, content: bytes
) -> None:
    """Git's own words say where, and the hint how to see what else is."""
    tree = person.git("rev-parse", "HEAD^{tree}")
    damaged = person.root / ".git" / "objects" / tree[:2] / tree[2:]
    damaged.chmod(0o644)
    damaged.write_bytes(content)
    with pytest.raises(GitFailed) as caught:
        private.snapshot("s")
    assert "git fsck" in caught.value.hint


def test_a_session_is_a_plain_name(private: PrivateRepository) -> None:
    """It becomes a folder and a ref, so nothing else will do."""
    for name in ("", "../x", "a/b", "-x", "a.b", "a b"):
        with pytest.raises(UsageError):
            private.snapshot(name)


def test_a_repository_of_sha256(tmp_path: Path, opened: Open) -> None:
    """Ours takes the form of theirs."""
    someone = Person(tmp_path / "modern")
    someone.git("init", "-q", "--object-format=sha256")
    someone.write("a.py", "")
    someone.commit()
    taken = opened(someone).snapshot("s")
    assert 64 == len(taken.commit)
    assert contents(someone.root) == contents(opened(someone).add_worktree("s", taken.commit))


def forget(person: Person, commit: str) -> None:
    """Rewrite the newest commit of theirs and clean up, until the old one is gone."""
    person.write("a.py", "rewritten\n")
    person.git("commit", "-qa", "--amend", "-m", "rewritten")
    person.git("reflog", "expire", "--expire=now", "--all")
    person.git("gc", "-q", "--prune=now")
    assert "" == person.git("rev-parse", "-q", "--verify", f"{commit}^{{tree}}", fails=True)


def test_a_clean_up_of_the_private_repository_loses_no_session(
    person: Person, private: PrivateRepository
) -> None:
    """Git drops what the other repository has as well, and that one may drop it tomorrow."""
    taken = private.snapshot("s")
    Person(private.location).git("gc", "-q", "--prune=now")
    forget(person, taken.commit)
    assert b"one\ntwo\nthree\nfour\nfive\n" == private.show(taken.commit, "a.py")


def test_what_was_kept_and_is_gone_is_kept_again(
    person: Person, private: PrivateRepository
) -> None:
    """The note that a commit is here is worth as much as the pack that it names."""
    packs = private.location / "objects" / "pack"

    def lose() -> None:
        for file in packs.iterdir():
            file.unlink()

    head = private.snapshot("s").commit
    lose()
    assert head == private.snapshot("t").commit
    assert 1 == len(list(packs.glob("*.pack")))
    lose()
    person.write("b.py", "b\n")
    upon = private.snapshot("u").commit
    forget(person, head)
    assert b"one\ntwo\nthree\nfour\nfive\n" == private.show(upon, "a.py")


@pytest.mark.parametrize("deed", ["rewritten", "removed"])
def test_no_deed_of_theirs_loses_a_session(person: Person, opened: Open, deed: str) -> None:
    """After a rebase and a thorough clean-up, or without their repository, all is still there."""
    person.write("b.py", "b\n")
    person.commit("second")
    person.write("a.py", "dirty\n")
    private = opened(person)
    taken = private.snapshot("s")
    worktree = private.add_worktree("s", taken.commit)
    (worktree / "a.py").write_text("one\ntwo\nthree\nfour\nfive\n")  # as their first commit has it
    made = private.commit("s", "as it was")
    assert made is not None
    expected = contents(worktree)
    if deed == "rewritten":
        person.git("checkout", "-q", "--orphan", "fresh")
        person.git("rm", "-rqf", ".")
        person.write("c.py", "c\n")
        person.commit()
        person.git("branch", "-qD", "main")
        person.git("reflog", "expire", "--expire=now", "--all")
        person.git("gc", "-q", "--prune=now")
        assert "" == person.git("rev-parse", "-q", "--verify", f"{taken.head}^{{tree}}", fails=True)
        private = opened(person)
    else:
        shutil.rmtree(person.root)
    private.remove(worktree)
    assert expected == contents(private.add_worktree("s", taken.commit))
    private.reset("s", taken.commit)
    assert (worktree / "a.py").read_text() == "dirty\n"
    assert "dirty" in private.diff(taken.commit, made.id)
    assert private.commit("s", "nothing") is None
