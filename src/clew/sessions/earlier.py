"""What was changed last: code as it was, since a regression was right once, and tests alone."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePosixPath

from clew.analysis.asked_otherwise import asks_otherwise
from clew.analysis.testfiles import is_test_config, is_test_path
from clew.git.worktrees import PrivateRepository, path_text
from clew.words.facts import EarlierText, TestsAlone
from clew.words.papers import is_paper

__all__ = ["earlier_texts", "newest_of_tests"]

COMMITS = 100
TEXTS = 60
LONGEST = 300_000  # bytes of one file
UNCOMMITTED = "your uncommitted changes"
NEWEST = 10  # commits that are asked whether they changed tests alone
PROSE = (".md", ".rst", ".txt", ".adoc")


def earlier_texts(
    repository: PrivateRepository, base: str, head: str | None
) -> tuple[EarlierText, ...]:
    """Return what the newest commits replaced of a project's Python files, tests left out.

    `base` is the snapshot of the person's tree: what it replaced was changed without a commit,
    unless it is their `head` itself, to which nothing was changed.
    """
    replaced = [
        each
        for each in repository.replaced(base, COMMITS)
        if each.path.endswith(".py")
        if not is_test_path(each.path) and not is_test_config(each.path)
    ][:TEXTS]
    contents = repository.contents({each.blob.name for each in replaced})
    found = []
    for each in replaced:
        content = contents.get(each.blob.name, b"")
        if 0 < len(content) <= LONGEST and (text := _text(content)):
            uncommitted = each.commit == base != head
            commit = UNCOMMITTED if uncommitted else each.commit[:10]
            subject = "" if uncommitted else each.subject
            found.append(EarlierText(path=each.path, commit=commit, text=text, subject=subject))
    return tuple(found)


def newest_of_tests(
    repository: PrivateRepository, base: str, head: str | None, red: Collection[str]
) -> TestsAlone | None:
    """Return the newest change if red tests ask something else since, and no code is newer.

    `base` is the snapshot of the person's tree, `head` their commit. Papers and prose are no code.
    """
    for commit in repository.first_parents(base, NEWEST):
        before = repository.before(commit)
        paths = [each.path for each in repository.changed(before, commit)]
        paths = [path for path in paths if not is_paper(path_text(path)) and not _is_prose(path)]
        if not all(_is_test(path) for path in paths):
            return None
        was, now = (
            {p: _text(t) for p, t in repository.texts(at, paths).items()} for at in (before, commit)
        )
        if tests := asks_otherwise(red, was, now):
            if commit == base != head:
                return TestsAlone(commit=UNCOMMITTED, tests=tests)
            subject = repository.described(commit).subject
            return TestsAlone(commit=commit[:10], subject=subject, tests=tests)
    return None


def _is_prose(path: str) -> bool:
    return path.endswith(PROSE)


def _is_test(path: str) -> bool:
    return is_test_path(path) or PurePosixPath(path).name == "conftest.py"


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return ""
