"""The private bare repository: its making, its locks, its refs, and trees recorded from disk.

Laws:
- It borrows the person's objects (`objects/info/alternates`) and nothing else of theirs.
- Content is raw bytes: `info/attributes` takes the highest place and turns every conversion off.
- Whoever changes something of a session holds that session's lock. The lock is inherited by the
  git commands run under it, so a lock that can be had means that none of them is left, and any
  `.lock` file of that session is a leftover.
- What a ref names was packed before, durably and without a loan from the person's objects.
- Nothing is ever collected; an object that is in, stays. Packs are marked as kept: a `git gc` by
  hand would drop what the person's repository has as well.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from clew.git.worktrees.git import GitOutput, excludes_of, git
from clew.git.worktrees.listing import CACHES, Listing
from clew.git.worktrees.records import Home
from clew.sandbox.files import locked, write_atomically
from clew.words.errors import GitFailed, UsageError
from clew.words.papers import PATTERNS

__all__ = ["Bare", "branch_of", "kept_entries", "named", "ref_of", "write_whole"]

ATTRIBUTES = b"* -text -eol -crlf -filter -ident -working-tree-encoding !diff\n"
# loose objects need not be: what a ref will name is packed first
DURABLE = ("-c", "core.fsync=pack,pack-metadata,reference")
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


def named(name: str) -> str:
    """Refuse what is no plain name: sessions and checkpoints become files and refs."""
    if NAME.fullmatch(name) is None:
        raise UsageError(f"{name!r} is not a valid name of a session or checkpoint")
    return name


def branch_of(session: str) -> str:
    """Name a session's branch, in full."""
    return f"refs/heads/clew/{named(session)}"


def ref_of(session: str, name: str) -> str:
    """Name a hidden ref of a session."""
    return f"refs/clew/{named(session)}/{named(name)}"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that no reader ever sees half of it; keep it if it is the same."""
    if not (path.is_file() and path.read_bytes() == content):
        write_atomically(path, content, 0o600)


class Bare:
    """A private repository in `folder`, for the project at `home`."""

    def __init__(self, home: Home, folder: Path) -> None:
        self.home = home
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder = folder.resolve()
        self.location = folder / "repository.git"
        self.worktrees = folder / "worktrees"
        self._held = threading.local()
        self._trees: dict[str, str] = {}
        with self.locked(".repository"):
            self._create()
            self._connect()

    def git(
        self,
        *arguments: str | bytes,
        tree: Path | None = None,
        index: Path | None = None,
        stdin: bytes = b"",
        accept: Collection[int] = (0,),
        date: str = "",
    ) -> GitOutput:
        """Run git on this repository, `tree` as its work tree, at another date than now."""
        variables = {"GIT_DIR": str(self.location)}
        if date:
            variables |= {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        if tree is not None:
            variables["GIT_WORK_TREE"] = str(tree)
        if index is not None:
            variables["GIT_INDEX_FILE"] = str(index)
        return git(
            *DURABLE,
            *arguments,
            cwd=tree or self.location,
            variables=variables,
            stdin=stdin,
            accept=accept,
            hold=self._descriptors(),
        )

    def theirs(
        self,
        *arguments: str | bytes,
        stdin: bytes = b"",
        accept: Collection[int] = (0,),
        folder: Path | None = None,
    ) -> GitOutput:
        """Run git on the person's repository, or on one inside their tree."""
        place = folder or self.home.root
        fence = {"GIT_CEILING_DIRECTORIES": str(place.parent)}
        try:
            return git(*arguments, cwd=place, variables=fence, stdin=stdin, accept=accept)
        except GitFailed as error:
            hint = error.hint or f"`git status` in {place} must work first"
            raise GitFailed(error.message, hint=hint) from error

    def check_index(self) -> None:
        """Raise GitFailed if the person's index cannot be read."""
        if self.home.git:
            self.theirs("ls-files", "-z", "--", ".git")

    def lacking(self, names: Iterable[str]) -> list[str]:
        """Return which of these objects the person's repository does not hold.

        Not asked there: of a partial clone git would fetch what is missing.
        """
        (objects,) = self._paths_of("objects")
        answer = git(
            "cat-file",
            "--batch-check=%(objectname)",
            cwd=self.location,
            variables={"GIT_DIR": str(self.location), "GIT_OBJECT_DIRECTORY": str(objects)},
            stdin="".join(f"{name}\n" for name in names).encode(),
        )
        lines = answer.stdout.decode().splitlines()
        return [line.split()[0] for line in lines if line.endswith(" missing")]

    @contextlib.contextmanager
    def session(self, session: str) -> Iterator[Path]:
        """Hold a session's lock, its leftovers cleared; yields an empty folder to work in."""
        scratch = self.folder / "scratch" / named(session)
        with self.locked(session):
            self._clear(session)
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir(parents=True)
            yield scratch
            shutil.rmtree(scratch, ignore_errors=True)

    def resolve(self, name: str) -> str | None:
        """Find the commit that a ref or name stands for."""
        if name.startswith("refs/") and not self.refs(name):
            return None
        spelled = f"{name}^{{commit}}"
        answer = self.git("rev-parse", "-q", "--verify", spelled, accept=(0, 1, 128))
        return answer.text or None

    def refs(self, *tops: str) -> tuple[str, ...]:
        """List the refs of these names or below them, by the files that git keeps them in."""
        packed = self.location / "packed-refs"
        lines = packed.read_text("utf-8", "replace").splitlines() if packed.is_file() else ()
        found = {line.partition(" ")[2] for line in lines if line[:1] not in "#^"}
        for top in tops:
            place = self.location / top
            files = [path for path in (place, *place.rglob("*")) if path.is_file()]
            # a cut of the power leaves nothing in a file, or zeros: such a ref is none
            whole = [path for path in files if path.read_bytes().strip(b"\0")]
            found |= {path.relative_to(self.location).as_posix() for path in whole}
        below = tuple(f"{top.rstrip('/')}/" for top in tops)
        return tuple(
            sorted(
                name
                for name in found
                if (name in tops or name.startswith(below)) and not name.endswith(".lock")
            )
        )

    def tree_of(self, commit: str) -> str:
        """Find the tree of a commit, named by its id."""
        if commit not in self._trees:
            answer = self.git("rev-parse", "-q", "--verify", f"{commit}^{{tree}}")
            self._trees[commit] = answer.text
        return self._trees[commit]

    def their_head(self) -> tuple[str | None, str | None]:
        """Find the person's newest commit and the branch they are on, if any."""
        if not self.home.git:
            return None, None
        words = ("HEAD^{commit}", "HEAD^{tree}", "--symbolic-full-name", "HEAD")
        match self.theirs("rev-parse", *words, accept=(0, 128)).text.split("\n"):
            case [head, tree, branch] if branch.startswith("refs/"):
                self._trees[head] = tree
                return head, branch
        head = self.theirs("rev-parse", "-q", "--verify", "HEAD^{commit}", accept=(0, 1, 128)).text
        branch = self.theirs("symbolic-ref", "-q", "HEAD", accept=(0, 1, 128)).text
        return head or None, branch or None

    def write_tree(self, root: Path, listing: Listing, *, kept: bytes, scratch: Path) -> str:
        """Record the files of a listing as they are on disk now.

        `kept` are lines of `ls-files --stage -z` for entries that stand as recorded.
        """
        index = scratch / "fresh-index"
        index.unlink(missing_ok=True)
        feed = b"".join(path + b"\0" for path in listing.files)
        adding = ("update-index", "--add", "--remove", "-z", "--stdin")
        self.git(*adding, tree=root, index=index, stdin=feed)
        if kept:
            self.git("update-index", "--add", "-z", "--index-info", index=index, stdin=kept)
        return self.git("write-tree", index=index).text

    def commit_tree(
        self, tree: str, parents: tuple[str, ...], message: str, *, date: str = ""
    ) -> str:
        """Make a commit that no ref names yet."""
        words = [word for parent in parents for word in ("-p", parent)]
        text = message.strip().encode(errors="replace") + b"\n"
        return self.git("commit-tree", tree, *words, "-F", "-", stdin=text, date=date).text

    def keep(self, commit: str, *, known: Iterable[str] = ()) -> None:
        """Copy a commit and its tree into this repository, less `known` trees that were copied.

        Git writes no object that the person's repository has; theirs may be gone tomorrow.
        """
        if self._is_kept(commit):
            return
        tree = self.tree_of(commit)
        here = (f"^{it}^{{tree}}" for it in known if self._is_kept(it))
        revisions = "".join(f"{name}\n" for name in (tree, *here))
        listed = self.git("rev-list", "--objects", "--stdin", stdin=revisions.encode()).stdout
        packs = self.location / "objects" / "pack"
        objects = listed + f"{commit}\n{tree}\n".encode()
        start = str(packs / "pack")
        name = self.git("pack-objects", "-q", "--window=0", start, stdin=objects).text
        (packs / f"pack-{name}.keep").touch()
        if not self.home.git:
            self.git("prune-packed", "-q")  # with alternates it would count theirs as packed here
        write_whole(self.location / "clew-kept" / commit, name.encode())

    def _is_kept(self, commit: str) -> bool:
        """Whether the pack that a commit was copied into is still there."""
        try:
            name = (self.location / "clew-kept" / commit).read_text(encoding="ascii")
        except FileNotFoundError:
            return False
        return (self.location / "objects" / "pack" / f"pack-{name}.pack").is_file()

    def point(self, ref: str, target: str) -> None:
        """Set a ref."""
        self.git("update-ref", "--no-deref", ref, target)

    def unname(self, *refs: str) -> None:
        """Delete refs, all of them or none."""
        feed = "start\n" + "".join(f"delete {ref}\n" for ref in refs) + "commit\n"
        self.git("update-ref", "--no-deref", "--stdin", stdin=feed.encode())

    def _descriptors(self) -> tuple[int, ...]:
        return tuple(getattr(self._held, "descriptors", ()))

    @contextlib.contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Hold a lock of this repository's; see the module for a session's."""
        path = self.folder / "locks" / f"{name}.lock"
        before = self._descriptors()
        with locked(path) as opened:
            self._held.descriptors = (*before, opened)
            try:
                yield
            finally:
                self._held.descriptors = before

    def _clear(self, session: str) -> None:
        leftovers = [self.location / f"{branch_of(session)}.lock"]
        leftovers += (self.location / "refs" / "clew" / session).glob("*.lock")
        administered = self.location / "worktrees"
        leftovers += administered.glob(f"{session}/*.lock")
        leftovers += administered.glob(f"{session}.*/*.lock")
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)

    def _create(self) -> None:
        for half_made in self.folder.glob("making.*"):
            shutil.rmtree(half_made, ignore_errors=True)
        if self.location.is_dir():
            return
        kind = "sha1"
        if self.home.git:
            kind = self.theirs("rev-parse", "--show-object-format").text
        making = Path(tempfile.mkdtemp(prefix="making.", dir=self.folder))
        bare = making / "repository.git"
        options = ("--bare", "--quiet", "--template=", f"--object-format={kind}")
        git("init", *options, str(bare), cwd=making)
        for folder in ("objects/info", "objects/pack", "info", "worktrees"):
            (bare / folder).mkdir(parents=True, exist_ok=True)
        bare.rename(self.location)
        making.rmdir()

    def _connect(self) -> None:
        info = self.location / "info"
        write_whole(info / "attributes", ATTRIBUTES)
        ignored: list[Path] = []
        if self.home.git:
            objects, theirs, shallow = self._paths_of("objects", "info/exclude", "shallow")
            alternates = self.location / "objects" / "info" / "alternates"
            write_whole(alternates, _as_alternate(os.fsencode(os.path.realpath(objects))))
            ignored = [excludes_of(self.home.root), theirs]
            self._mirror_shallow(shallow)
        caches = [name + b"/" for name in sorted(CACHES)]
        papers = [os.fsencode(pattern) for pattern in PATTERNS]
        lists = [path.read_bytes() for path in ignored if path.is_file()]
        write_whole(info / "exclude", b"\n".join([*lists, *caches, *papers, b""]))

    def _paths_of(self, *names: str) -> list[Path]:
        """Find where the person's repository keeps things."""

        def ask(*some: str) -> str:
            words = (word for name in some for word in ("--git-path", name))
            return self.theirs("rev-parse", *words).text

        found = ask(*names).split("\n")
        if len(found) != len(names):  # a folder with a newline in its name
            found = [ask(name) for name in names]
        return [self.home.root / path for path in found]

    def _mirror_shallow(self, theirs: Path) -> None:
        """Look for no history here that is cut off there."""
        ours = self.location / "shallow"
        if theirs.is_file():
            write_whole(ours, theirs.read_bytes())
        else:
            ours.unlink(missing_ok=True)


def _as_alternate(path: bytes) -> bytes:
    if b"\n" not in path:
        return path + b"\n"
    for plain, escaped in ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\n", b"\\n")):
        path = path.replace(plain, escaped)
    return b'"' + path + b'"\n'


def kept_entries(answer: GitOutput, listing: Listing) -> bytes:
    """Turn `ls-files -z --stage` into lines for `update-index --index-info`, for what stands."""
    wanted = set(listing.kept)
    lines: dict[bytes, bytes] = {}
    for item in answer.items:
        fields, _, path = item.partition(b"\t")
        if path in wanted:
            mode, name, _ = fields.split()
            lines.setdefault(path, b"%s %s\t%s\0" % (mode, name, path))
    return b"".join(lines.values())
