"""What the search is asked, and how it answers: JSON lines in the file that the request names."""

from __future__ import annotations

import fnmatch
import json
import os
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

from ..formulas import patch_hash
from ..tracer import own
from .source import Patch, SourceLines, Splice, apply_changes, with_ends_of

__all__ = ["Answers", "SearchRequest", "hash_of"]

FOLDERS = {"site-packages", "dist-packages", "node_modules", "__pycache__", ".git", ".tox", ".nox"}


class SearchRequest:
    """The caps and rules of one search. Paths of files are relative to the root, POSIX."""

    def __init__(self, fields: Dict[str, Any]) -> None:
        self.root = os.path.realpath(fields["root"])
        self.cwd = fields.get("cwd") or self.root
        self.runner = fields.get("runner", "pytest")
        self.args: List[str] = list(fields.get("args") or ())
        self.insert: List[str] = list(fields.get("insert") or ())
        self.as_module = bool(fields.get("as_module", True))
        self.failing: List[str] = list(fields.get("failing") or ())
        # Tests that are green without what is put in: the red ones of them are asked for as well.
        self.green_before: List[str] = list(fields.get("green_before") or ())
        self.forbidden_files: List[str] = list(fields.get("forbidden_files") or ())
        self.editable_files: Optional[List[str]] = fields.get("editable_files")
        self.skip: List[str] = list(fields.get("skip") or ())
        self.forbidden = set(fields.get("forbidden") or ())
        # Older texts of files, the newest first: a path, the commit that changed it, the text.
        self.earlier: List[Tuple[str, str, str]] = [
            (path, commit, text) for path, commit, text in fields.get("earlier") or ()
        ]
        self.first_bad: str = fields.get("first_bad") or ""  # the commit that made the tests fail
        # A change that is known: the files that it makes, by path. What else passes is asked for.
        self.given: List[Tuple[str, str]] = [
            (path, text) for path, text in fields.get("given") or ()
        ]
        # Changes that were made and are not wanted: of each the files that it makes, by path.
        self.refused: List[List[Tuple[str, str]]] = [
            [(path, text) for path, text in files] for files in fields.get("refused") or ()
        ]
        self.last = bool(fields.get("last"))  # no other search comes after this one
        # A file of what an earlier search tried in vain, and what tells this state of the project.
        self.vain: Tuple[str, str] = tuple(fields.get("vain") or ("", ""))
        self.seconds = float(fields.get("seconds", 60.0))
        self.memory = int(fields.get("memory") or 1 << 30)
        self.workers = max(1, int(fields.get("workers", 2)))
        self.test_timeout = float(fields.get("test_timeout", 10.0))
        self.most = int(fields.get("max_candidates", 200_000))
        self.keep = int(fields.get("keep", 5))
        self.results = fields["results"]
        self.scratch = fields.get("scratch") or os.path.dirname(os.path.abspath(self.results))
        self.started = time.monotonic()

    @property
    def deadline(self) -> float:
        return self.started + self.seconds

    def share(self, fraction: float) -> float:
        """Return the moment at which this part of the time is used up."""
        return self.started + self.seconds * fraction

    def relative(self, path: str) -> Optional[str]:
        """Return a file's path below the root, or None when it lies elsewhere."""
        found = own(path, self.root)
        if found.startswith(self.root + os.sep):
            return os.path.relpath(found, self.root).replace(os.sep, "/")
        return None

    def editable(self, path: str) -> Optional[str]:
        """Return the relative path of a file that may be edited, else None."""
        relative = self.relative(path)
        if relative is None or not relative.endswith(".py"):
            return None
        if set(relative.split("/")) & FOLDERS:
            return None
        if self.editable_files is not None:
            return relative if relative in self.editable_files else None
        if any(below(os.path.join(self.root, relative), folder) for folder in self.skip):
            return None
        if any(matches(relative, pattern) for pattern in self.forbidden_files):
            return None
        return relative

    def project_files(self) -> List[str]:
        """Return all files that may be edited, sorted, absolute."""
        found: List[str] = []
        if self.editable_files is not None:
            paths = [os.path.join(self.root, path) for path in self.editable_files]
            return sorted(path for path in paths if os.path.isfile(path))
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(
                f for f in folders
                if f not in FOLDERS and not f.startswith(".") and f not in ("venv", "env")
                and not os.path.exists(os.path.join(folder, f, "pyvenv.cfg"))
            )  # fmt: skip
            for name in sorted(files):
                path = os.path.join(folder, name)
                if name.endswith(".py") and self.editable(path):
                    found.append(path)
            if len(found) > 4000:
                break
        return found


def below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def matches(path: str, pattern: str) -> bool:
    """Match a path or, for a pattern without a slash, its name."""
    if "/" not in pattern:
        return fnmatch.fnmatch(path.rsplit("/", 1)[-1], pattern)
    return fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch("/" + path, pattern)


class Answers:
    """Appends records; each is whole or absent."""

    def __init__(self, path: str, started: float) -> None:
        self.path = path
        self.started = started
        self.last = 0.0
        # Kept before anything is muted: whoever started the search reads signs of life there.
        self.screen = os.dup(1)

    def write(self, kind: str, **fields: Any) -> None:
        fields["kind"] = kind
        data = (json.dumps(fields, ensure_ascii=True) + "\n").encode("ascii")
        with open(self.path, "ab") as file:
            file.write(data)

    def progress(
        self, phase: str, made: int, tried: int, best: str = "", *, now: bool = False
    ) -> None:
        """Write a sign of life, at most five a second."""
        moment = time.monotonic()
        if not now and moment - self.last < 0.2:
            return
        self.last = moment
        elapsed = moment - self.started
        fields = {
            "kind": "progress", "phase": phase, "made": made, "tried": tried, "best": best,
            "per_second": round(tried / elapsed, 1) if elapsed > 0 else 0.0,
            "seconds": round(elapsed, 3),
        }  # fmt: skip
        try:
            os.write(self.screen, (json.dumps(fields) + "\n").encode("ascii"))
        except OSError:
            return  # nobody listens


def whole_lines(source: SourceLines, changes: Sequence[Splice]) -> List[Dict[str, Any]]:
    """Return edits of whole lines: `line`, `current`, `should_be`, without the last line end."""
    groups: List[Tuple[int, int, List[Splice]]] = []
    for change in sorted(with_ends_of(source.text, changes)):
        first = source.line_of(change.start)
        last = source.line_of(max(change.start, change.end - 1))
        if groups and first <= groups[-1][1]:
            low, high, members = groups[-1]
            groups[-1] = (low, max(high, last), [*members, change])
        else:
            groups.append((first, last, [change]))
    edits: List[Dict[str, Any]] = []
    for begin, stop, members in groups:
        first, last = begin, widen(source, stop, members)
        # An edit is found again by its text, so that it must hold more than white space.
        while not lines_between(source, first, last).strip() and first > 1:
            first -= 1
        while not lines_between(source, first, last).strip() and last + 1 < len(source.starts):
            last += 1
        start = source.starts[first - 1]
        end = source.starts[min(last, len(source.starts) - 1)]
        text = source.text[start:end]
        new: List[str] = []
        position = start
        for change in members:
            new += [source.text[position : change.start], change.text]
            position = change.end
        new.append(source.text[position:end])
        changed = "".join(new)
        for ending in ("\r\n", "\n"):
            if text.endswith(ending) and changed.endswith(ending):
                text, changed = text[: -len(ending)], changed[: -len(ending)]
                break
        if edits and edits[-1]["last"] >= first:
            return joined(source, changes)
        edits.append({"line": first, "current": text, "should_be": changed, "last": last})
    for edit in edits:
        del edit["last"]
    return edits


def joined(source: SourceLines, changes: Sequence[Splice]) -> List[Dict[str, Any]]:
    """Return one edit in place of several that would share lines."""
    low, high = min(c.start for c in changes), max(c.end for c in changes)
    text = source.text[low:high]
    moved = [Splice(c.start - low, c.end - low, c.text) for c in changes]
    return whole_lines(source, [Splice(low, high, apply_changes(text, tuple(moved)))])


def lines_between(source: SourceLines, first: int, last: int) -> str:
    end = source.starts[min(last, len(source.starts) - 1)]
    return source.text[source.starts[first - 1] : end]


def widen(source: SourceLines, last: int, members: List[Splice]) -> int:
    """Take the next line in when a change eats the end of the last one."""
    end = max(change.end for change in members)
    line_end = source.starts[last] if last < len(source.starts) else len(source.text)
    return last + 1 if end >= line_end and last + 1 < len(source.starts) else last


def hash_of(edits: Sequence[Dict[str, Any]]) -> str:
    """Return the `patch_hash` of edits as they are written to Clew."""
    return patch_hash((e["path"], e["current"], e["should_be"]) for e in edits)


def edits_of(project: Any, patch: Patch) -> List[Dict[str, Any]]:
    """Return a patch as whole-line edits."""
    return [
        dict(edit, path=path)
        for path, changes in patch.files
        for edit in whole_lines(SourceLines(project.text(path) or ""), changes)
    ]
