"""Forked workers: each tries a batch, tells what it found, and goes.

A worker that runs over its time is of no further use (the exception may have struck inside the
runner) and leaves at once; the rest of its batch goes to a new one. Progress is a byte a candidate
in shared memory, so that a killed worker loses nothing but the candidate it hung in. What the clock
alone cut off may have had a busy machine: it is tried once more, by one worker, with more time.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # private, and steady since Python 3.5
import gc
import json
import mmap
import os
import resource
import select
import signal
import struct
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

from . import pages
from .suites import TimeUp

__all__ = ["Bounds", "Job", "Pool", "child", "latest", "limited", "quiet"]

# What became of a candidate; a slow one was stopped, and its worker may go on.
UNTRIED, RED, INVALID, TIMEOUT, GREEN, BREAKS, DIED, LATE, FURTHER, SLOW = range(10)

SLOT = struct.Struct("=qd")
TICK = os.sysconf("SC_CLK_TCK")
PATIENCE = 3  # times as long on the clock, for what is tried once more


class Bounds:
    """Bounds of one worker."""

    def __init__(self, memory: int = 1 << 30, wall: float = 10.0) -> None:
        self.memory = memory  # bytes on top of what the process holds already
        self.wall = wall  # seconds that one test of a candidate may take on the clock


def quiet() -> None:
    """Send what the tests print nowhere, and give them nothing to read."""
    null = os.open(os.devnull, os.O_RDWR)
    for target in (0, 1, 2):
        os.dup2(null, target)


def bound_memory(extra: int) -> None:
    try:
        # Every page that a new worker writes to is copied first: a file object takes fifty.
        file = os.open("/proc/self/statm", os.O_RDONLY)
        used = int(os.read(file, 200).split()[0]) * os.sysconf("SC_PAGE_SIZE")
        os.close(file)
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = used + extra if hard == resource.RLIM_INFINITY else min(hard, used + extra)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (OSError, ValueError):
        pass
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ring(number: int, _frame: Any) -> None:
    error = TimeUp()
    error.waited = number == WAITED
    raise error


def silence() -> None:
    """Stand for what a worker tells when a test begins."""


# `signal` wraps these in enumerations, which takes longer than many a test.
on_signal, set_timer = _signal.signal, _signal.setitimer
WORKING, WAITING = int(signal.ITIMER_PROF), int(signal.ITIMER_REAL)
WORKED, WAITED = int(signal.SIGPROF), int(signal.SIGALRM)
INTERRUPT, TERMINATE, DEFAULT = int(signal.SIGINT), int(signal.SIGTERM), int(signal.SIG_DFL)


class limited:  # noqa: N801 - used as a statement: `with limited(0.1):`
    """Raise TimeUp in the block after so many seconds of processor time, and again and again."""

    began: Callable[[], None] = staticmethod(silence)  # called as a block begins
    patience = 1

    def __init__(self, seconds: float, wall: float = 0.0) -> None:
        self.seconds = seconds
        self.wall = wall  # seconds on the clock, for what waits instead of working; 0 is no limit

    def __enter__(self) -> None:
        self.began()
        on_signal(WORKED, ring)
        set_timer(WORKING, self.seconds, max(0.02, self.seconds / 4))
        if self.wall:
            on_signal(WAITED, ring)
            set_timer(WAITING, self.wall * self.patience, 0.1)

    def __exit__(self, *details: object) -> None:
        set_timer(WORKING, 0)
        if self.wall:
            set_timer(WAITING, 0)


try:
    import ctypes

    LIBC: Any = ctypes.CDLL(None)
except (ImportError, OSError, AttributeError, TypeError):
    LIBC = None
DEATH_SIGNAL, SUBREAPER = 1, 36
LINUX = LIBC is not None and sys.platform.startswith("linux")
FORKS = 100  # after which this process has torn its large pages by writing to them
STRAYS = 8  # processes that the tests of one worker may leave running


def adopt() -> None:
    """Become the parent of whatever descendants lose theirs, so that none gets away."""
    if LINUX:
        LIBC.prctl(SUBREAPER, 1, 0, 0, 0)


def children() -> List[int]:
    """Return the processes that this one is the parent of."""
    me = os.getpid()
    try:
        with open("/proc/self/task/{}/children".format(me), encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except (OSError, ValueError):
        return []


def end_strays(known: Sequence[int] = (), allowed: int = 0) -> bool:
    """Kill what tests left running, were there more than allowed; say whether there were."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False  # the usual case, told by one call
    found = [pid for pid in children() if pid not in known]
    if len(found) <= allowed:
        return False
    for _ in range(100):
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError, PermissionError):
                continue
        found = [pid for pid in children() if pid not in known]
        if not found:
            break
    return True


def die_with(parent: int) -> None:
    """Have the kernel end this process when its parent ends."""
    if LINUX:
        LIBC.prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(0)


def child(body: Callable[[Callable[[Any], None]], None], memory: int) -> Tuple[int, int]:
    """Fork; the child calls `body(send)` and ends without any clean-up. Returns (pid, pipe)."""
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(writer)
        return pid, reader
    status = 1
    try:
        die_with(parent)
        adopt()
        os.setpgid(0, 0)
        os.close(reader)
        quiet()
        bound_memory(memory)
        on_signal(INTERRUPT, DEFAULT)
        on_signal(TERMINATE, DEFAULT)
        me = os.getpid()

        def send(message: Any) -> None:
            if os.getpid() != me:
                os._exit(0)  # a copy that a test forked and lost
            data = (json.dumps(message) + "\n").encode()
            while data:
                data = data[os.write(writer, data) :]

        body(send)
        status = 0
    except BaseException as error:  # noqa: BLE001 - the fork must never return into the parent's code
        if os.environ.get("CLEW_SEARCH_DEBUG"):
            import traceback  # noqa: PLC0415 - needed only here

            with open(os.environ["CLEW_SEARCH_DEBUG"], "a", encoding="utf-8") as file:
                traceback.print_exception(type(error), error, error.__traceback__, file=file)
        status = 2
    finally:
        os._exit(status)


def end_of(pid: int) -> Optional[int]:
    """Return a descriptor that can be read once a process has ended; None where there is none."""
    try:
        return os.pidfd_open(pid)  # type: ignore[attr-defined,unused-ignore]  # Linux alone
    except (AttributeError, OSError):
        return None


def await_news(jobs: Sequence[Job], most: float) -> None:
    """Wait until a worker says something or ends, at most so many seconds."""
    watched = [job.pipe for job in jobs if not job.silent]
    watched += [job.end for job in jobs if job.end is not None]
    # A pipe closes before its process is gone, and would be found readable again and again.
    unwatched = any(job.silent and job.end is None for job in jobs)
    select.select(watched, [], [], 0.0005 if unwatched else most)


class Job:
    """One living worker."""

    def __init__(self, pid: int, pipe: int, batch: Sequence[Any], slot: int) -> None:
        self.pid = pid
        self.pipe = pipe
        self.batch = list(batch)
        self.slot = slot
        self.data = b""
        self.since = time.monotonic()
        self.at: Tuple[int, float] = (-1, 0.0)
        self.at_since = self.since
        self.cpu_since: Optional[float] = None
        self.silent = False  # nothing more will come from the pipe
        self.end = end_of(pid)
        os.set_blocking(pipe, False)

    def lines(self) -> Iterator[Any]:
        while True:
            try:
                block = os.read(self.pipe, 65536)
            except (BlockingIOError, InterruptedError):
                break
            if not block:
                self.silent = True
                break
            self.data += block
        *whole, self.data = self.data.split(b"\n")
        for line in whole:
            yield json.loads(line)

    def ended(self) -> bool:
        """Say whether the process is gone; its pipe closes a moment before."""
        if self.silent and self.end is not None:
            select.select([self.end], [], [], 0.001)
        return os.waitpid(self.pid, os.WNOHANG)[0] == self.pid

    def close(self) -> None:
        """Let the pipe go, and what tells of the end."""
        os.close(self.pipe)
        if self.end is not None:
            os.close(self.end)

    def cpu(self) -> float:
        """Return the processor seconds the worker has used, or 0 when it cannot be told."""
        try:
            with open("/proc/{}/stat".format(self.pid), encoding="ascii", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / TICK
        except (OSError, IndexError, ValueError):
            return 0.0

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self.sweep()

    def sweep(self) -> None:
        """End what the worker's tests may have started."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return


class Pool:
    """Runs batches of candidates in forked workers.

    `work(item, tell)` is called in the worker for each and returns one of the outcomes above.
    """

    def __init__(self, size: int, limits: Bounds, tick: Callable[[], None] = lambda: None) -> None:
        self.size = size
        self.limits = limits
        self.tick = tick
        self.patience = 1
        self.since = time.monotonic()
        self.again = 0.0  # seconds that went into trying once more
        adopt()
        self.done = 0  # tried of the batch under way
        self.forks = 0
        self.marks = mmap.mmap(-1, SLOT.size * max(1, size))

    def run(
        self,
        items: Sequence[int],
        work: Callable[[int, Callable[[Any], None]], int],
        deadline: float,
        *,
        batch: int = 200,
        stop: Callable[[], bool] = lambda: False,
    ) -> Tuple[Dict[int, int], List[Any]]:
        """Return the outcome of each item that was tried, and every message told."""
        outcomes, messages = self.once(items, work, deadline, batch=batch, stop=stop)
        late = [item for item in items if outcomes.get(item) == LATE]
        began = time.monotonic()
        # Candidates that truly wait may be many: they get a tenth of the time.
        until = began + 2.0 + 0.1 * (began - self.since) - self.again
        if late and until > began:
            size, self.size, self.patience = self.size, 1, PATIENCE
            more, told = self.once(late, work, min(deadline, until), batch=1, stop=stop)
            self.size, self.patience = size, 1
            self.again += time.monotonic() - began
            outcomes.update(more)
            messages += told
        return outcomes, messages

    def once(
        self,
        items: Sequence[int],
        work: Callable[[int, Callable[[Any], None]], int],
        deadline: float,
        *,
        batch: int,
        stop: Callable[[], bool],
    ) -> Tuple[Dict[int, int], List[Any]]:
        outcomes: Dict[int, int] = {}
        messages: List[Any] = []
        if not items:
            return outcomes, messages
        state = mmap.mmap(-1, max(1, len(items)))
        positions = list(range(len(items)))
        queue = [positions[i : i + batch] for i in range(0, len(positions), batch)]
        queue.reverse()
        free = list(range(self.size))
        jobs: List[Job] = []
        kin = children()
        gc.freeze()  # what is collected in a worker costs a copy of its page
        try:
            while (queue or jobs) and time.monotonic() < deadline and not stop():
                while queue and free:
                    slot = free.pop()
                    jobs.append(self.start(queue.pop(), slot, items, state, work))
                await_news(jobs, 0.02)
                for job in list(jobs):
                    messages.extend(job.lines())
                    ended = job.ended()
                    fate = DIED if ended else self.overdue(job)
                    if not ended and fate != UNTRIED:
                        job.kill()
                        os.waitpid(job.pid, 0)
                        ended = True
                    if ended:
                        messages.extend(job.lines())
                        jobs.remove(job)
                        free.append(job.slot)
                        rest = self.finish(job, state, fate)
                        end_strays([*kin, *[other.pid for other in jobs]])
                        if rest:
                            queue.append(rest)
                self.done = len(items) - state[: len(items)].count(UNTRIED)
                self.tick()
        finally:
            for job in jobs:
                job.kill()
                os.waitpid(job.pid, 0)
                messages.extend(job.lines())
                job.close()
            end_strays(kin)
            gc.unfreeze()
        for position, item in enumerate(items):
            if state[position] != UNTRIED:
                outcomes[item] = state[position]
        state.close()
        self.done = 0
        return outcomes, messages

    def start(
        self, batch: List[int], slot: int, items: Sequence[int], state: Any, work: Any
    ) -> Job:
        SLOT.pack_into(self.marks, slot * SLOT.size, -1, 0.0)

        def body(send: Callable[[Any], None]) -> None:
            me = os.getpid()
            position = -1

            def mark() -> None:
                if os.getpid() == me:
                    SLOT.pack_into(self.marks, slot * SLOT.size, position, time.monotonic())

            limited.began, limited.patience = staticmethod(mark), self.patience
            for position in batch:
                mark()
                outcome = work(items[position], send)
                if os.getpid() != me:
                    os._exit(0)  # a copy that a test forked and lost
                state[position] = outcome
                if outcome in (TIMEOUT, LATE) or end_strays(allowed=STRAYS):
                    break
            end_strays()

        if LINUX and self.forks % FORKS == 0:
            pages.join(LIBC)
        self.forks += 1
        pid, pipe = child(body, self.limits.memory)
        return Job(pid, pipe, batch, slot)

    def overdue(self, job: Job) -> int:
        """Return what is to become of a test that takes too long: UNTRIED while it does not."""
        mark = SLOT.unpack_from(self.marks, job.slot * SLOT.size)
        now = time.monotonic()
        if mark != job.at:
            job.at, job.at_since, job.cpu_since = mark, now, None
            return UNTRIED
        if job.cpu_since is None:
            job.cpu_since = job.cpu()  # most tests are done before anybody looks twice
        if now - job.at_since < min(0.5, self.limits.wall):
            return UNTRIED
        if job.cpu() - job.cpu_since > self.limits.wall / 4 + 0.5:
            return DIED
        return LATE if now - job.at_since > self.limits.wall * self.patience else UNTRIED

    def finish(self, job: Job, state: Any, fate: int) -> List[int]:
        """Book the end of a worker; return what it left untried."""
        job.sweep()
        job.close()
        position, _ = SLOT.unpack_from(self.marks, job.slot * SLOT.size)
        if position >= 0 and state[position] == UNTRIED and position in job.batch:
            state[position] = fate
        return [p for p in job.batch if state[p] == UNTRIED] if position >= 0 else []


def latest(messages: Sequence[List[Any]]) -> List[List[Any]]:
    """Return the last message of each candidate, which it begins with, in their order."""
    return [message for _, message in sorted({m[0]: m for m in messages}.items())]


def wait(pid: int, pipe: int, seconds: float) -> Optional[List[Any]]:
    """Collect what a child tells until it ends; None when it had to be killed first."""
    adopt()
    kin = children()
    job = Job(pid, pipe, [], 0)
    messages: List[Any] = []
    deadline = time.monotonic() + seconds
    ended = False
    try:
        while not ended and time.monotonic() < deadline:
            await_news([job], 0.02)
            messages.extend(job.lines())
            ended = job.ended()
    finally:
        if not ended:
            job.kill()
            os.waitpid(pid, 0)
        job.sweep()
        end_strays(kin)
        messages.extend(job.lines())
        job.close()
    return messages if ended else [*messages, None]
