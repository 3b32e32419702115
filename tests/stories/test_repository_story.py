from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commandline import CommandLine
from projects import git, write
from repositories import ANSWER, FILES, RIGHT, mend, mended, person, stopped, tree


def dirty(folder: Path) -> CommandLine:
    clew = person(folder, {"flagged.txt": "one\n", "skipped.txt": "one\n", "gone.txt": "one\n"})
    root = clew.project
    write(root, {"notes.txt": "put aside\n"})
    git(root, "stash", "push", "-q")
    write(root, {"notes.txt": "staged\n", ANSWER: "5\n", "new.txt": "staged, new\n"})
    git(root, "add", "-A")
    write(root, {"notes.txt": "not staged\n", ANSWER: "3\n", "loose.txt": "not tracked\n"})
    git(root, "update-index", "--assume-unchanged", "flagged.txt", ANSWER)
    git(root, "update-index", "--skip-worktree", "skipped.txt")
    write(root, {"flagged.txt": "two\n", "skipped.txt": "two\n"})
    (root / "gone.txt").unlink()
    return clew


def young(folder: Path) -> CommandLine:
    clew = CommandLine(write(folder / "shape", FILES), folder / "state")
    git(clew.project, "init", "-q", "-b", "main")
    git(clew.project, "add", ANSWER)
    return clew


def plain(folder: Path) -> CommandLine:
    return CommandLine(write(folder / "shape", FILES), folder / "state")


def nested(folder: Path) -> CommandLine:
    clew = person(folder)
    empty, full = clew.project / "empty", clew.project / "full"
    empty.mkdir()
    git(empty, "init", "-q")
    git(write(full, {"inner.txt": "in\n"}), "init", "-q")
    git(full, "add", "-A")
    git(full, "commit", "-q", "-m", "inner")
    write(full, {"inner.txt": "edited\n", "loose.txt": "loose\n"})
    return clew


def with_submodules(folder: Path) -> CommandLine:
    other = person(folder, name="other").project
    clew = person(folder)
    allow = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--", str(other))
    for name in ("lib", "unfilled"):
        git(clew.project, *allow, name)
    git(clew.project, "commit", "-q", "-m", "submodules")
    git(clew.project, "submodule", "--quiet", "deinit", "-f", "unfilled")
    write(clew.project, {"lib/notes.txt": "edited\n"})
    return clew


def in_a_submodule(folder: Path) -> CommandLine:
    return CommandLine(with_submodules(folder).project / "lib", folder / "state")


def filtered(folder: Path) -> CommandLine:
    """Content that git turns on its way, and pointers to large files whose filter fails."""
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12\n"
    clew = person(folder, {name: pointer.format(name[0] * 64) for name in ("a.bin", "b.bin")})
    root = clew.project
    lines = ["*.txt text eol=crlf", "*.u16 text working-tree-encoding=UTF-16LE", "*.id ident"]
    lines += ["*.x filter=bent", "*.lf text eol=lf"]
    write(root, {".gitattributes": "\n".join(lines) + "\n", "a.id": "$Id$\n", "a.x": "x\n"})
    for name, content in {
        ANSWER: b"3\r\n",
        "a.u16": "ünïcödé\n".encode("utf-16-le"),
        "mixed.txt": b"one\r\ntwo\nthree\r",
        "a.lf": b"one\r\ntwo\r\n",
    }.items():
        (root / name).write_bytes(content)
    git(root, "config", "filter.bent.clean", "tr a-z A-Z")
    git(root, "config", "filter.bent.smudge", "tr A-Z a-z")
    git(root, "config", "core.autocrlf", "true")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "attributes")
    lines += ["*.bin filter=lfs diff=lfs merge=lfs -text"]
    write(root, {".gitattributes": "\n".join(lines) + "\n", "b.bin": "the content\n"})
    for key, value in {"clean": "false", "smudge": "false", "required": "true"}.items():
        git(root, "config", f"filter.lfs.{key}", value)
    return clew


def sparse(folder: Path) -> CommandLine:
    clew = person(folder, {"in/a.txt": "in\n", "out/b.txt": "out\n", "out/deep/c.txt": "out\n"})
    git(clew.project, "sparse-checkout", "set", "in")
    assert not (clew.project / "out").exists()
    return clew


def linked(folder: Path) -> CommandLine:
    """Another work tree of a repository, on no branch."""
    main = person(folder, name="main").project
    git(main, "worktree", "add", "-q", "--detach", str(folder / "shape"))
    return CommandLine(folder / "shape", folder / "state")


def set_apart(folder: Path) -> CommandLine:
    """The repository lies elsewhere, and borrows its objects from one that borrows them."""
    lender = person(folder, name="lender").project
    git(folder, "clone", "-q", "--shared", str(lender), "between")
    apart = ("--separate-git-dir", str(folder / "apart.git"))
    git(folder, "clone", "-q", "--shared", *apart, "between", "shape")
    assert (folder / "shape" / ".git").is_file()
    return CommandLine(folder / "shape", folder / "state")


def links(folder: Path) -> CommandLine:
    write(folder / "outside", {"secret.txt": "mine\n", "more/deep.txt": "mine\n"})
    clew = person(folder, {"inner/a.txt": "a\n"})
    for name, target in {
        "out": "../outside/secret.txt",
        "out-folder": "../outside/more",
        "absolute": str(folder / "outside" / "secret.txt"),
        "inside": "inner",
        "dangling": "nowhere/at/all",
        "itself": "itself",
        "inner/up": "..",
    }.items():
        (clew.project / name).symlink_to(target)
    git(clew.project, "add", "-A")
    git(clew.project, "commit", "-q", "-m", "links")
    (clew.project / "loose").symlink_to("../outside/more")
    return clew


def odd_names(folder: Path) -> CommandLine:
    names = ["a b.txt", " lead", "trail ", "two\nlines.txt", "tab\t.txt", "ünïcödé/日本.txt"]
    names += ["-rf", "quote'\".txt", "star*?[x].txt", "back\\slash", ":(top)magic", "#hash", "~"]
    names += ["Readme", "README", "Folder/x", "folder/x"]
    clew = person(folder, {name: f"{name}\n" for name in names})
    write(clew.project, {f"loose {name}": "loose\n" for name in names if "/" not in name})
    return clew


def permissions(folder: Path) -> CommandLine:
    clew = person(folder, {"run": "#!/bin/sh\n", "locked/a.txt": "a\n"})
    (clew.project / "run").chmod(0o755)
    git(clew.project, "add", "-A")
    git(clew.project, "commit", "-q", "-m", "run")
    for name, mode in {ANSWER: 0o444, "notes.txt": 0o400, "run": 0o555, "locked": 0o555}.items():
        (clew.project / name).chmod(mode)
    return clew


def merging(folder: Path) -> CommandLine:
    clew = in_conflict(folder)
    stopped(clew.project, "merge", "other")
    assert (clew.project / ".git" / "MERGE_HEAD").exists()
    return clew


def rebasing(folder: Path) -> CommandLine:
    clew = in_conflict(folder)
    stopped(clew.project, "rebase", "other")
    assert (clew.project / ".git" / "rebase-merge").exists()
    return clew


def picking(folder: Path) -> CommandLine:
    clew = in_conflict(folder)
    stopped(clew.project, "cherry-pick", "other")
    assert (clew.project / ".git" / "CHERRY_PICK_HEAD").exists()
    return clew


def in_conflict(folder: Path) -> CommandLine:
    clew = person(folder)
    root = clew.project
    git(root, "checkout", "-q", "-b", "other")
    write(root, {"notes.txt": "theirs\n"})
    git(root, "commit", "-qam", "theirs")
    git(root, "checkout", "-q", "main")
    write(root, {"notes.txt": "ours\n"})
    git(root, "commit", "-qam", "ours")
    return clew


def of_sha256(folder: Path) -> CommandLine:
    clew = plain(folder)
    git(clew.project, "init", "-q", "--object-format=sha256")
    git(clew.project, "add", "-A")
    git(clew.project, "commit", "-q", "-m", "begin")
    return clew


def with_a_past(folder: Path) -> Path:
    clew = person(folder, {"old.txt": "old\n"}, name="origin")
    git(clew.project, "config", "uploadpack.allowFilter", "true")
    for number in range(3):
        write(clew.project, {"old.txt": f"{number}\n", f"{number}.txt": "x\n"})
        git(clew.project, "add", "-A")
        git(clew.project, "commit", "-q", "-m", f"{number}")
    return clew.project


def shallow(folder: Path) -> CommandLine:
    origin = with_a_past(folder)
    git(folder, "clone", "-q", "--depth=1", origin.as_uri(), "shape")
    origin.rename(folder / "moved")
    return CommandLine(folder / "shape", folder / "state")


def partial_and_sparse(folder: Path) -> CommandLine:
    """Of the past, and of what is kept off the disk, no content is there or can be had."""
    origin = with_a_past(folder)
    write(origin, {"in/a.txt": "in\n", "out/b.txt": "out\n"})
    git(origin, "add", "-A")
    git(origin, "commit", "-q", "-m", "folders")
    git(folder, "clone", "-q", "--sparse", "--filter=blob:none", origin.as_uri(), "shape")
    git(folder / "shape", "sparse-checkout", "set", "in")
    origin.rename(folder / "moved")
    assert not (folder / "shape" / "out").exists()
    return CommandLine(folder / "shape", folder / "state")


SHAPES = (
    dirty,
    young,
    plain,
    nested,
    with_submodules,
    in_a_submodule,
    filtered,
    sparse,
    linked,
    set_apart,
    links,
    odd_names,
    permissions,
    merging,
    rebasing,
    picking,
    of_sha256,
    shallow,
    partial_and_sparse,
)


@pytest.mark.slow
@pytest.mark.sweep(7)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_a_repository_of_any_shape_is_mended(
    tmp_path: Path, shape: Callable[[Path], CommandLine]
) -> None:
    """A fix is found and proved while nothing of theirs changes; applied, it is all that does."""
    mended(shape(tmp_path))


@pytest.mark.slow
def test_tests_see_what_submodules_hold(tmp_path: Path) -> None:
    """They read it where it lies; a filled submodule is neither copied nor changed."""
    clew = with_submodules(tmp_path)
    before = tree(clew)
    said = mend(clew, needs="lib/notes.txt")
    assert (0, "green") == (said.code, said.summary["status"]), said
    assert before == tree(clew)


@pytest.mark.slow
def test_a_fix_waits_for_its_commit_in_the_middle_of_a_merge(tmp_path: Path) -> None:
    """The files are mended, the merge stays as it is, and what git says is told."""
    clew = merging(tmp_path)
    assert 0 == mend(clew).code
    said = clew.run("apply", "--commit")
    assert 1 == said.code
    assert "the fix is in your files, but git made no commit" in said.err
    assert "during a merge" in said.err
    assert (clew.project / ".git" / "MERGE_HEAD").exists()
    assert "4\n" == (clew.project / ANSWER).read_text()
    assert "UU notes.txt" in git(clew.project, "status", "--short")


@pytest.mark.slow
def test_fifty_thousand_files_are_no_obstacle(tmp_path: Path) -> None:
    """They are recorded, checked out and proved with, and stay as they are."""
    clew = person(tmp_path)
    git(clew.project, "config", "gc.auto", "0")  # it would go on beside the test
    write(clew.project, {f"{n // 500}/{n % 500}.txt": f"{n}\n" for n in range(50_000)})
    git(clew.project, "add", "-A")
    git(clew.project, "commit", "-q", "-m", "many")
    git(clew.project, "repack", "-a", "-d", "-q")
    before = tree(clew)
    said = mend(clew)
    assert (0, "green") == (said.code, said.summary["status"]), said.err
    assert before == tree(clew)


@pytest.mark.slow
def test_without_git_nothing_can_be_committed(tmp_path: Path) -> None:
    """That is said before a file is written; the fix can be applied all the same."""
    clew = plain(tmp_path)
    assert 0 == mend(clew).code
    said = clew.run("apply", "--commit")
    assert (2, True) == (said.code, "no git repository" in said.err), said
    assert FILES[ANSWER] == (clew.project / ANSWER).read_text()
    assert 0 == clew.run("apply").code
    assert RIGHT in (clew.project / ANSWER).read_text()
