"""Two pieces of work side by side, each of which runs programs.

Only their programs run at the same time: of the work itself one goes on while the other waits for a
program. So nothing that they share is changed by both at once, and what Python cannot do in two
threads (in 3.11 the parser fails at times) is not asked of it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

__all__ = ["both", "held", "stop_if_called_off", "waiting"]

First = TypeVar("First")
Second = TypeVar("Second")

PATIENCE = 0.2  # seconds after which who waits looks whether it still has to


@dataclass
class _Side:
    """One piece of work: the turn of both, and whether nobody waits for this one any more.

    Ctrl-C may strike between any two steps, so the turn itself knows who has it, and who was
    called off does not wait for one that is never given back.
    """

    turn: threading.RLock
    called_off: threading.Event

    def take(self) -> None:
        while not self.turn.acquire(timeout=PATIENCE):
            self.stop_if_called_off()

    def give(self) -> None:
        with contextlib.suppress(RuntimeError):  # it is not this one's
            self.turn.release()

    def stop_if_called_off(self) -> None:
        if self.called_off.is_set():
            raise KeyboardInterrupt


_SIDE: ContextVar[_Side | None] = ContextVar("side", default=None)


def both(
    first: Callable[[], First], second: Callable[[], Second], *, at_once: bool
) -> tuple[First, Second]:
    """Return what two calls return; `at_once`, the second runs in a thread beside the first.

    An exception of either goes on its way, Ctrl-C included. If it is the first's, the program that
    the second runs is killed, and it begins no other. Within one of two such pieces they run one
    after the other: a thread of its own would wait for a lock whose holder waits for this piece.
    """
    if not at_once or _SIDE.get() is not None:
        return first(), second()
    turn, going_on, called_off = threading.RLock(), threading.Event(), threading.Event()
    with ThreadPoolExecutor(1, "clew-beside") as pool:
        other = pool.submit(_taking_turns, _Side(turn, called_off), second)
        try:
            return _taking_turns(_Side(turn, going_on), first), other.result()
        except BaseException:
            called_off.set()
            raise


def _taking_turns(side: _Side, call: Callable[[], First]) -> First:
    before = _SIDE.set(side)
    try:
        side.take()
        return call()
    finally:
        side.give()
        _SIDE.reset(before)


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """Let the other piece of work go on while a program runs."""
    side = _SIDE.get()
    if side is None:
        yield
        return
    side.give()
    try:
        yield
    finally:
        side.take()


@contextlib.contextmanager
def held(lock: threading.Lock) -> Iterator[None]:
    """Hold a lock, and let the other piece of work go on until it is free: it may be its holder."""
    with waiting():
        while not lock.acquire(timeout=PATIENCE):
            stop_if_called_off()
    try:
        yield
    finally:
        lock.release()


def stop_if_called_off() -> None:
    """Raise KeyboardInterrupt in a thread whose work nobody waits for any more."""
    side = _SIDE.get()
    if side is not None:
        side.stop_if_called_off()
