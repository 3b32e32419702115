"""Where gates run, and what is asked of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from clew.git.project import Project
from clew.git.worktrees import PrivateRepository
from clew.journal.store import Store
from clew.words.plans import PlanPhase
from clew.words.settings import Settings

__all__ = ["GatePlace", "GateRequest"]


@dataclass(frozen=True, kw_only=True)
class GatePlace:
    """A project, and the session whose worktrees gates run beside; the caller holds it."""

    project: Project
    repository: PrivateRepository
    store: Store
    session: str
    settings: Settings  # the person's: what an agent wrote into a worktree does not count

    @property
    def scratch(self) -> Path:
        """The session's folder for what running children write."""
        return self.store.scratch(self.session)


class GateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a commit is measured by."""

    phase: PlanPhase | None = None  # what it was to do; without one its changes are not judged
    blocked: str = ""  # what its agent says that it cannot go on without
    test_command: str = ""  # the plan's
    put_back: tuple[str, ...] = ()  # files whose changes are left out of the work, and not judged
    only: tuple[str, ...] = ()  # names or kinds; empty is all
