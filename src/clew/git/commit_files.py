"""The files of a commit, read where they are needed; what was read of a content is kept.

Outlines are kept by the name of the blob and the version of the grammar, in a table that may be
thrown away at any time: what is missing or cannot be read is made anew.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import msgspec

from clew.analysis.context import (
    LARGEST,
    ContextFile,
    Focus,
    Index,
    Language,
    Outline,
    distances,
    excerpt,
    language_of,
    outline,
    targets,
    version_of,
    words_of,
)
from clew.analysis.testfiles import is_test_path
from clew.git.worktrees import PrivateRepository
from clew.words.encodings import readable

__all__ = ["NOTHING", "CommitFiles", "Gathered", "gather"]

TABLE = "CREATE TABLE IF NOT EXISTS outlines (key TEXT PRIMARY KEY, record BLOB) WITHOUT ROWID"
BATCH = 500  # files that are read at once
LONG_LINE = re.compile(rb"[^\n]{5000}")  # no person wrote it, and a grammar may take for ever
MOST_IMPORTERS = 200  # that are read
MOST_FAR = 400  # files of distance 2 that are read
MOST = 200_000  # outlines that are kept
FILE = frozenset({"100644", "100755"})
NOTHING: Mapping[str, tuple[int, ...]] = MappingProxyType({})
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Outline | None)


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """The files around a failure, nearest first."""

    sources: tuple[ContextFile, ...] = ()
    listed: tuple[str, ...] = ()  # without a grammar: named, not shown
    beyond: int = 0  # files of distance 2 that were too many to be read


def gather(
    library: CommitFiles, focus: Sequence[Focus], ran: Mapping[str, tuple[int, ...]] = NOTHING
) -> Gathered:
    """Read the files around what a failure names, and those of which its tests ran lines."""
    index = library.index()
    named = {place.path: place.lines for place in focus}
    at = {**ran, **named}
    far = distances(named, index, library.outline, library.importers, library.read, ran=ran)
    ordered = [path for path in named if path in far]
    near = (path for path, steps in far.items() if steps == 1)
    ordered += sorted(near, key=lambda path: (path not in ran, path))
    outer = sorted(path for path, steps in far.items() if steps == 2)  # noqa: PLR2004 - the last ring
    library.prepare(outer[:MOST_FAR])
    sources, listed = [], []
    for path in (*ordered, *outer[:MOST_FAR]):
        text, known = library.text(path), library.outline(path)
        if text is None or (known is None and far[path]):
            listed.append(path)
            continue
        sources.append(
            ContextFile(
                path=path,
                distance=far[path],
                text=text,
                skeleton=known.skeleton if known is not None else None,
                focus=excerpt(text, at[path], known) if path in at else "",
                ran=path in ran,
            )
        )
    return Gathered(sources=tuple(sources), listed=tuple(listed), beyond=len(outer[MOST_FAR:]))


class CommitFiles:
    """The files of one commit. A file that is no text, or no file, is not in it."""

    def __init__(self, repository: PrivateRepository, commit: str, folder: Path) -> None:
        """Open the commit; outlines are kept in `folder`."""
        self._repository = repository
        self._commit = commit
        self._blobs = {
            path: blob.name for path, blob in repository.blobs(commit).items() if blob.mode in FILE
        }
        self._contents: dict[str, bytes] = {}
        self._outlines: dict[str, Outline | None] = {}
        self._kept = _Kept(folder / "outlines.db")

    @property
    def paths(self) -> Collection[str]:
        return self._blobs.keys()

    def index(self) -> Index:
        """Name the paths as imports do."""
        manifests = [path for path in self.paths if path.rpartition("/")[2] == "go.mod"]
        return Index(self.paths, {path: self.text(path) or "" for path in manifests})

    def text(self, path: str) -> str | None:
        """Return a file's text; None if there is none, or it is no text."""
        name = self._blobs.get(path)
        if name is None:
            return None
        if name not in self._contents:
            self._fetch([name])
        content = self._contents[name]
        return None if b"\0" in content else readable(path, content)

    def prepare(self, paths: Collection[str]) -> None:
        """Read many files at once."""
        self.read(paths)
        names = {self._blobs[path] for path in paths if path in self._blobs}
        self._fetch(names - self._contents.keys())

    def outline(self, path: str) -> Outline | None:
        """Return a file's outline; None without a grammar, or if it is too large to be read."""
        if path not in self._outlines:
            self.read([path])
        return self._outlines[path]

    def importers(self, focus: frozenset[str]) -> Iterable[str]:
        """Return files of code that may import one of some files: they have a word for it.

        Of very many those come that lie nearest.
        """
        found = [path for path in self._naming(focus) if not is_test_path(path)]
        folders = {posixpath.dirname(path) for path in focus}
        found.sort(key=lambda path: (-max(_shared(path, f) for f in folders), path))
        self.read(found[:MOST_IMPORTERS])
        return found[:MOST_IMPORTERS]

    def importing(self, files: frozenset[str]) -> tuple[str, ...]:
        """Return every file of code, tests included, that imports one of some files itself."""
        index, found = self.index(), self._naming(files)
        self.read(found)
        return tuple(path for path in found if files & targets(path, index, self.outline))

    def _naming(self, files: frozenset[str]) -> list[str]:
        named = self._repository.mentioning(self._commit, words_of(files))
        return [path for path in named if language_of(path) is not None]

    def close(self) -> None:
        """Keep what was read."""
        self._kept.close()

    def _fetch(self, names: Collection[str]) -> None:
        self._contents.update(self._repository.contents(names))

    def read(self, paths: Collection[str]) -> None:
        """Read many outlines at once."""
        asked = {}
        for path in paths:
            language = language_of(path) if path in self._blobs else None
            if language is None:
                self._outlines[path] = None
            elif path not in self._outlines:
                asked[path] = language
        keys = {
            path: f"{self._blobs[path]} {version_of(language)}" for path, language in asked.items()
        }
        kept = self._kept.take(keys.values())
        self._outlines |= {path: kept[key] for path, key in keys.items() if key in kept}
        missing = [path for path, key in keys.items() if key not in kept]
        for start in range(0, len(missing), BATCH):
            batch = missing[start : start + BATCH]
            new = {}
            contents = self._repository.contents([self._blobs[path] for path in batch])
            for path in batch:
                found = _outlined(contents[self._blobs[path]], asked[path])
                new[keys[path]] = self._outlines[path] = found
            self._kept.put(new)


def _shared(path: str, folder: str) -> int:
    """Count the folders that a file shares with a folder."""
    return len(posixpath.commonpath([f"/{path}", f"/{folder}"]).split("/"))


def _outlined(content: bytes, language: Language) -> Outline | None:
    if len(content) > LARGEST or b"\0" in content or LONG_LINE.search(content):
        return None
    return outline(content, language)


class _Kept:
    """Outlines from earlier looks; a table that cannot be used is done without."""

    def __init__(self, path: Path) -> None:
        self._database: sqlite3.Connection | None = None
        for _ in range(2):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                database = sqlite3.connect(path, isolation_level=None, timeout=2)
                database.execute("PRAGMA synchronous = OFF")
                database.execute(TABLE)
                self._database = database
            except sqlite3.OperationalError:  # in use for long, or out of reach: it may be whole
                return
            except sqlite3.DatabaseError:
                with contextlib.suppress(OSError):
                    path.unlink(missing_ok=True)
            except OSError:
                return
            else:
                return

    def take(self, keys: Collection[str]) -> dict[str, Outline | None]:
        """Return what is kept of these."""
        if self._database is None:
            return {}
        wanted = list(keys)
        found: dict[str, Outline | None] = {}
        try:
            for start in range(0, len(wanted), BATCH):
                batch = wanted[start : start + BATCH]
                marks = ",".join("?" * len(batch))
                rows = self._database.execute(
                    f"SELECT key, record FROM outlines WHERE key IN ({marks})",  # noqa: S608 - marks
                    batch,
                )
                found |= {key: _decoder.decode(record) for key, record in rows}
        except (sqlite3.DatabaseError, msgspec.DecodeError):
            return {}
        return found

    def put(self, outlines: dict[str, Outline | None]) -> None:
        """Keep outlines; more than enough of them make room for new ones."""
        if self._database is None:
            return
        rows = [(key, _encoder.encode(each)) for key, each in outlines.items()]
        with contextlib.suppress(sqlite3.DatabaseError):
            self._database.execute("BEGIN")
            self._database.executemany("INSERT OR REPLACE INTO outlines VALUES (?, ?)", rows)
            (count,) = self._database.execute("SELECT count(*) FROM outlines").fetchone()
            if count > MOST:
                self._database.execute("DELETE FROM outlines")
            self._database.execute("COMMIT")

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
