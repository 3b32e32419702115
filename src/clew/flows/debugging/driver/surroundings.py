"""The files around a failure, added to a brief within its budget."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from clew.agents import prompts
from clew.agents.prompts import Brief
from clew.analysis.context import counter, focus_of
from clew.analysis.testfiles import is_test_path
from clew.git.commit_files import NOTHING, CommitFiles, gather
from clew.git.worktrees import PrivateRepository
from clew.words.errors import ClewError
from clew.words.facts import TestResult

__all__ = ["surrounded"]

# What reading a project's own files can come to; anything else is a fault of Clew's.
FAILURES = (ClewError, ImportError, LookupError, OSError, RecursionError, ValueError)


def surrounded(
    brief: Brief,
    repository: PrivateRepository,
    commit: str,
    folder: Path,
    subdir: str = "",
    *,
    ran: Mapping[str, tuple[int, ...]] = NOTHING,
) -> Brief:
    """Return the brief with files of a commit; what was read of them is kept in `folder`.

    `subdir` is where the tests run, within the repository; `ran` are the lines that the failing
    tests run, by file. If the files cannot be gathered the
    brief goes without them, and its account says why. Raises UsageError for an unknown counter.
    """
    tokens = counter(brief.counter)
    try:
        library = CommitFiles(repository, commit, folder)
        try:
            focus = focus_of(
                brief.failing,
                brief.suspects,
                is_test=is_test_path,
                file_of=lambda result: _file_of(result, library.paths, subdir),
            )
            found = gather(library, focus, ran)
            return prompts.within_budget(
                brief,
                found.sources,
                tokens,
                touched=[place.path for place in focus if place.path in library.paths],
                listed=found.listed,
                beyond=found.beyond,
            )
        finally:
            library.close()
    except FAILURES as error:
        return prompts.plain(brief, tokens, f"{type(error).__name__}: {error}")


def _file_of(result: TestResult, paths: Collection[str], subdir: str) -> str:
    """Return the file that a test stands in; where none is told, by the name of a module."""
    if result.file in paths:
        return result.file
    before = f"{subdir}/" if subdir not in ("", ".") else ""
    if path := next((p for p in (f"{before}{result.home}", result.home) if p in paths), ""):
        return path
    words = result.id.split(".")
    for end in range(len(words), 0, -1):
        name = before + "/".join(words[:end]) + ".py"
        if name in paths:
            return name
    return ""
