"""Where a project's environment is: beside it, or where the tool that made it keeps it."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from clew.words.errors import TestsDidNotRun

__all__ = ["beside", "is_environment", "kept", "refuse_broken", "upwards"]

FOLDERS = (".venv", "venv", "env", ".conda")


def upwards(path: Path, root: Path) -> Iterator[Path]:
    """Yield the folder, then each one above it up to the root."""
    for folder in (path, *path.parents):
        yield folder
        if folder == root:
            return


def is_environment(folder: Path) -> bool:
    """Whether it can be seen to be one: what is closed to this user is of no use."""
    with contextlib.suppress(PermissionError):
        return (folder / "pyvenv.cfg").is_file() or (folder / "conda-meta").is_dir()
    return False


def beside(path: Path, root: Path) -> Path | None:
    """Return the project's own environment folder, the nearest one upwards that has a Python."""
    found = (each for each in _candidates(path, root) if (each / "bin" / "python").exists())
    return next(found, None)


def refuse_broken(path: Path, root: Path) -> None:
    """Raise TestsDidNotRun if the project has an environment whose Python does not exist."""
    for folder in _candidates(path, root):
        python = folder / "bin" / "python"
        if not python.exists():
            raise TestsDidNotRun(
                f"the environment {folder} is broken: its Python is gone ({python.resolve()})",
                hint=f"create it again (python3 -m venv --clear {folder}) and install what the"
                ' tests need; or name another Python: --test-command "PYTHON -m pytest"',
            )


def kept(path: Path, root: Path) -> Path | None:
    """Return the environment that a tool keeps elsewhere for the project."""
    for folder in upwards(path, root):
        for each in (each for tool in TOOLS for each in tool(folder)):
            if (each / "bin" / "python").exists():
                return each
    return None


def _candidates(path: Path, root: Path) -> Iterator[Path]:
    named = os.environ.get("UV_PROJECT_ENVIRONMENT")
    names = (named, *FOLDERS) if named else FOLDERS
    for folder in upwards(path, root):
        places = [folder / name for name in names]
        yield from (place for place in places if is_environment(place) or _leads_nowhere(place))


def _leads_nowhere(place: Path) -> bool:
    return place.is_symlink() and not place.exists()


def _by_pdm(folder: Path) -> Iterator[Path]:
    try:
        python = Path((folder / ".pdm-python").read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError):
        return
    if python.is_absolute() and is_environment(python.parent.parent):
        yield python.parent.parent


def _by_poetry(folder: Path) -> Iterator[Path]:
    """Yield environments whose name ends in the hash of the project's path, the newest first."""
    cache = os.environ.get("POETRY_CACHE_DIR") or _home("XDG_CACHE_HOME", ".cache") / "pypoetry"
    place = Path(os.environ.get("POETRY_VIRTUALENVS_PATH") or Path(cache, "virtualenvs"))
    found = [each for each in place.glob(f"*-{_mark(folder)}-py*") if is_environment(each)]
    yield from sorted(found, key=lambda each: each.stat().st_mtime, reverse=True)


def _by_pipenv(folder: Path) -> Iterator[Path]:
    """Yield environments that name the project in a file of their own."""
    place = os.environ.get("WORKON_HOME") or _home("XDG_DATA_HOME", ".local/share") / "virtualenvs"
    for note in sorted(Path(place).glob("*/.project")):
        try:
            named = note.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
        if named == str(folder):
            yield note.parent


def _by_hatch(folder: Path) -> Iterator[Path]:
    """Yield environments in a folder of that hash: those of `hatch test` first, then the usual."""
    place = os.environ.get("HATCH_DATA_DIR") or _home("XDG_DATA_HOME", ".local/share") / "hatch"
    found = sorted(Path(place, "env", "virtual").glob(f"*/{_mark(folder)}/*"))
    yield from (each for each in found if each.name.startswith("hatch-test"))
    yield from (each for each in found if each.name == each.parents[1].name)


TOOLS = (_by_pdm, _by_poetry, _by_pipenv, _by_hatch)


def _mark(folder: Path) -> str:
    digest = hashlib.sha256(os.fsencode(folder.resolve())).digest()
    return base64.urlsafe_b64encode(digest).decode()[:8]


def _home(variable: str, usual: str) -> Path:
    return Path(os.environ.get(variable) or Path.home() / usual)
