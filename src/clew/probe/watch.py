"""A deadline for each test, kept by a process of its own.

A timer inside the interpreter is of no use here: a thread makes every later `fork` warn (and tests
that turn warnings into errors fail), SIGALRM belongs to the tests, and neither gets a word in while
a C function holds the interpreter. So a small process waits on a pipe. At the deadline it sends a
signal that Python handles (the stack is recorded with values), a little later one that
faulthandler handles without the interpreter's help (the bare stack), and then it kills. On request
it sends the first signal once more before: whoever is called then may see that waiting is no use.
"""

from __future__ import annotations

import faulthandler
import os
import select
import signal
import struct
import time
import warnings
from typing import Any, Callable, List, Tuple

__all__ = ["STUCK", "Watch"]

STUCK = 86  # exit status of a probe that gave up a test
GRACE = 2.0  # seconds between two steps
EARLY = 0.05  # seconds by which the two processes' deadlines may differ
WORD = struct.Struct("dd")
ASK = signal.SIGRTMAX - 3
DUMP = signal.SIGRTMAX - 4


class Watch:
    """Calls `stuck(frame, seconds)` in the main thread when `arm` was not taken back in time.

    `seconds` is the deadline that has passed: the early one, if there is one, or the last.
    """

    def __init__(self, dump: str, stuck: Callable[[Any, float], None]) -> None:
        self.stuck = stuck
        self.early = self.seconds = 0.0
        self.since = 0.0
        self.owner = os.getpid()
        # Kept open as long as the process lives: faulthandler holds the bare descriptor.
        self.file = open(dump, "w", encoding="utf-8")  # noqa: SIM115 - open for the whole run
        signal.signal(ASK, self.asked)
        faulthandler.register(DUMP, file=self.file, all_threads=False)
        # Taken now: a test may put fakes of the clock and of `os` in their place.
        self.put, self.getpid, self.clock = os.write, os.getpid, time.monotonic
        self.pipe = start(os.getpid())

    def arm(self, seconds: float, early: float = 0.0) -> None:
        """Begin to count; a deadline that stood before is forgotten, and 0 is none."""
        self.early, self.seconds = early, seconds
        self.since = self.clock()
        self.send()

    def disarm(self) -> None:
        self.early = self.seconds = 0.0
        self.send()

    def send(self) -> None:
        if self.getpid() == self.owner:
            try:
                self.put(self.pipe, WORD.pack(self.early, self.seconds))
            except OSError:  # a test closed every descriptor: the parent's time-out remains
                return

    def asked(self, _number: int, frame: Any) -> None:
        # A signal that was under way while a test ended in time must not hit the next one.
        passed = self.clock() - self.since + EARLY
        late = [end for end in (self.seconds, self.early) if end and passed >= end]
        if late and self.getpid() == self.owner:
            self.stuck(frame, late[0])


def start(pid: int) -> int:
    """Start the waiting process; return the end of the pipe that deadlines are written to.

    It is nobody's child, so that a test that waits for its children does not wait for this one.
    """
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some start-up hooks begin threads
        child = os.fork()
        if child == 0:
            if os.fork() == 0:
                try:
                    signal.signal(signal.SIGINT, signal.SIG_IGN)
                    os.dup2(reader, 0)
                    os.closerange(1, 1024)
                    wait(pid)
                finally:
                    os._exit(0)
            os._exit(0)
    os.close(reader)
    os.waitpid(child, 0)
    return writer


def wait(pid: int) -> None:
    steps: List[Tuple[float, int]] = []
    while True:
        left = max(steps[0][0] - time.monotonic(), 0.0) if steps else None
        ready, _, _ = select.select([0], [], [], left)
        if ready:
            word = os.read(0, WORD.size)
            if len(word) < WORD.size:
                return  # the other end is closed: the probe is gone
            steps = planned(time.monotonic(), *WORD.unpack(word))
        else:
            os.kill(pid, steps.pop(0)[1])
            if not steps:
                return


def planned(now: float, early: float, seconds: float) -> List[Tuple[float, int]]:
    """Return which signal is sent when, in order."""
    if not seconds:
        return []
    asks = [(now + early, ASK)] if 0 < early < seconds else []
    last = now + seconds
    return [*asks, (last, ASK), (last + GRACE, DUMP), (last + 2 * GRACE, signal.SIGKILL)]
