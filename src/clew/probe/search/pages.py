"""Memory in large pages: what a fork costs grows with the number of pages that it copies."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

__all__ = ["join", "own"]

LARGE = 1 << 21
COLLAPSE = 25  # MADV_COLLAPSE, of Linux 6.1


def join(libc: Any) -> bool:
    """Have Linux join this process's own memory into large pages; say whether any was.

    What stands in memory stays, and memory that was hardly used stays as it is: joined, it would
    take its whole size.
    """
    from ctypes import c_int, c_size_t, c_void_p  # noqa: PLC0415 - the caller has it, or no libc

    try:
        with open("/proc/self/smaps", encoding="ascii", errors="replace") as file:
            ranges = list(own(file.read()))
    except OSError:
        return False
    done = [
        libc.madvise(c_void_p(start), c_size_t(end - start), c_int(COLLAPSE)) == 0
        for start, end in ranges
    ]
    return any(done)


def own(maps: str) -> Iterator[Tuple[int, int]]:
    """Yield where private memory that is no file's, and in use, fills large pages; ends excluded.

    `maps` is what the kernel says of a process in `smaps`.
    """
    start = end = 0
    for line in maps.splitlines():
        fields = line.split()
        if not fields[0].endswith(":"):
            kept = fields[1] == "rw-p" and fields[5:] in ([], ["[heap]"])
            start, end = (int(word, 16) for word in fields[0].split("-")) if kept else (0, 0)
        elif fields[0] == "Rss:" and 8 * 1024 * int(fields[1]) >= 7 * (end - start):
            first, last = -(-start // LARGE) * LARGE, end // LARGE * LARGE
            if first < last:
                yield first, last
