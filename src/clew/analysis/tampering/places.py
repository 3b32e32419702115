"""Where tests stand: the file and the name of one by its id."""

from __future__ import annotations

from clew.words.test_ids import parted

__all__ = ["Place", "file_of", "place_of", "within"]

Place = tuple[str, str]
"""A file, and the name of a test in it: `test_a` or `TestB.test_a`."""


def file_of(name: str, files: tuple[str, ...]) -> str:
    """Find the file of tests that an id stands for, a path or a dotted name; or nothing."""
    return _only(name, files) or _only(name.replace(".", "/") + ".py", files)


def place_of(test: str, files: tuple[str, ...]) -> Place | None:
    """Find the file and the name of a test by its id, pytest's or unittest's."""
    if "::" in test:
        path, name = parted(test)
        file = _only(path, files)
        return (file, name) if file else None
    parts = test.split(".")
    for end in range(len(parts) - 1, 0, -1):
        file = _only("/".join(parts[:end]) + ".py", files)
        if file:
            return file, ".".join(parts[end:])
    return None


def within(name: str, file: str) -> bool:
    """Tell whether a test belongs to a file or module that was an id of its own."""
    return name.startswith((f"{file}::", f"{file}."))


def _only(path: str, files: tuple[str, ...]) -> str:
    if path in files:
        return path
    ending = [file for file in files if file.endswith(f"/{path}")]
    return ending[0] if len(ending) == 1 else ""
