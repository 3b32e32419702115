"""A session's branch in the person's repository.

What a sparse checkout kept off the disk is in no snapshot, but in the branch: merging it deletes
nothing. Objects are handed over as a pack of exactly what is missing there, not fetched: a fetch
would walk the history, which may be shallow, or gone on their side since the session began.
"""

from __future__ import annotations

from pathlib import Path

from clew.git.worktrees.bare import Bare, branch_of, ref_of
from clew.git.worktrees.snapshot import unseen
from clew.words.errors import GitFailed

__all__ = ["export"]

BRANCHES = 100


def export(bare: Bare, session: str, tip: str, *, scratch: Path) -> str:
    """Create or advance `clew/<session>`, and return its name.

    A branch that would lose work of the person's own, or is checked out, is left as it is; then a
    number is added to the name. Where they have a branch `clew`, it is `clew-<session>`.
    """
    base, name = _snapshot_below(bare, session, tip)
    absent, parents = unseen(bare, session, name), tuple(_parents(bare, base))
    lost = not _has(bare, base) and not all(_has(bare, parent) for parent in parents)
    if lost or absent:
        retelling = _Retelling(bare, absent, scratch / "retold-index")
        base, tip = retelling.tell(base, tip, () if lost else parents)
    _hand_over(bare, base, tip)
    first = _free(bare, branch_of(session))
    for number in range(1, BRANCHES):
        ref = first + ("" if number == 1 else f"-{number}")
        current = bare.theirs("rev-parse", "-q", "--verify", ref, accept=(0, 1)).text
        if current and _holds(bare, current, tip):
            return _short(ref)
        if not current or (_holds(bare, tip, current) and not _checked_out(bare, ref)):
            note = "clew: the branch of a session"
            bare.theirs("update-ref", "--no-deref", "-m", note, ref, tip, current or "0" * len(tip))
            return _short(ref)
    raise GitFailed(f"{BRANCHES} branches named after {session} exist already")


def _free(bare: Bare, ref: str) -> str:
    """Return a name that git has room for: none below a branch."""
    above, _, last = ref.rpartition("/")
    taken = bare.theirs("rev-parse", "-q", "--verify", above, accept=(0, 1)).text
    return f"{above}-{last}" if taken else ref


def _snapshot_below(bare: Bare, session: str, tip: str) -> tuple[str, str]:
    """Find the snapshot that a commit builds on, the session's first or a later one; its name."""
    asked = ("for-each-ref", "--format=%(objectname) %(refname)", f"{ref_of(session, 'base')}*")
    lines = [line.split() for line in bare.git(*asked).text.splitlines()]
    snapshots = {found: ref.rpartition("/")[2] for found, ref in lines}
    commit: str | None = tip
    while commit is not None and commit not in snapshots:
        commit = next(iter(_parents(bare, commit)), None)
    if commit is None:
        raise GitFailed(f"{tip} is not based on a snapshot of session {session} in {bare.location}")
    return commit, snapshots[commit]


def _short(ref: str) -> str:
    return ref.removeprefix("refs/heads/")


def _has(bare: Bare, name: str) -> bool:
    return bare.theirs("cat-file", "-e", name, accept=(0, 1, 128)).exit_code == 0


def _parts(bare: Bare, commit: str) -> tuple[list[str], str]:
    header, _, message = bare.git("cat-file", "commit", commit).stdout.partition(b"\n\n")
    lines = header.decode(errors="replace").split("\n")
    parents = [line.split()[1] for line in lines if line.startswith("parent ")]
    return parents, message.decode(errors="replace")


def _parents(bare: Bare, commit: str) -> list[str]:
    return _parts(bare, commit)[0]


def _since(bare: Bare, base: str, tip: str) -> list[str]:
    """List the commits after `base`, oldest first; fixes never merge."""
    chain = []
    while tip != base:
        chain.append(tip)
        parents = _parents(bare, tip)
        if not parents:
            raise GitFailed(f"the commit {base} is not an ancestor of the session's branch")
        tip = parents[0]
    return chain[::-1]


class _Retelling:
    """The same steps from other parents, with the files that were kept off the disk.

    Told again, it gives the same commits.
    """

    def __init__(self, bare: Bare, absent: dict[bytes, bytes], index: Path) -> None:
        self._bare = bare
        self._absent = absent
        self._index = index

    def tell(self, base: str, tip: str, parents: tuple[str, ...]) -> tuple[str, str]:
        """Return the new names of the first and the last step."""
        tree = self._tree(base)
        unchanged = parents and tree == self._bare.tree_of(parents[0])
        first = last = parents[0] if unchanged else self._commit(base, tree, parents)
        for commit in _since(self._bare, base, tip):
            last = self._commit(commit, self._tree(commit), (last,))
        return first, last

    def _commit(self, like: str, tree: str, parents: tuple[str, ...]) -> str:
        _, message = _parts(self._bare, like)
        date = self._bare.git("show", "-s", "--format=%cI", like).text
        return self._bare.commit_tree(tree, parents, message, date=date)

    def _tree(self, commit: str) -> str:
        if not self._absent:
            return self._bare.tree_of(commit)
        self._bare.git("read-tree", commit, index=self._index)
        there = set(self._bare.git("ls-files", "-z", index=self._index).items)
        feed = b"".join(
            entry + b"\t" + path + b"\0"
            for path, entry in self._absent.items()
            if path not in there
        )
        adding = ("update-index", "--add", "-z", "--index-info")
        self._bare.git(*adding, index=self._index, stdin=feed)
        return self._bare.git("write-tree", "--missing-ok", index=self._index).text


def _hand_over(bare: Bare, base: str, tip: str) -> None:
    chain = [base, *_since(bare, base, tip)]
    trees = [bare.tree_of(commit) for commit in chain]
    walk = "".join(f"{tree}\n" for tree in trees).encode()
    every = ("rev-list", "--objects", "--no-object-names", "--missing=allow-any", "--stdin")
    listed = bare.git(*every, stdin=walk).stdout
    if missing := bare.lacking(dict.fromkeys([*chain, *trees, *listed.decode().split()])):
        feed = "".join(f"{name}\n" for name in missing).encode()
        pack = bare.git("pack-objects", "-q", "--stdout", stdin=feed).stdout
        bare.theirs("unpack-objects", "-q", stdin=pack)


def _holds(bare: Bare, commit: str, older: str) -> bool:
    asked = ("merge-base", "--is-ancestor", older, commit)
    return bare.theirs(*asked, accept=(0, 1, 128)).exit_code == 0


def _checked_out(bare: Bare, ref: str) -> bool:
    lines = bare.theirs("worktree", "list", "--porcelain").stdout.split(b"\n")
    return f"branch {ref}".encode() in lines
