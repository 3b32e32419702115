"""What was asked of a run, and what came of each of its tasks: the two files of a results folder.

run.json         `BenchRequest`: everything that the results depend on
results.jsonl    one `TaskOutcome` a line, appended when its task is done

A process that is killed leaves at most one torn line, the last; it is dropped when the run goes on.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from pathlib import Path

import msgspec

from clew.sandbox.files import write_atomically
from clew.words.errors import UsageError
from clew.words.facts import Usage

__all__ = [
    "RESULTS",
    "BenchRequest",
    "BenchRun",
    "Machine",
    "TaskOutcome",
    "append",
    "check_run",
    "machine",
    "open_run",
    "read_run",
]

ASKED, RESULTS = "run.json", "results.jsonl"
OWN = frozenset({RESULTS, "holders"})  # before there is a run
ANOTHER = "Name another with --out."


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """What the times of a run were measured on."""

    system: str
    processor: str
    cores: int
    python: str


class BenchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A run: its suites by their paths, and what every task is given."""

    suites: tuple[str, ...]
    agents: tuple[str, ...]
    settings: dict[str, object]  # of `clew fix`, where they are not its defaults; as JSON has them
    timeout: float  # seconds for the session of one task
    seed: int
    clew_version: str
    begun: str  # UTC, ISO 8601
    machine: Machine

    @property
    def label(self) -> str:
        """What a table calls the run."""
        return ",".join(self.agents)


class TaskOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one task; None is unknown, never a guess."""

    suite: str
    task: str
    digest: str = ""  # of the task as it was read; nothing where it could not be
    kind: str = ""
    end: str  # as `clew status` has it; `timeout`, `error`, `died`: the session did not end
    note: str = ""
    flaw: str = ""  # of the task itself: why it tells nothing about who mends it
    plausible: bool = False  # all tests green, with proof
    correct: bool | None = False
    method: str = ""  # how that was found out
    witness: str = ""  # an input on which the fix and the right version differ
    iteration: int | None = None  # that ended in green
    iterations: int = 0
    agent: str = ""  # that made the accepted fix
    confidence: str = ""  # low, medium or high: the least of the diagnoses that the fix stands on
    red: int | None = None  # failing tests at the start
    total: int | None = None
    line_rank: int | None = None  # place of the first true line; None is not among the suspects
    file_rank: int | None = None
    suspects: int | None = None  # how many were ranked; None: there was no ranking
    ranking: str = ""  # `session`, or `localize` where the agent gave none
    truth: tuple[str, ...] = ()  # `path:line`
    seconds: float = 0.0  # of the session
    judged: float = 0.0  # seconds that judging took beyond it
    usage: Usage = Usage()
    diff: str = ""
    sandbox: str = ""

    @property
    def name(self) -> str:
        """The task's name among those of all suites of its run."""
        return f"{self.suite}/{self.task}"


class BenchRun(msgspec.Struct, frozen=True):
    """A results folder, read."""

    folder: Path
    asked: BenchRequest
    outcomes: tuple[TaskOutcome, ...]


def machine() -> Machine:
    """Describe this machine."""
    model = ""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        lines = info.read_text("utf-8", "replace").splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = names[0] if names else ""
    return Machine(
        system=f"{platform.system()} {platform.release()}",
        processor=model or platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        python=platform.python_version(),
    )


def check_run(folder: Path, asked: BenchRequest) -> None:
    """Make the folder, unless it is there.

    Raises UsageError where it cannot be written, or holds something else than a run that was asked
    the same.
    """
    _make(folder)
    if not (folder / ASKED).exists():
        names = {path.name for path in folder.iterdir()} - OWN
        if any(not name.startswith(f".{ASKED}.") for name in names):  # as it is written
            raise UsageError(f"{folder} is not empty and holds no run", hint=ANOTHER)
        return
    begun = read_run(folder).asked
    for field in ("suites", "agents", "settings", "timeout", "seed", "clew_version"):
        then, now = getattr(begun, field), getattr(asked, field)
        if then != now:
            raise UsageError(
                f"{folder} holds a run with {field} = {then!r}, not {now!r}",
                hint="Repeat that one to continue it, or name another folder with --out.",
            )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise UsageError(f"{folder} is not a folder", hint=ANOTHER) from error
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}", hint=ANOTHER) from error
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{folder} cannot be written", hint=ANOTHER)


def open_run(folder: Path, asked: BenchRequest) -> BenchRun:
    """Start a results folder, or go on with one; a torn last line is removed. Needs `check_run`."""
    if not (folder / ASKED).exists():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RESULTS).touch()
        write_atomically(folder / ASKED, msgspec.json.format(msgspec.json.encode(asked)) + b"\n")
    run = read_run(folder)
    content = (folder / RESULTS).read_bytes()
    with (folder / RESULTS).open("r+b") as file:
        file.truncate(content.rfind(b"\n") + 1)
    return run


def append(run: BenchRun, outcome: TaskOutcome) -> None:
    """Add what came of a task, and have it on the disk."""
    with (run.folder / RESULTS).open("ab") as file:
        file.write(msgspec.json.encode(outcome) + b"\n")
        file.flush()
        os.fsync(file.fileno())


def read_run(folder: Path) -> BenchRun:
    """Read a results folder; a torn last line is passed over. Raises UsageError."""
    try:
        asked = msgspec.json.decode((folder / ASKED).read_bytes(), type=BenchRequest)
        content = (folder / RESULTS).read_bytes()
    except OSError as error:
        raise UsageError(
            f"{folder} holds no results: {error.strerror}: {Path(error.filename).name}",
            hint="`clew bench run SUITE --out FOLDER` makes some.",
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{folder / ASKED} cannot be read: {error}",
            hint="Put that file back, or run the suite into another folder with --out.",
        ) from error
    return BenchRun(folder, asked, tuple(_outcomes(folder / RESULTS, content)))


def _outcomes(path: Path, content: bytes) -> Iterable[TaskOutcome]:
    found: dict[str, TaskOutcome] = {}
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        if not line.endswith(b"\n"):
            break
        try:
            outcome = msgspec.json.decode(line, type=TaskOutcome)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            hint = "Take that line out, or name another folder with --out."
            raise UsageError(f"{path}, line {number}: {error}", hint=hint) from error
        found[outcome.name] = outcome
    return found.values()
