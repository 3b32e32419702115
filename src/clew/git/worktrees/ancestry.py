"""Questions about the person's history: names, lines of commits, what a commit says of itself."""

from __future__ import annotations

from datetime import datetime

import msgspec

from clew.git.worktrees.bare import Bare

__all__ = [
    "CommitFacts",
    "before",
    "between",
    "common",
    "described",
    "first_parents",
    "named_by_person",
    "shallow",
]

FIELDS = "%H%x00%P%x00%an%x00%aI%x00%s"


class CommitFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a commit says of itself; author and subject are anybody's words."""

    id: str
    parents: tuple[str, ...]
    author: str
    date: datetime  # the author's
    subject: str


def named_by_person(bare: Bare, name: str) -> str | None:
    """Find the commit that a person means by a branch, tag, id or expression, if there is one."""
    if not bare.home.git or name.startswith("-") or "\0" in name:
        return None
    asked = ("rev-parse", "-q", "--verify", f"{name}^{{commit}}")
    return bare.theirs(*asked, accept=(0, 1, 128)).text or None


def first_parents(bare: Bare, commit: str, most: int) -> tuple[str, ...]:
    """List a commit and its first parents, newest first."""
    asked = ("rev-list", "--first-parent", f"--max-count={most}", commit)
    return tuple(bare.git(*asked).stdout.decode().split())


def between(bare: Bare, good: str, bad: str) -> dict[str, tuple[str, ...]]:
    """Map every commit that is reached from `bad` and not from `good` to its parents.

    Children come before their parents.
    """
    listed = bare.git("rev-list", "--topo-order", "--parents", bad, f"^{good}").stdout.decode()
    return {words[0]: tuple(words[1:]) for line in listed.splitlines() if (words := line.split())}


def common(bare: Bare, one: str, other: str) -> str | None:
    """Find the commit where two histories part; None if they have none in common."""
    return bare.git("merge-base", one, other, accept=(0, 1)).text or None


def described(bare: Bare, commit: str) -> CommitFacts:
    """Read what a commit says of itself."""
    said = bare.git("log", "-1", f"--format={FIELDS}", commit).stdout.decode(errors="replace")
    name, parents, author, date, subject = said.rstrip("\n").split("\0", 4)
    return CommitFacts(
        id=name,
        parents=tuple(parents.split()),
        author=author,
        date=datetime.fromisoformat(date),
        subject=subject,
    )


def before(bare: Bare, commit: str) -> str:
    """Name what a commit changed: its first parent, or the empty tree."""
    parents = described(bare, commit).parents
    return parents[0] if parents else bare.git("hash-object", "-t", "tree", "--stdin").text


def shallow(bare: Bare) -> bool:
    """Whether the person's history is cut off."""
    return (bare.location / "shallow").is_file()
