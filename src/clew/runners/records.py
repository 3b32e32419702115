"""What the probe wrote, read back.

It comes from a process that ran anybody's code: nothing in it is believed beyond its types, and a
line that does not fit is left out and counted.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated

import msgspec

from clew.words.facts import (
    CaseOutcome,
    Compared,
    Crash,
    Crossed,
    FileRead,
    Frame,
    MadeCode,
    Phase,
    TestResult,
)

__all__ = ["ProcessTotals", "lines_of", "read", "read_dump", "read_facts", "stack_in", "whole"]

Text = Annotated[str, msgspec.Meta(max_length=120_000)]
Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)]
BYTES = 100_000_000  # of a results file; the probe stops well before
DUMPED = re.compile(r'  File "(.+)", line (\d+) in (.+)')


class ProbeRecord(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """One line."""


class StartRecord(ProbeRecord, frozen=True, kw_only=True, tag="start"):
    python: Text
    executable: Text
    runner: Text
    rootdir: Text
    held: bool = True


class NamedRecord(ProbeRecord, frozen=True, kw_only=True, tag="named"):
    """What the settings say of which files are tests."""

    names: Annotated[tuple[Text, ...], msgspec.Meta(max_length=100)]


class CollectingRecord(ProbeRecord, frozen=True, kw_only=True, tag="collecting"):
    id: Text


class CollectedRecord(ProbeRecord, frozen=True, kw_only=True, tag="collected"):
    ids: list[Text]


class RunningRecord(ProbeRecord, frozen=True, kw_only=True, tag="running"):
    id: Text
    file: Text = ""


class WireFrame(msgspec.Struct, frozen=True, kw_only=True):
    path: Text
    line: Count
    function: Text
    code: Text = ""
    project: bool = False
    values: dict[Text, Text] = {}


class WireCrash(msgspec.Struct, frozen=True, kw_only=True):
    type: Text
    message: Text
    frames: list[WireFrame] = []
    details: Text = ""
    missing: Text = ""
    cause: WireCrash | None = None
    context: WireCrash | None = None


class ResultRecord(ProbeRecord, frozen=True, kw_only=True, tag="result"):
    id: Text
    file: Text = ""
    outcome: CaseOutcome
    phase: Phase = Phase.CALL
    seconds: Annotated[float, msgspec.Meta(ge=0)] = 0.0
    crash: WireCrash | None = None
    output: Text = ""


class CoverageRecord(ProbeRecord, frozen=True, kw_only=True, tag="coverage"):
    id: Text
    lines: dict[Text, list[Count]]


class ModulesRecord(ProbeRecord, frozen=True, kw_only=True, tag="modules"):
    foreign: list[tuple[Text, Text]]
    project: list[Text] = []


class ReadRecord(ProbeRecord, frozen=True, kw_only=True, tag="read"):
    """Files that were read, each with the file that did; the runner has none."""

    files: list[tuple[Text, Text]]


class CrossedRecord(ProbeRecord, frozen=True, kw_only=True, tag="crossed"):
    """A call into the files that a fix changed, and its answer, both JSON."""

    call: Text = ""
    end: Text = ""
    reads: bool = False
    why: Text = ""


class ComparedRecord(ProbeRecord, frozen=True, kw_only=True, tag="compared"):
    """A method by which values from the files that a fix changed are judged."""

    type: Text
    home: Text = ""
    module: Text = ""
    slot: Text
    holder: Text = ""
    held: Text = ""
    path: Text = ""
    line: Count = 0
    lent: Text = ""
    wild: bool = False


class ReplacedRecord(ProbeRecord, frozen=True, kw_only=True, tag="replaced"):
    """A name of the runner, or of what tests compare with, that stands for something else."""

    name: Text


class MadeRecord(ProbeRecord, frozen=True, kw_only=True, tag="made"):
    """A file that was loaded, or one whose function `by` ran code that it made."""

    path: Text
    by: Text = ""


class SwallowedRecord(ProbeRecord, frozen=True, kw_only=True, tag="swallowed"):
    """A function of a changed file that kept to itself that a test had failed."""

    path: Text
    by: Text


class BrokenRecord(ProbeRecord, frozen=True, kw_only=True, tag="broken"):
    text: Text
    settings: Text = ""  # the file of the runner's settings


class StoppedRecord(ProbeRecord, frozen=True, kw_only=True, tag="stopped"):
    """The run ended where what had run was to decide."""


class LeftRecord(ProbeRecord, frozen=True, kw_only=True, tag="left"):
    id: Text


class LookedRecord(ProbeRecord, frozen=True, kw_only=True, tag="looked"):
    """Changed code looked at the stack."""


class FinishRecord(ProbeRecord, frozen=True, kw_only=True, tag="finish"):
    status: int


class InterpreterFacts(ProbeRecord, frozen=True, kw_only=True, tag="facts"):
    """What an interpreter says of itself; `pytest` is its version, or empty."""

    executable: str
    version: str
    prefixes: tuple[str, ...]
    path: tuple[str, ...]
    pytest: str = ""
    editable: tuple[str, ...] = ()


Line = (
    StartRecord
    | NamedRecord
    | CollectingRecord
    | CollectedRecord
    | RunningRecord
    | ResultRecord
    | CoverageRecord
    | ModulesRecord
    | ReadRecord
    | CrossedRecord
    | ComparedRecord
    | ReplacedRecord
    | MadeRecord
    | SwallowedRecord
    | BrokenRecord
    | StoppedRecord
    | LeftRecord
    | LookedRecord
    | FinishRecord
)
DECODER = msgspec.json.Decoder(Line)


class ProcessTotals(msgspec.Struct, kw_only=True):
    """One process's records, added up."""

    start: StartRecord | None = None
    named: tuple[str, ...] = ()
    collected: list[str] = []
    now: str = ""  # the test, or the file, at work when the records end
    file: str = ""  # that it stands in
    phase: Phase = Phase.COLLECT
    results: dict[str, TestResult] = {}
    missing: dict[str, str] = {}  # by the id of a file that did not load
    lines: dict[str, dict[str, tuple[int, ...]]] = {}
    foreign: tuple[tuple[str, str], ...] = ()
    read: dict[FileRead, None] = {}  # in order
    crossed: list[Crossed] = []
    compared: list[Compared] = []
    replaced: list[str] = []
    made: list[MadeCode] = []
    swallowed: list[str] = []
    broken: str = ""
    settings: str = ""
    status: int | None = None
    left: bool = False  # a test ended the run
    looked: bool = False
    unread: int = 0
    held: bool = True  # seed and clock could be settled
    stopped: bool = False  # at the gate

    def add(self, record: Line) -> None:  # noqa: C901, PLR0912  # one case a record
        match record:
            case StartRecord():
                self.start, self.held = record, record.held
            case NamedRecord():
                self.named = record.names
            case CollectingRecord():
                self.now, self.file, self.phase = record.id, "", Phase.COLLECT
            case CollectedRecord():
                self.collected = list(record.ids)
            case RunningRecord():
                self.now, self.file, self.phase = record.id, _own(record.file), Phase.CALL
            case ResultRecord():
                self.result(record)
            case CoverageRecord():
                found = {path: tuple(lines) for path, lines in record.lines.items()}
                self.lines[record.id] = {k: v for k, v in found.items() if _inside(k)}
            case ModulesRecord():
                self.foreign = tuple(record.foreign)
            case ReadRecord():
                pairs = [(path, by) for path, by in record.files if _inside(path) and _inside(by)]
                self.read |= {FileRead(path=path, by=by): None for path, by in pairs}
            case CrossedRecord():
                self.cross(record)
            case ComparedRecord():
                self.compared.append(Compared(**msgspec.structs.asdict(record)))
            case ReplacedRecord():
                self.replaced.append(record.name)
            case SwallowedRecord():
                self.swallowed.append(f"{record.path}, `{record.by}`")
            case MadeRecord() if _inside(record.path):
                self.made.append(MadeCode(path=record.path, by=record.by))
            case MadeRecord():
                self.unread += 1
            case BrokenRecord():
                self.broken, self.settings = record.text, record.settings
            case StoppedRecord():
                self.stopped = True
            case LeftRecord():
                self.left = True
            case LookedRecord():
                self.looked = True
            case FinishRecord():
                self.status = record.status

    def cross(self, record: CrossedRecord) -> None:
        """Keep a call, if it is told as it should be."""
        try:
            crossed = Crossed(call=record.call, end=record.end, reads=record.reads, why=record.why)
            for text in (record.call, record.end) if record.call else ():
                msgspec.json.decode(text, type=dict[str, object])
        except msgspec.DecodeError:
            self.unread += 1
        else:
            self.crossed.append(crossed)

    def result(self, record: ResultRecord) -> None:
        """Keep the first account of a test, but let red prevail."""
        if record.id == self.now and record.phase is not Phase.COLLECT:
            self.now = ""
        before = self.results.get(record.id)
        if before is not None and (before.outcome.red or not record.outcome.red):
            return
        self.results[record.id] = TestResult(
            id=record.id,
            file=_own(record.file),
            outcome=record.outcome,
            phase=record.phase,
            seconds=record.seconds,
            crash=None if record.crash is None else _crash(record.crash),
            output=record.output,
        )
        if record.phase is Phase.COLLECT and record.crash is not None:
            self.missing[record.id] = record.crash.missing


def _crash(record: WireCrash) -> Crash:
    frames = tuple(
        Frame(
            path=frame.path,
            line=frame.line,
            function=frame.function,
            code=frame.code,
            project=frame.project and _inside(frame.path),
            values=frame.values,
        )
        for frame in record.frames
    )
    return Crash(
        type=record.type,
        message=record.message,
        frames=frames,
        details=record.details,
        cause=_crash(record.cause) if record.cause else None,
        context=_crash(record.context) if record.context else None,
    )


def _own(path: str) -> str:
    return path if _inside(path) else ""


def _inside(path: str) -> bool:
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts


def read(path: Path) -> ProcessTotals:
    """Add up the records of a file. A missing file, and a torn last line, are none."""
    account = ProcessTotals()
    for line in lines_of(path):
        try:
            account.add(DECODER.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError):
            account.unread += 1
    return account


def read_facts(path: Path) -> InterpreterFacts | None:
    for line in lines_of(path):
        try:
            return msgspec.json.decode(line, type=InterpreterFacts)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    return None


def read_dump(path: Path, root: str) -> tuple[Frame, ...]:
    """Read the bare stack that faulthandler left in a file, outermost frame first."""
    return stack_in(b"".join(lines_of(path)).decode("utf-8", "replace"), root)


def stack_in(text: str, root: str) -> tuple[Frame, ...]:
    """Read the current thread's stack out of faulthandler's words, outermost frame first."""
    frames: list[Frame] = []
    for line in text.partition("Current thread ")[2].splitlines()[1:]:
        found = DUMPED.fullmatch(line)
        if not found:
            break
        name = found[1]
        ours = name.startswith(root + "/") and "/site-packages/" not in name
        short = name.removeprefix(root + "/") if ours else name
        frames.append(Frame(path=short, line=int(found[2]), function=found[3], project=ours))
    return tuple(reversed(frames))


def whole(path: Path) -> bytes:
    """Return the lines that a run wrote into a file, the last one too."""
    return b"".join(lines_of(path, torn=True))


def lines_of(path: Path, *, torn: bool = False) -> Iterator[bytes]:
    """Yield the lines that a run wrote into a file; a torn last one only if asked for.

    A link, a pipe and a missing file have none.
    """
    try:
        # The folder was writable to the tests: neither follow a link nor wait for a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return
        left = BYTES
        while left > 0 and (line := file.readline(left)):
            left -= len(line)
            if torn or line.endswith(b"\n"):
                yield line
