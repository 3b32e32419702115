"""Questions about commits."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from clew.git.worktrees import ChangeKind, PrivateRepository, TreeChange
from person import Person, contents


def fix(private: PrivateRepository, worktree: Path) -> tuple[str, str]:
    (worktree / "a.py").write_text("one\n2\nthree\nfour\nfive\n")
    (worktree / "binary").write_bytes(bytes(range(256)))
    (worktree / "run").rename(worktree / "walk")
    (worktree / "ünï").symlink_to("a.py")
    made = private.commit("s", "fix")
    assert made is not None
    return made.parent, made.id


def test_changes_name_each_file_once(private: PrivateRepository, worktree: Path) -> None:
    """A rename is a file less and a file more; seen backwards, created is deleted."""
    base, tip = fix(private, worktree)
    assert (
        TreeChange(path="a.py", kind=ChangeKind.MODIFIED),
        TreeChange(path="binary", kind=ChangeKind.CREATED),
        TreeChange(path="run", kind=ChangeKind.DELETED),
        TreeChange(path="walk", kind=ChangeKind.CREATED),
        TreeChange(path="ünï", kind=ChangeKind.CREATED),
    ) == private.changed(base, tip)
    assert private.changed(tip, base)[1] == TreeChange(path="binary", kind=ChangeKind.DELETED)
    assert private.changed(tip, tip) == ()


def test_a_diff_is_for_people(private: PrivateRepository, worktree: Path) -> None:
    """Plain text, names as they are, of chosen paths if asked; a path is no pattern."""
    base, tip = fix(private, worktree)
    whole = private.diff(base, tip)
    assert "\x1b" not in whole
    assert "-two\n+2\n" in whole
    assert "+++ b/ünï" in whole
    assert private.diff(base, tip, ["a.py"]).startswith("diff --git a/a.py b/a.py")
    assert private.diff(base, tip, ["a.py"]).count("diff --git") == 1
    assert private.diff(base, tip, ["*.py", ":(top)a.py"]) == ""
    assert private.diff(base, tip, []) == ""


def test_a_patch_carries_everything(
    private: PrivateRepository, worktree: Path, tmp_path: Path
) -> None:
    """Applied by plain git to the old tree it gives the new one: binaries, modes and links."""
    base, tip = fix(private, worktree)
    expected = contents(worktree)
    old = private.pristine("s", "old", base)
    subprocess.run(
        ["git", "apply"], cwd=old, input=private.patch(base, tip), check=True, capture_output=True
    )
    assert expected == contents(old)


def test_files_are_read_from_commits(private: PrivateRepository, worktree: Path) -> None:
    """Content, the target of a link, or None; a folder is no file."""
    (worktree / "dir").mkdir()
    (worktree / "dir" / "x").write_bytes(b"\0x")
    base, tip = fix(private, worktree)
    assert private.show(base, "run") == b"#!/bin/sh\n"
    assert private.show(tip, "run") is None
    assert private.show(tip, "ünï") == b"a.py"
    assert private.show(tip, "dir/x") == b"\0x"
    assert private.show(tip, "dir") is None
    assert private.show(tip, "dir/") is None
    assert ("a.py", "binary", "dir/x", "walk", "ünï") == private.files(tip)


def test_what_commits_replaced_is_listed_the_newest_first(
    person: Person, opened: Callable[[Person], PrivateRepository]
) -> None:
    """A change without a commit is the snapshot's; what a commit added replaced nothing."""
    person.write("a.py", "second\n")
    person.write("new.py", "new\n")
    second = person.commit("second")
    (person.root / "run").unlink()
    third = person.commit("third")
    person.write("a.py", "not committed\n")
    private = opened(person)
    base = private.snapshot("s").commit

    found = private.replaced(base, 10)

    assert [(base, "a.py"), (third, "run"), (second, "a.py")] == [
        (each.commit, each.path) for each in found
    ]
    texts = private.contents({each.blob.name for each in found})
    assert [b"second\n", b"#!/bin/sh\n", b"one\ntwo\nthree\nfour\nfive\n"] == [
        texts[each.blob.name] for each in found
    ]
    assert () == private.replaced(base, 0)
    assert {} == private.contents({"0" * 39 + "1"})


def test_a_file_with_another_name_since_is_listed_under_that_as_well(
    person: Person, opened: Callable[[Person], PrivateRepository]
) -> None:
    """Its older texts, before it was moved and when it was, are what its functions were."""
    person.write("a.py", "one\ntwo\nthree\nfour\nsix\n")
    second = person.commit("second")
    (person.root / "a.py").rename(person.root / "b.py")
    third = person.commit("third")
    (person.root / "b.py").rename(person.root / "c.py")
    fourth = person.commit("fourth")
    private = opened(person)

    found = private.replaced(private.snapshot("s").commit, 10)

    assert [
        *((fourth, "b.py"), (fourth, "c.py"), (third, "a.py"), (third, "c.py")),
        *((second, "a.py"), (second, "c.py")),
    ] == [(each.commit, each.path) for each in found]


def test_what_a_merge_lost_of_the_other_side_is_listed(
    person: Person, opened: Callable[[Person], PrivateRepository]
) -> None:
    """The file as it was where the branch began, and as it had it; what was merged is not."""
    first = person.git("rev-parse", "HEAD").strip()
    person.git("checkout", "-q", "-b", "side")
    person.write("a.py", "of the side\n")
    person.write("b.py", "of the side\n")
    person.commit("side")
    person.git("checkout", "-q", "-b", "line", first)
    person.write("a.py", "of the line\n")
    person.commit("line")
    person.git("merge", "-q", "--no-ff", "-X", "ours", "-m", "Merge the side", "side")
    merge = person.git("rev-parse", "HEAD").strip()
    private = opened(person)

    found = private.unmerged(private.snapshot("s").commit, 10)

    told = [(each.commit, each.path, each.subject) for each in found]
    assert [(merge, "a.py", "Merge the side")] * 2 == told
    texts = private.contents({each.blob.name for each in found})
    assert [b"one\ntwo\nthree\nfour\nfive\n", b"of the side\n"] == [
        texts[each.blob.name] for each in found
    ]


def test_lines_are_counted_as_git_counts_them(private: PrivateRepository, worktree: Path) -> None:
    """Neither headers nor binary files are lines."""
    base, tip = fix(private, worktree)
    more, less = private.counted(base, tip)
    assert (less, more) == private.counted(tip, base)
    diff = [line for line in private.diff(base, tip).splitlines() if line[:1] in "+-"]
    told = [line for line in diff if line[:4] not in ("+++ ", "--- ")]
    assert (more, less) == tuple(sum(line[0] == sign for line in told) for sign in "+-")
    assert (0, 0) == private.counted(tip, tip)
