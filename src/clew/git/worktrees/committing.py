"""The one commit that Clew makes in a person's repository: as they would, when they ask for it."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path, PurePosixPath

from clew.git.worktrees.bare import Bare
from clew.git.worktrees.git import as_person
from clew.git.worktrees.history import GITLINK, Blob, content, entries, mentioning
from clew.git.worktrees.writing import File
from clew.words.errors import GitFailed
from clew.words.papers import is_paper

__all__ = ["absent", "commit_files", "last_committed"]

PROSE = frozenset({".adoc", ".md", ".rst", ".txt"})
QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_LITERAL_PATHSPECS": "1"}


def last_committed(bare: Bare, path: str) -> File | None:
    """Read a file as a checkout of their last commit would write it; None where it has none."""
    root = bare.home.root
    asked = ("ls-tree", "-z", "HEAD", "--", path)
    listed = as_person(*asked, cwd=root, variables=QUIET, accept=(0, 128)).items
    for item in listed:
        mode, kind, _ = item.partition(b"\t")[0].decode().split()
        if kind == "blob":
            text = as_person("cat-file", "--filters", f"HEAD:{path}", cwd=root, variables=QUIET)
            return File(mode, text.stdout)
    return None


def absent(bare: Bare, tip: str, skipped: Collection[str]) -> frozenset[str]:
    """Name the files that their last commit has not as `tip` has them, reports aside."""
    theirs, ours = _last_entries(bare), entries(bare, tip)
    found = set()
    for path in theirs.keys() | ours.keys():
        one, other = theirs.get(path), ours.get(path)
        if one == other or is_paper(path) or _is_foreign(one, other) or _within(path, skipped):
            continue
        read = File(other.mode, content(bare, other)) if other else None
        if read is None or one is None or last_committed(bare, path) != read:
            found.add(path)
    return frozenset(found) - _notes(bare, tip, found)


def _notes(bare: Bare, tip: str, paths: Collection[str]) -> set[str]:
    """Return which files are plain words that no other file names: no test asks for them."""
    found = set()
    for path in paths:
        name = PurePosixPath(path)
        if name.suffix in PROSE:
            by = set(mentioning(bare, tip, {name.name, f"*{name.suffix}"}))
            found |= {path} if all(PurePosixPath(file).suffix in PROSE for file in by) else set()
    return found


def _last_entries(bare: Bare) -> dict[str, Blob]:
    asked = ("ls-tree", "-r", "-z", "--full-tree", "HEAD")
    listed = as_person(*asked, cwd=bare.home.root, variables=QUIET, accept=(0, 128)).items
    found = {}
    for item in listed:
        fields, _, path = item.partition(b"\t")
        mode, _, name = fields.decode().split()
        found[os.fsdecode(path)] = Blob(mode, name)
    return found


def _is_foreign(*blobs: Blob | None) -> bool:
    return any(blob is not None and blob.mode == GITLINK for blob in blobs)


def _within(path: str, places: Collection[str]) -> bool:
    return any(path == place or path.startswith(f"{place.rstrip('/')}/") for place in places)


def commit_files(bare: Bare, paths: list[str], message: str) -> str | None:
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
            hint="commit them by hand, or fix what git names and apply with --commit again",
        ) from error
    return bare.theirs("rev-parse", "HEAD").text


def _differ_from_head(root: Path, paths: list[str]) -> bool:
    if not paths:
        return False
    asked = ("diff", "--quiet", "--no-ext-diff", "HEAD", "--", *paths)
    return as_person(*asked, cwd=root, variables=QUIET, accept=(0, 1, 128)).exit_code != 0


def _literal(paths: list[str]) -> bytes:
    return b"".join(b":(top,literal)" + os.fsencode(path) + b"\0" for path in paths)
