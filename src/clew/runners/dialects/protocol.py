"""What a dialect is: how one kind of runner is asked for facts, and how its answer is read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Protocol
from urllib.parse import unquote

import msgspec

from clew.runners.commands import Invocation
from clew.runners.endings import WORDS
from clew.runners.request import Request
from clew.words.facts import Frame, TestCommand, TestResult

__all__ = [
    "CommandOutput",
    "Dialect",
    "DialectRequest",
    "DialectResult",
    "InstrumentedCommand",
    "RunLocation",
    "capped",
    "distinct",
    "printed",
]

PRINTED = 100_000  # characters of what one test printed

# What is installed beside the code is not the project's own.
INSTALLED = frozenset({"node_modules", "site-packages", "vendor", "target", ".git"})
JVM = ("src/*/*/", "*/src/*/*/", "src/", "")
LONGEST_FILE = 4 << 20  # bytes of a source file that a line is looked up in
LONGEST_LINE = 200


class DialectRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be run; `out` is a folder of this run alone that the tests may write to."""

    meant: Invocation
    command: TestCommand
    request: Request
    out: Path
    cwd: Path  # the folder where tests run, in the worktree on disk


class InstrumentedCommand(msgspec.Struct, frozen=True, kw_only=True):
    """The same command, made to say what each test did."""

    arguments: tuple[str, ...]
    environment: dict[str, str] = {}
    together: bool = False  # standard error is to keep its place in standard output


class RunLocation(msgspec.Struct, frozen=True, kw_only=True):
    """Where a run took place: what its words about files mean."""

    worktree: Path  # on disk
    root: Path  # the same, as the tests saw it
    subdir: str
    out: Path

    def locate(self, name: str) -> str | None:
        """Return a file of the project, relative to its root, by any name that a runner gives it.

        None for a file that is not the project's own, or does not exist. A relative name counts
        from the folder where tests run, or from one above it.
        """
        name = unquote(name.removeprefix("file://")) if name.startswith("file://") else name
        if not name or "\0" in name:
            return None
        for place in self._places(name):
            below = PurePosixPath(place)
            if INSTALLED.isdisjoint(below.parts) and (self.worktree / below).is_file():
                return below.as_posix()
        return None

    def _places(self, name: str) -> Iterator[str]:
        if name.startswith("/"):
            for top in dict.fromkeys((self.root, self.worktree, self.root.resolve())):
                below = os.path.relpath(os.path.normpath(name), top)
                if not below.startswith(".."):
                    yield below
            return
        folder = PurePosixPath(self.subdir)
        for start in (folder, *folder.parents):
            below = os.path.normpath(start / name)
            if not below.startswith(".."):
                yield below

    def find(self, tail: str) -> str | None:
        """Return a source file by its package and name, where languages of the JVM keep theirs."""
        for pattern in JVM:
            for file in self.worktree.glob(pattern + tail):
                return file.relative_to(self.worktree).as_posix()
        return None

    def frame(self, name: str, line: int, function: str = "") -> Frame:
        """Return a frame of a stack by the runner's name of the file."""
        own = self.locate(name)
        return Frame(
            path=own or name.removeprefix("file://"),
            line=line,
            function=function,
            code=self.code(own, line) if own else "",
            project=own is not None,
        )

    def code(self, path: str, line: int) -> str:
        file = (self.worktree / path).resolve()  # a link may lead to what is nobody's business
        inside = file.is_relative_to(self.worktree.resolve()) and file.is_file()
        if not inside or file.stat().st_size > LONGEST_FILE:
            return ""
        lines = file.read_text("utf-8", "replace").splitlines()
        return lines[line - 1].strip()[:LONGEST_LINE] if 0 < line <= len(lines) else ""


class CommandOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What a command said; its files are in `out`."""

    lines: tuple[str, ...] = ()  # of its standard output, or of both where they come together
    output: str = ""  # both, head and tail
    code: int = 0


class DialectResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a run said of its tests.

    `blamed` are ids of phase `collect` where the file that could not be loaded is itself at fault:
    it does not parse, or asks for what is not installed. Elsewhere it met code that is.
    """

    results: tuple[TestResult, ...] = ()
    blamed: frozenset[str] = frozenset()
    trouble: str = ""  # why nothing can be said, though the command ran


class Dialect(Protocol):
    """One kind of runner."""

    about: str  # for people: what is known of each test, and from where

    def ask(self, question: DialectRequest) -> InstrumentedCommand:
        """Return the command that is run."""
        ...

    def hear(
        self, question: DialectRequest, ground: RunLocation, spoken: CommandOutput
    ) -> DialectResult:
        """Read what it said and left behind."""
        ...


def capped(text: str) -> str:
    """Return the end of what a test printed."""
    return text.strip()[-WORDS:]


def printed(text: str) -> str:
    """Return what a test printed, head and tail of very much of it."""
    text = text.strip("\n")
    left = len(text) - PRINTED
    if left <= 0:
        return text
    half = PRINTED // 2
    return f"{text[:half]}\n[… {left} characters left out …]\n{text[-half:]}"


def distinct(results: Iterable[TestResult]) -> tuple[TestResult, ...]:
    """Tell results that share an id apart by number, in the order of the run: `a`, `a (2)`.

    What a crash tells in full is not told again as output.
    """
    seen: dict[str, int] = {}
    found = []
    for result in results:
        seen[result.id] = count = seen.get(result.id, 0) + 1
        name = result.id if count == 1 else f"{result.id} ({count})"
        told = result.crash is not None and result.crash.details == result.output
        output = "" if told else result.output
        found.append(msgspec.structs.replace(result, id=name, output=output))
    return tuple(found)
