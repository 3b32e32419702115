"""What was changed last: code as it was, since a regression was right once, and what is wanted."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePosixPath

from clew.analysis.asked_otherwise import asks_otherwise, expects_otherwise, stood
from clew.analysis.testfiles import is_test_config, is_test_path
from clew.git.worktrees import PrivateRepository, path_text
from clew.words.facts import Demand, EarlierText
from clew.words.papers import is_paper

__all__ = ["earlier_texts", "newest_demand"]

COMMITS = 100
TEXTS = 60
LONGEST = 300_000  # bytes of one file
UNCOMMITTED = "your uncommitted changes"
NEWEST = 10  # commits that are asked what they say is wanted
PROSE = (".md", ".rst", ".txt", ".adoc")


def earlier_texts(
    repository: PrivateRepository, base: str, head: str | None
) -> tuple[EarlierText, ...]:
    """Return what the newest commits replaced of a project's Python files, tests left out.

    `base` is the snapshot of the person's tree: what it replaced was changed without a commit,
    unless it is their `head` itself, to which nothing was changed. What merges lost comes last.
    """
    replaced = [
        each
        for listed in (repository.replaced(base, COMMITS), repository.unmerged(base, COMMITS))
        for each in [each for each in listed if _is_python(each.path)][:TEXTS]
    ]
    contents = repository.contents({each.blob.name for each in replaced})
    found = []
    for each in replaced:
        content = contents.get(each.blob.name, b"")
        if 0 < len(content) <= LONGEST and (text := _text(content)):
            commit, subject = _named(each.commit, each.subject, base, head)
            found.append(EarlierText(path=each.path, commit=commit, text=text, subject=subject))
    return tuple(found)


def newest_demand(
    repository: PrivateRepository, base: str, head: str | None, red: Collection[str]
) -> Demand | None:
    """Return the newest change that says what is wanted, where it speaks against the `red` tests.

    It made them ask something else, and no code is newer; or it is the newest one of code, changed
    with it the values that other tests expect, and left them as they were. `base` is the snapshot
    of the person's tree, `head` their commit. Papers and prose are no code.
    """
    for commit in repository.first_parents(base, NEWEST):
        before = repository.before(commit)
        paths = [each.path for each in repository.changed(before, commit)]
        asked = [path for path in paths if _is_test(path)]
        code = [path for path in paths if _is_code(path)]
        was, now = (_texts(repository, at, asked) for at in (before, commit))
        tests = asks_otherwise(red, was, now)
        if code and tests:
            return None  # whoever wrote them knew of the code
        if code and any(stood(test, was, repository.files(before)) for test in red):
            tests = expects_otherwise(was, now, besides=red)
        if tests:
            told = repository.described(commit).subject
            name, subject = _named(commit, told, base, head)
            changed = tuple(map(path_text, code))
            return Demand(commit=name, subject=subject, tests=tests, code=changed)
        if code:
            return None
    return None


def _named(commit: str, subject: str, base: str, head: str | None) -> tuple[str, str]:
    """Return how a commit is told of, and its title; the snapshot is the person's own changes."""
    return (UNCOMMITTED, "") if commit == base != head else (commit[:10], subject)


def _texts(repository: PrivateRepository, commit: str, paths: list[str]) -> dict[str, str]:
    return {path: _text(each) for path, each in repository.texts(commit, paths).items()}


def _is_python(path: str) -> bool:
    return path.endswith(".py") and not (is_test_path(path) or is_test_config(path))


def _is_code(path: str) -> bool:
    return not (_is_test(path) or path.endswith(PROSE) or is_paper(path_text(path)))


def _is_test(path: str) -> bool:
    return is_test_path(path) or PurePosixPath(path).name == "conftest.py"


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return ""
