"""Bringing a fix home: the branch into the person's repository, the patch into their tree.

The branch goes first: it touches no file of theirs, and a person whose newer work conflicts with
the fix can merge it. Then every result is computed, and only if none conflicts is one written.
Their index is left alone unless they ask for a commit. What was applied last is remembered, so
that a longer fix can follow a shorter one, or take its place.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection
from pathlib import Path

import msgspec

from clew.errors import GitFailed
from clew.worktrees.bare import Bare, ref_of, write_whole
from clew.worktrees.export import export
from clew.worktrees.git import as_person
from clew.worktrees.history import GITLINK, Delta, deltas, patch
from clew.worktrees.merging import Conflict, file_of, merged
from clew.worktrees.records import Applied, ApplyConflict
from clew.worktrees.writing import Blocked, File, Found, Step, look, replace

__all__ = ["apply"]

APPLIED = "applied"


class _Aim(msgspec.Struct, frozen=True):
    path: str
    befores: tuple[File | None, ...]  # as the fix found it; the likeliest first
    after: File | None


def apply(bare: Bare, session: str, base: str, tip: str, *, commit: bool, message: str) -> Applied:
    """Put the change from `base` to `tip` into the person's tree; see the module."""
    root = bare.home.root
    with bare.session(session) as scratch:
        branch = export(bare, session, tip, scratch=scratch) if bare.home.git else None
        hint = _way_out(bare, session, branch, base, tip)
        last = bare.resolve(ref_of(session, APPLIED))
        aims = _aims(bare, (base,) if last is None else (last, base), tip)
        steps = _plan(root, aims, scratch, hint=hint)
        todo = [step for step in steps if (step.found and step.found.file) != step.after]
        replace(root, todo, mark=session)
        bare.point(ref_of(session, APPLIED), tip)
        wanted = {aim.path: aim.after for aim in aims}
        made = None
        if commit and bare.home.git:
            made = _commit(bare, list(wanted), message)
        return Applied(
            files=tuple(step.path for step in todo),
            branch=branch,
            commit=made,
            merged=tuple(step.path for step in todo if step.after != wanted[step.path]),
            already=not todo,
        )


def _aims(bare: Bare, bases: tuple[str, ...], tip: str) -> list[_Aim]:
    befores: dict[str, list[File | None]] = {}
    afters: dict[str, File | None] = {}
    for base in bases:
        for delta in deltas(bare, base, tip):
            if not _foreign(delta):
                befores.setdefault(delta.path, []).append(file_of(bare, delta.before))
                afters[delta.path] = file_of(bare, delta.after)
    return [_Aim(path, tuple(befores[path]), afters[path]) for path in sorted(afters)]


def _foreign(delta: Delta) -> bool:
    return any(blob is not None and blob.mode == GITLINK for blob in (delta.before, delta.after))


def _plan(root: Path, aims: Collection[_Aim], scratch: Path, *, hint: str) -> list[Step]:
    going = {aim.path for aim in aims if aim.after is None}
    steps, conflicts = [], []
    for aim in aims:
        try:
            found = look(root, aim.path, going=going)
            steps.append(Step(aim.path, found, _result(aim, found, scratch)))
        except (Conflict, Blocked, PermissionError):
            conflicts.append(aim.path)
    if conflicts:
        names = ", ".join(ascii(path)[1:-1] for path in conflicts)
        raise ApplyConflict(
            f"the fix and the newer state of these files do not go together: {names}",
            paths=tuple(conflicts),
            hint=hint,
        )
    return steps


def _result(aim: _Aim, found: Found | None, scratch: Path) -> File | None:
    theirs = None if found is None else found.file
    if theirs in (aim.after, *aim.befores):
        return aim.after
    for before in aim.befores:
        with contextlib.suppress(Conflict):
            return merged(before, aim.after, theirs, scratch)
    raise Conflict


def _way_out(bare: Bare, session: str, branch: str | None, base: str, tip: str) -> str:
    file = bare.folder / "patches" / f"{session}.patch"
    write_whole(file, patch(bare, base, tip))
    if branch is None:
        return f"the patch is in {file}"
    return f"merge the branch {branch} by hand, or take the patch in {file}"


def _commit(bare: Bare, paths: list[str], message: str) -> str | None:
    """Commit exactly these files as the person would; None if there is nothing to commit."""
    root = bare.home.root
    tracked = {os.fsdecode(it) for it in bare.theirs("ls-files", "-z", "-c", "--", *paths).items}
    new = [path for path in paths if path not in tracked and os.path.lexists(root / path)]
    known = [path for path in paths if path in tracked]
    if not new and not _differ_from_head(root, known):
        return None
    quiet = ("--pathspec-from-file=-", "--pathspec-file-nul")
    try:
        if new:
            as_person("add", "-N", "-f", *quiet, cwd=root, stdin=_literal(new))
        both = _literal([*known, *new])
        as_person("commit", "-q", "--only", "-m", message, *quiet, cwd=root, stdin=both)
    except GitFailed as error:
        listed = "".join(f"{path}\0" for path in new)
        forget = ("update-index", "--force-remove", "-z", "--stdin")
        bare.theirs(*forget, stdin=os.fsencode(listed))
        raise GitFailed(
            f"the fix is in your files, but git made no commit: {error.message}",
            hint="commit them by hand, or mend what git names and apply with --commit again",
        ) from error
    return bare.theirs("rev-parse", "HEAD").text


def _differ_from_head(root: Path, paths: list[str]) -> bool:
    if not paths:
        return False
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_LITERAL_PATHSPECS": "1"}
    asked = ("diff", "--quiet", "--no-ext-diff", "HEAD", "--", *paths)
    return as_person(*asked, cwd=root, variables=quiet, accept=(0, 1, 128)).exit_code != 0


def _literal(paths: list[str]) -> bytes:
    return b"".join(b":(top,literal)" + os.fsencode(path) + b"\0" for path in paths)
