"""The person's project: where it is, and whether git knows it."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from pathlib import Path

import msgspec

from clew.analysis.testfiles import is_test_path
from clew.git.worktrees.git import excludes_of, git
from clew.words.errors import UsageError
from clew.words.test_ids import home_of

__all__ = ["Project", "is_ignored", "is_tracked", "locate", "state_key"]

NO_REPOSITORY = "fatal: not a git repository (or any"


class Project(msgspec.Struct, frozen=True, kw_only=True):
    """A failing project. Both paths are real ones, free of links."""

    root: Path  # top of the git work tree, or the folder itself
    path: Path  # the folder that was named; tests run there
    git: bool
    name: str

    @property
    def subdir(self) -> str:
        """`path` as seen from `root`; empty if they are the same."""
        relative = self.path.relative_to(self.root).as_posix()
        return "" if relative == "." else relative

    @property
    def documents(self) -> Path:
        """The folder of all documents: one below it for each session."""
        return self.root / ".clew" / "sessions"


def locate(path: Path) -> Project:
    """Find the project that a folder belongs to.

    A folder that its repository ignores, and a folder without one, stands for itself.
    """
    path = _folder(path)
    root = _toplevel(path)
    if root is None or (root != path and _ignored(root, path)):
        return Project(root=path, path=path, git=False, name=_name(path))
    return Project(root=root, path=path, git=True, name=_name(root))


def is_ignored(project: Project, path: Path) -> bool:
    """Whether git leaves out a path below the project's root; without git nothing is left out."""
    return project.git and path != project.root and _ignored(project.root, path)


def state_key(root: Path) -> str:
    """Name the folder that keeps what is known of the project at a real root."""
    return f"{_name(root)}-{hashlib.sha256(os.fsencode(root)).hexdigest()[:12]}"


def _folder(path: Path) -> Path:
    try:
        real = path.expanduser().resolve(strict=True)
    except FileNotFoundError as error:
        raise _missing(path) from error
    except (OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"{path} cannot be reached: {why}", hint="name the project's folder"
        ) from error
    if not real.is_dir():
        named = f"to fix tests by name: clew fix -- {shlex.quote(str(path))}"
        hint = named if is_test_path(real.name) else f"name its folder: {real.parent}"
        raise UsageError(f"{path} is a file, not a project's folder", hint=hint)
    if not os.access(real, os.R_OK | os.X_OK):
        raise UsageError(f"{path} is not readable", hint="change the permissions of the folder")
    return real


def _missing(path: Path) -> UsageError:
    try:
        Path.cwd()
    except FileNotFoundError:
        if not path.is_absolute():
            hint = "change to another folder: this one was removed"
            return UsageError("the current folder is gone", hint=hint)
    hint = "name the project's folder"
    if is_test_path(home_of(path.name)):
        hint += f"; to fix tests by name: clew fix -- {shlex.quote(str(path))}"
    return UsageError(f"{path} does not exist", hint=hint)


def _toplevel(path: Path) -> Path | None:
    asked = ("--is-bare-repository", "--is-inside-git-dir", "--is-inside-work-tree")
    answer = git("rev-parse", *asked, "--show-toplevel", cwd=path, accept=(0, 128))
    said = answer.text.split("\n", len(asked))
    if len(said) < len(asked):
        if NO_REPOSITORY in answer.stderr:
            return None
        raise UsageError(
            f"git cannot read the repository around {path}: {answer.stderr}",
            hint="`git status` there must work first",
        )
    bare, inside_git, inside_tree = (line == "true" for line in said[: len(asked)])
    if inside_git or (bare and not inside_tree):
        raise UsageError(
            f"{path} is git's own folder and holds no files to test",
            hint="name a work tree; `git worktree add` makes one from a bare repository",
        )
    return Path(said[-1]).resolve()


def is_tracked(root: Path, path: Path) -> bool:
    """Whether git has a file, or something in a folder, of the repository at `root`."""
    if not path.is_relative_to(root):
        return False
    return bool(git("ls-files", "-z", "--", str(path), cwd=root, accept=(0, 128)).items)


def _ignored(root: Path, path: Path) -> bool:
    globally = ("-c", f"core.excludesFile={excludes_of(root)}")
    asked = (*globally, "check-ignore", "-q", "--", f"./{path.relative_to(root)}")
    plain = {"GIT_LITERAL_PATHSPECS": "0"}  # the command knows no other
    ignored = git(*asked, cwd=root, variables=plain, accept=(0, 1)).exit_code == 0
    return ignored and not git("ls-files", "-z", "--", str(path), cwd=root).items


def _name(root: Path) -> str:
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", root.name).strip("-.")
    return plain or "project"
