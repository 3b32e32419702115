"""Failures with labels: made in real packages and in small projects, and the runs that showed them.

`labelled/*.toml` says what is broken and how it is labelled, `labelled/recorded.jsonl.gz` holds one
real failing run of each. `benchmarks/diagnosis.py` records them and measures by them.
"""

from __future__ import annotations

import gzip
import hashlib
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from clew.words.facts import Category, Suspect, TestResult, TestRun
from packagekit import FETCHED
from projects import write

__all__ = ["RECORDED", "Labelled", "Recorded", "half", "labelled", "make", "recorded", "trimmed"]

FOLDER = Path(__file__).with_name("labelled")
RECORDED = FOLDER / "recorded.jsonl.gz"
KEPT = 6  # red tests of a run
LONGEST = 3_000


class Change(msgspec.Struct, frozen=True):
    """One mistake: `current` stands once or more in the file, the first is replaced."""

    file: str
    current: str
    should_be: str


class Labelled(msgspec.Struct, frozen=True, kw_only=True):
    """A failure, what kind it is, and the files in one of which it has to be mended."""

    name: str
    category: Category
    files: tuple[str, ...]
    package: str = ""
    project: dict[str, str] = {}
    tests: tuple[str, ...] = ()
    command: str | None = None
    edits: tuple[Change, ...] = ()
    append: dict[str, str] = {}

    def changed(self) -> dict[str, str]:
        """The text of each file that is changed or new; a package has to have been fetched."""
        texts = {path: self.text(path) for path in (*(e.file for e in self.edits), *self.append)}
        for edit in self.edits:
            assert edit.current in texts[edit.file], (self.name, edit)
            texts[edit.file] = texts[edit.file].replace(edit.current, edit.should_be, 1)
        return {path: text + self.append.get(path, "") for path, text in texts.items()}

    def text(self, path: str) -> str:
        """A file before the mistake; nothing where there is none."""
        if not self.package:
            return self.project.get(path, "")
        file = FETCHED / "sources" / self.package / path
        return file.read_text("utf-8", "replace") if file.is_file() else ""


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """One real run of a failure, and what was computed beside it."""

    name: str
    run: TestRun
    suspects: tuple[Suspect, ...]
    files: tuple[str, ...]


@cache
def labelled() -> tuple[Labelled, ...]:
    """All of them, by name."""
    found = [each for path in FOLDER.glob("*.toml") for each in _read(path)]
    return tuple(sorted(found, key=lambda each: each.name))


def _read(path: Path) -> Iterator[Labelled]:
    page: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    for entry in page["failure"]:
        given = {"project": page.get("files", {}), "command": page.get("command")} | entry
        yield msgspec.convert(given, Labelled)


def half(failure: Labelled) -> str:
    """`seen` while rules were written, or `held out`: every other one of its kind, by hash."""
    alike = [each.name for each in labelled() if each.category is failure.category]
    alike.sort(key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return ("seen", "held out")[alike.index(failure.name) % 2]


def make(failure: Labelled, folder: Path) -> Path:
    """Write a small project with its mistake, or make the mistake in a checkout."""
    if not failure.package:
        write(folder, failure.project)
    write(folder, failure.changed())
    return folder


@cache
def recorded() -> dict[str, Recorded]:
    """The recorded runs, by the failure's name."""
    lines = gzip.decompress(RECORDED.read_bytes()).splitlines()
    found = [msgspec.json.decode(line, type=Recorded) for line in lines]
    return {each.name: each for each in found}


def trimmed(run: TestRun) -> TestRun:
    """A run without what no rule reads: green tests, the seventh red one, long texts."""
    red = tuple(_clipped(result) for result in run.red[:KEPT])
    return replace(run, results=red, output=run.output[-LONGEST:])


def _clipped(result: TestResult) -> TestResult:
    crash = result.crash
    if crash is not None:
        crash = replace(crash, details=crash.details[-LONGEST:], frames=crash.frames[-12:])
    return replace(result, crash=crash, output=result.output[-LONGEST:])
