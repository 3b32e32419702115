"""A person's repository, and the gates that measure its commits."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from clew.gates import GatePlace, GateRequest, run_gates
from clew.git.project import locate
from clew.git.worktrees import PrivateRepository
from clew.journal.store import Store
from clew.words.gates import GateResult, GateStatus
from clew.words.plans import Criterion, PlanPhase
from clew.words.settings import Settings
from projects import commit_all, git, write

__all__ = ["FAIL", "NOT_RUN", "PASS", "WARN", "Work", "phase", "work"]

PASS, WARN = GateStatus.PASS, GateStatus.WARN
FAIL, NOT_RUN = GateStatus.FAIL, GateStatus.DID_NOT_RUN

PYPROJECT = "[tool.ruff.lint]\nselect = ['F']\n"


def phase(
    *files: str,
    criteria: tuple[Criterion, ...] = (),
    validation: tuple[tuple[str, ...], ...] = (),
) -> PlanPhase:
    """Make a phase that declares these files."""
    return PlanPhase(id=1, modifies=files, criteria=criteria, validation=validation)


class Work:
    """A repository with one commit, in which phases are worked on."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.store = Store(folder / "state")
        self.files: dict[str, str] = {}

    def begin(self, files: dict[str, str]) -> str:
        commit_all(write(self.root, files))
        return self.head

    @property
    def head(self) -> str:
        return git(self.root, "rev-parse", "HEAD").strip()

    def change(self, files: Mapping[str, str | None]) -> str:
        """Commit a change; a file without a text goes."""
        for name, text in files.items():
            if text is None:
                (self.root / name).unlink()
        write(self.root, {name: text for name, text in files.items() if text is not None})
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", "work")
        return self.head

    def place(self, settings: Settings | None = None) -> GatePlace:
        project = locate(self.root)
        self.store.create()
        return GatePlace(
            project=project,
            repository=PrivateRepository.open(project, self.store.folder),
            store=self.store,
            session="phase",
            settings=settings or Settings(),
        )

    def run(
        self,
        *only: str,
        base: str | None = None,
        head: str = "",
        settings: Settings | None = None,
        phase: PlanPhase | None = None,
        blocked: str = "",
    ) -> dict[str, GateResult]:
        """Measure a commit, the newest unless it is named; results by their names."""
        asked = GateRequest(only=only, phase=phase, blocked=blocked)
        results = run_gates(self.place(settings), base, head or self.head, asked)
        return {each.name: each for each in results}


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    """A project whose tools are those that these tests are run with."""
    monkeypatch.setenv("VIRTUAL_ENV", sys.prefix)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Work(tmp_path)
