"""Patches that an earlier search of the same code tried in vain: they are not tried again.

A file of hashes, eight bytes each, behind one of what they were tried with: the state of the
project and the command, which the request tells, and the tests that are red. Where that is another,
it says nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple

from .files import ProjectSources
from .source import Patch, Source

__all__ = ["Vain"]

NAME = "vain"  # of the file
HEAD, SIZE = 16, 8  # bytes
MOST = 500_000  # some 4 MB


def digest(parts: Iterable[str], size: int) -> bytes:
    made = hashlib.blake2b(digest_size=size)
    for part in parts:
        made.update(part.encode("utf-8", "surrogatepass"))
        made.update(b"\0")
    return made.digest()


class Vain:
    """What was tried with some red tests, and turned none of them."""

    def __init__(self, project: ProjectSources) -> None:
        self.project = project
        self.head = b""
        self.known: Set[bytes] = set()
        self.left_out = 0
        self.digests: Dict[str, Tuple[Source, str]] = {}

    def begin(self, red: Sequence[str]) -> None:
        """Learn what an earlier search tried, if that was of the same state and tests."""
        path, state = self.project.request.vain
        self.head = digest([state, sys.version, *sorted(red)], HEAD)
        found = b""
        if path:
            with contextlib.suppress(OSError), open(path, "rb") as file:
                found = file.read(HEAD + SIZE * MOST)
        if found[:HEAD] == self.head:
            hashes = range(HEAD, len(found) - SIZE + 1, SIZE)
            self.known.update(found[at : at + SIZE] for at in hashes)

    def write(self) -> None:
        """Leave what is known where the answers lie, if the state is known."""
        request = self.project.request
        if request.vain[1]:
            with open(os.path.join(request.scratch, NAME), "wb") as file:
                file.write(self.head + b"".join(sorted(self.known)[:MOST]))

    def others(self, patches: Sequence[Patch], of: Optional[Source] = None) -> List[Patch]:
        """Return those that were not tried, of the project's files, or of one that was edited."""
        found = [patch for patch in patches if self.key(patch, of) not in self.known]
        self.left_out += len(patches) - len(found)
        return found

    def note(self, patch: Patch) -> None:
        if len(self.known) < MOST:
            self.known.add(self.key(patch))

    def key(self, patch: Patch, of: Optional[Source] = None) -> bytes:
        """Hash a patch with the text that it changes, which may hold a first edit already."""
        source = of or self.project.sources[patch.path]
        if self.digests.get(patch.path, (None, ""))[0] is not source:
            self.digests[patch.path] = source, digest([source.text], HEAD).hex()
        spans = (part for c in patch.changes for part in (str(c.start), str(c.end), c.text))
        return digest([patch.path, self.digests[patch.path][1], *spans], SIZE)
