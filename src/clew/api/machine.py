"""What works on this machine, and what is missing."""

from __future__ import annotations

import contextlib
import platform
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from clew import __version__, runners
from clew.api.projects import settings_for
from clew.git.own_folder import ensure_room
from clew.journal.store import state_folder
from clew.runners.dialects import about
from clew.sandbox import confinement
from clew.sessions import ProjectSessions
from clew.words.errors import ClewError, UsageError
from clew.words.facts import ONE_FACT, PYTHON_ALONE, Runner
from clew.words.settings import Settings

__all__ = ["Finding", "examine"]

ROOM = 0.1  # GB
FILES = (
    "tests and agents read the project, the system, and what is installed; `readable` in clew.toml"
    " names more"
)


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at; Clew works where all that are `needed` are good."""

    name: str
    good: bool
    says: str
    needed: bool = True


def examine(path: Path) -> Iterator[Finding]:
    """Look at what Clew needs, on this machine and of the project at a path.

    What is wrong is a finding; nothing is raised. The folder for state is made if it is not there.
    """
    yield from _machine()
    yield from _sandbox()
    yield from _project(path)


def _machine() -> Iterator[Finding]:
    yield Finding(name="clew", good=True, says=f"{__version__}, Python {platform.python_version()}")
    git = shutil.which("git")
    version = ""
    if git:
        asked, env = [git, "--version"], confinement.clean_environment()
        done = subprocess.run(asked, env=env, capture_output=True, text=True, check=False)
        version = done.stdout.strip()
    yield Finding(name="git", good=bool(git), says=version or "not found: apt install git")
    yield Finding(name="sqlite", good=True, says=sqlite3.sqlite_version)
    folder = state_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free / 1e9
        room = "" if free > ROOM else ": make room, or set CLEW_STATE_HOME to another folder"
        yield Finding(name="state", good=not room, says=f"{folder}, {free:.1f} GB free{room}")
    except OSError as error:
        yield Finding(name="state", good=False, says=f"{folder} cannot be written: {error}")


def _sandbox() -> Iterator[Finding]:
    try:
        survey = confinement.detect()
    except ClewError as error:
        yield Finding(name="sandbox", good=False, says=error.message)
        if error.hint:
            yield Finding(name="sandbox", good=False, says=error.hint)
        return
    says = {
        confinement.Level.NAMESPACE: "namespace: files, processes and network are isolated by"
        " bubblewrap; the worktree is mounted at your own path",
        confinement.Level.LANDLOCK: "landlock: the kernel refuses writes outside the worktree,"
        " which is not at your own path, so imports are checked instead",
        confinement.Level.NONE: "none: only limits are enforced",
    }[survey.level]
    yield Finding(
        name="sandbox", good=survey.level is not confinement.Level.NONE, says=says, needed=False
    )
    for reason in survey.reasons:
        yield Finding(name="sandbox", good=True, says=reason, needed=False)
    if survey.level is not confinement.Level.NONE:
        yield Finding(name="files", good=True, says=FILES, needed=False)
    yield Finding(
        name="network",
        good=True,
        says=_network(survey.level),
        needed=False,
    )


def _network(level: confinement.Level) -> str:
    tests = "open" if level is confinement.Level.NONE else "closed"
    said = f"tests and the built-in repairer: {tests}; agents: "
    if level is not confinement.Level.NAMESPACE:
        return f"{said}network: open (limiting it to some hosts needs bubblewrap)"
    return (
        f"{said}one way out, to their own hosts; open for command:LINE, and for providers and"
        " acp:LINE that Clew does not know, unless agent_hosts names some"
    )


def _unreadable(sessions: ProjectSessions) -> Iterator[Finding]:
    """Tell of settings and a journal only where they cannot be read: no session begins then."""
    reading: dict[str, Callable[[], object]] = {
        "settings": lambda: settings_for(sessions, {}),
        "journal": sessions.listing,
    }
    for name, read in reading.items():
        try:
            read()
        except ClewError as error:
            yield Finding(name=name, good=False, says=error.whole)


def _readable(sessions: ProjectSessions) -> Iterator[Finding]:
    """Tell of what the setting names in vain."""
    with contextlib.suppress(ClewError):
        for name in settings_for(sessions, {}).readable:
            path = sessions.project.root / Path(name).expanduser()
            if not path.exists():
                says = f"readable names {name}, which does not exist"
            elif not confinement.may_be_shown(path.resolve()):
                says = (
                    f"readable names {name}, which is never shown whole: name what you need inside"
                    " it"
                )
            else:
                continue
            yield Finding(name="readable", good=False, says=says, needed=False)


def _tests(sessions: ProjectSessions) -> str:
    """Say how `clew fix` would run the tests, and who says so. Raises as `runners.detect`."""
    project, settings = sessions.project, Settings()
    with contextlib.suppress(ClewError):  # that is a finding of its own
        settings = settings_for(sessions, {})
    command = runners.detect(
        project.path,
        project.path,
        flag=None,
        settings=settings.test_command,
        junit=settings.junit,
        root=project.root,
    )
    because = command.reason or settings.sources.get("test_command", "")
    because = f": {because}" if because else ""
    says = f"{shlex.join(command.argv)} ({command.source}{because})"
    if command.interpreter:
        return f"{says} with {command.interpreter}"
    if command.runner is Runner.COMMAND:
        return f"{says}, {ONE_FACT}"
    return f"{says}: {about(command)}; {PYTHON_ALONE}"


def _no_room(sessions: ProjectSessions) -> Iterator[Finding]:
    try:
        ensure_room(sessions.project.root)
    except UsageError as error:
        yield Finding(name="documents", good=False, says=error.message)


def _project(path: Path) -> Iterator[Finding]:
    try:
        sessions = ProjectSessions.at(path)
        kind = "git repository" if sessions.project.git else "folder without git"
        yield Finding(name="project", good=True, says=f"{sessions.project.root}, {kind}")
        yield from _no_room(sessions)
        yield from _unreadable(sessions)
        yield from _readable(sessions)
        yield Finding(name="tests", good=True, says=_tests(sessions), needed=False)
    except ClewError as error:
        says = error.whole
        yield Finding(name="tests", good=False, says=says, needed=isinstance(error, UsageError))
