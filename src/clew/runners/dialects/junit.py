"""Anything that writes JUnit's XML: Maven, Gradle, ctest, PHPUnit and a hundred more.

A report is data from a process that ran anybody's code. It is read with expat, and a document that
declares a type is refused before its first entity: nothing can expand, and nothing outside is asked
for. Depth, size and number are bounded, and links are not followed. Only what the run itself wrote
is read: a report that was there before, and is there unchanged, says nothing.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path
from xml.parsers import expat

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
)
from clew.runners.dialects.telling import kind_of, message_of
from clew.runners.writers import writer
from clew.words.facts import CaseOutcome, Crash, Frame, Phase, TestResult
from clew.words.printable import printable

__all__ = ["Junit", "ReportRefused", "read", "reported"]

FILES = 2_000
BYTES = 50_000_000  # of one file
ALL_BYTES = 200_000_000
DEPTH = 50
DIGITS = 9  # of a line
TEXT = 100_000  # characters of one failure
CASES = 200_000
LOOKED_AT = 200_000  # files that patterns may go through

OWN = "report.xml"


class Junit:
    """Ids are `classname::name`, as in the report."""

    about = "each test of the reports that the run wrote, with the places that a failure names"

    def ask(self, question: DialectRequest) -> InstrumentedCommand:
        """Remember which reports are there, and tell the program where to write its own."""
        before = {
            str(path): _stamp(path) for path in _reports(question.cwd, question.command.reports)
        }
        (question.out.parent / "before.json").write_bytes(msgspec.json.encode(before))
        meant = question.meant
        known = writer((meant.program, *meant.arguments))
        more = [word.format(question.out / OWN) for word in (known.words if known else ())]
        words = (*question.meant.arguments, *more, *question.request.extra)
        return InstrumentedCommand(arguments=words, together=True)

    def hear(
        self, question: DialectRequest, ground: RunLocation, spoken: CommandOutput
    ) -> DialectResult:
        """Read what is new. Without a report a red run is one fact, and a green one is none."""
        before = msgspec.json.decode(
            (ground.out.parent / "before.json").read_bytes(), type=dict[str, tuple[int, int]]
        )
        results: list[TestResult] = []
        wrong: list[str] = []
        for path in self._fresh(question, before):
            try:
                results += [_result(case, ground) for case in read(path)]
            except ReportRefused as error:
                wrong.append(f"{path.name}: {error}")
        if wrong:
            return DialectResult(trouble=f"a report could not be read: {wrong[0]}")
        red = any(result.outcome.red for result in results)
        if spoken.code != 0 and not red:
            output = printable(spoken.output)
            frames = stacks.anywhere(output, ground)
            if frames or not results:
                results.append(_unbuilt(question, output, frames))
        if spoken.code == 0 and not results:
            named = ", ".join(question.command.reports) or "its report"
            return DialectResult(trouble=f"the run wrote no report of its tests ({named})")
        return DialectResult(results=distinct(results))

    def _fresh(
        self, question: DialectRequest, before: dict[str, tuple[int, int]]
    ) -> Iterator[Path]:
        room = ALL_BYTES
        own = question.out / OWN
        for path in (own, *_reports(question.cwd, question.command.reports)):
            stamp = _stamp(path)
            if stamp == (0, 0) or before.get(str(path)) == stamp:
                continue
            room -= path.lstat().st_size
            if room < 0:
                return
            yield path


def reported(path: Path, ground: RunLocation) -> tuple[TestResult, ...]:
    """Return what one report says of its tests. Raises ReportRefused."""
    return distinct(_result(case, ground) for case in read(path))


class ReportRefused(Exception):
    """A report is no XML that may be read."""


class JUnitCase(msgspec.Struct, kw_only=True):
    """One `testcase`."""

    name: str = ""
    group: str = ""
    file: str = ""
    line: int = 0
    seconds: float = 0.0
    outcome: CaseOutcome = CaseOutcome.PASSED
    type: str = ""
    message: str = ""
    text: str = ""
    printed: str = ""

    @property
    def id(self) -> str:
        return "::".join(filter(None, (self.group.strip(), self.name.strip())))


ENDS = {"failure": CaseOutcome.FAILED, "error": CaseOutcome.ERROR, "skipped": CaseOutcome.SKIPPED}
PRINTED = ("system-out", "system-err")
ABSENT = "Unable to find executable"  # ctest's, of a test whose program was not built: it is red
AFTER = "failed on teardown with "  # pytest's, of a second case by the name of one that failed


def read(path: Path) -> list[JUnitCase]:
    """Read the test cases of one report. Raises ReportRefused."""
    reader = _Reader()
    try:
        # The folder was writable to the tests: neither follow a link nor wait for a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ReportRefused(error.strerror or "it cannot be opened") from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ReportRefused("it is no regular file")
        if os.fstat(descriptor).st_size > BYTES:
            raise ReportRefused(f"it is larger than {BYTES // 1_000_000} MB")
        try:
            reader.parser.ParseFile(file)
        except (expat.ExpatError, UnicodeError, LookupError, ValueError) as error:
            raise ReportRefused(str(error)) from error
    return reader.cases


class _Reader:
    """Takes a document in event by event."""

    def __init__(self) -> None:
        self.cases: list[JUnitCase] = []
        self.case: JUnitCase | None = None
        self.inside: list[str] = []
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.text
        self.parser.StartDoctypeDeclHandler = self.refuse

    def refuse(self, *_: object) -> None:
        raise ReportRefused("it declares a document type, which no report needs")

    def start(self, tag: str, given: dict[str, str]) -> None:
        self.inside.append(tag)
        if len(self.inside) > DEPTH or len(self.cases) > CASES:
            raise ReportRefused("it is nested too deep, or too long")
        if tag == "testcase":
            self.case = JUnitCase(
                name=given.get("name", "")[:TEXT],
                group=(given.get("classname") or given.get("class") or "")[:TEXT],
                file=given.get("file", "")[:TEXT],
                line=_whole(given.get("line", "")),
                seconds=_number(given.get("time", "")),
            )
            status = given.get("status", "")
            if status in ("notrun", "disabled", "skipped"):
                self.case.outcome = CaseOutcome.SKIPPED
            elif status == "fail":
                self.case.outcome = CaseOutcome.FAILED
            self.cases.append(self.case)
        elif tag in ENDS and self.case is not None and not self.case.outcome.red:
            self.case.outcome = ENDS[tag]
            self.case.type = given.get("type", "")[:TEXT]
            self.case.message = given.get("message", "")[:TEXT]
            if self.case.message.startswith(ABSENT):
                self.case.outcome = CaseOutcome.ERROR

    def end(self, tag: str) -> None:
        self.inside.pop()
        if tag == "testcase" and self.case is not None:
            before = self.cases[-2:-1]
            if self.case.message.startswith(AFTER) and [self.case.id] == [c.id for c in before]:
                self.cases.pop()  # it has failed already, and its fixtures after it
            self.case = None

    def text(self, text: str) -> None:
        case, tag = self.case, self.inside[-1] if self.inside else ""
        if case is None:
            return
        if tag in ENDS and len(case.text) < TEXT:
            case.text += text[:TEXT]
        elif tag in PRINTED and len(case.printed) < TEXT:
            case.printed += text[:TEXT]


def _result(case: JUnitCase, ground: RunLocation) -> TestResult:
    crash = None
    text = printable(case.text).strip()
    message = printable(case.message).strip()
    if case.outcome.red:
        said = f"{text}\n{printable(case.printed)}"
        frames = stacks.anywhere(said, ground) or stacks.anywhere(message, ground)
        if not frames and case.line and ground.locate(case.file):
            frames = (ground.frame(case.file, case.line),)
        names = tuple(filter(None, (case.name, case.id, f"{case.group}.{case.name}")))
        crash = Crash(
            type=kind_of(case.type, case.name),
            message=message_of(message, text, printable(case.printed), names),
            frames=frames,
            details=capped(text),
        )
    return TestResult(
        id=case.id or "a test without a name",
        outcome=case.outcome,
        seconds=case.seconds,
        crash=crash,
        output=capped("\n".join(filter(None, (text, printable(case.printed))))),
    )


def _unbuilt(question: DialectRequest, output: str, frames: tuple[Frame, ...]) -> TestResult:
    label = shlex.join(question.command.argv)
    crash = None
    if frames:
        crash = Crash(
            type="BuildError",
            message=next(
                (line.strip() for line in output.splitlines() if "error" in line.lower()), ""
            ),
            frames=frames,
            details=capped(output),
        )
    return TestResult(
        id=label, outcome=CaseOutcome.ERROR, phase=Phase.COLLECT, crash=crash, output=capped(output)
    )


def _reports(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    """Return the files that patterns name below a folder, sorted; links lead nowhere."""
    found: set[Path] = set()
    real = folder.resolve()
    for pattern in patterns:
        for count, path in enumerate(folder.glob(pattern)):
            if count > LOOKED_AT or len(found) > FILES:
                break
            if path.parent.resolve().is_relative_to(real):
                found.add(path)
    return sorted(found)


def _stamp(path: Path) -> tuple[int, int]:
    """Return what changes whenever a file is written, and cannot be set back; zeros for no file."""
    try:
        status = path.lstat()
    except OSError:
        return (0, 0)
    return (status.st_ino, status.st_ctime_ns)


def _number(text: str) -> float:
    try:
        seconds = float(text.replace(",", ""))
    except ValueError:
        return 0.0
    return seconds if 0.0 <= seconds < float("inf") else 0.0


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < DIGITS else 0
