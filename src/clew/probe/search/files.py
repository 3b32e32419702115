"""The project's files that may be edited, parsed when first asked for."""

from __future__ import annotations

import ast
import difflib
import os
import re
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple

from .clues import Clues
from .context import Context
from .request import SearchRequest
from .source import FUNCTIONS, Patch, Source, apply_changes, decode

__all__ = ["ProjectSources", "close"]

WORD = 3  # letters of a name that count as much as a likeness where another name holds them


def close(word: str, names: Sequence[str], count: int = 6, cutoff: float = 0.6) -> List[str]:
    """Return names that look like a word, the closest first; a difference of case is none."""
    others = [name for name in dict.fromkeys(names) if name != word]
    plain = {name: name.lower().replace("_", "") for name in others}
    target = word.lower().replace("_", "")
    scored: List[Tuple[float, str]] = []
    for name in others:
        least = min(len(target), len(plain[name]))
        held = least >= WORD and (target in plain[name] or plain[name] in target)
        matcher = difflib.SequenceMatcher(None, target, plain[name])
        if not held and min(matcher.real_quick_ratio(), matcher.quick_ratio()) < cutoff:
            continue
        ratio = max(matcher.ratio(), cutoff if held else 0.0)
        if ratio >= cutoff:
            scored.append((ratio, name))
    return [name for _, name in sorted(scored, key=lambda pair: (-pair[0], pair[1]))][:count]


class ProjectSources:
    """Files by path relative to the root; what cannot be parsed is kept as text alone."""

    def __init__(self, request: SearchRequest, texts: Optional[Dict[str, str]] = None) -> None:
        self.request = request
        self.texts = texts or {}  # of files that are not taken as they lie on the disk
        self.clues = Clues()
        self.sources: Dict[str, Source] = {}
        self.contexts: Dict[str, Context] = {}
        self.broken: Dict[str, str] = {}
        self.missing: Set[str] = set()
        self.found: Optional[List[str]] = None
        self.found_beside: Dict[Tuple[str, str], bool] = {}  # by a file and a pattern

    def source(self, path: str) -> Optional[Source]:
        """Return a parsed file, or None."""
        if path not in self.sources and path not in self.broken and path not in self.missing:
            self.read(path)
        return self.sources.get(path)

    def text(self, path: str) -> Optional[str]:
        """Return the text of a file, parsed or not."""
        source = self.source(path)
        return source.text if source is not None else self.broken.get(path)

    def read(self, path: str) -> None:
        try:
            text = self.texts.get(path)
            if text is None:
                with open(os.path.join(self.request.root, path), "rb") as file:
                    text = decode(file.read())
        except (OSError, SyntaxError, UnicodeDecodeError):
            self.missing.add(path)
            return
        try:
            source = Source(path, text)
        except (SyntaxError, ValueError, RecursionError):
            self.broken[path] = text
            return
        self.sources[path] = source
        self.contexts[path] = Context(source, self.clues)

    def patched(self, patch: Patch) -> ProjectSources:
        """Return the project with a patch in it; nothing is written to disk."""
        changed = {path: apply_changes(self.text(path) or "", each) for path, each in patch.files}
        found = ProjectSources(self.request, {**self.texts, **changed})
        found.found, found.clues = self.files(), self.clues
        found.missing = self.missing.difference(changed)
        # What was parsed is not parsed again.
        found.sources = {p: each for p, each in self.sources.items() if p not in changed}
        found.contexts = {p: each for p, each in self.contexts.items() if p not in changed}
        found.broken = {p: each for p, each in self.broken.items() if p not in changed}
        return found

    def context(self, path: str) -> Optional[Context]:
        self.source(path)
        return self.contexts.get(path)

    def files(self) -> List[str]:
        """Return the paths of all files that may be edited."""
        if self.found is None:
            paths = [self.request.relative(path) for path in self.request.project_files()]
            self.found = [path for path in paths if path is not None]
        return self.found

    def is_called_beside(self, path: str, name: str) -> bool:
        """Tell whether another file than one calls what has a name; they are not parsed."""
        return self.is_found_beside(path, r"(?<!\w)(?<!def ){}\(".format(re.escape(name)))

    def is_read_beside(self, path: str, name: str) -> bool:
        """Tell whether another file than one speaks of a name; they are not parsed."""
        return self.is_found_beside(path, r"\b{}\b".format(re.escape(name)))

    def is_found_beside(self, path: str, pattern: str) -> bool:
        if (path, pattern) not in self.found_beside:
            others = (self.raw(other) for other in self.files() if other != path)
            self.found_beside[path, pattern] = any(re.search(pattern, text) for text in others)
        return self.found_beside[path, pattern]

    def raw(self, path: str) -> str:
        """Return the text of a file, which need not be Python; empty where it cannot be read."""
        known = self.sources.get(path)
        if known is not None:
            return known.text
        if path in self.texts:
            return self.texts[path]
        try:
            with open(
                os.path.join(self.request.root, path), encoding="utf-8", errors="replace"
            ) as file:
                return file.read()
        except OSError:
            return ""

    def frames(self, frames: Sequence[Tuple[str, int, str]]) -> Iterator[Tuple[Source, int]]:
        """Yield the places of a traceback that may be edited, innermost first."""
        seen: Set[Tuple[str, int]] = set()
        for path, line, _ in reversed(frames):
            relative = self.request.editable(path)
            source = self.source(relative) if relative else None
            if source is not None and (source.path, line) not in seen:
                seen.add((source.path, line))
                yield source, line

    def modules(self) -> Dict[str, str]:
        """Return dotted names of the project's modules, with their paths."""
        found: Dict[str, str] = {}
        for path in self.files():
            parts = path[: -len(".py")].split("/")
            if parts[-1] == "__init__":
                parts.pop()
            while len(parts) > 1 and not self.is_package("/".join(parts[:1]), path):
                parts.pop(0)
            if parts and all(part.isidentifier() for part in parts):
                found.setdefault(".".join(parts), path)
        return found

    def is_package(self, folder: str, path: str) -> bool:
        """Say whether a leading folder belongs to a dotted name: it holds an `__init__.py`."""
        start = path.find(folder + "/")
        where = os.path.join(self.request.root, path[:start], folder)
        return os.path.exists(os.path.join(where, "__init__.py"))

    def definitions(self, path: str) -> List[str]:
        """Return the names that a file binds at its top level."""
        source = self.source(path)
        return [] if source is None else [name for name, _ in bound(source.tree)]


def bound(tree: ast.AST) -> Iterator[Tuple[str, ast.AST]]:
    """Yield the names bound in a block of statements, with the binding statement."""
    for node in getattr(tree, "body", ()):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node.name, node
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for child in ast.walk(target):
                    if isinstance(child, ast.Name):
                        yield child.id, node
        elif isinstance(node, (ast.If, ast.Try)):
            yield from bound(node)
