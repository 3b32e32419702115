"""`node --test`, heard through a reporter of Clew's own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from clew.runners.dialects import stacks
from clew.runners.dialects.protocol import (
    CommandOutput,
    DialectRequest,
    DialectResult,
    InstrumentedCommand,
    RunLocation,
    capped,
    distinct,
    printed,
)
from clew.runners.records import lines_of
from clew.words.facts import CaseOutcome, Crash, Phase, TestResult

__all__ = ["Node", "environment", "unloaded"]

REPORTER = Path(__file__).with_name("reporter.mjs")
EVENTS = "node.jsonl"
OURS = re.compile(r"--test-reporter(?:-destination)?(?:=.*)?")
VALUED = frozenset({"--test-reporter", "--test-reporter-destination"})
# Where a file cannot be parsed: as Node, as Vite and as Babel say it.
PLACES = (
    re.compile(r"^(?:file://)?(?P<path>/[^\n:]+):(?P<line>\d+)$", re.MULTILINE),
    re.compile(r"^\s+File: (?P<path>/[^\n:]+):(?P<line>\d+)", re.MULTILINE),
    re.compile(r"SyntaxError: (?P<path>/[^\n:]+): .*\((?P<line>\d+):\d+\)"),
)
THROWN = re.compile(
    r"^\s*(?:Uncaught )?(?P<type>\w*Error|\w*Exception)(?: \[\w+\])?:"
    r" (?:/[^\n:]+: )?(?P<message>.+)",
    re.MULTILINE,
)
UNREADABLE = re.compile(r"Failed to parse source for import analysis|Transform failed with")
ABSENT = re.compile(
    r"(?:Cannot find (?:module|package)|Failed to (?:load url|resolve import)"
    r"|The requested module \S+ does not provide an export).*"
)
PACKAGE = re.compile(
    r"Cannot find (?:module|package) '(?![./]|file:)"
    r"|Failed to (?:load url|resolve import) \"?(?![./])"
)

Text = Annotated[str, msgspec.Meta(max_length=40_000)]


class NodeError(msgspec.Struct, frozen=True, kw_only=True):
    type: Text
    code: Text
    message: Text
    stack: Text
    failure: Text


class NodeEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What the reporter writes."""

    kind: str
    file: Text
    name: Text
    nesting: int
    line: int
    ms: float
    suite: bool
    muted: bool
    error: NodeError | None
    message: Text


class Node:
    """Ids are `path/of/file::suite > test`."""

    about = "each test, with its error and stack; a file that does not load"

    def ask(self, question: DialectRequest) -> InstrumentedCommand:
        """Name the reporter in a variable, which reaches through npm; run wanted files alone."""
        words = list(question.meant.arguments)
        if not question.meant.script:
            words = list(_without_reporters(words))
            words = _narrowed(words, question)
        reporter = question.out.parent / REPORTER.name
        reporter.write_bytes(REPORTER.read_bytes())
        options = (
            *("--test-reporter=spec", "--test-reporter-destination=stdout"),
            f"--test-reporter={reporter.as_uri()}",
            f"--test-reporter-destination={question.out / EVENTS}",
        )
        before = question.meant.environment.get("NODE_OPTIONS", "")
        said = " ".join([before, *(f'"{word}"' if " " in word else word for word in options)])
        extra = question.request.extra
        divided = ("--", *extra) if extra and question.meant.script else extra
        return InstrumentedCommand(
            arguments=(*words, *divided),
            environment={**environment(), "NODE_OPTIONS": said.strip()},
        )

    def hear(
        self, question: DialectRequest, ground: RunLocation, spoken: CommandOutput
    ) -> DialectResult:
        """Read the events that the reporter wrote."""
        del question, spoken
        account = NodeRun(ground)
        for line in lines_of(ground.out / EVENTS):
            try:
                account.add(msgspec.json.decode(line, type=NodeEvent))
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
        return account.heard()


def environment() -> dict[str, str]:
    """Say to runners of JavaScript that nobody looks on: no colours, nothing is waited for."""
    return {"CI": "true", "NO_COLOR": "1"}


class NodeRun:
    """One run's events, added up."""

    def __init__(self, ground: RunLocation) -> None:
        """Start with nothing heard."""
        self.ground = ground
        self.path: list[str] = []
        self.children: set[int] = set()
        self.results: list[TestResult] = []
        self.blamed: set[str] = set()
        self.printed: defaultdict[str, list[str]] = defaultdict(list)

    def add(self, event: NodeEvent) -> None:
        if event.kind in ("stdout", "stderr"):
            self.printed[event.file].append(event.message)
            return
        level = max(0, min(event.nesting, 100))
        if event.kind == "start":
            self.path[level:] = [event.name]
            self.children.discard(level)
            if level:
                self.children.add(level - 1)
            return
        parent = level in self.children
        self.children.discard(level)
        failed = event.kind == "fail" and not event.muted
        alone = event.error is not None and event.error.failure != "subtestsFailed"
        if (parent or event.suite) and not (failed and alone):
            return
        self.results.append(self.result(event, [*self.path[:level], event.name], failed=failed))

    def result(self, event: NodeEvent, path: list[str], *, failed: bool) -> TestResult:
        file = self.ground.locate(event.file) or event.file
        whole = self.ground.locate(path[-1]) if len(path) == 1 else None
        if failed and whole is not None:
            return self.file(event, whole)
        outcome = (
            CaseOutcome.FAILED
            if failed
            else CaseOutcome.SKIPPED
            if event.muted
            else CaseOutcome.PASSED
        )
        crash = None
        if failed and event.error is not None:
            crash = self.crash(event.error, event)
        return TestResult(
            id=f"{file}::{' > '.join(path)}",
            outcome=outcome,
            seconds=max(event.ms, 0.0) / 1000,
            crash=crash,
            output=printed("".join(self.printed[event.file])) if failed else "",
        )

    def crash(self, error: NodeError, event: NodeEvent) -> Crash:
        kind = error.type or "Error"
        kind = "Timeout" if error.failure == "testTimeoutFailure" else kind
        frames = stacks.javascript(error.stack, self.ground)
        if not frames and event.line:
            frames = (self.ground.frame(event.file, event.line),)
        return Crash(type=kind, message=error.message, frames=frames, details=capped(error.stack))

    def file(self, event: NodeEvent, path: str) -> TestResult:
        """Return a result for a file that could not be loaded, or that ended its process."""
        text = "".join(self.printed[event.file] or self.printed[str(self.ground.root / path)])
        result, at_fault = unloaded(
            path, text or (event.error.message if event.error else ""), self.ground
        )
        self.blamed |= {path} if at_fault else set()
        return result

    def heard(self) -> DialectResult:
        return DialectResult(results=distinct(self.results), blamed=frozenset(self.blamed))


def unloaded(name: str, text: str, ground: RunLocation) -> tuple[TestResult, bool]:
    """Return a result for a file of tests that did not load, and whether a file is itself at fault.

    `text` is what Node, or a runner on it, said of it.
    """
    thrown = THROWN.search(text)
    kind = thrown["type"] if thrown else "Error"
    message = thrown["message"] if thrown else (text.strip() or "it ended early").splitlines()[-1]
    if UNREADABLE.search(text):
        kind = "SyntaxError"
    if absent := ABSENT.search(text):
        kind, message = "ImportError", absent[0]
    frames = stacks.javascript(text, ground)
    place = next((found for each in PLACES if (found := each.search(text))), None)
    if place and (kind == "SyntaxError" or not frames):
        frames = (ground.frame(place["path"], int(place["line"])),)
    crash = Crash(type=kind, message=message, frames=frames, details=capped(text))
    result = TestResult(
        id=name, outcome=CaseOutcome.ERROR, phase=Phase.COLLECT, crash=crash, output=printed(text)
    )
    return result, kind == "SyntaxError" or bool(PACKAGE.search(text))


def _without_reporters(words: list[str]) -> Iterator[str]:
    skip = False
    for word in words:
        if not skip and not OURS.fullmatch(word):
            yield word
        skip = word in VALUED


def _narrowed(words: list[str], question: DialectRequest) -> list[str]:
    """Name the files of the wanted tests in place of those given."""
    wanted = question.request.only
    files = list(dict.fromkeys(name.partition("::")[0] for name in wanted))
    here = question.cwd
    inside = [name for name in files if (here / name).is_file()]
    if not files or len(inside) != len(files):
        return words
    options = [word for word in words if word.startswith("-")]
    return [*options, *inside] if all("=" in w or w == "--test" for w in options) else words
