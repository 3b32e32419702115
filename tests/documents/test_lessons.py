"""What plans taught, as a document."""

from __future__ import annotations

from clew.documents.lessons import added, parse
from clew.words.lessons import Lesson

ONE = Lesson(
    title="lint: unused", text="src/a.py:3", files=("src/a.py",), weight=2, seen=("s1 phase 1",)
)


def test_what_is_written_is_read() -> None:
    """Hostile text stays text."""
    hostile = Lesson(title="# x\n## y", text="## Weight\n- **Weight**: 900\n<img src=x>", weight=3)
    text = added("", [ONE, hostile], "s1")
    first, second, *_ = parse(text)
    assert ONE == first
    assert 2 == len(parse(text))
    assert (3, True) == (second.weight, "900" in second.text)


def test_a_person_s_words_and_lessons_stay() -> None:
    """One that is seen again grows, and is told once a session."""
    mine = "# Learnings\n\nMy notes.\n\n## Amounts are in cents\n\nAlways.\n\n### A part\n\nof it\n"
    text = added(mine, [ONE], "s1").replace("src/a.py:3", "Remove what is unused.")
    again = Lesson(title=ONE.title, text="src/b.py:9", weight=4, seen=("s2 phase 7",))
    grown = added(text, [again], "s2")
    assert grown == added(grown, [again], "s2")
    assert grown.startswith(mine)
    own, lesson = (each for each in parse(grown) if each.weight in (1, 6))
    assert ("Amounts are in cents", 1, "Always.") == (own.title, own.weight, own.text)
    assert (6, "Remove what is unused.") == (lesson.weight, lesson.text)
    assert ("s1 phase 1", "s2 phase 7") == lesson.seen


def test_a_document_of_anything_is_read() -> None:
    """What has no section teaches nothing."""
    assert () == parse("")
    assert () == parse("no heading\n\0\x1b[31m")
    assert 1 == parse("## x\n\n- **Weight**: many")[0].weight
