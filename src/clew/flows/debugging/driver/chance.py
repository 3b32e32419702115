"""Which sources of chance the code of a test touches, as far as its text tells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from clew.analysis.flakes import Chance, imported, touched
from clew.words.facts import TestResult

__all__ = ["ChanceSources"]

FILES = 500  # that are read for what runs when they load
LARGEST = 1 << 20  # bytes of a file that is read

Lines = Mapping[str, "tuple[int, ...] | None"]  # by path; None is every line


class ChanceSources:
    """Reads the worktree for what lines of it touch; what files do when they load counts too."""

    def __init__(self, root: Path, subdir: str | Path) -> None:
        self.root = root
        self.bases = tuple(dict.fromkeys((root / subdir, root, root / "src")))
        self.texts: dict[str, str] = {}
        self.loading: defaultdict[str, frozenset[str]] = defaultdict(frozenset)

    def shown(self, result: TestResult) -> Lines:
        """Return what a test may have run, without a trace: its files and what they import."""
        frames = result.crash.frames if result.crash else ()
        own = {result.home, *(f.path for f in frames if f.project)}
        return dict.fromkeys(own.union(*map(self.imports, own)))

    def of(self, ran: Lines) -> frozenset[Chance]:
        known = (self.touched(path, lines) for path, lines in ran.items())
        at_load = (self.touched(path, ()) for path in self.loaded(ran))
        return frozenset[Chance]().union(*known, *at_load)

    def touched(self, path: str, lines: tuple[int, ...] | None) -> frozenset[Chance]:
        text = self.text(path)
        return touched(text, lines, [name for name in imported(text) if self.file(path, name)])

    def loaded(self, paths: Iterable[str]) -> frozenset[str]:
        """Return the project's files that these import, and what those import, and so on."""
        known, new = set[str](), set(paths)
        while new and len(known) < FILES:
            known |= new
            new = {other for path in new for other in self.imports(path)} - known
        return frozenset(known)

    def imports(self, path: str) -> frozenset[str]:
        if path not in self.loading:
            found = (self.file(path, dotted) for dotted in imported(self.text(path)))
            self.loading[path] = frozenset(filter(None, found))
        return self.loading[path]

    def file(self, path: str, dotted: str) -> str:
        """Return the project's file that an import leads to; nothing if it leads elsewhere."""
        name = dotted.lstrip(".")
        levels = len(dotted) - len(name)
        home = PurePosixPath(path).parents
        bases = (self.root / home[min(levels, len(home)) - 1],) if levels else self.bases
        parts = name.split(".")
        for base in bases:
            for length in (len(parts), len(parts) - 1):
                place = base.joinpath(*parts[:length])
                for file in (place.with_suffix(".py"), place / "__init__.py"):
                    if length and file.is_file():
                        return file.relative_to(self.root).as_posix()
        return ""

    def text(self, path: str) -> str:
        if path not in self.texts:
            file = (self.root / path).resolve()
            self.texts[path] = _read(file) if file.is_relative_to(self.root.resolve()) else ""
        return self.texts[path]


def _read(file: Path) -> str:
    try:
        return file.read_bytes()[:LARGEST].decode("utf-8", "replace") if file.is_file() else ""
    except OSError:
        return ""
