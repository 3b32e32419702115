"""What was changed last: code as it was, since a regression was right once, and what is wanted."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePosixPath

from clew.analysis.asked_otherwise import (
    asks_otherwise,
    expects_otherwise,
    stood,
    values_alone,
)
from clew.analysis.testfiles import is_test_config, is_test_path
from clew.git.worktrees import ChangeKind, PrivateRepository, path_text
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

    It made them ask something else, and no code is newer; or it is the newest one that changed
    code, and left them as they were: with it the values that other tests expect, or nothing but a
    value. `base` is the snapshot of the person's tree, `head` their commit. Papers and prose are no
    code; files that a commit brought are none that it changed.
    """
    newer = False
    for commit in repository.first_parents(base, NEWEST):
        before = repository.before(commit)
        changes = repository.changed(before, commit)
        asked = [each.path for each in changes if _is_test(each.path)]
        code = [each.path for each in changes if _is_code(each.path)]
        was, now = (_texts(repository, at, asked) for at in (before, commit))
        tests, values = asks_otherwise(red, was, now), tuple[str, ...]()
        if tests and (code or newer):
            return None  # whoever wrote them knew of the code
        if code and any(stood(test, was, repository.files(before)) for test in red):
            tests = expects_otherwise(was, now, besides=red)
            open_ = commit == base != head  # whoever is at work on it has not settled it
            values = () if tests or open_ else _values(repository, before, commit, code, red)
        if tests or values:
            told = repository.described(commit).subject
            name, subject = _named(commit, told, base, head)
            changed = tuple(map(path_text, code))
            return Demand(commit=name, subject=subject, tests=tests, code=changed, values=values)
        if any(each.kind is not ChangeKind.CREATED for each in changes if each.path in code):
            return None
        newer |= bool(code)
    return None


def _values(
    repository: PrivateRepository, before: str, commit: str, code: list[str], red: Collection[str]
) -> tuple[str, ...]:
    """Return the names that a commit gave other values, if it changed nothing else of the code.

    And if all `red` tests were there: a newer one may show that it was a slip.
    """
    if not all(map(_is_python, code)):
        return ()
    values = values_alone(*(_texts(repository, at, code) for at in (before, commit)))
    files = repository.files(before)
    tests = _texts(repository, before, [path for path in files if values and _is_test(path)])
    return values if all(stood(test, tests, ()) for test in red) else ()


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
