"""The pipes of a program: moved without threads, kept in bounded memory."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections import deque
from collections.abc import Callable
from typing import IO

__all__ = ["TICK", "Streams"]

TICK = 0.05  # how late the end of a program whose children hold its output may be noticed
CHUNK = 1 << 16
PIPEFULS = 32  # the largest pipe, in chunks, and some
LONGEST_LINE = 1 << 24


class Streams:
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
