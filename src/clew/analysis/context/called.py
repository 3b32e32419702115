"""What a failing test calls: suspects where neither a traceback nor a trace names any.

An assertion of Go or JavaScript names the line of the test alone. Its function calls something of
the project all the same, and that is where a reader would look first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache

from clew.analysis.context.languages import Language, language_of
from clew.analysis.context.outlines import LARGEST, Outline, definitions, outline
from clew.analysis.context.resolving import Index, targets
from clew.analysis.testfiles import is_test_path
from clew.words.facts import Frame, Suspect, TestResult, TestRun

__all__ = ["called"]

TESTS = 5  # failing ones that are read
NAMES = 12  # of one test that are looked for
AROUND = 20  # lines before the assertion, where it stands in no function that is known
OUTWARD = 0.8  # a call further from the assertion weighs this much of the one nearer to it
CALL = re.compile(r"(?<!\w)([A-Za-z_]\w*)!?\s*\(")

Read = Callable[[str], str | None]


def called(run: TestRun, files: Collection[str], read: Read) -> tuple[Suspect, ...]:
    """Return the definitions that failing tests call, the nearest to the assertion first.

    Nothing for Python, which is traced, and for tests whose tracebacks name code. `read` gives the
    text of one of `files`, or None.
    """
    if run.command.runner.python:
        return ()
    tests = [(result, frame) for result in run.red if (frame := _asserting(result)) is not None]
    if not tests:
        return ()
    manifests = {path: read(path) or "" for path in files if path.endswith("go.mod")}
    index, outlines = Index(files, manifests), cache(lambda path: _outline(path, read))
    found: dict[tuple[str, int], Suspect] = {}
    for _, frame in tests[:TESTS]:
        near = [p for p in sorted(targets(frame.path, index, outlines)) if not is_test_path(p)]
        score = OUTWARD
        for name in _names(frame, read(frame.path) or "", outlines(frame.path)):
            places = [(path, line) for path in near for line in _defined(path, name, read)]
            for path, line in places:
                reason = f"called by the failing test, as `{name}`"
                one = Suspect(path=path, line=line, function=name, score=score, reasons=(reason,))
                found.setdefault((path, line), one)
            score *= OUTWARD if places else 1.0
    return tuple(sorted(found.values(), key=lambda one: -one.score))


def _asserting(result: TestResult) -> Frame | None:
    """Return where the test itself failed; None if the traceback names code of the project."""
    own = [frame for frame in (result.crash.frames if result.crash else ()) if frame.project]
    if not own or any(not is_test_path(frame.path) for frame in own):
        return None
    return own[-1] if language_of(own[-1].path) else None


def _names(frame: Frame, text: str, known: Outline | None) -> Iterator[str]:
    """Yield the names that the test calls, from the line that failed upwards, then downwards."""
    rows = text.split("\n")
    spans = [s for s in (known.functions if known else ()) if s[0] <= frame.line <= s[1]]
    first, last = min(
        spans, key=lambda span: span[1] - span[0], default=(frame.line - AROUND, frame.line)
    )
    lines = [*range(frame.line, max(first, 1) - 1, -1), *range(frame.line + 1, last + 1)]
    words = [word for n in lines if n <= len(rows) for word in CALL.findall(rows[n - 1])]
    yield from list(dict.fromkeys(words))[:NAMES]


def _outline(path: str, read: Read) -> Outline | None:
    language, text = language_of(path), read(path)
    if language is None or text is None or len(text) > LARGEST:
        return None
    return outline(text.encode("utf-8", "replace"), language)


def _defined(path: str, name: str, read: Read) -> tuple[int, ...]:
    language: Language | None = language_of(path)
    text = read(path)
    if language is None or text is None or len(text) > LARGEST or name not in text:
        return ()
    return definitions(text.encode("utf-8", "replace"), language, name)
