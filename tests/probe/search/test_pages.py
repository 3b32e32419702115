"""A worker's memory in large pages holds what it held, and grows by little."""

from __future__ import annotations

import ctypes
import mmap
import sys

import pytest

from clew.probe.search import pages

MEBI = 1 << 20
SMAPS = """\
00100000-00900000 rw-p 00000000 00:00 0{heap}
Size:               8192 kB
Rss:                {rss} kB
VmFlags: rd wr mr mw me ac
00a00000-01a00000 {mode} 00000000 08:01 7{file}
Size:              16384 kB
Rss:               16384 kB
"""
HEAP, LIBRARY = " [heap]", " /lib/libc.so"


@pytest.mark.parametrize(
    ("rss", "mode", "file", "found"),
    [
        (8192, "r-xp", LIBRARY, [(2, 8)]),
        (7168, "rw-p", LIBRARY, [(2, 8)]),
        (7167, "rw-p", "", [(10, 26)]),
        (8192, "rw-s", "", [(2, 8)]),
        (8192, "rw-p", " [stack]", [(2, 8)]),
    ],
)
def test_only_own_memory_that_is_in_use_is_joined(
    rss: int, mode: str, file: str, found: list[tuple[int, int]]
) -> None:
    """Files, shared memory, the stack and memory that is an eighth empty stay as they are."""
    for heap in (HEAP, ""):
        text = SMAPS.format(heap=heap, rss=rss, mode=mode, file=file)
        assert [(a * MEBI, b * MEBI) for a, b in found] == list(pages.own(text))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux")
def test_joined_memory_holds_what_it_held() -> None:
    """Whether or not this kernel joins pages, every byte is what it was."""
    with mmap.mmap(-1, 8 * MEBI, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        kept = bytes(range(256)) * (8 * MEBI // 256)
        memory[:] = kept
        pages.join(ctypes.CDLL(None))
        assert kept == memory[:]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux")
def test_a_kernel_that_does_not_join_pages_is_left_in_peace() -> None:
    """Older kernels, and sandboxes, refuse: nothing is raised."""

    class Refusing:
        @staticmethod
        def madvise(*_words: object) -> int:
            return -1

    assert False is pages.join(Refusing())
