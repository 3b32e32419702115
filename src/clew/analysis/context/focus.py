"""What a failure names: the files of its tracebacks, the suspects, the failing tests.

Code comes before tests, what is more suspicious before what is less, and nearer frames before
further ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from clew.analysis.context.outlines import Outline
from clew.analysis.context.skeletons import numbered
from clew.words.facts import Fact, Suspect, TestResult

__all__ = ["Focus", "excerpt", "focus_of"]

MOST = 12  # files; a suspect after these is named, and shown as what the tests ran
TESTS = 3  # of them that are kept for the failing tests themselves
DOUBTFUL = 0.5  # of the highest score: a suspect below it is not named by the failure
AROUND = 20  # lines before and after a place that lies in no function


class Focus(Fact, frozen=True, kw_only=True):
    """A file that the failure names, and the lines."""

    path: str
    lines: tuple[int, ...] = ()


def focus_of(
    failing: Iterable[TestResult],
    suspects: Iterable[Suspect],
    *,
    is_test: Callable[[str], bool],
    file_of: Callable[[TestResult], str],
) -> tuple[Focus, ...]:
    """Return the files in the order of their importance.

    `file_of` tells the file of a test, "" where there is none.
    """
    lines: dict[str, list[int]] = {}
    tests: dict[str, list[int]] = {}

    def add(path: str, line: int | None) -> None:
        known = (tests if is_test(path) else lines).setdefault(path, [])
        if line and line not in known:
            known.append(line)

    ranked = list(suspects)
    least = DOUBTFUL * max((suspect.score for suspect in ranked), default=0.0)
    for suspect in ranked:
        if suspect.score >= least:
            add(suspect.path, suspect.line)
    for result in failing:
        for frame in reversed(result.crash.frames if result.crash else ()):
            if frame.project:
                add(frame.path, frame.line)
        path = file_of(result)
        if path:
            add(path, None)
    code = list(lines.items())[: MOST - min(len(tests), TESTS)]
    named = [*code, *tests.items()][:MOST]
    return tuple(Focus(path=path, lines=tuple(at)) for path, at in named)


def excerpt(text: str, lines: Sequence[int], outline: Outline | None) -> str:
    """Return the functions that lines lie in, or what is around them, with line numbers."""
    rows = text.split("\n")
    wanted: set[int] = set()
    for line in lines:
        first, last = max(1, line - AROUND), min(len(rows), line + AROUND)
        spans = [s for s in (outline.functions if outline else ()) if s[0] <= line <= s[1]]
        if spans:
            first, last = min(spans, key=lambda span: span[1] - span[0])
        wanted.update(range(first, last + 1))
    return "\n".join(numbered(n, rows[n - 1]) for n in sorted(wanted))
