"""Small projects, written and run for real by the interpreter that runs these tests."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import msgspec
import pytest

from clew.runners import Report, Request, Site, build, detect, run
from clew.sandbox.confinement import Level
from clew.words.facts import TestCommand, TestResult, TestRun

__all__ = ["PYTEST", "Folder", "Play", "named", "outcomes", "play", "scratch"]

PYTEST = f"{sys.executable} -m pytest"


class Folder(msgspec.Struct, frozen=True):
    """A project without git."""

    root: Path
    path: Path
    git: bool = False


class Play:
    """One project on disk and its worktree."""

    def __init__(self, base: Path, scratch: Path) -> None:
        self.root = base / "person"
        self.worktree = base / "worktree"
        self.scratch = scratch

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def detect(self, flag: str) -> TestCommand:
        return detect(
            self.root, self.root, flag=flag, settings=None, root=self.root, scratch=self.scratch
        )

    def report(
        self,
        request: Request | None = None,
        *,
        flag: str = PYTEST,
        level: Level | None = None,
    ) -> Report:
        command = self.detect(flag)
        return run(self.site(command), command, request or Request(), self.scratch, level)

    def site(self, command: TestCommand) -> Site:
        """Copy the project as a worktree would show it, once."""
        if not self.worktree.exists():
            shutil.copytree(self.root, self.worktree, ignore=shutil.ignore_patterns(".venv"))
        return build(Folder(self.root, self.root), self.worktree, command, scratch=self.scratch)

    def run(
        self,
        request: Request | None = None,
        *,
        flag: str = PYTEST,
        level: Level | None = None,
    ) -> TestRun:
        return self.report(request, flag=flag, level=level).run


def outcomes(run: TestRun) -> dict[str, str]:
    return {result.id: result.outcome.value for result in run.results}


def named(run: TestRun, end: str) -> TestResult:
    """Find the one result whose id ends so."""
    (found,) = [result for result in run.results if result.id.endswith(end)]
    return found


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keep what is learnt about the interpreter from one test to the next."""
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture
def play(tmp_path: Path, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    # The plug-ins of these tests' own environment have no part in the small projects.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Play(tmp_path, scratch)
