"""What tests and agents may take of this machine; and what is said where that ended them.

Memory of an agent is bounded for all its processes together, by weighing them: the virtual machines
that agents are made of reserve far more than they use, and the kernel's own limit cannot tell. That
limit is for tests, one of which then fails and the others go on.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from clew.sandbox.confinement import Limits, cgroups
from clew.sandbox.resource_usage import SHARE, Whose
from clew.words.settings import Settings, TestSettings

__all__ = ["AGENTS", "TESTS", "for_agents", "for_tests", "machine", "remark"]

GB = 10**9
LEAST_SECONDS = 3_600  # of a processor, unless that is set
CORES = 8  # so many may be busy for as long as a run may take, unless it is set; more if there are
LONGEST = 10**9  # seconds: the kernel counts them in nanoseconds


def for_tests(settings: TestSettings) -> Limits:
    """Return what a run of the tests, and what is done in their place, may take."""
    most, total = machine(), settings.total_memory
    return Limits(
        whose=Whose.TESTS,
        memory_bytes=min(int(settings.memory * GB), most),
        total_bytes=int(most * SHARE) if total is None else int(total * GB),
        file_bytes=int(settings.file_size * GB),
        processes=settings.processes,
        disk_bytes=int(settings.disk * GB),
        cpu_seconds=_seconds(settings.cpu_seconds, settings.timeout),
    )


def for_agents(settings: Settings) -> Limits:
    """Return what an agent, and all that it starts, may take in one call."""
    return Limits(
        whose=Whose.AGENTS,
        total_bytes=min(int(settings.agent_total_memory * GB), int(machine() * SHARE)),
        file_bytes=int(settings.agent_file_size * GB),
        processes=settings.agent_processes,
        disk_bytes=int(settings.agent_disk * GB),
        cpu_seconds=_seconds(settings.agent_cpu_seconds, settings.agent_timeout),
    )


def _seconds(chosen: float | None, timeout: float) -> int:
    busy = max(CORES, os.cpu_count() or 1) * timeout
    return math.ceil(min(max(LEAST_SECONDS, busy) if chosen is None else chosen, LONGEST))


def machine() -> int:
    """Return the bytes of memory that there are: a container's, where Clew runs in one."""
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min((physical, *_of_groups()))


def _of_groups() -> Iterator[int]:
    """Yield what the control groups that Clew is in let them all have."""
    for group in cgroups.own("memory"):
        for name in ("memory.max", "memory.limit_in_bytes"):  # one of either version
            with contextlib.suppress(OSError, ValueError):  # a word stands for no limit
                yield int((group / name).read_text("ascii"))


TESTS, AGENTS = for_tests(Settings()), for_agents(Settings())


class _Sign(NamedTuple):
    """Words of a program that met a bound, for which it is no matter who says them."""

    words: re.Pattern[str]
    bound: Callable[[Limits], int | None]
    may: Callable[[int], str]
    setting: str


_SIGNS = (
    _Sign(
        re.compile(r"MemoryError|std::bad_alloc|[Cc]annot allocate memory|ENOMEM|out of memory"),
        lambda limits: limits.memory_bytes,
        lambda most: f"may take {most / GB:.3g} GB",
        "memory",
    ),
    _Sign(
        re.compile(r"SIGXCPU|signal 24\b|[Cc]pu time limit exceeded|CPU time limit exceeded"),
        lambda limits: limits.cpu_seconds,
        lambda most: f"may compute for {most:,} s",
        "cpu_seconds",
    ),
    _Sign(
        re.compile(r"SIGXFSZ|signal 25\b|EFBIG|[Ff]ile too large|File size limit exceeded"),
        lambda limits: limits.file_bytes,
        lambda most: f"may write files of {most / GB:.3g} GB",
        "file_size",
    ),
)


def remark(said: str, limits: Limits) -> str:
    """Name the limit that words of a run tell of, whose it is, and its setting; else nothing."""
    for sign in _SIGNS:
        most = sign.bound(limits)
        if limits.whose is not None and most is not None and sign.words.search(said):
            who = f"each process of {limits.whose}"
            return f"{who} {sign.may(most)}: {limits.whose.more(sign.setting)}"
    return ""
