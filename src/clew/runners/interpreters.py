"""The project's Python: which one it is, and what it says of itself."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec

from clew import processes
from clew.errors import CommandNotFound, TestsDidNotRun
from clew.runners.deployment import deploy
from clew.runners.records import InterpreterFacts, read_facts
from clew.sandbox import clean_environment

__all__ = ["KEPT", "environment", "facts", "find", "is_environment", "own", "upwards"]

FOLDERS = (".venv", "venv", "env")
TIMEOUT = 60.0
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


class Cached(msgspec.Struct, frozen=True, kw_only=True):
    facts: InterpreterFacts
    stamps: dict[str, int]  # when each folder of the import path last changed


def upwards(path: Path, root: Path) -> Iterator[Path]:
    """Yield the folder, then each one above it up to the root."""
    for folder in (path, *path.parents):
        yield folder
        if folder == root:
            return


def is_environment(folder: Path) -> bool:
    return (folder / "pyvenv.cfg").is_file() or (folder / "conda-meta").is_dir()


def own(path: Path) -> bool:
    """Say whether an interpreter belongs to the environment that Clew itself runs in."""
    return Path(sys.prefix) in path.absolute().parents


def environment(path: Path, root: Path) -> Path | None:
    """Return the project's own environment folder, the nearest one upwards."""
    for folder in upwards(path, root):
        for name in FOLDERS:
            # A link to a Python that is gone counts: another one would have other packages.
            if is_environment(folder / name) and os.path.lexists(folder / name / "bin" / "python"):
                return folder / name
    return None


def find(path: Path, root: Path) -> Path:
    """Return the project's interpreter: its own environment's, the active one's, or PATH's.

    The environment that Clew runs in counts only when there is no other.
    """
    if folder := environment(path, root):
        return folder / "bin" / "python"
    active = os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX")
    if active and (python := Path(active, "bin", "python")).exists() and not own(python):
        return python
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    others = [name for name in folders if name and not own(Path(name, "python3"))]
    for name in ("python3", "python"):
        if found := shutil.which(name, path=os.pathsep.join(others)):
            return Path(found)
    return Path(sys.executable)


def facts(interpreter: Path, scratch: Path) -> InterpreterFacts:
    """Ask an interpreter about itself; kept in `scratch` until something is installed.

    It runs outside the project, on the person's own installation alone.
    Raises TestsDidNotRun if it gives no answer.
    """
    name = hashlib.sha256(os.fsencode(interpreter)).hexdigest()[:16]
    folder = scratch / "interpreters"
    kept = folder / f"{name}.json"
    if (cached := _cached(kept)) is not None:
        return cached
    folder.mkdir(parents=True, exist_ok=True)
    found = _asked(interpreter, scratch, folder, name)
    stamps = _stamps(found)
    kept.write_bytes(msgspec.json.encode(Cached(facts=found, stamps=stamps)))
    return found


def _asked(interpreter: Path, scratch: Path, folder: Path, name: str) -> InterpreterFacts:
    results, request = folder / f"{name}.jsonl", folder / f"{name}.request.json"
    results.unlink(missing_ok=True)
    request.write_bytes(msgspec.json.encode({"results": str(results)}))
    keep = {key: os.environ[key] for key in KEPT if key in os.environ}
    try:
        done = processes.run(
            [str(interpreter), str(deploy(scratch)), "facts", str(request)],
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
    if found is None:
        raise TestsDidNotRun(
            f"the project's Python gives no account of itself: {interpreter}: {done.stderr[-500:]}",
            hint="Clew needs Python 3.9 or newer there; name another with --test-command",
        )
    return found


def _cached(path: Path) -> InterpreterFacts | None:
    try:
        cached = msgspec.json.decode(path.read_bytes(), type=Cached)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    return cached.facts if _stamps(cached.facts) == cached.stamps else None


def _stamps(found: InterpreterFacts) -> dict[str, int]:
    folders = [Path(entry) for entry in (found.executable, *found.path)]
    return {str(path): path.stat().st_mtime_ns for path in folders if path.exists()}
