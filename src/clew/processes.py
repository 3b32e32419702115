"""Other programs: started in a session of their own, and gone when the call returns.

A program's tree is everything that shares its session, carries its mark in the environment
(`CLEW_RUN`), or descends from such a process. Daemons keep the mark, so a double fork does not
hide them. A program that wipes its own environment needs the sandbox's process namespace.

The first process of a tree stays unreaped until the rest is dead: its number cannot be given to
a stranger while there are signals to send.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import Enum, auto
from math import inf
from pathlib import Path
from typing import IO

import msgspec

from clew.errors import CommandNotFound
from clew.excess import Bounds, Watch

__all__ = ["Completed", "Identity", "alive", "end", "identify", "run"]

MARK = "CLEW_RUN"
TICK = 0.05  # how late the end of a program whose children hold its output may be noticed
GRACE = 0.5  # between the request to end and the kill, when time is up
REAP = 2.0  # how long killed processes may take to disappear
CHUNK = 1 << 16
PIPEFULS = 32  # the largest pipe, in chunks, and some
LONGEST_LINE = 1 << 24
BEAT = 0.5
NOBODY = -1  # leads no session
HELD = {  # what tells of memory: files of a process, the more exact one first
    "smaps_rollup": (b"Pss_Anon:", b"Pss_Shmem:", b"SwapPss:"),
    "status": (b"RssAnon:", b"RssShmem:", b"VmSwap:"),
}


class Completed(msgspec.Struct, frozen=True, kw_only=True):
    """How a program ended. A negative `exit_code` is the signal that ended it."""

    exit_code: int | None  # None: killed, but stuck in the kernel
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    excess: str = ""  # what it took too much of, and was killed for
    silent: bool = False  # ended, since it said nothing for longer than it might
    flooding: bool = False  # ended, since it said more than it might


class _Cut(Enum):
    """Why a program did not run to its end."""

    TIME = auto()
    ENOUGH = auto()
    SILENCE = auto()
    FLOOD = auto()
    EXCESS = auto()


class Identity(msgspec.Struct, frozen=True):
    """One process for all time: numbers come round again, start times do not."""

    pid: int
    started: str  # boot, and clock ticks since then


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
    bounds: Bounds = Bounds(),  # noqa: B008 - frozen
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
    began = time.monotonic()
    mark = secrets.token_hex(8)
    trail = "/".join(filter(None, (os.environ.get(MARK), within, mark)))
    process = _start(
        argv, cwd=cwd, env={**env, MARK: trail}, stdin=stdin, together=together, keep=keep
    )
    tree = _Tree(process.pid, mark)
    try:
        streams = _Streams(process, stdin, cap, on_stdout_line)
        watch = Watch(bounds, tree)
        pulse = _Pulse(meanwhile)
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
        excess=watch.said,
    )


def _follow(
    tree: _Tree,
    streams: _Streams,
    deadline: float,
    *,
    idle: float = inf,
    most: float = inf,
    watch: Watch | None = None,
    pulse: _Pulse | None = None,
    until: Callable[[], bool] | None = None,
) -> _Cut | None:
    """Move output until the first process has ended; else say which bound came first."""
    pause = 0.0005
    while not tree.leader_ended:
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


def end(within: str) -> bool:
    """Kill what was run with that mark and outlived its caller; False if something cannot die."""
    tree = _Tree(NOBODY, within)
    patience = time.monotonic() + REAP
    while tree.signal(signal.SIGKILL):
        if time.monotonic() >= patience:
            return False
        time.sleep(0.001)
    return True


def identify(pid: int) -> Identity | None:
    """Return the identity of the process that runs under this number now, if any."""
    seen = _read(pid)
    if seen is None or seen.dead:
        return None
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return Identity(pid, f"{boot}:{seen.started}")


def alive(identity: Identity) -> bool:
    """Whether that very process still runs (on this machine, in this process namespace)."""
    return identify(identity.pid) == identity


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
            errno.ENOEXEC: "it is no program this machine can run",
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


class _Seen(msgspec.Struct, frozen=True):
    """One line of the process table."""

    pid: int
    state: str
    parent: int
    group: int
    session: int
    started: int
    threads: int

    @property
    def dead(self) -> bool:
        return self.state in "ZX"


def _read(pid: int) -> _Seen | None:
    try:
        line = Path(f"/proc/{pid}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The name, in parentheses, may hold anything, parentheses included.
    words = line[line.rindex(b")") + 2 :].split()
    parent, group, session = (int(word) for word in words[1:4])
    return _Seen(pid, words[0].decode(), parent, group, session, int(words[19]), int(words[17]))


def _table() -> Iterator[_Seen]:
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and (seen := _read(int(entry.name))) is not None:
            yield seen


def _marked(pid: int, mark: bytes) -> bool:
    try:
        return mark in Path(f"/proc/{pid}/environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return False


def _weight(pid: int) -> int:
    """Return the bytes of a process's own memory, its part of what it shares with others.

    Of one that hides its parts, and where the kernel does not tell them, all of what it shares.
    """
    for name, held in HELD.items():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            lines = Path(f"/proc/{pid}/{name}").read_bytes().splitlines()
            found = [int(line.split()[1]) for line in lines if line.startswith(held)]
            if len(found) == len(held):
                return sum(found) * 1024
    return 0


class _Tree:
    """A program and everything it started."""

    def __init__(self, leader: int, mark: str) -> None:
        self.leader = leader
        self.mark = mark.encode()
        self.killed = False
        self.known: set[tuple[int, int]] = set()

    @property
    def leader_ended(self) -> bool:
        return os.waitid(os.P_PID, self.leader, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None

    def living(self) -> list[_Seen]:
        table = sorted(_table(), key=lambda seen: seen.started)
        # Known ones too: a dying process has lost its mark while it still closes its files.
        ours = {
            seen.pid
            for seen in table
            if seen.session == self.leader
            or (seen.pid, seen.started) in self.known
            or _marked(seen.pid, self.mark)
        }
        for seen in table:  # parents before their children
            if seen.parent in ours:
                ours.add(seen.pid)
        self.known |= {(seen.pid, seen.started) for seen in table if seen.pid in ours}
        return [seen for seen in table if seen.pid in ours and not seen.dead]

    def tasks(self) -> int:
        """Count the processes and threads that live."""
        return sum(seen.threads for seen in self.living())

    def weight(self) -> int:
        """Return the bytes of memory that they hold of their own."""
        return sum(_weight(seen.pid) for seen in self.living())

    def signal(self, number: signal.Signals) -> bool:
        """Send a signal to every process of the tree; False if there is none.

        To groups, because a group cannot fork its way out of a signal.
        """
        living = self.living()
        for group in {seen.group for seen in living} - {0, os.getpgrp()}:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, number)
        return bool(living)

    def kill(self) -> None:
        """Kill until nothing is left; what was born meanwhile is found by the next look.

        The first process goes first: a namespace of processes goes with it, however large. Those
        that only their parents lead to are noted before.
        """
        if not self.leader_ended:
            self.living()
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.leader, signal.SIGKILL)
        patience = time.monotonic() + REAP
        while not self.killed and time.monotonic() < patience:
            self.killed = not self.signal(signal.SIGKILL)
            if not self.killed:
                time.sleep(0.001)
        self.killed = True

    def reap(self, process: subprocess.Popen[bytes]) -> int | None:
        try:
            return process.wait(timeout=REAP)
        except subprocess.TimeoutExpired:
            return None


class _Pulse:
    """Calls a function now and then."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.call = call
        self.next = -inf

    def beat(self, now: float) -> None:
        if now >= self.next:
            self.call()
            self.next = now + BEAT


class _Streams:
    """The pipes of one program, moved without threads and without ever blocking."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        stdin: bytes | int,
        cap: int,
        on_line: Callable[[bytes], None] | None,
    ) -> None:
        self.stdout = _Clip(cap)
        self.stderr = _Clip(cap)
        self.lines = _Lines(on_line) if on_line else None
        self.said = 0  # bytes
        self.heard = time.monotonic()  # when something was said last
        self.stdin = process.stdin
        self.input = memoryview(stdin if isinstance(stdin, bytes) else b"")
        self.selector = selectors.DefaultSelector()
        for pipe, sink in ((process.stdout, self.stdout), (process.stderr, self.stderr)):
            if pipe is not None:
                self._watch(pipe, selectors.EVENT_READ, sink)
        if process.stdin is not None:
            self._watch(process.stdin, selectors.EVENT_WRITE, None)

    def _watch(self, pipe: IO[bytes], event: int, sink: _Clip | None) -> None:
        os.set_blocking(pipe.fileno(), False)
        self.selector.register(pipe, event, sink)

    @property
    def ended(self) -> bool:
        return not any(
            key.events & selectors.EVENT_READ for key in self.selector.get_map().values()
        )

    def move(self, timeout: float) -> bool:
        """Wait for at most `timeout` and move what is there; whether anything was."""
        ready = self.selector.select(timeout)
        for key, event in ready:
            if event & selectors.EVENT_WRITE:
                self._feed(key.fd)
            else:
                self._take(key.fd, key.data)
        return bool(ready)

    def _feed(self, fd: int) -> None:
        try:
            self.input = self.input[os.write(fd, self.input[:CHUNK]) :]
        except BrokenPipeError:  # the program reads no more
            self.input = self.input[:0]
        if not self.input and self.stdin is not None:
            self.selector.unregister(fd)
            self.stdin.close()

    def _take(self, fd: int, sink: _Clip) -> None:
        data = os.read(fd, CHUNK)
        sink.add(data)
        if data:
            self.said += len(data)
            self.heard = time.monotonic()
        if self.lines and sink is self.stdout:
            self.lines.add(data)
        if not data:
            self.selector.unregister(fd)

    def drain(self) -> None:
        """Take what the pipes still hold; a writer that could not be killed is not waited for."""
        for _ in range(PIPEFULS):
            if self.ended or not self.move(TICK):
                break


class _Clip:
    """The beginning and the end of a stream, in bounded memory."""

    def __init__(self, cap: int) -> None:
        self.half = max(cap // 2, 1)
        self.head = bytearray()
        self.tail: deque[bytes] = deque()
        self.kept = 0
        self.left_out = 0

    def add(self, data: bytes) -> None:
        room = self.half - len(self.head)
        self.head += data[:room]
        rest = data[room:]
        if not rest:
            return
        self.tail.append(rest)
        self.kept += len(rest)
        while self.kept - len(self.tail[0]) >= self.half:
            first = self.tail.popleft()
            self.kept -= len(first)
            self.left_out += len(first)

    def text(self) -> str:
        tail = b"".join(self.tail)
        over = max(len(tail) - self.half, 0)
        left_out = self.left_out + over
        if not left_out:
            return (bytes(self.head) + tail).decode(errors="replace")
        note = f"\n[... {left_out} bytes left out ...]\n"
        return self.head.decode(errors="replace") + note + tail[over:].decode(errors="replace")


class _Lines:
    """Cuts a stream into lines."""

    def __init__(self, on_line: Callable[[bytes], None]) -> None:
        self.on_line = on_line
        self.rest = bytearray()

    def add(self, data: bytes) -> None:
        """Hand on every line that is complete; no data is the end of the stream."""
        *whole, last = data.split(b"\n")
        for piece in whole:
            self._keep(piece)
            line, self.rest = bytes(self.rest), bytearray()
            self.on_line(line)
        self._keep(last)
        if not data and self.rest:
            line, self.rest = bytes(self.rest), bytearray()
            self.on_line(line)

    def _keep(self, piece: bytes) -> None:
        self.rest += piece[: LONGEST_LINE - len(self.rest)]
