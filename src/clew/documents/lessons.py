"""What plans taught, as a document that people edit: one section a lesson.

It is written strictly and read leniently: a section without labels is a lesson of a person's, which
concerns every phase.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from clew.documents.markdown import code, item, prose, sections
from clew.words.lessons import Lesson

__all__ = ["added", "parse"]

HEAD = "# Learnings\n\nWhat failed more than once while plans were carried out. Yours to edit.\n"
LABEL = re.compile(r"^- \*\*(Files|Weight|Seen)\*\*: (.*)$")
SPAN = re.compile(r"`([^`]+)`")
DIGITS = 6  # of a weight
MOST = 200  # lessons that are read


def added(text: str, new: Iterable[Lesson], session: str) -> str:
    """Return a document with what a session taught; told again, it counts once.

    All that stands there stays, the words of each lesson too: a person may have chosen them. Of one
    that is there, how often it was seen, and where, grows.
    """
    known = {each.title: each for each in parse(text)}
    text = text if text.strip() else HEAD
    for each in new:
        before = known.get(item(each.title))
        if before is None:
            text = f"{text.rstrip()}\n\n{_section(each)}"
        elif not any(seen.startswith(session) for seen in before.seen):
            text = _grown(text, before, each)
    return text


def _grown(text: str, before: Lesson, again: Lesson) -> str:
    labels = {
        "Weight": str(before.weight + again.weight),
        "Seen": "; ".join(map(item, (*before.seen, *again.seen))),
    }
    lines, inside = text.splitlines(), False
    for number, line in enumerate(lines):
        if line.startswith("#"):
            inside = line.lstrip("# ").strip() == before.title
        elif inside and (label := LABEL.match(line)) and label[1] in labels:
            lines[number] = f"- **{label[1]}**: {labels[label[1]]}"
    return "\n".join(lines) + "\n"


def _section(lesson: Lesson) -> str:
    labels = [f"- **Weight**: {lesson.weight}"]
    if lesson.files:
        labels.insert(0, f"- **Files**: {', '.join(map(code, lesson.files))}")
    if lesson.seen:
        labels.append(f"- **Seen**: {'; '.join(map(item, lesson.seen))}")
    text = f"\n{prose(lesson.text)}\n" if lesson.text else ""
    return f"## {item(lesson.title)}\n\n" + "\n".join(labels) + f"\n{text}"


def parse(text: str) -> tuple[Lesson, ...]:
    """Read the lessons of a document, a person's own among them."""
    return tuple(_parsed(text))[:MOST]


def _parsed(text: str) -> Iterator[Lesson]:
    for section in sections(text):
        if section.level != 2 or not section.title:  # noqa: PLR2004 - as they are written
            continue
        lines = section.body.splitlines()
        found = list(takewhile(bool, map(LABEL.match, lines)))
        labels = {each[1]: each[2] for each in found if each}
        rest = "\n".join(lines[len(found) :]).strip("\n")
        weight = labels.get("Weight", "")[:DIGITS]
        yield Lesson(
            title=section.title,
            text=rest,
            files=tuple(SPAN.findall(labels.get("Files", ""))),
            weight=int(weight) if weight.isdecimal() else 1,
            seen=tuple(filter(None, (each.strip() for each in labels.get("Seen", "").split(";")))),
        )
