"""One program, run to its end, or until a bound of it is met."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum, auto
from math import inf
from pathlib import Path
from types import FrameType

import msgspec

from clew.sandbox.processes.beside import stop_if_called_off, waiting
from clew.sandbox.processes.streams import TICK, Streams
from clew.sandbox.processes.trees import MARK, ProcessTree
from clew.sandbox.resource_usage import UsageBounds, UsageWatch
from clew.words.errors import CommandNotFound

__all__ = ["Completed", "run"]

GRACE = 0.5  # between the request to end and the kill, when time is up
BEAT = 0.5


class Completed(msgspec.Struct, frozen=True, kw_only=True):
    """How a program ended. A negative `exit_code` is the signal that ended it."""

    exit_code: int | None  # None: killed, but stuck in the kernel
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    over_limit: str = ""  # the limit that it exceeded and was killed for, in words
    silent: bool = False  # ended, since it said nothing for longer than it might
    flooding: bool = False  # ended, since it said more than it might


class _Cut(Enum):
    """Why a program did not run to its end."""

    TIME = auto()
    ENOUGH = auto()
    SILENCE = auto()
    FLOOD = auto()
    EXCESS = auto()


def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes | int = b"",
    timeout: float,
    idle: float = inf,
    most: float = inf,
    cap: int = 1_000_000,
    together: bool = False,
    on_stdout_line: Callable[[bytes], None] | None = None,
    until: Callable[[], bool] | None = None,
    bounds: UsageBounds = UsageBounds(),  # noqa: B008 - frozen
    within: str = "",
    meanwhile: Callable[[], None] = lambda: None,
    keep: Collection[int] = (),
) -> Completed:
    """Run a program to its end, or until its time is up; nothing of its tree outlives the call.

    Of each output stream the first and last `cap / 2` bytes are kept, with a line between them that
    says how much was left out; `together` puts standard error into standard output, each line in
    its place. `on_stdout_line` gets every line, without its end, as it arrives; of
    a line beyond 16 MiB it gets the beginning. `stdin` is what the program reads, or the descriptor
    of a pipe that the caller writes into. When time is up, nothing was said for `idle` seconds, or
    `until` is true, the tree is asked to end, then killed. What says more than `most` bytes, or
    takes up more than its `bounds`, is killed at once; so it is by an exception that goes on its
    way, Ctrl-C included. `within` is a further mark of the tree: see `end`. `meanwhile` is called
    twice a second or so. `keep` are descriptors that the program inherits.
    Raises CommandNotFound if the program cannot be started.
    """
    stop_if_called_off()
    began = time.monotonic()
    mark = os.urandom(8).hex()
    trail = "/".join(filter(None, (os.environ.get(MARK), within, mark)))
    with interruptions_held() as let_go:
        process = _start(
            argv, cwd=cwd, env={**env, MARK: trail}, stdin=stdin, together=together, keep=keep
        )
        tree = ProcessTree(process.pid, mark)
        try:
            let_go()  # from here on whatever is begun is ended
            streams = Streams(process, stdin, cap, on_stdout_line)
            watch = UsageWatch(bounds, tree)
            pulse = _Pulse(meanwhile)
            with waiting():
                cut = _follow(
                    tree,
                    streams,
                    began + timeout,
                    idle=idle,
                    most=most,
                    watch=watch,
                    pulse=pulse,
                    until=until,
                )
            if cut in (_Cut.TIME, _Cut.ENOUGH, _Cut.SILENCE):
                tree.signal(signal.SIGTERM)
                _follow(tree, streams, time.monotonic() + GRACE)
            tree.kill()
            streams.drain()
        finally:
            tree.kill()
            exit_code = tree.reap(process)
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
    return Completed(
        exit_code=exit_code,
        stdout=streams.stdout.text(),
        stderr=streams.stderr.text(),
        seconds=time.monotonic() - began,
        timed_out=cut is _Cut.TIME,
        silent=cut is _Cut.SILENCE,
        flooding=cut is _Cut.FLOOD,
        over_limit=watch.said,
    )


def _follow(
    tree: ProcessTree,
    streams: Streams,
    deadline: float,
    *,
    idle: float = inf,
    most: float = inf,
    watch: UsageWatch | None = None,
    pulse: _Pulse | None = None,
    until: Callable[[], bool] | None = None,
) -> _Cut | None:
    """Move output until the first process has ended; else say which bound came first."""
    pause = 0.0005
    while not tree.leader_ended:
        stop_if_called_off()
        if watch and watch.exceeded():
            return _Cut.EXCESS
        if until and until():
            return _Cut.ENOUGH
        now = time.monotonic()
        if pulse:
            pulse.beat(now)
        left = min(deadline, streams.heard + idle) - now
        if streams.said > most:
            return _Cut.FLOOD
        if left <= 0:
            return _Cut.TIME if deadline <= now else _Cut.SILENCE
        # Output usually closes an instant before the end: look again soon, then less often.
        pause = min(2 * pause, TICK) if streams.ended else pause
        streams.move(min(left, pause if streams.ended else TICK))
    return None


@contextlib.contextmanager
def interruptions_held() -> Iterator[Callable[[], None]]:
    """Keep Ctrl-C and its like back while a process is begun; the function that is given lets go.

    An interruption in between would lose the process before anybody knows it.
    """
    heard: list[tuple[int, FrameType | None]] = []
    caught: dict[int, Callable[[int, FrameType | None], object]] = {}

    def let_go() -> None:
        handlers, first = dict(caught), heard[:1]
        caught.clear()
        heard.clear()
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number, frame in first:
            handlers[number](number, frame)

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            handler = signal.getsignal(number)
            if callable(handler):
                caught[number] = handler
                signal.signal(number, lambda *call: heard.append(call))
    try:
        yield let_go
    finally:
        let_go()


class _Pulse:
    """Calls a function now and then."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.call = call
        self.next = -inf

    def beat(self, now: float) -> None:
        if now >= self.next:
            self.call()
            self.next = now + BEAT


def _start(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: dict[str, str],
    stdin: bytes | int,
    together: bool,
    keep: Collection[int],
) -> subprocess.Popen[bytes]:
    if not cwd.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(cwd))
    try:
        return subprocess.Popen(
            argv,
            cwd=cwd,
            env=env,
            stdin=_input(stdin),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if together else subprocess.PIPE,
            start_new_session=True,
            pass_fds=tuple(keep),
        )
    except OSError as error:
        why = {
            errno.ENOENT: "it, or the interpreter its first line names, does not exist",
            errno.ENOTDIR: "a part of its path is not a folder",
            errno.EACCES: "it is not executable",
            errno.ENOEXEC: "it is not a program that this machine can run",
        }.get(error.errno or 0)
        if why is None:
            raise
        raise CommandNotFound(
            f"cannot run `{argv[0]}`: {why}",
            command=argv[0],
            hint=f"install `{argv[0]}`, or name it by its full path",
        ) from error


def _input(stdin: bytes | int) -> int:
    if isinstance(stdin, int):
        return stdin
    return subprocess.PIPE if stdin else subprocess.DEVNULL
