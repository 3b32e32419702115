"""A person's tree as it is now, recorded without touching it.

Their index only names files; what they hold is read from disk into a fresh index of ours, so that
no flag in theirs can hide an edit. What was recorded is then copied into the private repository,
where no clean-up of theirs can reach it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from clew.git.worktrees.bare import Bare, kept_entries, ref_of
from clew.git.worktrees.git import excludes_of
from clew.git.worktrees.listing import ListedPath, Listing, entries_of, survey, walk
from clew.git.worktrees.records import LeftOut, LeftOutReason, Snapshot
from clew.words.errors import GitFailed

__all__ = ["LIMIT", "WORK_TREE", "begin_at", "glimpse", "list_tree", "recorded", "take", "unseen"]

LIMIT = 100_000_000  # bytes of an untracked file
UNSEEN = "unseen"
WORK_TREE = "The work tree"  # so begins the message of a commit of what they had not committed
ATTEMPTS = 3  # a tree may change while it is read
LISTED = ("ls-files", "-z", "-t", "-c", "-o", "--stage", "--exclude-standard")


def take(bare: Bare, session: str, name: str = "base", *, limit: int = LIMIT) -> Snapshot:
    """Record the tree under a name; a second call gives the first one's answer."""
    with bare.session(session) as scratch:
        before = recorded(bare, session, name)
        if before is not None:
            return before
        snapshot, sparse = _taken(bare, session, scratch, limit=limit)
        bare.keep(snapshot.commit, known=_earlier(bare))
        note = bare.git("hash-object", "-w", "--stdin", stdin=_encode(snapshot)).text
        refs = [(ref_of(session, f"{name}-note"), note), (ref_of(session, name), snapshot.commit)]
        absent = _off_the_disk(bare) if sparse else b""
        if absent:
            listed = bare.git("hash-object", "-w", "--stdin", stdin=absent).text
            refs.insert(0, (ref_of(session, f"{name}-{UNSEEN}"), listed))
        feed = "start\n" + "".join(f"update {ref} {value}\n" for ref, value in refs) + "commit\n"
        bare.git("update-ref", "--stdin", stdin=feed.encode())
        return snapshot


def begin_at(bare: Bare, session: str, commit: str, name: str = "base") -> Snapshot:
    """Record a commit of ours as what a session begins with; a second call answers the same."""
    with bare.session(session):
        before = recorded(bare, session, name)
        if before is not None:
            return before
        head, branch = bare.their_head()
        snapshot = Snapshot(
            commit=commit, tree=bare.tree_of(commit), head=head, branch_ref=branch, dirty=True
        )
        note = bare.git("hash-object", "-w", "--stdin", stdin=_encode(snapshot)).text
        refs = ((ref_of(session, f"{name}-note"), note), (ref_of(session, name), commit))
        feed = "start\n" + "".join(f"update {ref} {value}\n" for ref, value in refs) + "commit\n"
        bare.git("update-ref", "--stdin", stdin=feed.encode())
        return snapshot


def glimpse(bare: Bare, session: str, *, limit: int = LIMIT) -> Snapshot:
    """Record the tree under no name and without a copy, for as long as it lies there."""
    with bare.session(session) as scratch:
        return _taken(bare, session, scratch, limit=limit)[0]


def recorded(bare: Bare, session: str, name: str = "base") -> Snapshot | None:
    """Read the snapshot of a session, if one was completed."""
    if bare.resolve(ref_of(session, name)) is None:
        return None
    note = bare.git("cat-file", "blob", ref_of(session, f"{name}-note"), accept=(0, 128))
    return _decode(note.stdout) if note.exit_code == 0 else None


def unseen(bare: Bare, session: str, name: str) -> dict[bytes, bytes]:
    """Return what a sparse checkout kept off the disk when that snapshot was taken.

    Path → mode and object, as in an index; the objects may be missing.
    """
    ref = ref_of(session, f"{name}-{UNSEEN}")
    entries = bare.git("cat-file", "blob", ref, accept=(0, 128)).items
    return {path: entry for entry, _, path in (item.partition(b"\t") for item in entries)}


def _off_the_disk(bare: Bare) -> bytes:
    """List entries that their index wants to be absent, and that are."""
    lines = []
    for item in bare.theirs("ls-files", "-z", "-t", "--stage").items:
        fields, _, path = item[2:].partition(b"\t")
        gone = item[:1] == b"S" and not os.path.lexists(os.fsencode(bare.home.root) + b"/" + path)
        if gone:
            mode, name, _ = fields.split()
            lines.append(b"%s %s\t%s\0" % (mode, name, path))
    return b"".join(lines)


def list_tree(
    bare: Bare, root: Path, entries: Iterable[ListedPath], *, limit: int = LIMIT
) -> Listing:
    """Sort in what a tree holds; repositories inside it count as plain folders.

    Nothing of one in a worktree of ours is heeded: an agent may have made it.
    """
    own = root.is_relative_to(bare.worktrees)

    def inside(folder: Path) -> Iterable[ListedPath]:
        if own:
            nothing = bare.location / "no-index"
            answer = bare.git(*LISTED, tree=folder, index=nothing, accept=(0, 128))
        else:
            answer = bare.theirs(*LISTED, folder=folder, accept=(0, 128))
        return entries_of(answer.items) if answer.exit_code == 0 else walk(folder)

    ours = bare.folder if bare.folder.is_relative_to(root) else None
    return survey(root, entries, inside=inside, limit=limit, without=ours)


def _taken(bare: Bare, session: str, scratch: Path, *, limit: int) -> tuple[Snapshot, bool]:
    """Record the tree; return it, and whether their index leaves parts of it out."""
    head, branch = bare.their_head()
    tree, listing, sparse = _read(bare, scratch, limit=limit)
    clean = head is not None and tree == bare.tree_of(head)
    commit = head if clean and head else _commit(bare, tree, head, session)
    snapshot = Snapshot(
        commit=commit,
        tree=tree,
        head=head,
        branch_ref=branch,
        dirty=not clean,
        skipped=listing.skipped,
    )
    return snapshot, sparse


def _read(bare: Bare, scratch: Path, *, limit: int) -> tuple[str, Listing, bool]:
    """Record the tree; return it, what it holds, and whether their index leaves parts out."""
    root, sparse = bare.home.root, False
    for attempt in range(ATTEMPTS):
        kept = b""
        if bare.home.git:
            settings = ("-c", f"core.excludesFile={excludes_of(root)}")
            items = bare.theirs(*settings, *LISTED).items
            sparse = any(item[:1] == b"S" for item in items)
            listing = list_tree(bare, root, entries_of(items), limit=limit)
            if listing.kept:
                kept = kept_entries(bare.theirs("ls-files", "-z", "--stage"), listing)
        else:
            listing = list_tree(bare, root, walk(root), limit=limit)
        try:
            return bare.write_tree(root, listing, kept=kept, scratch=scratch), listing, sparse
        except GitFailed:
            if attempt + 1 == ATTEMPTS:
                raise
    raise AssertionError  # pragma: no cover - the last attempt returns or raises


def _commit(bare: Bare, tree: str, head: str | None, session: str) -> str:
    parents = () if head is None else (head,)
    return bare.commit_tree(tree, parents, f"{WORK_TREE} when {session} began")


def _earlier(bare: Bare) -> Iterator[str]:
    latest = ("for-each-ref", "--count=3", "--sort=-creatordate", "--format=%(objectname)")
    yield from bare.git(*latest, "refs/clew/*/base").stdout.decode().split()


def _encode(snapshot: Snapshot) -> bytes:
    # json and not msgspec: names of files may hold lone surrogates
    fields = {name: getattr(snapshot, name) for name in snapshot.__struct_fields__}
    fields["skipped"] = [[each.path, str(each.reason), each.bytes] for each in snapshot.skipped]
    return json.dumps(fields, sort_keys=True).encode()


def _decode(note: bytes) -> Snapshot:
    fields = json.loads(note)
    fields["skipped"] = tuple(
        LeftOut(path=path, reason=LeftOutReason(reason), bytes=size)
        for path, reason, size in fields["skipped"]
    )
    return Snapshot(**fields)
