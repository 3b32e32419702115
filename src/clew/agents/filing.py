"""Edits carried out on files of a worktree, or only tried."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from clew.analysis.testfiles import is_test_path
from clew.evidence.explain.options import step
from clew.words.edits import FROM_ROOT, EditMisfit, apply, diff, left, with_ends_of
from clew.words.encodings import Unreadable, decoded, encoded
from clew.words.errors import AgentFailed
from clew.words.facts import Diagnosis, Edit, Option

__all__ = ["Before", "carry_out", "checked", "proposes", "try_out", "with_diffs"]

Before = Callable[[str], str | None]


def checked(worktree: Path, diagnosis: Diagnosis, made: Collection[Edit] = ()) -> Diagnosis:
    """Return a diagnosis whose edits fit the files, without those that are `made` already.

    Raises AgentFailed (invalid_output) naming the place or edit that the files lack.
    """
    if diagnosis.path:
        content = _content(worktree, diagnosis.path)
        last = -1 if content is None else content.count(b"\n") + 1
        inside = _submodule_of(worktree, diagnosis.path) if content is None else ""
        if inside and not diagnosis.elsewhere:
            told = (
                f"root_cause_location: {diagnosis.path!r} is in the submodule {inside}, which is"
                " not fixed from here: set `out_of_scope`, and give as the reason that the cause is"
                f" in the submodule {inside}, and that `clew fix {inside}` mends it there"
            )
            raise AgentFailed(told, kind="invalid_output")
        if not inside and (content is None or (diagnosis.line or 1) > last):
            missing = content is None
            why = f"is no file here: {FROM_ROOT}" if missing else f"has no line {diagnosis.line}"
            told = f"root_cause_location: {diagnosis.path!r} {why}"
            raise AgentFailed(told, kind="invalid_output")
    options = tuple(_fitting(worktree, option, made) for option in diagnosis.options)
    for option in options:
        try_out(worktree, option.edits)
    return diagnosis if options == diagnosis.options else replace(diagnosis, options=options)


def _submodule_of(worktree: Path, name: str) -> str:
    """Return the submodule that a path lies in; empty where it lies in none."""
    content = _content(worktree, ".gitmodules") or b""
    found = re.findall(r"(?m)^\s*path\s*=\s*(\S.*?)\s*$", content.decode("utf-8", "replace"))
    return next((path for path in found if PurePosixPath(name).is_relative_to(path)), "")


def _fitting(worktree: Path, option: Option, made: Collection[Edit]) -> Option:
    """Leave out what an earlier attempt made, and the files have; say on which line the rest is.

    Of an option all of whose edits were made all of it stays.
    """
    texts, known = _sources(worktree, option.edits), {_change(edit) for edit in made}
    left = tuple(
        edit
        for edit in option.edits
        if _change(edit) not in known or _current(edit, texts) in texts.get(edit.path, "")
    )
    edits = tuple(_placed(edit, texts.get(edit.path, "")) for edit in left or option.edits)
    if edits == option.edits:
        return option
    computed = option.steps == tuple(map(step, option.edits))
    steps = tuple(map(step, edits)) if computed else option.steps
    return replace(option, edits=edits, steps=steps)


def _placed(edit: Edit, text: str) -> Edit:
    """Return an edit with the line of what it replaces, where that stands in one place alone."""
    current = with_ends_of(text, edit).current
    if not current or text.count(current) != 1:
        return edit
    return replace(edit, line=text.count("\n", 0, text.find(current)) + 1)


def _current(edit: Edit, texts: Mapping[str, str]) -> str:
    return with_ends_of(texts.get(edit.path, ""), edit).current


def _change(edit: Edit) -> tuple[str, str, str]:
    return edit.path, edit.current, edit.should_be


def proposes(diagnosis: Diagnosis, named: Iterable[str] = ()) -> bool:
    """Tell whether there is something to carry out.

    What is out of scope is a person's, but a change of tests is there to be seen, with what it does
    to the code: it is made, and then they are asked about it. `named` is what a run told of the
    names of tests.
    """
    if not diagnosis.elsewhere:
        return True
    known = tuple(named)
    changes_tests = any(is_test_path(edit.path, known) for edit in diagnosis.edits)
    return changes_tests and not diagnosis.upstream_dependency


def with_diffs(worktree: Path, diagnosis: Diagnosis) -> Diagnosis:
    """Return a diagnosis whose options show their edits, which fit, as a diff."""

    def shown(option: Option) -> Option:
        sources = _sources(worktree, option.edits)
        return replace(option, diff=option.diff or diff(sources, option.edits))

    return replace(diagnosis, options=tuple(map(shown, diagnosis.options)))


def try_out(worktree: Path, edits: Iterable[Edit], before: Before | None = None) -> None:
    """Raise AgentFailed (invalid_output) naming the edit that does not fit the files."""
    _results(worktree, tuple(edits), before)


def carry_out(worktree: Path, edits: Iterable[Edit], before: Before | None = None) -> None:
    """Change the files, all or none. Raises AgentFailed (invalid_output) as `try_out` does.

    `before` gives a file as it was before an agent worked on it: an edit that the agent has made
    by itself is there, and is not made twice.
    """
    for name, content in _results(worktree, tuple(edits), before).items():
        path = worktree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.write_bytes(content)
        except PermissionError as error:
            raise _refused(name, error) from error


def _results(
    worktree: Path, edits: tuple[Edit, ...], before: Before | None = None
) -> dict[str, bytes]:
    """Return the changed files, each in the encoding that it has."""
    names = dict.fromkeys(edit.path for edit in edits)
    sources = _sources(worktree, edits)
    if before is not None:
        plain = [name for name in names if _is_plain(worktree, name)]
        was = {name: text for name in plain if (text := before(name)) is not None}
        now = {name: sources[name] for name in plain if name in sources}
        edits = left(was, now, edits)
    try:
        texts = apply(sources, edits)
    except EditMisfit as error:
        raise AgentFailed(f"an edit does not fit: {error}", kind="invalid_output") from error
    return {name: _encoded(worktree, name, text) for name, text in texts.items()}


def _encoded(worktree: Path, name: str, text: str) -> bytes:
    try:
        return encoded(name, text, _content(worktree, name) or b"")
    except Unreadable as error:
        told = f"{name!r} cannot be edited so, because of its encoding: {error}"
        raise AgentFailed(told, kind="invalid_output") from error


def _sources(worktree: Path, edits: tuple[Edit, ...]) -> dict[str, str]:
    names = dict.fromkeys(edit.path for edit in edits)
    return {name: text for name in names if (text := _text(worktree, name)) is not None}


def _text(worktree: Path, name: str) -> str | None:
    content = _content(worktree, name)
    try:
        return None if content is None else decoded(name, content)
    except Unreadable as error:
        told = (
            f"{name!r} cannot be edited by Clew, because it is not UTF-8 and declares no other"
            f" encoding ({error}): leave `changes` empty and say in words what has to change; the"
            " fix is then made in the file itself"
        )
        raise AgentFailed(told, kind="invalid_output") from error


def _content(worktree: Path, name: str) -> bytes | None:
    pure, path = PurePosixPath(name), worktree / name
    good = not pure.is_absolute() and ".." not in pure.parts and "\0" not in name
    if not good or not _within(worktree.resolve(), path):
        raise AgentFailed(f"{name!r} is not a file of the project", kind="invalid_output")
    try:
        return _read(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _refused(name, error) from error


def _read(path: Path) -> bytes:
    if path.exists() and not path.is_file():  # a pipe would be waited for
        raise OSError("it is not a file")
    return path.read_bytes()


def _within(root: Path, path: Path) -> bool:
    """Whether a path lies in the tree, links followed, and not in what is git's own."""
    try:
        found = path.resolve()
    except (OSError, RuntimeError):  # links in a circle
        return False
    return found.is_relative_to(root) and ".git" not in found.relative_to(root).parts


def _is_plain(root: Path, name: str) -> bool:
    """Whether no link leads to a file: only then it is known by this name from before."""
    return (root / name).resolve() == root.resolve() / name


def _refused(name: str, error: Exception) -> AgentFailed:
    return AgentFailed(f"{name!r} cannot be edited: {error}", kind="invalid_output")
