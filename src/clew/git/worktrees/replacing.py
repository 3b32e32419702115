"""All files of a fix put into a person's tree, or none, while the person may be saving.

Laws:
- Nothing is written over whose content is not what was last seen: see `swapping`.
- What gave way is kept below `.clew/replaced`, the same file still, so that a program that has it
  open loses nothing.
- A plan in the state folder says, before the first file is touched, what is about to be exchanged.
  What was cut off is put right by that plan first, whenever a fix is put in place again: one whose
  files are all in place stays, any other is undone.
- Undoing touches only what is still as it was put there. What was saved since, stays.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from clew.git.worktrees.records import NotApplied, path_text
from clew.git.worktrees.swapping import (
    NOTHING,
    OTHER,
    copied,
    digest,
    put,
    seen,
    swap,
    take,
    written_to,
)
from clew.git.worktrees.writing import PLAIN, File, PathChange, folder_of, parts_of, tidy, write
from clew.sandbox import temporary
from clew.sandbox.files import write_atomically

__all__ = ["recover", "replace"]

OWN, KEPT = ".clew", ".clew/replaced"
BESIDE = ".clew-"  # where `.clew` is on another file system
OURS = re.compile(re.escape(BESIDE) + "[0-9a-f]{16}")
TRIAL = "trial"
LONGEST = 200  # bytes of a name that another name is made of


class _Move(msgspec.Struct, frozen=True):
    """One path of a plan: digests of what was seen and what shall be, and names beside it."""

    path: str
    before: str
    after: str
    new: str  # what is to be put there, until it is
    old: str  # what was there
    back: str  # what was put there, once it came back
    kept: str  # where a person finds what was there


class _Changed(Exception):
    """A file is not what was last seen."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


def replace(root: Path, steps: Sequence[PathChange], *, mark: str, plan: Path) -> dict[str, str]:
    """Carry out all steps or none; return what they displaced: where it is kept, and its path.

    Raises NotApplied if the disk refuses, or a file has changed since it was found. `plan` is where
    the plan is kept meanwhile; `recover` is to be called before.
    """
    if not steps:
        return {}
    # files that go make room for folders of the same name, and the other way round
    steps = sorted(steps, key=lambda step: step.after is not None)
    going = {step.path for step in steps if step.after is None}
    moves: list[_Move] = []
    try:
        moves = _staged(root, steps, mark)
        for move in moves:
            _expect(seen(root, move.path, going=going) == move.before, move)
        _write(plan, moves)
        for move in moves:
            _expect(_carry_out(root, move), move)
        for move in moves:
            _expect(_stands(root, move), move)
    except BaseException as error:
        kept = _give_up(root, moves, plan, error)
        if isinstance(error, _Changed):
            raise NotApplied(
                f"{path_text(error.path)} changed while the fix was being applied;"
                f" nothing is applied{_told(kept)}",
                hint="apply again when no program is writing the file",
            ) from None
        if isinstance(error, OSError):
            raise NotApplied(
                f"the fix is not applied: {error}{_told(kept)}",
                hint="make room or fix the permissions, and apply again",
            ) from error
        raise
    return _close(root, moves, plan)


def recover(root: Path, plan: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    """Put right what a call that was killed had begun: undo it, unless all its files are in place.

    Returns the paths that were put back, and what is kept, as `replace` does.
    """
    try:
        moves = [_Move(*fields) for fields in json.loads(plan.read_bytes())]
    except FileNotFoundError:
        return (), {}
    try:
        if all(_carried_out(root, move) for move in moves):
            return (), _close(root, moves, plan)
        found = {move.path: seen(root, move.path) for move in moves}
        kept = _undo(root, moves, plan)
        return tuple(path for path in found if seen(root, path) != found[path]), kept
    except OSError as error:
        raise NotApplied(
            f"an interrupted apply cannot be finished or undone: {error}",
            hint="make room or fix the permissions, and apply again",
        ) from error


def _staged(root: Path, steps: Sequence[PathChange], mark: str) -> list[_Move]:
    """Write all new contents to files of ours on the file systems where they are wanted."""
    main = _fresh(root, mark)
    within: dict[str, str] = {}
    moves = []
    try:
        for number, step in enumerate(steps, 1):
            parents = _nearest(root, step.path)
            if parents not in within:
                within[parents] = _within_reach(root, main, parents)
            moves.append(_move(step, number, main, within[parents]))
            if step.after is not None:
                with folder_of(root, within[parents].split("/")) as folder:
                    write(folder, f"{number}.new", step.after, step.found)
    except BaseException:
        for made in (main, *within.values()):
            temporary.remove(root / made)
        raise
    return moves


def _move(step: PathChange, number: int, main: str, below: str) -> _Move:
    name = os.fsdecode(os.fsencode(step.path.rpartition("/")[2])[:LONGEST])
    return _Move(
        path=step.path,
        before=digest(None if step.found is None else step.found.file),
        after=digest(step.after),
        new=f"{below}/{number}.new",
        old=f"{below}/{number}-{name}~",
        back=f"{below}/{number}.back",
        kept=f"{main}/{number}-{name}~",
    )


def _fresh(root: Path, mark: str) -> str:
    """Make a folder for one call, after the ones that are kept of others."""
    with folder_of(root, [OWN], make=True) as own, contextlib.suppress(FileExistsError):
        write(own, ".gitignore", File(PLAIN, b"*\n"), None)
    above = f"{KEPT}/{mark}"
    with folder_of(root, above.split("/"), make=True) as folder:
        with os.scandir(folder) as scan:
            numbers = [entry.name for entry in scan if entry.name.isdecimal()]
        for number in numbers:
            _clear(root / above / number)
        new = str(1 + max(map(int, numbers), default=0))
        os.mkdir(new, dir_fd=folder)
    return f"{above}/{new}"


def _clear(folder: Path) -> None:
    """Remove what a call was writing that was killed before it had a plan."""
    for left in folder.iterdir():
        if left.suffix in (".new", ".back") or left.name == TRIAL:
            temporary.remove(left)
    with contextlib.suppress(OSError):
        folder.rmdir()


def _nearest(root: Path, path: str) -> str:
    """Return the folder where a path is, or the nearest above it."""
    parents = parts_of(path)[:-1]
    while parents:
        place = root / "/".join(parents)
        if place.is_dir() and not place.is_symlink():
            break
        parents.pop()
    return "/".join(parents)


def _within_reach(root: Path, main: str, parents: str) -> str:
    """Return a folder of ours from which files can be renamed into another: `main`, if it can."""
    name = f"{BESIDE}{hashlib.sha256(os.fsencode(f'{main}/{parents}')).hexdigest()[:16]}"
    beside = f"{parents}/{name}" if parents else name
    with folder_of(root, main.split("/")) as ours, folder_of(root, _parts(parents)) as theirs:
        try:
            os.mkdir(TRIAL, dir_fd=ours)
            os.rename(TRIAL, name, src_dir_fd=ours, dst_dir_fd=theirs)
        except OSError as error:
            os.rmdir(TRIAL, dir_fd=ours)
            if error.errno != errno.EXDEV:
                raise
            for left in (root / parents).glob(f"{BESIDE}*"):
                if OURS.fullmatch(left.name):
                    _clear(left)
            os.mkdir(name, dir_fd=theirs)
            return beside
        os.rmdir(name, dir_fd=theirs)
    return main


def _parts(folder: str) -> list[str]:
    return folder.split("/") if folder else []


def _write(plan: Path, moves: Collection[_Move]) -> None:
    # json and not msgspec: names of files may hold lone surrogates
    fields = [[getattr(move, name) for name in move.__struct_fields__] for move in moves]
    write_atomically(plan, json.dumps(fields).encode())


def _expect(holds: bool, move: _Move) -> None:  # noqa: FBT001 - as `assert` has it
    if not holds:
        raise _Changed(move.path)


def _carry_out(root: Path, move: _Move) -> bool:
    """Put one file in place; False if what was there is not what was seen, and it is there."""
    try:
        if move.before == NOTHING:
            put(root, move.new, move.path)
            return True
        if move.after != NOTHING:
            return swap(root, move.new, move.path, move.old, expected=move.before)
        take(root, move.path, move.old)
    except (FileNotFoundError, FileExistsError, NotADirectoryError):
        return False
    if seen(root, move.old) == move.before and not written_to(root, move.old):
        tidy(root, parts_of(move.path)[:-1])
        return True
    with contextlib.suppress(FileExistsError):
        put(root, move.old, move.path)
    return False


def _carried_out(root: Path, move: _Move) -> bool:
    """Whether one file was put in place and not taken back, whatever was saved there since."""
    if any(seen(root, name) != NOTHING for name in (move.new, move.back)):
        return False
    return move.before in (NOTHING, seen(root, move.old), seen(root, move.kept))


def _stands(root: Path, move: _Move) -> bool:
    """Whether nobody has saved since one file was put in place, here or into what gave way."""
    if move.before != NOTHING:
        kept = seen(root, move.old) == move.before and not written_to(root, move.old)
        if not kept:
            return False
    if move.after == NOTHING:
        return seen(root, move.path) in (NOTHING, OTHER)  # a folder may have its name now
    return seen(root, move.path) == move.after


def _give_up(
    root: Path, moves: Collection[_Move], plan: Path, error: BaseException
) -> dict[str, str]:
    try:
        return _undo(root, list(moves), plan)
    except OSError as second:
        raise NotApplied(
            f"part of the fix is in your files and cannot be undone: {second}",
            hint="make room or fix the permissions; `clew apply` then continues",
        ) from error


def _undo(root: Path, moves: Sequence[_Move], plan: Path) -> dict[str, str]:
    for move in reversed(moves):
        _take_back(root, move)
    return _close(root, moves, plan)


def _told(kept: dict[str, str]) -> str:
    if not kept:
        return ""
    names = ", ".join(f"{path_text(path)} in {path_text(where)}" for where, path in kept.items())
    return f". Newer versions of these files stay in place; the replaced ones are kept: {names}"


def _take_back(root: Path, move: _Move) -> None:
    """Put back what was at a path, if what was put there is there still."""
    if move.before == NOTHING:
        _take_out(root, move)
        return
    held = next(
        (it for it in (move.old, move.new) if seen(root, it) not in (NOTHING, move.after)), ""
    )
    if not held:
        return  # it never was exchanged, or was before this
    with contextlib.suppress(FileExistsError):
        now = seen(root, move.path)
        if now == NOTHING:
            put(root, held, move.path)
        elif now == move.after:
            with contextlib.suppress(FileNotFoundError):
                swap(root, held, move.path, move.back, expected=move.after)


def _take_out(root: Path, move: _Move) -> None:
    there = seen(root, move.path) == move.after
    if not there or (seen(root, move.new) != NOTHING and not _one_file(root, move.new, move.path)):
        return
    with contextlib.suppress(FileNotFoundError):
        take(root, move.path, move.back)
    if seen(root, move.back) == move.after and not written_to(root, move.back):
        tidy(root, parts_of(move.path)[:-1])
        return
    with contextlib.suppress(FileExistsError, FileNotFoundError):
        put(root, move.back, move.path)


def _one_file(root: Path, one: str, other: str) -> bool:
    with contextlib.suppress(OSError):
        return os.path.samestat((root / one).lstat(), (root / other).lstat())
    return False


def _close(root: Path, moves: Sequence[_Move], plan: Path) -> dict[str, str]:
    """Remove what is ours, keep the rest, forget the plan; return that."""
    kept = {}
    for move in moves:
        for name in (move.new, move.back, move.old):
            now = seen(root, name)
            mine = now == move.after and not written_to(root, name)
            if mine or (now != NOTHING and _one_file(root, name, move.path)):
                (root / name).unlink(missing_ok=True)
            elif now != NOTHING:
                kept[_keep(root, name, move.kept)] = move.path
    plan.unlink(missing_ok=True)
    for folder in {name.rpartition("/")[0] for move in moves for name in (move.kept, move.new)}:
        _sweep(root, folder)
    return kept


def _keep(root: Path, name: str, where: str) -> str:
    """Keep a file where a person finds it; return that place."""
    while name != where and os.path.lexists(root / where):
        where += "~"
    if name == where:
        return where
    try:
        put(root, name, where)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        *above, new = parts_of(where)
        with folder_of(root, above) as folder:
            if not copied(root, name, folder, new):
                return name
        (root / name).unlink()
    return where


def _sweep(root: Path, folder: str) -> None:
    """Remove a folder of ours where it is empty, and those above it."""
    place = Path(folder)
    above = (place, *place.parents[:2]) if folder.startswith(f"{KEPT}/") else (place,)
    with contextlib.suppress(OSError):
        for each in above:
            (root / each).rmdir()
