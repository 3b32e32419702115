"""The evidence for people: Markdown that nothing within can break out of."""

from __future__ import annotations

import shlex

from clew.analysis.failures import printable, reasons
from clew.documents.templating import fill
from clew.evidence.records import Evidence, ends, first_bad
from clew.words.facts import Frame, TestResult

__all__ = ["render"]

MOST_FRAMES = 12
MOST_VALUES = 8
VALUE = 200  # characters


def render(evidence: Evidence) -> str:
    """Return the evidence as a document."""
    return fill(
        "clew.evidence",
        "evidence",
        evidence=evidence,
        command=shlex.join(evidence.command),
        traces=_shared(evidence.tests),
        first_bad=first_bad,
        ends=ends,
    )


def _shared(tests: tuple[TestResult, ...]) -> list[tuple[list[str], str]]:
    """Return each trace once, with the tests that end in it."""
    found: dict[str, list[str]] = {}
    for test in tests:
        found.setdefault(_trace(test), []).append(test.id)
    return [(names, trace) for trace, names in found.items()]


def _trace(test: TestResult) -> str:
    """Return a failure's trace from the first frame of the project on."""
    crash = test.crash
    if crash is None:
        return printable(test.output)[-2_000:]
    lines = []
    first = next((at for at, frame in enumerate(crash.frames) if frame.project), 0)
    for frame in crash.frames[first:][-MOST_FRAMES:]:
        code = f": {frame.code.strip()}" if frame.code.strip() else ""
        lines.append(f"{frame.path}:{frame.line} in {frame.function or 'the module'}{code}")
        lines += _values(frame)
    lines.append(f"{crash.type}: {crash.message}".rstrip(": "))
    return "\n".join([*lines, *reasons(crash)])


def _values(frame: Frame) -> list[str]:
    if not frame.project:
        return []
    shown = list(frame.values.items())[:MOST_VALUES]
    return [f"    {name} = {value[:VALUE]}" for name, value in shown]
