"""Worktrees beside the private repository: made, repaired, committed, reset, removed.

A worktree is registered by writing its few administrative files ourselves, as git's repository
layout documents them. Writing them again repairs any of them, so a worktree that was moved, locked,
pruned or half made needs no case of its own. Commands name repository, work tree and index
outright and never read the `.git` file of a worktree: whoever works in it may have changed that.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from clew.git.worktrees.bare import Bare, branch_of, kept_entries, named, ref_of, write_whole
from clew.git.worktrees.history import Blob, changed, entries
from clew.git.worktrees.listing import Listing, drop, entries_of, stamps
from clew.git.worktrees.records import Commit, LeftOut, LeftOutReason
from clew.git.worktrees.snapshot import LISTED, list_tree
from clew.sandbox import temporary
from clew.words.errors import GitFailed, UsageError
from clew.words.facts import GitSideEffect

__all__ = [
    "add",
    "commit",
    "drop_ignored",
    "head",
    "ignored",
    "is_clean",
    "keep",
    "left_out",
    "pristine",
    "put_back",
    "remove",
    "reset",
    "strays",
]

MAKING, READY = "clew-making", "clew-ready"
IGNORED = ("ls-files", "-z", "-o", "-i", "--exclude-standard")


def add(bare: Bare, session: str, base: str, *, branch: bool = True) -> Path:
    """Put the session's branch on disk; it starts at `base` unless it is there already.

    A worktree that was completed once keeps what is in it. One that was cut off while it was made
    is made again.
    """
    with bare.session(session):
        tip = bare.resolve(branch_of(session)) if branch else base
        if tip is None:
            tip = base
            bare.point(branch_of(session), tip)
        head_line = _head_of(branch_of(session)) if branch else f"{tip}\n".encode()
        path = bare.worktrees / session
        if not ((_admin(bare, path) / READY).exists() and path.is_dir()):
            _make(bare, path, head_line, tip)
        else:
            temporary.tame(path)
            _register(bare, path, head_line)
            if not (_admin(bare, path) / "index").exists():
                _read_index(bare, path, tip)
        return path


def commit(bare: Bare, session: str, message: str, *, onto: str | None = None) -> Commit | None:
    """Record what changed in the worktree, ignored files aside; None if nothing did.

    With `onto` the branch ends in one commit on top of that one: others in between, which somebody
    made in the worktree, become part of it.
    """
    with bare.session(session) as scratch:
        path, tip = _place(bare, session, otherwise=onto)
        tip = onto or tip
        tree, listing = _tree_now(bare, path, tip, scratch)
        if tree == bare.tree_of(tip):
            bare.point(branch_of(session), tip)
            return None
        new = _on(bare, tip, tree, message, listing)
        bare.point(branch_of(session), new.id)
        _register(bare, path, _head_of(branch_of(session)))
        _read_index(bare, path, new.id)
        return new


def keep(bare: Bare, session: str, name: str, message: str) -> Commit | None:
    """Record under a hidden ref what the worktree holds beyond its branch; None if nothing.

    Branch and worktree stay as they are.
    """
    with bare.session(session) as scratch:
        path, tip = _place(bare, session)
        tree, listing = _tree_now(bare, path, tip, scratch)
        if tree == bare.tree_of(tip):
            return None
        new = _on(bare, tip, tree, message, listing)
        bare.point(ref_of(session, name), new.id)
        return new


def _on(bare: Bare, parent: str, tree: str, message: str, listing: Listing) -> Commit:
    """Keep a new commit; nothing names it yet."""
    new = bare.commit_tree(tree, (parent,), message)
    bare.keep(new, known=(parent,))
    return Commit(
        id=new,
        tree=tree,
        parent=parent,
        changes=changed(bare, parent, new),
        skipped=listing.skipped,
    )


def left_out(bare: Bare, session: str, base: str) -> tuple[LeftOut, ...]:
    """Tell what is in the worktree and in no commit of it, ignored files aside."""
    with bare.session(session) as scratch:
        path, _ = _place(bare, session, otherwise=base)
        return _listed(bare, path, base, scratch / "tip-index").skipped


def ignored(bare: Bare, session: str) -> dict[bytes, int]:
    """Tell what git ignores in the worktree, caches aside, and when each was changed last."""
    with bare.session(session) as scratch:
        path, tip = _place(bare, session)
        index = scratch / "tip-index"
        bare.git("read-tree", tip, index=index)
        return stamps(path, bare.git(*IGNORED, tree=path, index=index).items)


def drop_ignored(bare: Bare, session: str, before: Mapping[bytes, int]) -> tuple[LeftOut, ...]:
    """Name what of the ignored files was made or changed since, and remove what is new.

    No commit holds it: tests that run here without it see what they will see elsewhere.
    """
    now = ignored(bare, session)
    changed_since = sorted(path for path in now if now[path] != before.get(path))
    drop(bare.worktrees / session, [path for path in changed_since if path not in before])
    why = LeftOutReason.IGNORED
    return tuple(LeftOut(path=os.fsdecode(path), reason=why) for path in changed_since)


def is_clean(bare: Bare, session: str) -> bool:
    """Whether the worktree holds what its branch says, file by file; not without a branch."""
    with bare.session(session) as scratch:
        if bare.resolve(branch_of(session)) is None:
            return False
        path, tip = _place(bare, session)
        return _tree_now(bare, path, tip, scratch)[0] == bare.tree_of(tip)


def reset(bare: Bare, session: str, target: str) -> None:
    """Put branch and worktree back to a commit; new files go, ignored ones stay."""
    with bare.session(session):
        path, tip = _place(bare, session, otherwise=target)
        temporary.tame(path)
        _register(bare, path, _head_of(branch_of(session)))
        _read_index(bare, path, tip)
        index = _admin(bare, path) / "index"
        bare.git("read-tree", "--reset", "-u", target, tree=path, index=index)
        bare.git("clean", "-ffdq", tree=path, index=index)
        bare.point(branch_of(session), target)


def put_back(bare: Bare, path: Path, commit_id: str) -> tuple[str, ...]:
    """Make a pristine worktree as its commit again, ignored files aside; tell what differed."""
    session = path.name.partition(".")[0]
    with bare.session(session):
        temporary.tame(path)
        _register(bare, path, f"{commit_id}\n".encode())
        _read_index(bare, path, commit_id)
        index = _admin(bare, path) / "index"
        differing = bare.git("diff-files", "--name-only", "-z", tree=path, index=index).items
        bare.git("read-tree", "--reset", "-u", commit_id, tree=path, index=index)
        bare.git("clean", "-ffdq", tree=path, index=index)
        return tuple(os.fsdecode(name) for name in differing)


def head(bare: Bare, session: str) -> str:
    """Find the newest commit of the session's branch."""
    tip = bare.resolve(branch_of(session))
    if tip is None:
        raise GitFailed(f"the session {session} has no branch yet in {bare.location}")
    return tip


def strays(bare: Bare, session: str, base: str) -> tuple[GitSideEffect, ...]:
    """Tell what somebody did with git in the worktree since the session's branch was at `base`."""
    path, branch = bare.worktrees / session, branch_of(session)
    admin, found = _admin(bare, path), list[GitSideEffect]()
    if (tip := bare.resolve(branch)) != base:
        asked = ("merge-base", "--is-ancestor", base, tip or base)
        onward = tip and bare.git(*asked, accept=(0, 1, 128)).exit_code == 0
        found.append(GitSideEffect.COMMITTED if onward else GitSideEffect.REWROTE)
    if _content(admin / "HEAD") != _head_of(branch):
        found.append(GitSideEffect.SWITCHED)
    if bare.home.git and _content(path / ".git") != _link_to(admin):
        found.append(GitSideEffect.UNLINKED)
    return tuple(found)


def pristine(
    bare: Bare,
    session: str,
    name: str,
    base: str,
    *,
    restore_from: str | None,
    restore: Callable[[str], bool],
) -> Path:
    """Check out a commit anew, chosen files as another commit has them.

    Every path that `restore` accepts is as in `restore_from`: edited ones restored, deleted ones
    back, added ones gone.
    """
    with bare.session(session) as scratch:
        commit_id = base
        if restore_from is not None:
            commit_id = _compose(bare, base, restore_from, restore, scratch)
        path = bare.worktrees / f"{session}.{named(name)}"
        _discard(bare, path)
        _make(bare, path, f"{commit_id}\n".encode(), commit_id)
        return path


def remove(bare: Bare, path: Path, *, even_dirty: bool) -> None:
    """Remove a worktree; a session's own only if its work is committed, or `even_dirty`."""
    if path.parent != bare.worktrees:
        raise UsageError(f"{path} is not a worktree in {bare.worktrees}")
    session, _, extra = path.name.partition(".")
    if not extra and path.is_dir() and not even_dirty and not is_clean(bare, session):
        raise GitFailed(
            f"the worktree {path} has uncommitted changes",
            hint="commit or reset it first",
        )
    with bare.session(session):
        _discard(bare, path)


def _admin(bare: Bare, path: Path) -> Path:
    return bare.location / "worktrees" / path.name


def _place(bare: Bare, session: str, otherwise: str | None = None) -> tuple[Path, str]:
    """Return worktree and branch; where somebody deleted the branch, `otherwise` stands for it."""
    path = bare.worktrees / session
    if not (bare.location / "HEAD").exists():
        raise GitFailed(
            f"the private repository {bare.location} is gone; was the state folder removed?",
            hint="The session cannot continue without it; your own tree is unchanged. `clew fix`"
            " starts a new one.",
        )
    if not path.is_dir():
        raise GitFailed(
            f"the worktree {path} is gone", hint="resume the session to create it again"
        )
    return path, bare.resolve(branch_of(session)) or otherwise or head(bare, session)


def _register(bare: Bare, path: Path, head_line: bytes) -> None:
    admin = _admin(bare, path)
    write_whole(admin / "HEAD", head_line)
    write_whole(admin / "commondir", b"../..\n")
    write_whole(admin / "gitdir", os.fsencode(path / ".git") + b"\n")
    if not bare.home.git:
        return  # at home there is no repository either
    link = path / ".git"
    if link.is_dir() or link.is_symlink():
        temporary.remove(link)
    write_whole(link, _link_to(admin))


def _head_of(branch: str) -> bytes:
    return f"ref: {branch}\n".encode()


def _link_to(admin: Path) -> bytes:
    return b"gitdir: " + os.fsencode(admin) + b"\n"


def _content(path: Path) -> bytes | None:
    """Read a file that anybody may have put there; None for anything else, or a large one."""
    try:
        if path.is_symlink() or not path.is_file():  # a pipe would be waited for
            return None
        with path.open("rb") as file:
            return file.read(1 << 16)
    except OSError:
        return None


def _make(bare: Bare, path: Path, head_line: bytes, commit_id: str) -> None:
    admin = _admin(bare, path)
    if (admin / MAKING).exists():
        temporary.remove(path)
    elif path.exists() and (not path.is_dir() or any(path.iterdir())):
        _set_aside(path)
    admin.mkdir(parents=True, exist_ok=True)
    (admin / READY).unlink(missing_ok=True)
    (admin / MAKING).touch()
    path.mkdir(parents=True, exist_ok=True)
    _register(bare, path, head_line)
    index = admin / "index"
    index.unlink(missing_ok=True)
    bare.git("read-tree", "--reset", "-u", commit_id, tree=path, index=index)
    (admin / READY).touch()
    (admin / MAKING).unlink()


def _set_aside(path: Path) -> None:
    """Nobody knows whose files these are: keep them."""
    number = 1
    while (aside := path.with_name(f"{path.name}.found-{number}")).exists():
        number += 1
    path.rename(aside)


def _discard(bare: Bare, path: Path) -> None:
    admin = _admin(bare, path)
    if path.exists():
        admin.mkdir(parents=True, exist_ok=True)
        (admin / MAKING).touch()  # cut off here, the rest is known to be ours to remove
        temporary.remove(path)
    with contextlib.suppress(OSError):
        temporary.remove(admin)


def _read_index(bare: Bare, path: Path, commit_id: str) -> None:
    """Make the worktree's index say `commit_id`, whatever it said before."""
    index = _admin(bare, path) / "index"
    index.unlink(missing_ok=True)
    bare.git("read-tree", commit_id, tree=path, index=index)
    bare.git("update-index", "-q", "--refresh", tree=path, index=index, accept=(0, 1))


def _tree_now(bare: Bare, path: Path, tip: str, scratch: Path) -> tuple[str, Listing]:
    temporary.tame(path)  # git would pass over what it may not read
    index = scratch / "tip-index"
    listing = _listed(bare, path, tip, index)
    kept = b""
    if listing.kept:
        kept = kept_entries(bare.git("ls-files", "-z", "--stage", index=index), listing)
    return bare.write_tree(path, listing, kept=kept, scratch=scratch), listing


def _listed(bare: Bare, path: Path, tip: str, index: Path) -> Listing:
    bare.git("read-tree", tip, index=index)
    found = bare.git(*LISTED, tree=path, index=index).items
    return list_tree(bare, path, entries_of(found))


def _compose(
    bare: Bare, base: str, source: str, restore: Callable[[str], bool], scratch: Path
) -> str:
    ours, theirs = entries(bare, base), entries(bare, source)
    chosen = {path: blob for path, blob in ours.items() if not restore(path)}
    restored = {path: blob for path, blob in theirs.items() if restore(path)}
    if {**chosen, **restored} == ours:
        return base
    index = scratch / "composed-index"
    lines = [*chosen.items(), *restored.items()]
    feed = b"".join(_index_line(path, blob) for path, blob in lines)
    adding = ("update-index", "--add", "--replace", "-z", "--index-info")
    bare.git(*adding, index=index, stdin=feed)
    tree = bare.git("write-tree", index=index).text
    return bare.commit_tree(tree, (base,), f"{base}, with files of {source}")


def _index_line(path: str, blob: Blob) -> bytes:
    return f"{blob.mode} {blob.name}\t".encode() + os.fsencode(path) + b"\0"
