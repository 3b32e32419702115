"""Patches that an earlier search of the same code tried in vain: they are not tried again.

A file of hashes, eight bytes each, behind one of what they were tried with: the state of the
project and the command, which the request tells, and the tests that are red. Where that is another,
it says nothing. The likeliest are tried again all the same: what was red for a reason that is gone
by now (a machine that was busy, a service that was away) may be right.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from typing import Dict, FrozenSet, Iterable, Optional, Sequence, Set, Tuple

from .files import ProjectSources
from .source import Patch, Source

__all__ = ["Vain"]

NAME = "vain"  # of the file
HEAD, SIZE = 16, 8  # bytes
MOST = 500_000  # some 4 MB
AGAIN = 100  # patches, the likeliest, that are tried in each search


def digest(parts: Iterable[str], size: int) -> bytes:
    made = hashlib.blake2b(digest_size=size)
    for part in parts:
        made.update(part.encode("utf-8", "surrogatepass"))
        made.update(b"\0")
    return made.digest()


class Vain:
    """What was tried with some red tests, and turned none of them; nothing where no state is told.

    `earlier` is what another search tried, `tried` is of this one. A search that goes on from files
    that are not as they lie on the disk keeps nothing: there the same patch is another.
    """

    def __init__(self, project: ProjectSources) -> None:
        self.project = project
        self.path, self.state = ("", "") if project.texts else project.request.vain
        self.head = b""
        self.earlier: FrozenSet[bytes] = frozenset()
        self.tried: Set[bytes] = set()
        self.left_out = 0
        self.again = AGAIN
        self.digests: Dict[str, Tuple[Source, str]] = {}

    def begin(self, red: Sequence[str]) -> None:
        """Learn what an earlier search tried, if that was of the same state and tests."""
        self.head = digest([self.state, sys.version, *sorted(red)], HEAD)
        found = b""
        if self.path:
            with contextlib.suppress(OSError), open(self.path, "rb") as file:
                found = file.read(HEAD + SIZE * MOST)
        if found[:HEAD] == self.head:
            hashes = range(HEAD, len(found) - SIZE + 1, SIZE)
            self.earlier = frozenset(found[at : at + SIZE] for at in hashes)

    def write(self) -> None:
        """Leave what is known where the answers lie; that it cannot be left ends no search."""
        if self.state:
            path = os.path.join(self.project.request.scratch, NAME)
            with contextlib.suppress(OSError), open(path, "wb") as file:
                file.write(self.head + b"".join(list(self.earlier | self.tried)[:MOST]))

    def others(self, patches: Sequence[Patch], of: Optional[Source] = None) -> Sequence[Patch]:
        """Return those that were not tried, of the project's files, or of one that was edited."""
        if not self.earlier:
            return patches
        likeliest, rest = patches[: self.again], patches[self.again :]
        self.again -= len(likeliest)
        found = [patch for patch in rest if self.key(patch, of) not in self.earlier]
        self.left_out += len(rest) - len(found)
        return [*likeliest, *found]

    def note(self, patch: Patch) -> None:
        if self.state and len(self.tried) < MOST:
            self.tried.add(self.key(patch))

    def key(self, patch: Patch, of: Optional[Source] = None) -> bytes:
        """Hash a patch with the text that it changes, which may hold a first edit already."""
        source = of or self.project.sources[patch.path]
        if self.digests.get(patch.path, (None, ""))[0] is not source:
            self.digests[patch.path] = source, digest([source.text], HEAD).hex()
        spans = (part for c in patch.changes for part in (str(c.start), str(c.end), c.text))
        return digest([patch.path, self.digests[patch.path][1], *spans], SIZE)
