"""What an agent or a test may leave in a worktree neither holds up git nor leads it elsewhere."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from clew.git.worktrees import PrivateRepository
from person import Person, contents
from treestate import fingerprint

PATIENCE = 20.0  # seconds for a git of Clew's, which has ten minutes otherwise


@pytest.fixture
def worktree(private: PrivateRepository, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("clew.git.worktrees.git.TIMEOUT", PATIENCE)
    return private.add_worktree("s", private.snapshot("s").commit)


def base(private: PrivateRepository) -> str:
    return private.snapshot("s").commit


def files(private: PrivateRepository) -> set[str]:
    """What a commit of the worktree holds."""
    made = private.commit("s", "fix")
    return set(private.files(made.id if made else base(private)))


@pytest.mark.parametrize("name", [".gitattributes", ".gitignore", "a.py", "sub/.git/HEAD"])
def test_a_pipe_is_not_waited_for(private: PrivateRepository, worktree: Path, name: str) -> None:
    """Nobody ever writes into it, wherever git would read."""
    place = worktree / name
    place.parent.mkdir(parents=True, exist_ok=True)
    for part in ("objects", "refs") if "sub" in name else ():
        (worktree / "sub" / ".git" / part).mkdir()
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    (worktree / "run").write_text("changed")

    assert {"a.py", "run"} - {name} == files(private)
    private.reset("s", base(private))
    assert private.is_clean("s")


def test_a_socket_is_passed_over(private: PrivateRepository, worktree: Path) -> None:
    """It is no part of a project."""
    here = Path.cwd()
    os.chdir(worktree)
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("socket")
    finally:
        os.chdir(here)

    assert {"a.py", "run"} == files(private)


@pytest.mark.parametrize(
    "settings",
    [
        "[core]\n\tworktree = OUTSIDE\n",
        "[core]\n\texcludesFile = PIPE\n",
        "[include]\n\tpath = PIPE\n",
        '[includeIf "gitdir:/**"]\n\tpath = PIPE\n',
    ],
)
def test_settings_of_a_repository_within_are_not_heeded(
    private: PrivateRepository, worktree: Path, tmp_path: Path, settings: str
) -> None:
    """It is a folder like others, and nothing that its configuration names is read."""
    pipe, outside, git = tmp_path / "pipe", tmp_path / "outside", worktree / "sub" / ".git"
    os.mkfifo(pipe)
    outside.mkdir()
    (outside / "secret").write_text("x")
    for part in ("objects/info", "refs"):
        (git / part).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "objects" / "info" / "alternates").write_text(f"{pipe}\n")
    (git / "config").write_text(
        settings.replace("PIPE", str(pipe)).replace("OUTSIDE", str(outside))
    )
    (worktree / "sub" / "file").write_text("x")

    assert {"a.py", "run", "sub/file"} == files(private)


def test_a_git_file_leads_nowhere(
    person: Person, private: PrivateRepository, worktree: Path
) -> None:
    """One that names the person's repository, or settings for worktrees, changes nothing there."""
    before = fingerprint(person.project)
    (worktree / ".git").unlink()
    (worktree / ".git").write_text(f"gitdir: {person.root}/.git\n")
    (worktree / "sub").mkdir()
    (worktree / "sub" / ".git").write_text(f"gitdir: {person.root}/.git\n")
    (worktree / "sub" / "file").write_text("x")

    assert {"a.py", "run", "sub/file"} == files(private)
    private.reset("s", base(private))
    assert before == fingerprint(person.project)


def test_names_are_never_words_of_a_command(private: PrivateRepository, worktree: Path) -> None:
    """Neither lines, nor options, nor patterns."""
    names = {"two\nlines", "-f", "--exec=touch x", ":(top)*", "*", "a\tb", '"', "\\", "x\r", "ü\n "}
    names |= {f"{name}/file" for name in ("\n", "--", ":!a")}
    for name in names:
        (worktree / name).parent.mkdir(exist_ok=True)
        (worktree / name).write_text("x")

    assert {"a.py", "run", *names} == files(private)
    private.reset("s", base(private))
    assert {b"a.py", b"run"} == set(contents(worktree))


def test_a_folder_that_became_a_link_is_not_followed(
    person: Person, private: PrivateRepository, tmp_path: Path
) -> None:
    """Putting a tree back writes and removes nothing where the link leads."""
    person.write("pkg/mod.py", "theirs")
    person.write("pkg/deep/mod.py", "theirs")
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "mod.py").write_text("outside")
    (outside / "new.py").write_text("outside")
    worktree = private.add_worktree("s", base(private))
    for name in ("mod.py", "deep/mod.py"):
        (worktree / "pkg" / name).unlink()
    (worktree / "pkg" / "deep").rmdir()
    (worktree / "pkg").rmdir()
    (worktree / "pkg").symlink_to(outside)

    assert {"a.py", "run", "pkg"} == files(private)
    private.reset("s", base(private))
    assert "theirs" == (worktree / "pkg" / "mod.py").read_text()
    assert {b"mod.py", b"new.py"} == set(contents(outside))
    assert "outside" == (outside / "mod.py").read_text()


def test_folders_too_deep_for_a_name_are_put_back(
    private: PrivateRepository, worktree: Path
) -> None:
    """And a file of a terabyte that is nothing but a hole."""
    here = os.open(worktree, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 100, dir_fd=here)
        below = os.open("d" * 100, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    with (worktree / "hole").open("wb") as hole:
        hole.truncate(1 << 40)

    private.reset("s", base(private))
    assert private.is_clean("s")
    assert {b"a.py", b"run"} == set(contents(worktree))
