"""Questions about commits of the private repository."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

import msgspec

from clew.git.worktrees import ancestry
from clew.git.worktrees.bare import Bare
from clew.git.worktrees.records import ChangeKind, TreeChange

__all__ = [
    "Blob",
    "Delta",
    "Replaced",
    "changed",
    "content",
    "contents",
    "deltas",
    "diff",
    "entries",
    "mentioning",
    "patch",
    "replaced",
    "show",
    "texts",
    "unmerged",
]

PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/")
GITLINK = "160000"
MERGES = 5  # the newest, that are asked what they lost


class Blob(msgspec.Struct, frozen=True):
    """A file as a tree names it."""

    mode: str  # 100644, 100755, 120000 or 160000
    name: str  # the object


class Delta(msgspec.Struct, frozen=True):
    """A path and its two sides; None where it is not there."""

    path: str
    before: Blob | None
    after: Blob | None


def deltas(bare: Bare, before: str, after: str) -> tuple[Delta, ...]:
    """List what differs between two commits or trees; a rename is two of them."""
    asked = ("diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", "--no-commit-id", "--raw")
    items = iter(bare.git(*asked, before, after).items)
    found = []
    for head, path in zip(items, items, strict=True):
        old_mode, new_mode, old, new, _ = head.decode().removeprefix(":").split()
        found.append(Delta(os.fsdecode(path), _blob(old_mode, old), _blob(new_mode, new)))
    return tuple(found)


class Replaced(msgspec.Struct, frozen=True):
    """A file as it was before a commit changed or removed it."""

    commit: str
    path: str
    blob: Blob
    subject: str = ""  # of the commit, anybody's words


def replaced(bare: Bare, commit: str, most: int) -> tuple[Replaced, ...]:
    """List what a commit and its first parents replaced, the newest first; `most` commits.

    A file that got another name since is listed under that as well.
    """
    line = ("log", "--first-parent", "-m", f"--max-count={most}", "--format=%x01%H %s")
    asked = ("--raw", "-z", "--find-renames", "--no-abbrev", commit)
    found, name, subject = [], "", ""
    later: dict[str, str] = {}  # by an earlier name
    items = iter(bare.git(*line, *asked).items)
    for item in items:
        if item.startswith(b"\1"):
            name, _, subject = item[1:].decode(errors="replace").partition(" ")
            continue
        mode, _, blob, _, kind = item.decode().strip().removeprefix(":").split()
        path = os.fsdecode(next(items))
        if kind.startswith("R"):
            new = os.fsdecode(next(items))
            later[path] = later.get(new, new)
        if (before := _blob(mode, blob)) is not None:
            names = dict.fromkeys((path, later.get(path, path)))
            found += [Replaced(name, each, before, subject) for each in names]
    return tuple(found)


def unmerged(bare: Bare, commit: str, most: int) -> tuple[Replaced, ...]:
    """List what merges among a commit and its first parents have not of what they merged.

    Each is a file that their other parents had changed, as it was where these branched off, and
    then as they had it. The newest merge comes first; `most` commits are looked at.
    """
    asked = ("rev-list", "--first-parent", "--merges", "--parents", f"--max-count={MERGES}")
    newest = frozenset(ancestry.first_parents(bare, commit, most))
    found = []
    for line in bare.git(*asked, commit).stdout.decode().splitlines():
        merge, first, *others = line.split()
        if merge not in newest:
            break
        subject = bare.git("log", "-1", "--format=%s", merge).text
        for other in others:
            fork = ancestry.common(bare, first, other)
            theirs = deltas(bare, fork, other) if fork else ()
            lost = {delta.path for delta in deltas(bare, other, merge)}
            found += [
                Replaced(merge, delta.path, blob, subject)
                for delta in theirs
                if delta.path in lost
                for blob in (delta.before, delta.after)
                if blob is not None
            ]
    return tuple(found)


def changed(bare: Bare, before: str, after: str) -> tuple[TreeChange, ...]:
    """List the files that differ between two commits."""
    return tuple(
        TreeChange(path=delta.path, kind=_kind(delta)) for delta in deltas(bare, before, after)
    )


def diff(bare: Bare, before: str, after: str, paths: Sequence[str] | None = None) -> str:
    """Show the difference as people read it; `paths` are files or folders, no patterns."""
    if paths is not None and not paths:
        return ""
    asked = bare.git("diff-tree", "-p", *PLAIN, before, after, "--", *(paths or ()))
    return asked.stdout.decode(errors="replace")


def counted(bare: Bare, before: str, after: str) -> tuple[int, int]:
    """Count the lines that come and that go; binary files have none."""
    asked = bare.git("diff-tree", "-r", "--numstat", "-z", "--no-renames", *PLAIN, before, after)
    rows = (item.split(b"\t", 2) for item in asked.items)
    found = [(int(more), int(less)) for more, less, _ in rows if more != b"-"]
    return sum(more for more, _ in found), sum(less for _, less in found)


def patch(bare: Bare, before: str, after: str) -> bytes:
    """Write the difference as `git apply` takes it, binary files included."""
    return bare.git(
        "diff-tree", "-p", *PLAIN, "--binary", "--full-index", "--no-renames", before, after
    ).stdout


def entries(bare: Bare, commit: str) -> dict[str, Blob]:
    """Name every file of a commit."""
    found = {}
    for item in bare.git("ls-tree", "-r", "-z", "--full-tree", commit).items:
        fields, _, path = item.partition(b"\t")
        mode, _, name = fields.decode().split()
        found[os.fsdecode(path)] = Blob(mode, name)
    return found


def message(bare: Bare, commit: str) -> str:
    """Read a commit's message."""
    return bare.git("log", "-1", "--format=%B", commit).text


def show(bare: Bare, commit: str, path: str) -> bytes | None:
    """Read a file, or the target of a link; None if the commit has no such file."""
    listed = bare.git("ls-tree", "-z", "--full-tree", commit, "--", os.fsencode(path)).items
    for item in listed:
        fields, _, name = item.partition(b"\t")
        mode, kind, _ = fields.decode().split()
        if kind == "blob" and os.fsdecode(name) == path:
            return content(bare, Blob(mode, fields.decode().split()[2]))
    return None


def content(bare: Bare, blob: Blob) -> bytes:
    """Read the bytes of a file."""
    return bare.git("cat-file", "blob", blob.name).stdout


def contents(bare: Bare, names: Collection[str]) -> dict[str, bytes]:
    """Read many blobs by their names in one go; what a partial clone lacks is left out."""
    feed = "".join(f"{name}\n" for name in names).encode()
    told = bare.git("cat-file", "--batch", stdin=feed).stdout
    found, start = {}, 0
    while start < len(told):
        end = told.index(b"\n", start)
        name, kind, *size = told[start:end].decode().split()
        if kind == "missing":
            start = end + 1
            continue
        start = end + 1 + int(size[0]) + 1
        found[name] = told[end + 1 : start - 1]
    return found


def texts(bare: Bare, commit: str, paths: Collection[str]) -> dict[str, bytes]:
    """Read many files of a commit in one go; those that it does not have are left out."""
    if not paths:
        return {}
    known = {path: blob for path, blob in entries(bare, commit).items() if path in paths}
    blobs = {path: blob.name for path, blob in known.items() if blob.mode != GITLINK}
    read = contents(bare, set(blobs.values()))
    return {path: read[name] for path, name in blobs.items() if name in read}


def mentioning(bare: Bare, commit: str, words: Collection[str]) -> tuple[str, ...]:
    """List the files of a commit whose text holds any of some words, sorted by byte."""
    asked = [word for each in sorted(words) for word in ("-e", each)]
    if not asked:
        return ()
    flags = ("grep", "-l", "-z", "-I", "-F", "-w", "--full-name", "--no-color")
    told = bare.git(*flags, *asked, commit, accept=(0, 1))
    return tuple(os.fsdecode(item.partition(b":")[2]) for item in told.items)


def _blob(mode: str, name: str) -> Blob | None:
    return None if mode == "000000" else Blob(mode, name)


def _kind(delta: Delta) -> ChangeKind:
    if delta.before is None:
        return ChangeKind.CREATED
    return ChangeKind.DELETED if delta.after is None else ChangeKind.MODIFIED
