"""What failures of phases have in common, and which of it a phase is told."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from clew.analysis.context.counting import TokenCounter
from clew.analysis.failures.noise import normalise
from clew.analysis.plans.ownership import normalised, owned, shared
from clew.words.facts import Fact
from clew.words.lessons import Lesson
from clew.words.plans import PlanPhase
from clew.words.printable import one_line, shortened

__all__ = ["FEWEST", "PhaseFailure", "lessons", "told"]

FEWEST = 2  # failures alike that teach something
BUDGET = 1_500  # tokens of all that one phase is told
WIDEST = 120  # characters of a title
LINES = 4  # of an example
GATE = re.compile(r"^FAIL: ([^:\n]+): (.*)((?:\n.+)*)", re.MULTILINE)
PLACE = re.compile(r"^\S+?:\d+\s+")


class PhaseFailure(Fact, frozen=True, kw_only=True):
    """A phase that failed once: where, what it owns, and what was said."""

    seen: str
    files: tuple[str, ...]
    message: str


def lessons(failures: Iterable[PhaseFailure]) -> tuple[Lesson, ...]:
    """Return what went wrong at least twice, what went wrong most often first.

    What went wrong in one phase alone concerns its files; in several, all.
    """
    alike: dict[str, list[tuple[PhaseFailure, str]]] = defaultdict(list)
    for failure in failures:
        for title, example in dict(_read(failure.message)).items():
            alike[title].append((failure, example))
    found = [_lesson(title, met) for title, met in alike.items() if len(met) >= FEWEST]
    return tuple(sorted(found, key=lambda each: -each.weight))


def _lesson(title: str, met: Sequence[tuple[PhaseFailure, str]]) -> Lesson:
    seen = dict.fromkeys(failure.seen for failure, _ in met)
    return Lesson(
        title=title,
        text=met[-1][1],
        files=met[-1][0].files if len(seen) == 1 else (),
        weight=len(met),
        seen=tuple(seen),
    )


def _read(message: str) -> Iterator[tuple[str, str]]:
    """Yield what failed in a message, told without what differs each time, with the words."""
    gates = list(GATE.finditer(message))
    for gate in gates:
        rest = [line for line in gate[3].splitlines() if line and not line.startswith("command: ")]
        first = PLACE.sub("", rest[0]) if rest else gate[2]
        yield _title(f"{gate[1]}: {first}"), "\n".join([gate[0].split("\n")[0], *rest[:LINES]])
    if not gates and message.strip():
        lines = message.strip().splitlines()
        yield _title(lines[0]), "\n".join(lines[:LINES])


def _title(text: str) -> str:
    return shortened(one_line(normalise(text)), WIDEST)


def told(known: Iterable[Lesson], phase: PlanPhase, counter: TokenCounter) -> tuple[str, ...]:
    """Return what a phase is told of what went wrong before, within a budget.

    That is what concerns its files, or all files; what went wrong most often comes first.
    """
    files = owned(phase)
    concerning = (
        each
        for each in known
        if not each.files or shared(files, frozenset(map(normalised, each.files)))
    )
    left, texts = BUDGET, list[str]()
    for lesson in sorted(concerning, key=lambda each: -each.weight):
        seen = f" ({lesson.weight} times)" if lesson.weight > 1 else ""
        text = "\n".join(filter(None, (f"{lesson.title}{seen}", lesson.text)))
        if (cost := counter.count(text)) <= left:
            left -= cost
            texts.append(text)
    return tuple(texts)
