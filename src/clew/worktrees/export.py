"""A session's branch in the person's repository.

Objects are handed over as a pack of exactly what is missing there, not fetched: a fetch would walk
the history, which may be shallow, or gone on their side since the session began.
"""

from __future__ import annotations

from clew.errors import GitFailed
from clew.worktrees.bare import Bare, branch_of, ref_of

__all__ = ["export"]

BRANCHES = 100


def export(bare: Bare, session: str, tip: str) -> str:
    """Create or advance `clew/<session>`, and return its name.

    A branch that would lose work of the person's own, or is checked out, is left as it is; then a
    number is added to the name.
    """
    base = _snapshot_below(bare, session, tip)
    if not _has(bare, base) and not all(_has(bare, parent) for parent in _parents(bare, base)):
        base, tip = _without_past(bare, base, tip)
    _hand_over(bare, base, tip)
    for number in range(1, BRANCHES):
        ref = branch_of(session) + ("" if number == 1 else f"-{number}")
        current = bare.theirs("rev-parse", "-q", "--verify", ref, accept=(0, 1)).text
        if current and _holds(bare, current, tip):
            return _short(ref)
        if not current or (_holds(bare, tip, current) and not _checked_out(bare, ref)):
            note = "clew: the branch of a session"
            bare.theirs("update-ref", "--no-deref", "-m", note, ref, tip, current or "0" * len(tip))
            return _short(ref)
    raise GitFailed(f"{BRANCHES} branches named after {session} exist, none of them free")


def _snapshot_below(bare: Bare, session: str, tip: str) -> str:
    """Find the snapshot that a commit builds on: the session's first, or a later one."""
    asked = ("for-each-ref", "--format=%(objectname)", f"{ref_of(session, 'base')}*")
    snapshots = set(bare.git(*asked).text.split())
    commit: str | None = tip
    while commit is not None and commit not in snapshots:
        commit = next(iter(_parents(bare, commit)), None)
    if commit is None:
        raise GitFailed(f"{tip} builds on no snapshot of the session {session} in {bare.location}")
    return commit


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
            raise GitFailed(f"the commit {base} is no ancestor of the session's branch")
        tip = parents[0]
    return chain[::-1]


def _without_past(bare: Bare, base: str, tip: str) -> tuple[str, str]:
    """Repeat the steps from a first commit: what came before is gone from their repository."""
    root = last = bare.commit_tree(bare.tree_of(base), (), _parts(bare, base)[1])
    for commit in _since(bare, base, tip):
        last = bare.commit_tree(bare.tree_of(commit), (last,), _parts(bare, commit)[1])
    return root, last


def _hand_over(bare: Bare, base: str, tip: str) -> None:
    chain = [base, *_since(bare, base, tip)]
    trees = [bare.tree_of(commit) for commit in chain]
    walk = "".join(f"{tree}\n" for tree in trees).encode()
    listed = bare.git("rev-list", "--objects", "--no-object-names", "--stdin", stdin=walk).stdout
    names = list(dict.fromkeys([*chain, *trees, *listed.decode().split()]))
    asked = "".join(f"{name}\n" for name in names).encode()
    answers = bare.theirs("cat-file", "--batch-check=%(objectname)", stdin=asked).stdout.decode()
    missing = [line.split()[0] for line in answers.splitlines() if line.endswith(" missing")]
    if missing:
        feed = "".join(f"{name}\n" for name in missing).encode()
        pack = bare.git("pack-objects", "-q", "--stdout", stdin=feed).stdout
        bare.theirs("unpack-objects", "-q", stdin=pack)


def _holds(bare: Bare, commit: str, older: str) -> bool:
    asked = ("merge-base", "--is-ancestor", older, commit)
    return bare.theirs(*asked, accept=(0, 1, 128)).exit_code == 0


def _checked_out(bare: Bare, ref: str) -> bool:
    lines = bare.theirs("worktree", "list", "--porcelain").stdout.split(b"\n")
    return f"branch {ref}".encode() in lines
