"""Where tests see the code: the worktree at the person's own path, with what git ignores there.

installed things, submodules and anything big    laid over, read-only, from the person's tree
small ignored files (`_version.py`, `.env` …)    copied into the worktree once
caches                                           left out
"""

from __future__ import annotations

import itertools
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from clew.git.worktrees import OutsideSnapshot, outside_snapshot
from clew.runners import interpreters
from clew.runners.commands import recognise
from clew.runners.records import InterpreterFacts
from clew.runners.toolchains import toolchain
from clew.sandbox.confinement import (
    Confined,
    Limits,
    Overlay,
    Policy,
    clean_environment,
    installation,
    is_heeded_first,
)
from clew.sandbox.limits import TESTS, for_tests
from clew.sandbox.temporary import walk
from clew.words.errors import TestsDidNotRun
from clew.words.facts import TestCommand
from clew.words.settings import OWN_FOLDER, TestSettings

__all__ = ["Site", "apart", "build", "site_for"]

CACHES = frozenset(
    {
        ".cache",
        ".clew",
        ".coverage",
        ".git",
        ".hypothesis",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        "__pycache__",
    }
)
ROOM = 64 << 20  # bytes copied at most; what is left is laid over
MANY = 5_000  # files copied at most
NOTHING: Mapping[str, str] = {}
DEEP = 100  # folders in one another that are copied at most: copying calls itself for each
FOLDERS = 20_000  # searched for installed things at most


class ProjectPlace(Protocol):
    """The person's project: its root, and the folder in it where tests run."""

    @property
    def root(self) -> Path: ...
    @property
    def path(self) -> Path: ...
    @property
    def git(self) -> bool: ...


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """One worktree, ready for tests to be run in it."""

    worktree: Path
    root: Path  # the person's own; where the worktree is seen
    subdir: str = ""  # the folder in it where tests run
    overlays: tuple[Overlay, ...] = ()
    visible: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()  # folders for what is built, beside the worktree
    network: bool = False
    limits: Limits = TESTS
    env: dict[str, str] = {}
    own: dict[str, str] = {}  # variables of the session that runs here; agents have them too
    folders: tuple[Path, ...] = ()  # that they name, which exist
    imports: tuple[str, ...] = ()  # folders in the root that an editable installation points at
    copied: tuple[str, ...] = ()  # ignored files that lie in the worktree, relative to it

    def policy(
        self,
        *,
        visible: tuple[Path, ...],
        writable: tuple[Path, ...],
        given: Mapping[str, str],
    ) -> Policy:
        """Say what a run of tests may see and change: the worktree, and the folders named.

        `given` are the variables that the test command sets itself.
        """
        own = {**self.env, **given}
        return Policy(
            worktree=self.worktree,
            target=self.root,
            writable=True,
            subdir=self.subdir,
            network=self.network,
            visible=(*self.visible, *visible),
            writable_paths=(*writable, *self.writable, *self.folders),
            overlays=self.overlays,
            limits=self.limits,
            variables={name: own[name] for name in own if is_heeded_first(name)},
        )

    def environment(self, confined: Confined, given: Mapping[str, str]) -> dict[str, str]:
        """Return the variables of a run, without those that its policy sets inside."""
        own = {**self.env, **given, **confined.env}
        env = {name: own[name] for name in own if not is_heeded_first(name)}
        if not confined.sees_target:
            # An editable installation would win over the worktree, were it not named first.
            names = (self.subdir, "", "src", *self.imports)
            first = [str(self.worktree / name) for name in names if (self.worktree / name).is_dir()]
            before = [name for name in env.get("PYTHONPATH", "").split(os.pathsep) if name]
            env["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([*first, *before]))
        return env


def build(
    project: ProjectPlace,
    worktree: Path,
    command: TestCommand,
    *,
    scratch: Path,
    network: bool = False,
    limits: Limits = TESTS,
    keep: tuple[str, ...] = (),
    readable: tuple[str, ...] = (),
    own: Mapping[str, str] = NOTHING,
) -> Site:
    """Complete a fresh worktree with what git ignores, and say what tests may see beside it.

    `keep` names further variables of the environment that tests are given, and `readable` further
    files and folders, from the project's root unless they are whole. `own` are variables of the
    session; the folder that one of them names is made. Building again on the same worktree copies
    nothing anew.
    """
    python, known = _python(project, command, scratch)
    overlays, copied = [], []
    budget = CopyBudget()
    # Without git the worktree holds all but folders of installed things.
    there = (
        outside_snapshot(project.root) if project.git else OutsideSnapshot([], [project.root], [])
    )
    apart = there.submodules
    looked = {top: _look_through(top) for top in (*there.ignored, *there.untracked)}
    installed = [path for top in looked.values() for path in top.installed]
    for path in (*apart, *_lacking([*there.ignored, *installed], project.root, python)):
        below = path.relative_to(project.root)
        if worktree.resolve().is_relative_to(path):
            continue  # Clew's own state, where it lies in the project
        if not _leads_inside(worktree, below):
            continue
        if path in apart or _installed(path) or not budget.covers(path):
            _mount_point(path, worktree / below)
            overlays.append(Overlay(source=path, target=project.root / below))
        elif _copy(path, worktree / below):
            copied.append(below.as_posix())
    subdir = project.path.relative_to(project.root).as_posix()
    tools = toolchain(command, worktree, scratch)
    chosen = {name: os.environ[name] for name in keep if name in os.environ}
    editable = [Path(name) for name in (*known.editable, *known.path)]
    return Site(
        worktree=worktree,
        root=project.root,
        subdir="" if subdir == "." else subdir,
        overlays=tuple(overlays),
        visible=(
            *_visible(project, python, known, command),
            *tools.visible,
            *_linked([link for top in there.ignored for link in looked[top].links], project.root),
            *(project.root / Path(name).expanduser() for name in readable),
        ),
        writable=tools.writable,
        network=network,
        limits=limits,
        env={**_environment(known, keep), **tools.environment, **chosen, **own},
        own=dict(own),
        folders=tuple(_made(Path(own[name])) for name in (OWN_FOLDER,) if name in own),
        imports=tuple(
            path.relative_to(project.root).as_posix()
            for path in dict.fromkeys(editable)
            if path.is_relative_to(project.root)
            and not any(path.is_relative_to(overlay.source) for overlay in overlays)
        ),
        copied=tuple(copied),
    )


def site_for(
    project: ProjectPlace,
    worktree: Path,
    command: TestCommand,
    settings: TestSettings,
    scratch: Path,
) -> Site:
    """Build a site where tests get of memory, network, files and variables what is set."""
    return build(
        project,
        worktree,
        command,
        scratch=scratch,
        limits=for_tests(settings),
        network=settings.network,
        keep=settings.pass_env,
        readable=settings.readable,
        own=settings.variables,
    )


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def apart(site: Site, place: Path) -> Site | None:
    """Copy a site's worktree to `place`, for runs that may write there and leave no trace.

    None where it is too big for that, or holds what cannot be copied.
    """
    walked = walk(site.worktree)
    files = (Path(folder, name) for folder, _, names in walked for name in names)
    try:
        sizes = [file.lstat().st_size for file in itertools.islice(files, MANY + 1)]
        if len(sizes) > MANY or sum(sizes) > ROOM:
            return None
        shutil.copytree(site.worktree, place, symlinks=True)
    except (OSError, RecursionError):  # of folders that lie thousands deep
        return None
    return msgspec.structs.replace(site, worktree=place)


def _python(
    project: ProjectPlace, command: TestCommand, scratch: Path
) -> tuple[Path, InterpreterFacts]:
    """Return the interpreter that runs the tests, and what it says of itself.

    A command that is no runner of Python's is not held up by a Python that is of no use.
    """
    if command.interpreter:
        python = Path(command.interpreter)
        return python, interpreters.facts(python, scratch)
    try:
        python = interpreters.find(project.path, project.root)
        return python, interpreters.facts(python, scratch)
    except TestsDidNotRun:
        python = Path(sys.executable)
        return python, interpreters.facts(python, scratch)


class CopyBudget:
    """How much may still be copied."""

    def __init__(self) -> None:
        self.room = ROOM
        self.many = MANY

    def covers(self, path: Path) -> bool:
        """Take the size of a file or folder off what is left, if it suffices."""
        room, many = self.room, self.many
        deepest = len(path.parts) + DEEP
        for folder, names in _files(path):
            if len(folder.parts) > deepest:
                return False
            for name in names:
                room -= (folder / name).lstat().st_size
                many -= 1
                if room < 0 or many < 0:
                    return False
        self.room, self.many = room, many
        return True


def _files(path: Path) -> Iterator[tuple[Path, list[str]]]:
    if path.is_symlink() or not path.is_dir():
        yield path.parent, [path.name]
        return
    for folder, folders, names in walk(path):
        folders[:] = sorted(set(folders) - _left_out(folder, folders))
        yield Path(folder), names


def _lacking(found: list[Path], root: Path, python: Path) -> list[Path]:
    """Return of what git ignores or is installed what a worktree needs: caches left out, sorted.

    The environment that the tests run in is among them, whether git ignores it or not.
    """
    own = [
        folder
        for folder in python.parents
        if folder.is_relative_to(root) and interpreters.is_environment(folder)
    ]
    return [
        path
        for path in sorted({*found, *own})
        if (path in own or not CACHES & set(path.relative_to(root).parts))
        and path.suffix not in (".pyc", ".pyo")
        and os.path.lexists(path)
    ]


class _Looked(NamedTuple):
    """What a folder that git does not hold has in it, or is."""

    installed: list[Path]  # folders of installed things, which git may name no more than it
    links: list[Path]  # to folders; of installed things, those that stand at their top


def _look_through(top: Path) -> _Looked:
    found = _Looked([], [])
    if top.is_symlink():
        found.links.append(top)
        return found
    for count, (folder, folders, _) in enumerate(walk(top)):
        if count > FOLDERS:
            break
        here = Path(folder)
        found.links.extend(link for name in folders if (link := here / name).is_symlink())
        if here.parent in found.installed:  # the packages of one maker
            folders.clear()
        elif _installed(here):
            found.installed.append(here)
            folders[:] = [name for name in folders if name[:1] == "@"]
        else:
            folders[:] = [name for name in folders if name not in CACHES]
    return found


def _installed(path: Path) -> bool:
    """Say whether a folder holds what a package manager put there."""
    if path.is_symlink() or not path.is_dir():
        return False
    return path.name == "node_modules" or interpreters.is_environment(path)


def _left_out(folder: str, names: list[str]) -> set[str]:
    """Return what is not copied with a folder: caches, and what is laid over."""
    return {
        name
        for name in names
        if name in CACHES or name.endswith(".pyc") or _installed(Path(folder, name))
    }


def _leads_inside(worktree: Path, below: Path) -> bool:
    """Say whether nothing on the way is a link, as what runs in a worktree may leave them there."""
    return not any((worktree / part).is_symlink() for part in below.parents)


def _mount_point(source: Path, place: Path) -> None:
    if os.path.lexists(place):
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        place.mkdir()
    else:
        place.touch()


def _copy(source: Path, place: Path) -> bool:
    """Copy a file or folder unless something is there; say whether it is there now."""
    if os.path.lexists(place):
        return True
    place.parent.mkdir(parents=True, exist_ok=True)
    if source.is_symlink() or source.is_file():
        shutil.copy2(source, place, follow_symlinks=False)
    elif source.is_dir():
        shutil.copytree(source, place, symlinks=True, ignore=_left_out)
    else:
        return False  # a socket, a pipe
    return True


def _visible(
    project: ProjectPlace, python: Path, known: InterpreterFacts, command: TestCommand
) -> list[Path]:
    """Return what tests need from outside the root: the interpreter and where it finds code.

    What lies in the root is seen as the worktree has it, also where a command names it.
    """
    names = [python, *map(Path, (known.executable, *known.prefixes, *known.path, *known.editable))]
    program = recognise(command.argv).program
    named = project.path / program if "/" in program else program
    if command.interpreter is None and (found := shutil.which(named)):
        # A command may live in a home; beside it lies what it calls.
        real = Path(found).resolve()
        names += [Path(found).parent, real.parent, *installation(real)]
    # The project's environment may be a link to where it is kept.
    names += [path.resolve() for path in names if path.is_relative_to(project.root)]
    return [
        path
        for path in dict.fromkeys(names)
        if path.is_absolute() and path.exists() and not path.is_relative_to(project.root)
    ]


def _linked(links: list[Path], root: Path) -> Iterator[Path]:
    """Yield where links lead that git ignores: the person made them, unlike any that it holds."""
    found = (link.resolve() for link in links)
    yield from (path for path in found if path.exists() and not path.is_relative_to(root))


def _environment(known: InterpreterFacts, keep: tuple[str, ...]) -> dict[str, str]:
    chosen = {name: os.environ[name] for name in (*interpreters.KEPT, *keep) if name in os.environ}
    base = clean_environment(chosen)
    folder = Path(known.executable).parent
    base["PATH"] = os.pathsep.join([str(folder), base["PATH"]])
    if (folder.parent / "pyvenv.cfg").is_file():
        base["VIRTUAL_ENV"] = str(folder.parent)
    # An edit of the same size within a second would meet stale bytecode.
    return {**base, "PYTHONDONTWRITEBYTECODE": "1", "TERM": "dumb"}
