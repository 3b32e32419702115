"""Chance and the clock, settled: so that a test can be seen under equal conditions.

Nothing is replaced but what reads the time: functions of the module `time`, and `now` and `utcnow`
of the class `datetime`, in place. The clock goes on from where it is set. What was bound by name
before, and what other processes see, keeps the time of the machine.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, Dict, Optional

__all__ = ["Levers"]

BILLION = 1_000_000_000


class Levers:
    """Settle the seed and the time that each test begins with; what is None is left alone."""

    def __init__(self, seed: Optional[int], clock: Optional[float]) -> None:
        self.seed = seed
        self.clock = None if clock is None else Clock(clock)
        self.held = self.clock is None or self.clock.install()
        self.settle()

    def settle(self) -> None:
        """Begin a test."""
        if self.clock is not None:
            self.clock.set()
        if self.seed is not None:
            import random  # noqa: PLC0415 - the project's tests may look at what is loaded

            random.seed(self.seed)
            numpy = sys.modules.get("numpy.random")
            if hasattr(numpy, "seed"):
                numpy.seed(self.seed)  # type: ignore[union-attr]


class Clock:
    """A clock that is set to one moment again and again, and goes on from there."""

    def __init__(self, moment: float) -> None:
        self.moment = moment
        self.real_ns = time.time_ns
        self.ahead = 0
        self.set()

    def set(self) -> None:
        self.ahead = int(self.moment * BILLION) - self.real_ns()

    def time(self) -> float:
        return self.time_ns() / BILLION

    def time_ns(self) -> int:
        return self.real_ns() + self.ahead

    def install(self) -> bool:
        """Put this clock in the place of the machine's; return False where it cannot be."""
        try:
            replace_methods()
        except Exception:  # noqa: BLE001 - an interpreter without ctypes, or made otherwise
            return False
        asctime, strftime = time.asctime, time.strftime
        get, get_ns, realtime = time.clock_gettime, time.clock_gettime_ns, time.CLOCK_REALTIME
        functions: Dict[str, Callable[..., Any]] = {
            "time": self.time,
            "time_ns": self.time_ns,
            "localtime": self.told(time.localtime),
            "gmtime": self.told(time.gmtime),
            "ctime": self.told(time.ctime),
            "asctime": lambda *rest: asctime(*(rest or (time.localtime(),))),
            "strftime": lambda form, *rest: strftime(form, *(rest or (time.localtime(),))),
            "clock_gettime": lambda n: self.time() if n == realtime else get(n),
            "clock_gettime_ns": lambda n: self.time_ns() if n == realtime else get_ns(n),
        }
        for name, function in functions.items():
            setattr(time, name, function)
        before = self.time()
        told = float(sys.modules["datetime"].datetime.now().timestamp())
        return before - 1.0 < told < self.time() + 1.0

    def told(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def by_default(seconds: Optional[float] = None) -> Any:
            return function(self.time() if seconds is None else seconds)

        return by_default


def replace_methods() -> None:
    """Have the class `datetime`, which is written in C, ask the module `time` for the time."""
    import ctypes  # noqa: PLC0415 - not every interpreter has it, and few runs need it
    import datetime as dt  # noqa: PLC0415 - as above
    import gc  # noqa: PLC0415 - as above

    def now(cls: Any, tz: Any = None) -> Any:
        return cls.fromtimestamp(time.time(), tz)

    def utcnow(cls: Any) -> Any:
        return cls.fromtimestamp(time.time(), dt.timezone.utc).replace(tzinfo=None)

    kind = dt.datetime
    fields = next(found for found in gc.get_referents(vars(kind)) if type(found) is dict)
    fields.update(now=classmethod(now), utcnow=classmethod(utcnow))
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))
