"""What a diagnosis is written about, and small pieces of its prose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from clew.analysis.suspects import own_name
from clew.analysis.testfiles import is_test_path
from clew.documents.markdown import code as span
from clew.evidence.explain.sources import named
from clew.words.facts import (
    Category,
    Crash,
    Demand,
    EarlierText,
    Frame,
    Reach,
    Runner,
    Suspect,
    TestResult,
    TestRun,
)
from clew.words.printable import joined_lines
from clew.words.test_ids import bare_name

__all__ = [
    "Explanation",
    "Scene",
    "clipped",
    "code",
    "listed",
    "own_name",
    "place",
    "values",
    "whole",
]

LONGEST = 80
MOST_VALUES = 4


class Explanation(NamedTuple):
    """Title and cause of a failure, in words."""

    title: str
    cause: str


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The failure at hand: one red test stands for those that fail alike."""

    run: TestRun
    category: Category
    result: TestResult | None
    suspects: tuple[Suspect, ...]
    sources: Mapping[str, str]
    modules: frozenset[str] = field(default=frozenset())
    reach: tuple[Reach, ...] = ()  # which tests run what, as far as it is known
    wrapped: bool = False  # whether that failure was seen in another exception's place
    earlier: Sequence[EarlierText] = ()  # files as they were before commits, the newest first
    demand: Demand | None = None  # a newer change than the failing tests have heard of
    path: str = ""  # where the diagnosis points
    line: int | None = None

    @property
    def plain(self) -> bool:
        """Whether the tests are one fact a run: a command that says passed or failed."""
        return self.run.command.runner is Runner.COMMAND

    @property
    def crash(self) -> Crash | None:
        return self.result.crash if self.result else None

    @property
    def test_name(self) -> str:
        """The bare name of the test, without its file and class."""
        return bare_name(self.result.id) if self.result else "the command"

    @property
    def text(self) -> str:
        return (self.result.output if self.result else "") or self.run.output or self.run.reason

    @property
    def said(self) -> str:
        """All that was said of the failure at hand."""
        return f"{self.crash.message}\n{self.crash.details}" if self.crash else self.text

    def is_test(self, path: str) -> bool:
        """Say whether the file is a test, by its name or by what the run named."""
        return is_test_path(path, self.run.named)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The frames of the project's code, tests left out, innermost first."""
        frames = self.crash.frames if self.crash else ()
        return tuple(f for f in reversed(frames) if f.project and not self.is_test(f.path))

    @property
    def test_frame(self) -> Frame | None:
        """The innermost frame of the test itself."""
        frames = self.crash.frames if self.crash else ()
        return next((f for f in reversed(frames) if f.project and self.is_test(f.path)), None)

    @property
    def innermost(self) -> Frame | None:
        """The innermost frame of the project, tests included."""
        frames = self.crash.frames if self.crash else ()
        return next((f for f in reversed(frames) if f.project), None)

    @property
    def here(self) -> str:
        """The innermost frame of the project, tests included, as `path:line`."""
        frame = self.innermost
        return place(frame.path, frame.line) if frame else ""


def place(path: str, line: int | None) -> str:
    """Return `path:line`."""
    return f"{path}:{line}" if line else path


def code(text: str) -> str:
    """Return the text as a clipped code span."""
    return span(clipped(text, LONGEST + 40))


def whole(text: str) -> str:
    """Return the text as a code span on one line, however long."""
    return span(text)


def clipped(text: str, most: int = LONGEST) -> str:
    """Return the text on one line, clipped."""
    text = joined_lines(text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def listed(words: list[str], *, last: str = "and") -> str:
    """Return `a, b and c`."""
    if len(words) < 2:  # noqa: PLR2004 - nothing to join
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def values(frame: Frame) -> str:
    """Return the values at a frame, those of its line first, as `a` = 1 and `b` = 2."""
    shown = [
        f"{code(name)} = {code(clipped(value, LONGEST))}"
        for name, value in named(frame).items()
        if name.isidentifier()
        and not value.startswith(("<function", "<module", "<class", "<built-in"))
    ]
    return listed(shown[:MOST_VALUES])
