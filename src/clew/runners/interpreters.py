"""The project's Python: which one it is, and what it says of itself."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import sys
from pathlib import Path

import msgspec

from clew.git.project import is_tracked
from clew.runners.deployment import deploy, digest, shelf
from clew.runners.environments import beside, is_environment, kept, refuse_broken
from clew.runners.records import InterpreterFacts, read_facts
from clew.sandbox import processes
from clew.sandbox.confinement import clean_environment
from clew.sandbox.temporary import passing
from clew.words.errors import CommandNotFound, TestsDidNotRun

__all__ = ["KEPT", "environment", "facts", "find", "is_environment", "own", "release", "yours"]

TIMEOUT = 60.0
OLDEST = (3, 9)
RELEASE = re.compile(r"\d+(?:\.\d+)*")
# Variables of the person's that change how Python and its test runners behave; none holds a key.
KEPT = (
    "DJANGO_SETTINGS_MODULE",
    "LD_LIBRARY_PATH",
    "PYTEST_ADDOPTS",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "PYTEST_PLUGINS",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONPATH",
    "PYTHONUTF8",
    "PYTHONWARNINGS",
)
# By these a version manager may be told which Python to start.
CHOOSING = ("ASDF_DATA_DIR", "ASDF_PYTHON_VERSION", "MISE_DATA_DIR", "PYENV_ROOT", "PYENV_VERSION")


class Cached(msgspec.Struct, frozen=True, kw_only=True):
    facts: InterpreterFacts
    stamps: dict[str, int]  # when each folder of the import path last changed


def own(path: Path) -> bool:
    """Say whether an interpreter belongs to the environment that Clew itself runs in."""
    return Path(sys.prefix) in path.absolute().parents


def environment(path: Path, root: Path) -> Path | None:
    """Return the project's own environment folder, in it or where a tool keeps it."""
    return beside(path, root) or kept(path, root)


def find(path: Path, root: Path) -> Path:
    """Return the project's interpreter: its own environment's, the active one's, or PATH's.

    The environment that Clew runs in counts where it is active, or there is no other. Raises
    TestsDidNotRun if the project's own environment has lost its Python, or a version manager has
    none for it.
    """
    if folder := beside(path, root):
        return _own_python(folder, root)
    active = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
    if active and (python := Path(active, "bin", "python")).exists():
        return python
    refuse_broken(path, root)
    if folder := kept(path, root):
        return _own_python(folder, root)
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    others = [name for name in folders if name and not own(Path(name, "python3"))]
    for name in ("python3", "python"):
        if found := shutil.which(name, path=os.pathsep.join(others)):
            return _behind(Path(found), path)
    return Path(sys.executable)


def _own_python(folder: Path, root: Path) -> Path:
    """Return an environment's interpreter. Raises TestsDidNotRun if it came with the repository."""
    return yours(folder / "bin" / "python", root, folder)


def yours(python: Path, root: Path, folder: Path | None = None) -> Path:
    """Return an interpreter. Raises TestsDidNotRun if it, or its folder, came with the repository.

    It is asked about itself before there is a sandbox around it.
    """
    places = (folder,) if folder else (python, python.resolve())
    if any(is_tracked(root, place) for place in places):
        what = f"the environment {folder}" if folder else str(python)
        raise TestsDidNotRun(
            f"{what} is part of the repository, so it is not run as yours",
            hint="make one of your own beside it and leave it out of git, or name it if you trust"
            f' it: --test-command "{python} -m pytest"',
        )
    return python


def _behind(python: Path, project: Path) -> Path:
    """Return the interpreter that a version manager's shim stands for in the project's folder."""
    if python.parent.name != "shims":
        return python
    keep = {key: os.environ[key] for key in CHOOSING if key in os.environ}
    done = processes.run(
        [str(python), "-c", "import sys; print(sys.executable)"],
        cwd=project,
        env=clean_environment(keep),
        timeout=TIMEOUT,
        cap=10_000,
    )
    if done.exit_code != 0 or not done.stdout.strip():
        raise TestsDidNotRun(
            f"{python} has no Python for {project}: {done.stderr.strip()[-500:]}",
            hint="install the version that the project names, or make it an environment (.venv)",
        )
    return Path(done.stdout.strip())


def facts(interpreter: Path, scratch: Path) -> InterpreterFacts:
    """Ask an interpreter about itself; the answer is kept until something is installed.

    It runs outside the project, on the person's own installation alone, and `scratch` holds what it
    writes meanwhile. Raises TestsDidNotRun if it gives no answer.
    """
    keep = {key: os.environ[key] for key in KEPT if key in os.environ}
    key = (os.fsdecode(interpreter), sorted(keep.items()), digest())
    name = hashlib.sha256(repr(key).encode()).hexdigest()[:16]
    kept = shelf() / "interpreters" / f"{name}.json"
    if (cached := _cached(kept)) is not None:
        return cached
    found = _asked(interpreter, scratch, keep)
    # Where pytest is missing, it may be installed in a folder that is not there yet.
    if found.pytest:
        with contextlib.suppress(OSError):
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(msgspec.json.encode(Cached(facts=found, stamps=_stamps(found))))
    return found


def _asked(interpreter: Path, scratch: Path, keep: dict[str, str]) -> InterpreterFacts:
    entry = deploy(scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    with passing("facts-", scratch) as folder:
        results, request = folder / "facts.jsonl", folder / "request.json"
        lasting = entry.is_relative_to(shelf())
        words = {"results": str(results), "compile": lasting}
        request.write_bytes(msgspec.json.encode(words))
        try:
            done = processes.run(
                [str(interpreter), str(entry), "facts", str(request)],
                cwd=folder,
                env=clean_environment({**keep, "PYTHONDONTWRITEBYTECODE": "1"}),
                timeout=TIMEOUT,
                cap=10_000,
            )
        except CommandNotFound as error:
            raise TestsDidNotRun(
                f"the project's Python cannot be started: {interpreter}",
                hint="recreate its environment, or name another with --test-command",
            ) from error
        found = read_facts(results)
        version = found.version if found else _version(interpreter, folder)
    if version and release(version) < OLDEST:
        raise TestsDidNotRun(
            f"the project's Python is too old for Clew: {interpreter} is Python {version}",
            hint="Clew needs Python 3.9 or newer there: make the project an environment (.venv)"
            ' with one, or name it: --test-command "PYTHON -m pytest"',
        )
    if found is None:
        raise TestsDidNotRun(
            f"the project's Python gives no account of itself: {interpreter}: {done.stderr[-500:]}",
            hint="recreate its environment, or name another with --test-command",
        )
    return found


def _version(interpreter: Path, folder: Path) -> str:
    """Ask in words that every Python understands; nothing if there is no answer."""
    words = [str(interpreter), "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"]
    done = processes.run(words, cwd=folder, env=clean_environment(), timeout=TIMEOUT, cap=1_000)
    return done.stdout.strip() if done.exit_code == 0 else ""


def release(version: str) -> tuple[int, ...]:
    """Return the numbers that a version begins with; none if it begins otherwise."""
    begin = RELEASE.match(version)
    return tuple(map(int, begin[0].split("."))) if begin else ()


def _cached(path: Path) -> InterpreterFacts | None:
    try:
        cached = msgspec.json.decode(path.read_bytes(), type=Cached)
    except (OSError, msgspec.DecodeError):
        return None
    return cached.facts if _stamps(cached.facts) == cached.stamps else None


def _stamps(found: InterpreterFacts) -> dict[str, int]:
    """Note when all that an answer rests on last changed; 0 stands for what is not there."""
    version = ".".join(map(str, release(found.version)[:2]))
    user = Path.home() / ".local" / "lib" / f"python{version}" / "site-packages"
    configured = (Path(prefix, "pyvenv.cfg") for prefix in found.prefixes)
    folders = {Path(entry) for entry in found.path} | {user}
    listed = (file for folder in folders for file in folder.glob("*.pth"))
    places = {Path(found.executable), *configured, *folders, *listed}
    return {str(path): path.stat().st_mtime_ns if path.exists() else 0 for path in places}
