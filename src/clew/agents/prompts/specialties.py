"""What somebody has to know well who reads the code at hand: told from its files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from clew.words.facts import Runner

__all__ = ["specialty"]

BY_SUFFIX = {
    ".c": "c",
    ".cpp": "c++",
    ".go": "go",
    ".java": "java",
    ".js": "javascript",
    ".jsx": "react",
    ".kt": "android",
    ".mjs": "javascript",
    ".py": "python",
    ".rb": "ruby",
    ".rs": "rust",
    ".swift": "swift",
    ".ts": "typescript",
    ".tsx": "react",
}
GENERAL = "general"
VAGUE = (Runner.COMMAND, Runner.JUNIT)


def specialty(runner: Runner, paths: Iterable[str]) -> str:
    """Return the language of the first file that has one, and the test runner: `python, pytest`."""
    known = (BY_SUFFIX.get(PurePosixPath(path).suffix.lower(), "") for path in paths)
    language = next((name for name in known if name), "python" if runner.python else GENERAL)
    return language if runner in VAGUE else f"{language}, {runner}"
