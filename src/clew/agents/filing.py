"""Edits carried out on files of a worktree, or only tried."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from clew.edits import EditMisfit, apply
from clew.errors import AgentFailed
from clew.facts import Diagnosis, Edit

__all__ = ["carry_out", "check", "try_out"]


def check(worktree: Path, diagnosis: Diagnosis) -> None:
    """Raise AgentFailed (invalid_output) naming the place or edit that the files lack."""
    if diagnosis.path:
        text = _text(worktree, diagnosis.path)
        last = -1 if text is None else text.count("\n") + 1
        if text is None or (diagnosis.line or 1) > last:
            line = "is no file here" if text is None else f"has no line {diagnosis.line}"
            told = f"root_cause_location: {diagnosis.path!r} {line}"
            raise AgentFailed(told, kind="invalid_output")
    for option in diagnosis.options:
        try_out(worktree, option.edits)


def try_out(worktree: Path, edits: Iterable[Edit]) -> None:
    """Raise AgentFailed (invalid_output) naming the edit that does not fit the files."""
    _results(worktree, tuple(edits))


def carry_out(worktree: Path, edits: Iterable[Edit]) -> None:
    """Change the files, all or none. Raises AgentFailed (invalid_output) as `try_out` does."""
    for name, text in _results(worktree, tuple(edits)).items():
        path = worktree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            file = path.open("w", encoding="utf-8", newline="")
        except PermissionError as error:
            raise _refused(name, error) from error
        with file:
            file.write(text)


def _results(worktree: Path, edits: tuple[Edit, ...]) -> dict[str, str]:
    names = dict.fromkeys(edit.path for edit in edits)
    sources = {name: text for name in names if (text := _text(worktree, name)) is not None}
    try:
        return apply(sources, edits)
    except EditMisfit as error:
        raise AgentFailed(f"an edit does not fit: {error}", kind="invalid_output") from error


def _text(worktree: Path, name: str) -> str | None:
    pure, path = PurePosixPath(name), worktree / name
    good = not pure.is_absolute() and ".." not in pure.parts and "\0" not in name
    if not good or not _within(worktree.resolve(), path):
        raise AgentFailed(f"{name!r} is not a file of the project", kind="invalid_output")
    try:
        return _read(path)
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise _refused(name, error) from error


def _read(path: Path) -> str:
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise OSError("it is no file")
    with path.open(encoding="utf-8", newline="") as file:
        return file.read()


def _within(root: Path, path: Path) -> bool:
    """Whether a path lies in the tree, links followed, and not in what is git's own."""
    try:
        found = path.resolve()
    except (OSError, RuntimeError):  # links in a circle
        return False
    return found.is_relative_to(root) and ".git" not in found.relative_to(root).parts


def _refused(name: str, error: Exception) -> AgentFailed:
    return AgentFailed(f"{name!r} cannot be edited: {error}", kind="invalid_output")
