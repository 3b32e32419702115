"""Fixes of a project, put before the proof without anybody who made them."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from cheats import Link
from clew.flows.debugging.driver import DebugRun, drive
from clew.flows.debugging.driver.proving import prove
from clew.flows.debugging.states import Stage, State
from clew.sessions import ProjectSessions
from clew.words import events as ev
from clew.words.facts import Tick
from clew.words.settings import Settings
from projects import commit_all, write

__all__ = ["Laid", "proof", "session"]

Laid = Mapping[str, str | bytes | Link | None]


class Nobody:
    """Looks on and says nothing."""

    def saw(self, recorded: ev.Recorded, state: State) -> None:
        """Take no note."""

    def tick(self, tick: Tick) -> None:
        """Take no note."""


@contextlib.contextmanager
def session(
    folder: Path,
    project: Mapping[str, str] | Path,
    command: str | None = None,
    words: tuple[str, ...] = (),
) -> Iterator[DebugRun]:
    """A session whose failing tests are known, and whose first iteration has not begun.

    A project that lies in a folder is copied; `words` say which of its tests are run.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CLEW_STATE_HOME", str(folder / "state"))
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.delenv("PYTEST_ADDOPTS", raising=False)
        if isinstance(project, Path):
            shutil.copytree(project, folder / "sums", symlinks=True)
        else:
            write(folder / "sums", dict(project))
        sessions = ProjectSessions.at(commit_all(folder / "sums"))
        debug_run = DebugRun(
            project=sessions.project,
            store=sessions.store,
            journal=sessions.journal(ev.CODEC),
            repository=sessions.repository,
            watcher=Nobody(),
            clock=lambda: datetime.now(UTC),
        )
        opening = ev.SessionOpened(
            session_id="cheat",
            clew_version="0",
            root=str(sessions.project.root),
            path=str(sessions.project.path),
            goal="make the tests pass",
            settings=Settings(
                max_iterations=1, agent_retries=0, test_command=command, test_timeout=20.0
            ),
            rules=ev.RULES,
            runner_args=words,
            only=bool(words),
        )
        with sessions.store.hold("cheat"):
            debug_run.record(opening)
            drive(debug_run, until=lambda state: state.stage is Stage.RECHECKED)
            yield debug_run


def lay(folder: Path, files: Laid) -> None:
    """Put the files of a fix into the worktree."""
    for name, content in files.items():
        path = folder / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        if content is None:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content.target)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content)


def proof(
    debug_run: DebugRun,
    files: Laid,
    *,
    by_text: bool,
    said: tuple[ev.Counterexample, ...] | None = None,
) -> ev.Proved:
    """Prove a fix of these files; `said` is what a challenger says of it, if there is one."""
    repository = debug_run.repository
    repository.reset(debug_run.id, debug_run.state.head)
    lay(debug_run.worktree, files)
    commit = repository.commit(debug_run.id, "a fix")
    assert commit is not None
    if said is not None:
        state = debug_run.state
        asked = replace(state.session, settings=replace(state.settings, challenge="critic"))
        told = ev.Challenged(iteration=1, agent="critic", commit=commit.id, counterexamples=said)
        debug_run.state = replace(state, opened=asked, challenges=(told,))
    return prove(debug_run, commit.id, by_text=by_text)
