"""A fix comes home: all of it or nothing, merged with newer work, and never beyond the tree."""

from __future__ import annotations

import os
import re
import shlex
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.git.worktrees import (
    Applied,
    ApplyConflict,
    NotApplied,
    PrivateRepository,
    Wording,
    replacing,
)
from clew.words.errors import GitFailed
from person import Person, contents
from treestate import fingerprint

Open = Callable[[Person], PrivateRepository]
Fixed = tuple[str, str]


def commit(private: PrivateRepository) -> Fixed:
    made = private.commit("s", "fix")
    assert made is not None
    return private.snapshot("s").commit, made.id


@pytest.fixture
def fixed(private: PrivateRepository, worktree: Path) -> Fixed:
    """Line two of `a.py` is mended, `run` is gone, `new/x` is there and executable."""
    (worktree / "a.py").write_text("one\nTWO\nthree\nfour\nfive\n")
    (worktree / "run").unlink()
    (worktree / "new").mkdir()
    (worktree / "new" / "x").write_text("x\n")
    (worktree / "new" / "x").chmod(0o755)
    return commit(private)


def test_an_untouched_tree_becomes_the_fix(
    person: Person, private: PrivateRepository, worktree: Path, fixed: Fixed
) -> None:
    """Byte by byte, modes and deletions included."""
    kept = {".clew/replaced/s/1/1-run~": "run", ".clew/replaced/s/1/2-a.py~": "a.py"}
    expected = Applied(files=("a.py", "new/x", "run"), branch="clew/s", kept=kept)
    assert expected == private.apply("s", *fixed)
    assert contents(worktree) == contents(person.root)


def test_the_index_and_head_stay(person: Person, private: PrivateRepository, fixed: Fixed) -> None:
    """In git's folder only the branch and its objects are new."""
    person.write("staged", "x")
    person.git("add", "staged")
    before = fingerprint(person.project).git
    private.apply("s", *fixed)
    after = fingerprint(person.project).git
    new = {path for path in after if before.get(path) != after[path]}
    assert {".git/refs/heads/clew/s", ".git/logs/refs/heads/clew/s"} == {
        path for path in new if "/objects/" not in path and not path.endswith("/clew")
    }
    assert set(before) <= set(after)


def test_applying_twice_changes_nothing(
    person: Person, private: PrivateRepository, fixed: Fixed
) -> None:
    """The second call says that the fix is there."""
    private.apply("s", *fixed)
    before = fingerprint(person.project)
    assert Applied(files=(), branch="clew/s", already=True) == private.apply("s", *fixed)
    assert before == fingerprint(person.project)


def test_a_longer_fix_follows_a_shorter_one(
    person: Person, private: PrivateRepository, worktree: Path, fixed: Fixed
) -> None:
    """Also where both change the same lines, and what the shorter one alone made goes again."""
    private.apply("s", *fixed)
    (worktree / "a.py").write_text("one\n2\nthree\nfour\nfive\n")
    (worktree / "new" / "x").unlink()
    longer = commit(private)
    person.write("a.py", person.read("a.py") + "mine\n")
    private.apply("s", *longer)
    assert "one\n2\nthree\nfour\nfive\nmine\n" == person.read("a.py")
    assert {b"a.py"} == set(contents(person.root))


def test_a_fix_that_was_thrown_away_is_applied_again(
    person: Person, private: PrivateRepository, worktree: Path, fixed: Fixed
) -> None:
    """What counts is what is there."""
    private.apply("s", *fixed)
    person.git("reset", "-q", "--hard")
    person.git("clean", "-fdq")
    assert ("a.py", "new/x", "run") == private.apply("s", *fixed).files
    assert contents(worktree) == contents(person.root)


def test_lines_right_beside_an_applied_fix_are_no_conflict(
    person: Person, private: PrivateRepository, fixed: Fixed
) -> None:
    """The fix is there; what a person added to it is theirs."""
    private.apply("s", *fixed)
    mine = person.read("a.py").replace("TWO\n", "TWO\nmine\n")
    person.write("a.py", mine)
    assert private.apply("s", *fixed).already
    assert mine == person.read("a.py")


def test_newer_work_is_merged(person: Person, private: PrivateRepository, fixed: Fixed) -> None:
    """Edits elsewhere in a file, and its mode, are kept; applying again changes nothing."""
    person.write("a.py", "zero\none\ntwo\nthree\nfour\nfive\n", 0o755)
    person.write("b.py", "mine\n")
    applied = private.apply("s", *fixed)
    assert ("a.py",) == applied.merged
    assert ("executable", b"zero\none\nTWO\nthree\nfour\nfive\n") == contents(person.root)[b"a.py"]
    assert "mine\n" == person.read("b.py")
    assert private.apply("s", *fixed).already


def test_a_half_applied_fix_is_completed(
    person: Person, private: PrivateRepository, worktree: Path, fixed: Fixed
) -> None:
    """Files that have it already are left as they are."""
    person.write("a.py", "one\nTWO\nthree\nfour\nfive\n")
    assert ("new/x", "run") == private.apply("s", *fixed).files
    assert contents(worktree) == contents(person.root)


def edit_same_line(person: Person) -> None:
    person.write("a.py", "one\nzwei\nthree\nfour\nfive\n")


def delete_edited(person: Person) -> None:
    (person.root / "a.py").unlink()


def make_binary(person: Person) -> None:
    person.write("a.py", b"\0")


def make_link(person: Person) -> None:
    (person.root / "a.py").unlink()
    (person.root / "a.py").symlink_to("run")


def make_folder(person: Person) -> None:
    (person.root / "a.py").unlink()
    person.write("a.py/x", "")


def make_pipe(person: Person) -> None:
    (person.root / "a.py").unlink()
    os.mkfifo(person.root / "a.py")


@pytest.mark.parametrize(
    "deed", [edit_same_line, delete_edited, make_binary, make_link, make_folder, make_pipe]
)
def test_a_conflict_writes_no_file(
    person: Person, private: PrivateRepository, fixed: Fixed, deed: Callable[[Person], None]
) -> None:
    """The refusal names the path; branch and patch are there for a merge by hand."""
    deed(person)
    before = fingerprint(person.project).files
    with pytest.raises(ApplyConflict) as refused:
        private.apply("s", *fixed)
    assert ("a.py",) == refused.value.paths
    assert "a.py" in refused.value.message
    assert before == fingerprint(person.project).files
    assert "clew/s" in refused.value.hint
    assert fixed[1] == person.git("rev-parse", "clew/s")
    patch = private.location.parent / "patches" / "s.patch"
    assert str(patch) in refused.value.hint
    assert private.patch(*fixed) == patch.read_bytes()


def test_all_conflicts_are_named(person: Person, private: PrivateRepository, fixed: Fixed) -> None:
    """One refusal for all of them."""
    edit_same_line(person)
    person.write("run", "edited\n")
    person.write("new/x", "mine\n")
    with pytest.raises(ApplyConflict) as refused:
        private.apply("s", *fixed)
    assert ("a.py", "new/x", "run") == refused.value.paths


def test_links_out_of_the_tree_are_not_followed(
    person: Person, private: PrivateRepository, fixed: Fixed, tmp_path: Path
) -> None:
    """A folder that is a link now is in the way."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (person.root / "new").symlink_to(outside)
    with pytest.raises(ApplyConflict) as refused:
        private.apply("s", *fixed)
    assert ("new/x",) == refused.value.paths
    assert [] == list(outside.iterdir())


def test_links_are_applied_as_links(
    person: Person, private: PrivateRepository, worktree: Path
) -> None:
    """Made, turned and replaced by files; their targets are left alone."""
    (worktree / "link").symlink_to("a.py")
    (worktree / "run").unlink()
    (worktree / "run").symlink_to("/etc/hostname")
    private.apply("s", *commit(private))
    assert contents(worktree) == contents(person.root)
    (worktree / "run").unlink()
    (worktree / "run").write_text("file again\n")
    (worktree / "link").unlink()
    private.apply("s", *commit(private))
    assert contents(worktree) == contents(person.root)


def test_files_and_folders_change_places(
    person: Person, private: PrivateRepository, worktree: Path
) -> None:
    """Both ways at once."""
    person.write("dir/deep/x", "")
    private = PrivateRepository.open(person.project, private.location.parent)
    base = private.snapshot("t").commit
    tree = private.add_worktree("t", base)
    (tree / "a.py").unlink()
    (tree / "a.py").mkdir()
    (tree / "a.py" / "inner").write_text("inner")
    (tree / "dir" / "deep" / "x").unlink()
    (tree / "dir" / "deep").rmdir()
    (tree / "dir").rmdir()
    (tree / "dir").write_text("file")
    made = private.commit("t", "fix")
    assert made is not None
    private.apply("t", base, made.id)
    assert contents(tree) == contents(person.root)


def test_permissions_and_folders_are_kept(
    person: Person, private: PrivateRepository, fixed: Fixed
) -> None:
    """A private file stays private; a folder that a deletion leaves empty goes."""
    (person.root / "a.py").chmod(0o640)
    private.apply("s", *fixed)
    assert 0o640 == stat.S_IMODE((person.root / "a.py").stat().st_mode)
    private.apply("s", fixed[1], fixed[0])
    assert not (person.root / "new").exists()


@pytest.mark.parametrize("last", range(3))
def test_a_failure_half_way_is_undone(
    person: Person,
    private: PrivateRepository,
    fixed: Fixed,
    monkeypatch: pytest.MonkeyPatch,
    last: int,
) -> None:
    """Whichever file cannot be put in place, the others are put back and nothing is left behind."""
    before = fingerprint(person.project).files
    carry_out, count = replacing._carry_out, 0

    def failing(root: Path, move: replacing._Move) -> bool:
        nonlocal count
        count += 1
        if count > last:
            raise OSError(28, "No space left on device")
        return carry_out(root, move)

    monkeypatch.setattr(replacing, "_carry_out", failing)
    with pytest.raises(NotApplied, match="No space"):
        private.apply("s", *fixed)
    assert before == fingerprint(person.project).files
    assert [".gitignore"] == [path.name for path in (person.root / ".clew").iterdir()]


def test_a_folder_without_git_gets_the_files(tmp_path: Path, opened: Open) -> None:
    """There is no branch to export."""
    someone = Person(tmp_path / "plain")
    someone.write("a.py", "one\n")
    private = opened(someone)
    worktree = private.add_worktree("s", private.snapshot("s").commit)
    (worktree / "a.py").write_text("two\n")
    fixed = commit(private)
    kept = {".clew/replaced/s/1/1-a.py~": "a.py"}
    expected = Applied(files=("a.py",), branch=None, kept=kept)
    assert expected == private.apply("s", *fixed, wording=Wording("Fix by s"))
    assert {b"a.py": ("file", b"two\n")} == contents(someone.root)
    someone.write("a.py", "three\n")
    with pytest.raises(ApplyConflict, match=r"a\.py") as refused:
        private.apply("s", *fixed)
    assert refused.value.hint.startswith("the patch is in /")


def test_a_commit_is_the_persons_own(
    person: Person, private: PrivateRepository, fixed: Fixed
) -> None:
    """Their identity, their hooks, exactly the fix's files; what is staged stays staged."""
    hook = person.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch hook-ran\n")
    hook.chmod(0o755)
    person.write("staged", "x")
    person.git("add", "staged")
    person.write("unstaged", "x")
    applied = private.apply("s", *fixed, wording=Wording("Mend line two"))
    assert applied.commit == person.git("rev-parse", "HEAD")
    shown = person.git("show", "--name-status", "--no-renames", "--format=%an <%ae> %s", "HEAD")
    assert "Pat <pat@example.org> Mend line two\n\nM\ta.py\nA\tnew/x\nD\trun" == shown
    assert "A  staged\n?? hook-ran\n?? unstaged" == person.git("status", "--short")


def test_a_commit_can_follow_later(
    person: Person, private: PrivateRepository, fixed: Fixed
) -> None:
    """Applied first and committed with a second call; a third has nothing to commit."""
    private.apply("s", *fixed)
    applied = private.apply("s", *fixed, wording=Wording("now"))
    assert applied.already
    assert applied.commit == person.git("rev-parse", "HEAD")
    assert private.apply("s", *fixed, wording=Wording("again")).commit is None


def test_an_earlier_line_of_theirs_is_named_where_it_is_committed(
    person: Person, opened: Open
) -> None:
    """The proof measured it with the fix; that it was in no commit, they should know."""
    person.write("a.py", person.read("a.py") + "mine\n")
    person.write("b.py", "theirs\n")
    private = opened(person)
    worktree = private.add_worktree("s", private.snapshot("s").commit)
    for name in ("a.py", "run"):
        (worktree / name).write_text((worktree / name).read_text() + "fixed\n")
    applied = private.apply("s", *commit(private), wording=Wording("Fix by s"))
    assert ("a.py",) == applied.own
    assert "+mine" in person.git("show", "HEAD")


def test_what_they_have_committed_since_is_not_named(person: Person, opened: Open) -> None:
    person.write("a.py", person.read("a.py") + "mine\n")
    private = opened(person)
    worktree = private.add_worktree("s", private.snapshot("s").commit)
    (worktree / "a.py").write_text("fixed\n" + (worktree / "a.py").read_text())
    fixed = commit(private)
    person.commit("mine")
    assert () == private.apply("s", *fixed, wording=Wording("Fix by s")).own


def test_a_later_line_of_theirs_is_not_committed_with_the_fix(
    person: Person, private: PrivateRepository, fixed: Fixed
) -> None:
    """It is theirs to name: nothing is committed, and the file is told."""
    private.apply("s", *fixed)
    person.write("a.py", person.read("a.py") + "mine\n")
    before = fingerprint(person.project)
    with pytest.raises(GitFailed, match=r"a\.py holds changes of your own as well") as refused:
        private.apply("s", *fixed, wording=Wording("Fix by s"))
    assert "git add -p -- a.py" in refused.value.hint
    assert before == fingerprint(person.project)


def test_how_a_part_of_an_untracked_file_is_committed_is_told_as_it_works(
    person: Person, private: PrivateRepository
) -> None:
    """`git add -p` knows only what git tracks: such a file is told to git first."""
    person.write("loose.py", "one\ntwo\nthree\nfour\nfive\n")
    worktree = private.add_worktree("s", private.snapshot("s").commit)
    (worktree / "loose.py").write_text("one\nTWO\nthree\nfour\nfive\n")
    fix = commit(private)
    private.apply("s", *fix)
    person.write("loose.py", person.read("loose.py") + "mine\n")
    with pytest.raises(GitFailed, match=r"loose\.py holds changes of your own") as refused:
        private.apply("s", *fix, wording=Wording("Fix by s"))
    told = re.findall(r"`(git add [^`]+)`", refused.value.hint)
    assert ["git add -N -- loose.py", "git add -p -- loose.py"] == told
    for line in told:
        person.git(*shlex.split(line)[1:], stdin="y\n" * 9)
    assert "loose.py" in person.git("diff", "--cached", "--name-only")


def test_work_that_was_committed_meanwhile_is_in_nobodys_way(
    person: Person, private: PrivateRepository, fixed: Fixed
) -> None:
    """The fix, merged with it, is committed on top of it, and nothing else."""
    person.write("a.py", "zero\n" + person.read("a.py"))
    person.commit("mine")
    assert ("a.py",) == private.apply("s", *fixed, wording=Wording("Fix by s")).merged
    assert "1\t1\ta.py" in person.git("show", "--numstat", "--format=", "HEAD")


def test_a_hook_that_refuses_is_heard(
    person: Person, private: PrivateRepository, worktree: Path, fixed: Fixed
) -> None:
    """The files stay applied, the index is as before, the words of the hook are told."""
    hook = person.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not on a Friday >&2\nexit 1\n")
    hook.chmod(0o755)
    person.write("staged", "x")
    person.git("add", "staged")
    before = person.git("ls-files", "--stage", "--debug")
    with pytest.raises(GitFailed, match="not on a Friday") as refused:
        private.apply("s", *fixed, wording=Wording("Fix by s"))
    assert "git commit in " in refused.value.message
    assert " -m " not in refused.value.message
    assert "applied" in refused.value.message or "in your files" in refused.value.message
    assert contents(worktree) == contents(person.root, without=(".git", ".clew", "staged"))
    assert before.count("\n") == person.git("ls-files", "--stage", "--debug").count("\n")
    assert "A  staged" in person.git("status", "--short")
    hook.unlink()
    assert private.apply("s", *fixed, wording=Wording("Fix by s")).commit is not None


def test_a_first_commit_can_be_made(tmp_path: Path, opened: Open) -> None:
    """In a repository without one, only the fix's files are in it."""
    someone = Person(tmp_path / "young")
    someone.git("init", "-q")
    someone.write("a.py", "")
    someone.write("b.py", "")
    private = opened(someone)
    worktree = private.add_worktree("s", private.snapshot("s").commit)
    (worktree / "a.py").write_text("fixed")
    assert private.apply("s", *commit(private), wording=Wording("Fix by s")).commit is not None
    assert "a.py" == someone.git("ls-files")


def test_line_endings_of_theirs_are_kept(person: Person, opened: Open) -> None:
    """Where git turns line endings, a fix in their tree has those that are on disk there."""
    person.git("config", "core.autocrlf", "true")
    (person.root / "a.py").unlink()
    person.git("checkout", "a.py")
    private = opened(person)
    worktree = private.add_worktree("s", private.snapshot("s").commit)
    text = (worktree / "a.py").read_bytes()
    assert b"one\r\ntwo\r\n" in text
    (worktree / "a.py").write_bytes(text.replace(b"two", b"TWO"))
    private.apply("s", *commit(private), wording=Wording("Fix by s"))
    assert b"one\r\nTWO\r\n" in (person.root / "a.py").read_bytes()
    assert "1\t1\ta.py" == person.git("diff", "--numstat", "HEAD~1", "HEAD")


def test_odd_names_are_applied_and_committed(
    person: Person, private: PrivateRepository, worktree: Path
) -> None:
    """No name is read as a pattern, an option or an escape."""
    names = (b"-x", b":(top)y", b"*.py", b"new\nline", b"\xff", b'"q"')
    for name in names:
        Path(os.fsdecode(os.fsencode(worktree) + b"/" + name)).write_bytes(name)
    private.apply("s", *commit(private), wording=Wording("Fix by s"))
    assert contents(worktree) == contents(person.root)
    assert "" == person.git("status", "--short")
