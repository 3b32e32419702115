"""The one door: everything that Clew does with git, for one project."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from clew.git.worktrees import ancestry, applying, carrying, checkout, history, snapshot
from clew.git.worktrees.ancestry import CommitFacts
from clew.git.worktrees.bare import Bare, branch_of, named, ref_of
from clew.git.worktrees.export import Steps
from clew.git.worktrees.history import Blob, Replaced
from clew.git.worktrees.records import Applied, Carried, Commit, Home, LeftOut, Snapshot, TreeChange
from clew.words.facts import GitSideEffect

__all__ = ["PrivateRepository"]


class PrivateRepository:
    """A project's private repository, and the worktrees beside it.

    Only `apply` writes to the project. Every method may be called again after it was interrupted at
    any moment. Methods that take a session hold that session's lock.
    """

    def __init__(self, bare: Bare) -> None:
        self._bare = bare

    @classmethod
    def open(cls, project: Home, folder: Path) -> PrivateRepository:
        """Open the repository in `folder`, made anew where there is none.

        What the person ignores is read again each time.
        """
        return cls(Bare(project, folder))

    @property
    def project(self) -> Home:
        return self._bare.home

    @property
    def location(self) -> Path:
        """The bare repository's folder."""
        return self._bare.location

    def check_index(self) -> None:
        """Raise GitFailed if the person's index cannot be read: no snapshot can be taken then."""
        self._bare.check_index()

    def snapshot(
        self, session: str, name: str = "base", *, limit: int = snapshot.LIMIT
    ) -> Snapshot:
        """Record the person's tree as it is now, once a session; later calls repeat the answer.

        Under another name a later state of it can be recorded, to see what they changed since.
        Untracked files above `limit` bytes are left out.
        """
        return snapshot.take(self._bare, session, name, limit=limit)

    def begin_at(self, session: str, commit: str) -> Snapshot:
        """Record a commit of ours, and not the person's tree, as what a session begins with."""
        return snapshot.begin_at(self._bare, session, commit)

    def glimpse(self, session: str) -> Snapshot:
        """Record the person's tree as it is now, for a worktree that is gone soon."""
        return snapshot.glimpse(self._bare, session)

    def recorded(self, session: str, name: str = "base") -> Snapshot | None:
        """Read the session's snapshot, if it was completed."""
        return snapshot.recorded(self._bare, session, name)

    def worktree(self, session: str) -> Path:
        """Where the session's worktree is, or would be."""
        return self._bare.worktrees / session

    def add_worktree(self, session: str, commit: str, *, branch: bool = True) -> Path:
        """Make or repair the session's worktree; a new branch `clew/<session>` starts at `commit`.

        An existing branch is kept, and so are changes in an existing worktree. Without a `branch`
        no change can be told or committed.
        """
        return checkout.add(self._bare, session, commit, branch=branch)

    def commit(self, session: str, message: str, *, onto: str | None = None) -> Commit | None:
        """Record all changes in the worktree but ignored files; None if there are none.

        With `onto` all changes since that commit become one on top of it.
        """
        return checkout.commit(self._bare, session, message, onto=onto)

    def keep(self, session: str, name: str, message: str) -> Commit | None:
        """Record what was changed in the worktree under a hidden ref, and nothing else."""
        return checkout.keep(self._bare, session, name, message)

    def left_out(self, session: str, base: str) -> tuple[LeftOut, ...]:
        """Tell what is in the worktree and in no commit of it since `base`, ignored files aside."""
        return checkout.left_out(self._bare, session, base)

    def ignored(self, session: str) -> dict[bytes, int]:
        """Tell what git ignores in the worktree, and when each file was changed last."""
        return checkout.ignored(self._bare, session)

    def drop_ignored(self, session: str, before: Mapping[bytes, int]) -> tuple[LeftOut, ...]:
        """Name ignored files that were made or changed since, and remove those that are new."""
        return checkout.drop_ignored(self._bare, session, before)

    def reset(self, session: str, commit: str) -> None:
        """Put worktree and branch back to a commit; ignored files stay."""
        checkout.reset(self._bare, session, commit)

    def carry(self, session: str, base: str, tip: str, *, onto: str, message: str) -> Carried:
        """Commit the change from `base` to `tip` on top of `onto`, where the two go together."""
        return carrying.carry(self._bare, session, base, tip, onto=onto, message=message)

    def restore(
        self, session: str, commit: str, source: str, paths: Collection[str], *, message: str
    ) -> str:
        """Commit on top of `commit` what it is with these paths as `source` has them."""
        return carrying.restore(self._bare, session, commit, source, paths, message=message)

    def head(self, session: str) -> str:
        """Find the newest commit of the session's branch."""
        return checkout.head(self._bare, session)

    def is_clean(self, session: str) -> bool:
        """Whether the worktree is exactly its newest commit."""
        return checkout.is_clean(self._bare, session)

    def strays(self, session: str, base: str) -> tuple[GitSideEffect, ...]:
        """Tell what somebody did with git in the worktree since its branch was at `base`."""
        return checkout.strays(self._bare, session, base)

    def pristine(
        self,
        session: str,
        name: str,
        commit: str,
        *,
        restore_from: str | None = None,
        restore: Callable[[str], bool] = lambda _path: True,
    ) -> Path:
        """Check out `commit` anew in a folder of its own.

        Every path that `restore` accepts is as in `restore_from`: edited files restored, deleted
        ones back, added ones gone.
        """
        return checkout.pristine(
            self._bare, session, name, commit, restore_from=restore_from, restore=restore
        )

    def put_back(self, path: Path, commit: str) -> tuple[str, ...]:
        """Undo what was done in a pristine worktree, ignored files aside; name what had changed.

        `commit` is the one that it holds; files that are new to it go, and are not named.
        """
        return checkout.put_back(self._bare, path, commit)

    def remove(self, path: Path, *, even_dirty: bool = False) -> None:
        """Remove a worktree; a session's own with uncommitted changes only if `even_dirty`."""
        checkout.remove(self._bare, path, even_dirty=even_dirty)

    def changed(self, before: str, after: str) -> tuple[TreeChange, ...]:
        """List the files that differ between two commits; a rename is two changes."""
        return history.changed(self._bare, before, after)

    def diff(self, before: str, after: str, paths: Sequence[str] | None = None) -> str:
        """Show the difference of two commits to people; `paths` are no patterns."""
        return history.diff(self._bare, before, after, paths)

    def counted(self, before: str, after: str) -> tuple[int, int]:
        """Count the lines that come, and that go, from one commit to another."""
        return history.counted(self._bare, before, after)

    def patch(self, before: str, after: str) -> bytes:
        """Write the difference of two commits as `git apply` takes it."""
        return history.patch(self._bare, before, after)

    def message(self, commit: str) -> str:
        """Read a commit's message, with its trailers."""
        return history.message(self._bare, commit)

    def show(self, commit: str, path: str) -> bytes | None:
        """Read a file as a commit has it (a link: its target); None if there is none."""
        return history.show(self._bare, commit, path)

    def files(self, commit: str) -> tuple[str, ...]:
        """List all files of a commit, sorted by byte."""
        return tuple(history.entries(self._bare, commit))

    def named_by_person(self, name: str) -> str | None:
        """Find the commit that a branch, a tag or an id of theirs stands for, if any."""
        return ancestry.named_by_person(self._bare, name)

    def first_parents(self, commit: str, most: int) -> tuple[str, ...]:
        """List a commit and its first parents, newest first."""
        return ancestry.first_parents(self._bare, commit, most)

    def replaced(self, commit: str, most: int) -> tuple[Replaced, ...]:
        """List what a commit and its first parents replaced, the newest first."""
        return history.replaced(self._bare, commit, most)

    def unmerged(self, commit: str, most: int) -> tuple[Replaced, ...]:
        """List what merges among a commit and its first parents lost of what they merged."""
        return history.unmerged(self._bare, commit, most)

    def between(self, good: str, bad: str) -> dict[str, tuple[str, ...]]:
        """Map what is reached from `bad` and not from `good` to its parents, children first."""
        return ancestry.between(self._bare, good, bad)

    def common(self, one: str, other: str) -> str | None:
        """Find the commit where two histories part."""
        return ancestry.common(self._bare, one, other)

    def described(self, commit: str) -> CommitFacts:
        """Read what a commit says of itself."""
        return ancestry.described(self._bare, commit)

    def before(self, commit: str) -> str:
        """Name what a commit changed: its first parent, or the empty tree."""
        return ancestry.before(self._bare, commit)

    @property
    def shallow(self) -> bool:
        """Whether the person's history is cut off."""
        return ancestry.shallow(self._bare)

    def tree(self, commit: str) -> str:
        """Name the tree of a commit: the same code has the same one."""
        return self._bare.tree_of(commit)

    def blobs(self, commit: str) -> dict[str, Blob]:
        """Name the mode and the object of every file of a commit."""
        return history.entries(self._bare, commit)

    def contents(self, names: Collection[str]) -> dict[str, bytes]:
        """Read many objects that `blobs` names, in one go."""
        return history.contents(self._bare, names)

    def texts(self, commit: str, paths: Collection[str]) -> dict[str, bytes]:
        """Read many files of a commit in one go; those that it does not have are left out."""
        return history.texts(self._bare, commit, paths)

    def mentioning(self, commit: str, words: Collection[str]) -> tuple[str, ...]:
        """List the files of a commit whose text holds any of some words."""
        return history.mentioning(self._bare, commit, words)

    def forget(self, session: str) -> None:
        """Remove a session's worktree, branch and hidden refs."""
        checkout.remove(self._bare, self.worktree(session), even_dirty=True)
        with self._bare.session(session):
            if refs := self._bare.refs(f"refs/clew/{named(session)}", branch_of(session)):
                self._bare.unname(*refs)

    def ref(self, session: str, name: str, commit: str | None = None) -> str | None:
        """Read a hidden ref of the session, after setting it if a commit is given."""
        ref = ref_of(session, name)
        if commit is not None:
            with self._bare.session(session):
                self._bare.point(ref, commit)
        return self._bare.resolve(ref)

    def without_applied(self, session: str, commit: str) -> str:
        """Return a commit of their tree with what `apply` did last taken back from it."""
        return applying.without_applied(self._bare, session, commit)

    def still_applied(self, session: str) -> str | None:
        """Return the commit of a session that was applied last, if the tree still has any of it."""
        return applying.still_applied(self._bare, session)

    def is_cut_off(self, session: str) -> bool:
        """Whether an `apply` or `take_back` was killed while it wrote the person's files."""
        return applying.is_cut_off(self._bare, session)

    def differing(self, base: str, tip: str) -> tuple[str, ...]:
        """Name the files of the change from `base` to `tip` that the person has otherwise now."""
        return applying.differing(self._bare, base, tip)

    def apply(
        self,
        session: str,
        base: str,
        tip: str,
        *,
        wording: applying.Wording | None = None,
        steps: Steps | None = None,
    ) -> Applied:
        """Export the branch and put the change from `base` to `tip` into the person's tree.

        Raises ApplyConflict, with no file written, where their newer work excludes the fix, and
        NotApplied, with all files put back, where the disk refuses. With a `wording`, exactly
        the fix's files are committed as the person would do it. With `steps` the branch tells
        one commit in several.
        """
        return applying.apply(self._bare, session, base, tip, wording=wording, steps=steps)

    def take_back(self, session: str) -> Applied | None:
        """Take what was applied last out of the person's tree again; None where nothing was.

        Raises ApplyConflict, with no file written, where they changed the very lines since.
        """
        return applying.take_back(self._bare, session)
