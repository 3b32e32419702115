"""Suites in layouts of our own: JSON lines, or a folder a task."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from clew.evaluation.suites.lines import read_lines
from clew.evaluation.tasks import Task, read_tree
from clew.words.errors import UsageError

__all__ = ["Folders", "JSONLines"]

DESCRIPTION = "task.toml"


class JSONLines:
    """One `Task` a line; a relative `folder` or `environment` is relative to the file."""

    def __init__(self, path: Path) -> None:
        self.name = path.parent.name if path.name == "suite.jsonl" else path.stem
        self._tasks: dict[str, Task] = {}
        for _, task in read_lines(path, Task, lambda task: task.id):
            self._tasks[task.id] = msgspec.structs.replace(
                task,
                folder=str(path.parent / task.folder) if task.folder else "",
                environment=str(path.parent / task.environment) if task.environment else "",
            )

    @staticmethod
    def recognises(path: Path) -> bool:
        """Whether the path is a file of JSON lines."""
        return path.is_file() and path.suffix == ".jsonl"

    @property
    def ids(self) -> tuple[str, ...]:
        """All tasks, in the order of the lines."""
        return tuple(self._tasks)

    def task(self, name: str) -> Task:
        """Return a task."""
        return self._tasks[name]


class Described(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What `task.toml` may say."""

    kind: str = ""
    entry: str = ""
    test_command: str = ""
    runner_args: tuple[str, ...] = ()


class Folders:
    """TASK/buggy and TASK/fixed, each a whole project; TASK/tests and TASK/held-out beside them."""

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._path = path
        self._ids = tuple(sorted(f.parent.name for f in path.glob("*/buggy") if f.is_dir()))

    @staticmethod
    def recognises(path: Path) -> bool:
        """Whether a folder below holds a faulty program."""
        return any(folder.is_dir() for folder in path.glob("*/buggy"))

    @property
    def ids(self) -> tuple[str, ...]:
        """All tasks, by name."""
        return self._ids

    def task(self, name: str) -> Task:
        """Read a task's folders."""
        folder = self._path / name
        described = _described(folder / DESCRIPTION)
        if not (folder / "fixed").is_dir():
            raise UsageError(
                f"{folder} has no folder `fixed`",
                hint="It holds the right version, which a fix is judged by.",
            )
        return Task(
            id=name,
            buggy=read_tree(folder / "buggy"),
            fixed=read_tree(folder / "fixed"),
            tests=read_tree(folder / "tests") if (folder / "tests").is_dir() else {},
            held_out=read_tree(folder / "held-out") if (folder / "held-out").is_dir() else {},
            kind=described.kind,
            entry=described.entry,
            test_command=described.test_command,
            runner_args=described.runner_args,
        )


def _described(path: Path) -> Described:
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), Described)
    except FileNotFoundError:
        return Described()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
