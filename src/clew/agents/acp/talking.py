"""Messages over the pipes of a program that runs in the sandbox.

The program is followed by the thread that started it, so that Ctrl-C and every bound end it as they
end any other. What is said to it is said in a thread of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from clew.agents.listening import decoded

__all__ = ["AcpLines", "AcpTalk", "Message"]

PATIENCE = 10.0  # seconds for a conversation to notice that nobody is there any more

Message = dict[str, Any]
T = TypeVar("T")


class AcpLines:
    """Messages, one JSON object a line: written into a pipe, and handed on as they come."""

    def __init__(self, writing: int) -> None:
        self._writing = writing
        self.came: asyncio.Queue[Message | None] = asyncio.Queue()

    async def send(self, message: Message) -> None:
        """Write a message. Raises ConnectionError if nobody reads it any more."""
        left = memoryview(msgspec.json.encode(message) + b"\n")
        while left:
            left = left[os.write(self._writing, left) :]

    async def receive(self) -> Message | None:
        """Return the next message; None when there will be none."""
        return await self.came.get()

    async def close(self) -> None:
        """Do nothing: who opened the pipe closes it."""


class AcpTalk(Generic[T]):
    """A conversation with a program that somebody else starts, follows and ends."""

    def __init__(self, converse: Callable[[AcpLines, Path], Coroutine[None, None, T]]) -> None:
        self._converse = converse
        self._pipe: tuple[int, int] | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lines: AcpLines | None = None
        self._result: tuple[T] | None = None
        self._failure: BaseException | None = None

    def begin(self, inside: Path) -> int:
        """Speak, to a program that finds itself in that folder; return the pipe that it reads."""
        self._pipe = reading, writing = os.pipe()
        ready = threading.Event()
        words = (writing, inside, ready)
        self._thread = threading.Thread(target=self._run, args=words, daemon=True)
        self._thread.start()
        ready.wait()
        return reading

    def hear(self, line: bytes) -> Message | None:
        """Hand on a line of the program, and return it as a message; None if it is none."""
        message = decoded(line, dict[str, Any])
        if message is not None:
            self._hand_on(message)
        return message

    def over(self) -> bool:
        """Whether all was said."""
        return self._thread is not None and not self._thread.is_alive()

    def close(self) -> None:
        """Take note that the program has ended."""
        self._hand_on(None)
        if self._pipe and self._thread:
            os.close(self._pipe[0])  # a write that waits for a reader fails now
            self._thread.join(PATIENCE)
            os.close(self._pipe[1])
        self._pipe = None

    def result(self) -> T:
        """Return what the conversation came to. Raises what it raised."""
        if self._result is None:
            raise self._failure or ConnectionError("nothing was said")
        return self._result[0]

    def _hand_on(self, message: Message | None) -> None:
        if self._loop and self._lines:
            with contextlib.suppress(RuntimeError):  # the conversation is over
                self._loop.call_soon_threadsafe(self._lines.came.put_nowait, message)

    def _run(self, writing: int, inside: Path, ready: threading.Event) -> None:
        try:
            with asyncio.Runner() as runner:
                runner.run(self._speak(writing, inside, ready))
        except BaseException as error:  # noqa: BLE001 -- raised where the result is asked for
            self._failure = error

    async def _speak(self, writing: int, inside: Path, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._lines = AcpLines(writing)
        ready.set()
        self._result = (await self._converse(self._lines, inside),)
