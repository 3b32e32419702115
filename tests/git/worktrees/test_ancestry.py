"""Questions about the person's history."""

from __future__ import annotations

import pytest

from clew.git.worktrees import PrivateRepository
from person import Person


def test_a_commit_is_found_by_the_names_a_person_has_for_it(
    person: Person, private: PrivateRepository
) -> None:
    """Branch, tag, expression, short id; nothing else, and no option."""
    head = person.git("rev-parse", "HEAD").strip()
    person.git("tag", "v1")
    for name in ("HEAD", "main", "v1", "v1^{}", head, head[:8], "refs/tags/v1"):
        assert head == private.named_by_person(name), name
    for name in ("", "nowhere", "--all", "-h", "HEAD:a.py", "HEAD~9", "a\0b"):
        assert private.named_by_person(name) is None, name


def test_a_history_is_told_children_first(person: Person, private: PrivateRepository) -> None:
    """First parents alone, or all that lies between two commits."""
    first = person.git("rev-parse", "HEAD").strip()
    person.git("switch", "-q", "-c", "side")
    person.write("b.py", "b\n")
    side = person.commit("side")
    person.git("switch", "-q", "main")
    person.write("c.py", "c\n")
    main = person.commit("main")
    person.git("merge", "-q", "--no-edit", "side")
    merge = person.git("rev-parse", "HEAD").strip()
    assert (merge, main, first) == private.first_parents(merge, 9)
    assert (merge, main) == private.first_parents(merge, 2)
    between = private.between(first, merge)
    assert merge == next(iter(between))
    assert {merge: (main, side), main: (first,), side: (first,)} == between
    assert first == private.common(main, side)


@pytest.mark.parametrize("subject", ["plain", "zwei Wörter", "a\x1b[31mb", "x" * 5_000])
def test_a_commit_says_who_when_and_what(
    person: Person, private: PrivateRepository, subject: str
) -> None:
    """Its words are taken as they are; whoever shows them makes them harmless."""
    person.write("a.py", "other\n")
    commit = person.commit(subject)
    said = private.described(commit)
    assert (commit, "Pat", subject) == (said.id, said.author, said.subject)
    assert said.parents == (private.before(commit),)
    assert said.date.tzinfo is not None


def test_the_first_commit_is_told_from_nothing(person: Person, private: PrivateRepository) -> None:
    """Everything in it is new."""
    first = person.git("rev-parse", "HEAD").strip()
    before = private.before(first)
    assert ["a.py", "run"] == [change.path for change in private.changed(before, first)]
    assert "+one" in private.diff(before, first)
