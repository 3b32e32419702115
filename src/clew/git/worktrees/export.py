"""A session's branch in the person's repository.

What a sparse checkout kept off the disk is in no snapshot, but in the branch: merging it deletes
nothing. Objects are handed over as a pack of exactly what is missing there, not fetched: a fetch
would walk the history, which may be shallow, or gone on their side since the session began.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from clew.git.worktrees.bare import Bare, branch_of, ref_of
from clew.git.worktrees.history import entries
from clew.git.worktrees.snapshot import WORK_TREE, unseen
from clew.words.errors import GitFailed

__all__ = ["CommitStep", "Steps", "export", "holds_their_work"]

BRANCHES = 100


class CommitStep(msgspec.Struct, frozen=True):
    """One of the commits that a commit is told in, and the files that it changes, whole."""

    message: str
    files: Mapping[str, bytes]  # there before, and each as it is after this step


Steps = Mapping[str, tuple[CommitStep, ...]]  # by commit; the last of its steps ends as it does


def export(bare: Bare, session: str, tip: str, *, steps: Steps | None = None, scratch: Path) -> str:
    """Create or advance `clew/<session>`, and return its name.

    A commit that has `steps` is told in that many commits. A branch that would lose work of the
    person's own, or is checked out, is left as it is; then a number is added to the name. Where
    they have a branch `clew`, it is `clew-<session>`.
    """
    base, name = _snapshot_below(bare, session, tip)
    absent, parents = unseen(bare, session, name), tuple(_parents(bare, base))
    lost = not _has(bare, base) and not all(_has(bare, parent) for parent in parents)
    if lost or absent or steps:
        retelling = _Retelling(bare, absent, steps or {}, scratch / "retold-index")
        retold = retelling.first(base, () if lost else parents) if lost or absent else base
        base, tip = retold, retelling.onto(retold, base, tip)
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


def holds_their_work(bare: Bare, branch: str) -> bool:
    """Tell whether a branch of ours holds work of theirs that they had not committed."""
    head, _ = bare.their_head()
    beyond = () if head is None else (f"^{head}",)
    asked = ("rev-list", "--format=%s", f"refs/heads/{branch}", *beyond)
    subjects = bare.theirs(*asked, accept=(0, 128)).text.splitlines()
    return any(subject.startswith(WORK_TREE) for subject in subjects)


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

    def __init__(self, bare: Bare, absent: dict[bytes, bytes], steps: Steps, index: Path) -> None:
        self._bare = bare
        self._absent = absent
        self._steps = steps
        self._index = index

    def first(self, base: str, parents: tuple[str, ...]) -> str:
        """Return the new name of the snapshot that all begins with."""
        tree = self._tree(base)
        unchanged = parents and tree == self._bare.tree_of(parents[0])
        return parents[0] if unchanged else self._commit(base, tree, parents)

    def onto(self, last: str, base: str, tip: str) -> str:
        """Return the new name of the last commit since the snapshot, told on top of another."""
        for commit in _since(self._bare, base, tip):
            steps = self._steps.get(commit, ())
            for step in steps[:-1]:
                tree = self._with(step, last)
                last = self._commit(commit, tree, (last,), message=step.message)
            message = steps[-1].message if steps else ""
            last = self._commit(commit, self._tree(commit), (last,), message=message)
        return last

    def _commit(self, like: str, tree: str, parents: tuple[str, ...], *, message: str = "") -> str:
        message = message or _parts(self._bare, like)[1]
        date = self._bare.git("show", "-s", "--format=%cI", like).text
        return self._bare.commit_tree(tree, parents, message, date=date)

    def _with(self, step: CommitStep, commit: str) -> str:
        """Return the tree of a commit with the files that a step changes."""
        there = entries(self._bare, commit)
        adding = ("hash-object", "-w", "--no-filters", "--stdin")
        lines = [
            f"{there[path].mode} {self._bare.git(*adding, stdin=content).text}\t".encode()
            + os.fsencode(path)
            + b"\0"
            for path, content in step.files.items()
        ]
        self._bare.git("read-tree", commit, index=self._index)
        update = ("update-index", "-z", "--index-info")
        self._bare.git(*update, index=self._index, stdin=b"".join(lines))
        return self._bare.git("write-tree", "--missing-ok", index=self._index).text

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
