"""A task: a faulty project, the right version of it, and the tests that tell them apart.

Both versions are made of the same parts, each laid over the one before: `folder` (or its tree at
`commit`), the version's own files, the tests. A path that one version has and the other lacks is
not in that one. Text is exact, line ends included; bytes that are no UTF-8 travel as surrogates.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Protocol

import msgspec

from clew.git.worktrees.git import git
from clew.runners.interpreters import is_environment
from clew.runners.site import CACHES
from clew.sandbox.temporary import passing
from clew.words.errors import UsageError

__all__ = [
    "Task",
    "TaskSuite",
    "Version",
    "digest",
    "laid_name",
    "lay",
    "read_tree",
    "surroundings",
]


class Version(StrEnum):
    """Which of a task's two programs is meant."""

    BUGGY = "buggy"
    FIXED = "fixed"


class Task(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """One task; paths are POSIX, relative to the project's root, unless said otherwise."""

    id: str  # unique within its suite
    buggy: dict[str, str] = {}  # path → text
    fixed: dict[str, str] = {}
    tests: dict[str, str] = {}  # in both versions
    held_out: dict[str, str] = {}  # tests that nobody sees before the fix is judged
    folder: str = ""  # what all of that is laid over; absolute
    commit: str = ""  # of the repository in `folder`: its tree, instead of the folder as it stands
    kind: str = ""  # the kind of fault, in the suite's own word
    entry: str = ""  # `path.py::name`: the function that the task is about
    test_command: str = ""
    runner_args: tuple[str, ...] = ()
    python_path: tuple[str, ...] = ()  # folders of it that modules are found in, after it and `src`
    environment: str = ""  # folder of the virtual environment that its tests run in

    def own(self, version: Version) -> dict[str, str]:
        """Return a version's own files."""
        return self.buggy if version is Version.BUGGY else self.fixed


def digest(task: Task) -> str:
    """Return what is equal for equal tasks, wherever on this or another disk they lie.

    What the base folder holds is not looked at, but for the commit.
    """
    moved = msgspec.structs.replace(task, folder="", environment="")
    said = json.dumps(msgspec.to_builtins(moved), sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:16]


class TaskSuite(Protocol):
    """Tasks by their ids; what a task holds is read when it is asked for."""

    name: str

    @property
    def ids(self) -> tuple[str, ...]:
        """All tasks, in the suite's order."""
        ...

    def task(self, name: str) -> Task:
        """Read one task. Raises UsageError if it cannot be read."""
        ...


def lay(task: Task, version: Version, target: Path, *, held_out: bool = False) -> Path:
    """Write one version of a task into a folder that is not there yet, and return it.

    Environments and caches of the base folder stay behind. Raises UsageError for a path that leads
    out of the project, and where the base folder is none.
    """
    if task.folder and not Path(task.folder).is_dir():
        raise UsageError(
            f"task {task.id!r} is laid over {task.folder}, which is not a folder",
            hint="Mend `folder` in the suite, or bring the folder back.",
        )
    if task.commit:
        _check_out(Path(task.folder), task.commit, target)
    elif task.folder:
        shutil.copytree(task.folder, target, symlinks=True, ignore=_left_out)
    else:
        target.mkdir(parents=True)
    other = task.fixed if version is Version.BUGGY else task.buggy
    own = task.own(version)
    for path in other.keys() - own.keys():
        laid_name(target, path).unlink(missing_ok=True)
    for path, text in {**own, **task.tests, **(task.held_out if held_out else {})}.items():
        file = laid_name(target, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
    return target


def laid_name(root: Path, path: str) -> Path:
    """Return where a task's file lies. Raises UsageError if that is not inside the project."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts:
        raise UsageError(f"a task names the path {path!r}, which is not inside its project")
    file = root / pure
    if not file.parent.resolve().is_relative_to(root.resolve()):
        raise UsageError(f"a task's path {path!r} leads out of its project through a link")
    if file.is_symlink():
        file.unlink()  # what is laid there is a file of its own, wherever the link led
    return file


def read_tree(root: Path) -> dict[str, str]:
    """Read every file of a folder, as `Task` holds them; links and caches are left out."""
    found = {}
    for path in sorted(root.rglob("*")):
        below = path.relative_to(root)
        if path.is_symlink() or not path.is_file() or CACHES & set(below.parts):
            continue
        found[below.as_posix()] = path.read_bytes().decode("utf-8", "surrogateescape")
    return found


@contextlib.contextmanager
def surroundings(task: Task, root: Path) -> Iterator[None]:
    """Have the task's environment active meanwhile, and its own code found before an installed one.

    `root` is the folder that one of its versions was laid in.
    """
    chosen = {}
    if task.environment:
        chosen["VIRTUAL_ENV"] = task.environment
    if task.folder:
        folders = [root, root / "src", *(laid_name(root, path) for path in task.python_path)]
        chosen["PYTHONPATH"] = os.pathsep.join(map(str, folders))
    before = {name: os.environ.get(name) for name in chosen}
    os.environ.update(chosen)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _left_out(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name in CACHES or is_environment(Path(folder, name))}


def _check_out(repository: Path, commit: str, target: Path) -> None:
    target.mkdir(parents=True)
    with passing("clew-index-") as folder:
        index = {"GIT_INDEX_FILE": f"{folder}/index"}
        git("read-tree", commit, cwd=repository, variables=index)
        out = f"--prefix={target.resolve()}/"
        git("checkout-index", "-a", "-q", out, cwd=repository, variables=index)
