"""Two pieces of work at the same time, each of which runs programs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from typing import TypeVar

__all__ = ["both", "stop_if_called_off"]

First = TypeVar("First")
Second = TypeVar("Second")

_CALLED_OFF: ContextVar[threading.Event | None] = ContextVar("called off", default=None)


def both(
    first: Callable[[], First], second: Callable[[], Second], *, at_once: bool
) -> tuple[First, Second]:
    """Return what two calls return; `at_once`, the second runs in a thread beside the first.

    An exception of either goes on its way, Ctrl-C included. If it is the first's, the program that
    the second runs is killed, and it begins no other.
    """
    if not at_once:
        return first(), second()
    called_off = threading.Event()
    with ThreadPoolExecutor(1, "clew-beside") as pool:
        other = pool.submit(_heeding, called_off, second)
        try:
            return first(), other.result()
        except BaseException:
            called_off.set()
            raise


def _heeding(called_off: threading.Event, call: Callable[[], Second]) -> Second:
    _CALLED_OFF.set(called_off)
    return call()


def stop_if_called_off() -> None:
    """Raise KeyboardInterrupt in a thread whose work nobody waits for any more."""
    called_off = _CALLED_OFF.get()
    if called_off is not None and called_off.is_set():
        raise KeyboardInterrupt
