"""Files of a project as they were: material for a repair, since a regression was right once."""

from __future__ import annotations

from clew.analysis.testfiles import is_test_config, is_test_path
from clew.git.worktrees import PrivateRepository
from clew.words.facts import EarlierText

__all__ = ["earlier_texts"]

COMMITS = 100
TEXTS = 60
LONGEST = 300_000  # bytes of one file
UNCOMMITTED = "your uncommitted changes"


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


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return ""
