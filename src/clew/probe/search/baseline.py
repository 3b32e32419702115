"""What the tests do before any change: outcomes, lines, crashes, cost."""

from __future__ import annotations

import bisect
import time
from typing import Any, Callable, Collection, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..formulas import alike, ochiai
from ..tracer import Tracer
from .crashes import crash_of, revive
from .suites import Test, TimeUp
from .workers import child, limited, wait

__all__ = ["SeenTest", "Spectrum", "measure", "trace"]

SLOWED = 3  # times that tests take at least, while their lines are recorded


class SeenTest(NamedTuple):
    """One test as it is."""

    test: Test
    green: bool
    skipped: bool
    phase: str
    seconds: float
    lines: Dict[str, Tuple[int, ...]]  # by absolute path, each in order
    crash: Any  # Crash | None
    died: bool = False  # and its process with it, or that had to be killed

    @property
    def hangs(self) -> bool:
        return self.crash is not None and self.crash.type == "TimeUp"


def trace(  # noqa: PLR0917 - what one run of the tests takes
    tests: Sequence[Test],
    root: str,
    skip: List[str],
    limit: float,
    deadline: float,
    tick: Callable[[int], None],
) -> Dict[str, SeenTest]:
    """Run each test once in forked children, recording the lines of the project.

    A test that hangs is red; the next child goes on after it. One that ends where nothing slows it
    down is as it ends then. Tests left at the deadline are missing from the result.
    """
    found: Dict[str, SeenTest] = {}
    rest = list(tests)
    while rest and time.monotonic() < deadline:

        def body(
            send: Callable[[Any], None], rest: List[Test] = rest, limit: float = limit
        ) -> None:
            tracer = Tracer([root], skip)
            for index, test in enumerate(rest):
                send({"begin": index})
                # What waits uses no processor time; and its lines are wanted before the kill.
                wall = max(0.3, min(1.0 + 2 * limit, deadline - time.monotonic() - 0.3))
                tracer.start()
                try:
                    ended = ending(test, root, limit, wall)
                finally:
                    lines = tracer.stop()
                send({"index": index, "lines": lines, **ended})
                if ended["hung"]:
                    return

        begun, ended = heard(body, deadline)
        done = -1
        for message in ended:
            done = message["index"]
            test = rest[done]
            lines = {path: tuple(numbers) for path, numbers in message["lines"].items()}
            free = untraced(test, root, limit / SLOWED, deadline) if message["hung"] else None
            found[test.id] = seen(test, lines, free or message)
        if begun > done:  # it died or was killed in the middle of a test
            test = rest[begun]
            found[test.id] = SeenTest(test, False, False, "call", limit, {}, None, died=True)
            done = begun
        else:
            # After one test that hangs the next are given less: many may hang in the same loop.
            limit = max(0.1, limit / 4)
        tick(len(found))
        if done < 0:
            break
        rest = rest[done + 1 :]
    return found


def ending(test: Test, root: str, limit: float, wall: float) -> Dict[str, Any]:
    """Run a test, and return how it ends; its crash is as another process may be told it."""
    started = time.process_time()
    green = skipped = hung = False
    phase, crash = "call", None
    try:
        with limited(limit, wall):
            outcome = test.run()
        green, skipped, phase = outcome.green, outcome.skipped, outcome.phase
        if outcome.error is not None:
            crash = crash_of(outcome.error, root)
    except TimeUp as error:
        hung, crash = True, crash_of(error, root)
    except BaseException as error:  # noqa: BLE001 - a test may raise anything
        crash = crash_of(error, root)
    seconds = time.process_time() - started
    return {
        "green": green, "skipped": skipped, "phase": phase, "seconds": seconds, "crash": crash,
        "hung": hung,
    }  # fmt: skip


def untraced(test: Test, root: str, limit: float, deadline: float) -> Optional[Dict[str, Any]]:
    """Run a test in a child and return how it ends; None if it hangs or dies."""

    def body(send: Callable[[Any], None]) -> None:
        send({"begin": 0})
        send({"index": 0, **ending(test, root, limit, 0.3 + 2 * limit)})

    _, ended = heard(body, deadline)
    return ended[0] if ended and not ended[0]["hung"] else None


def seen(test: Test, lines: Dict[str, Tuple[int, ...]], ended: Dict[str, Any]) -> SeenTest:
    return SeenTest(
        test, ended["green"], ended["skipped"], ended["phase"], ended["seconds"], lines,
        revive(ended["crash"]),
    )  # fmt: skip


def heard(
    body: Callable[[Callable[[Any], None]], None], deadline: float
) -> Tuple[int, List[Dict[str, Any]]]:
    """Run tests in a child: return which began last, -1 for none, and what it sent of each."""
    pid, pipe = child(body, 4 << 30)
    sent = [m for m in wait(pid, pipe, max(0.5, deadline - time.monotonic())) or [] if m]
    begun = [message["begin"] for message in sent if "begin" in message]
    return (begun[-1] if begun else -1), [message for message in sent if "index" in message]


def measure(
    records: Sequence[SeenTest], limit: float, deadline: float
) -> Dict[str, Tuple[float, float, bool]]:
    """Run tests bare, where they can be: processor time, time on the clock, is bare enough.

    Bare is enough when it ends as the whole run did.
    """
    found: Dict[str, Tuple[float, float, bool]] = {}
    rest = [r for r in records if not r.hangs]
    while rest and time.monotonic() < deadline:

        def body(send: Callable[[Any], None], rest: List[SeenTest] = rest) -> None:
            for index, record in enumerate(rest):
                send({"begin": index})
                bare = record.test.fast()
                green, raised = False, ""
                started, clock = time.process_time(), time.monotonic()
                try:
                    with limited(limit, limit):
                        if bare is None:
                            green = record.test.run().green
                        else:
                            bare()
                            green = True
                except TimeUp:
                    return
                except BaseException as error:  # noqa: BLE001 - a test may raise anything
                    raised = type(error).__name__
                alike = green == record.green and (
                    green or record.crash is None or raised in ("", record.crash.type)
                )
                send({
                    "index": index, "seconds": time.process_time() - started,
                    "wall": time.monotonic() - clock, "bare": bare is not None and alike,
                })  # fmt: skip

        begun, ended = heard(body, deadline)
        for message in ended:
            found[rest[message["index"]].test.id] = (
                message["seconds"], message["wall"], message["bare"],
            )  # fmt: skip
        if begun < 0:
            break
        rest = rest[begun + 1 :]
    return found


class Spectrum:
    """Which tests run which lines, and how suspicious that makes a line (Ochiai)."""

    def __init__(self, records: Dict[str, SeenTest], failing: Sequence[str]) -> None:
        self.records = records
        self.failing = [i for i in failing if i in records]
        self.red: Dict[Tuple[str, int], int] = {}
        self.all: Dict[Tuple[str, int], int] = {}
        chosen = set(self.failing)
        for identity, record in records.items():
            if identity not in chosen and not record.green:
                continue
            for path, lines in record.lines.items():
                for line in lines:
                    key = (path, line)
                    self.all[key] = self.all.get(key, 0) + 1
                    if identity in chosen:
                        self.red[key] = self.red.get(key, 0) + 1
        self.crashed: Dict[Tuple[str, int], float] = {}
        for identity in self.failing:
            crash = records[identity].crash
            frames = list(crash.frames) if crash is not None else []
            for depth, (path, line, _) in enumerate(reversed(frames)):
                score = 0.3 * 0.6**depth
                key = (path, line)
                self.crashed[key] = max(self.crashed.get(key, 0.0), score)

    def score(self, path: str, line: int) -> float:
        red = self.red.get((path, line), 0)
        if not red:
            return 0.0
        return ochiai(red, self.all[path, line] - red, len(self.failing))

    def scores(self, path: str, lines: int) -> Dict[int, float]:
        """Return the suspicious lines of a file: spectrum, and how near a crash they are."""
        found: Dict[int, float] = {}
        for number in range(1, lines + 1):
            score = self.score(path, number) + self.crashed.get((path, number), 0.0)
            if score:
                found[number] = min(1.3, score)
        return found

    def touching(self, path: str, first: int, last: int) -> List[str]:
        """Return the tests that run any line between two, in the order they were recorded."""
        return [
            identity
            for identity, record in self.records.items()
            if between(record.lines.get(path, ()), first, last)
        ]

    def loading(self, path: str, lines: Collection[int]) -> bool:
        """Say whether a failing test runs any of some lines, as where it loads a file anew."""
        ran = (self.records[i].lines.get(path, ()) for i in self.failing)
        return any(not wanted.isdisjoint(each) for wanted in [set(lines)] for each in ran)

    def reach(self, path: str) -> Optional[Dict[str, Any]]:
        """Return which tests run which lines of a file; nothing where that is too much to tell.

        Lines that the same tests run stand together, tests by their place in `tests`.
        """
        tests = [i for i, record in self.records.items() if path in record.lines]
        groups = alike([self.records[identity].lines for identity in tests], path)
        return None if groups is None else {"tests": tests, "groups": groups}

    def files(self) -> List[str]:
        """Return the files that failing tests run."""
        found: Set[str] = {path for path, _ in self.red}
        return sorted(found | {path for path, _ in self.crashed})


def between(lines: Sequence[int], first: int, last: int) -> bool:
    """Say whether any of some lines, which are in order, lies between two."""
    place = bisect.bisect_left(lines, first)
    return place < len(lines) and lines[place] <= last
